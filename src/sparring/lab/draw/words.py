"""The words of figures and pages: sizes, what means are of, what is charged, how theory grows."""

from collections.abc import Sequence
from typing import Any

from sparring.formats import fraction, many, number, power, spread
from sparring.lab.experiments import Experiment
from sparring.lab.experiments.given import described
from sparring.lab.summaries import Realised, Summary
from sparring.regret import WORDS, Regret

AXES = {"K": "arms", "T": "rounds", "S": "segments", "V_T": "total variation"}
SIZES = tuple(AXES)
GREEK = {"sigma": "\N{GREEK SMALL LETTER SIGMA}", "epsilon": "ε"}
LONGEST = 40  # letters of a field of a world
# By benchmark: what a regret is called, and to what it compares.
BENCHMARKS = {
    "horizon": ("static regret", "the best single arm"),
    "stretch": ("dynamic regret", "the best arm of each stretch of constant preferences"),
    "round": ("best-response regret", "the best arm of each round"),
    "condorcet": ("regret to the Condorcet winner", "the Condorcet winner of each round"),
    "von neumann": ("regret to the von Neumann winner", "the von Neumann winner"),
    "arms": ("regret to given arms", "given arms"),
    "mixture": ("regret to a mixture", "a mixture"),
}
SIDES = {
    "both": ("", ""),
    "row": ("row player's ", "of the row player "),
    "column": ("column player's ", "of the column player "),
    "weak": ("weak ", "(weak) "),
    "strong": ("strong ", "(strong) "),
}


def symbol(size: str) -> str:
    """A size as mathematics, alone: in an SVG, mathematics is placed letter by letter.

    An option of a learner or a world, which may be an axis too, stays a word.

    Examples
    --------
    >>> symbol("V_T"), symbol("max_age")
    ('$V_T$', 'max age')
    """
    return f"${size}$" if size in AXES else _field(size)


def growth_of(size: str, slope: float) -> str:
    """A power of a size as theory writes it.

    Examples
    --------
    >>> growth_of("T", 1 / 2), growth_of("V_T", 1 / 3), growth_of("T", 1)
    ('√$T$', '$V_T^{1/3}$', '$T$')
    """
    if slope == 0.5:  # a plain sign, as a browser may lack the glyph of $\sqrt{}$
        return f"√{symbol(size)}"
    if slope == 1:
        return symbol(size)
    if size not in AXES:
        return f"{symbol(size)}^({fraction(slope)})"
    return f"${size}^{{{fraction(slope)}}}$"


def title(summary: Summary) -> str:
    """The experiment's title, and where the paper has it."""
    experiment = summary.experiment
    return f"{experiment.title} ({experiment.source})" if experiment.source else experiment.title


def fixed_sizes(summary: Summary) -> str:
    """The sizes that all points share."""
    return _sizes(summary.experiment.worlds, leave_out=summary.experiment.axis)


def last_sizes(summary: Summary) -> str:
    """The sizes at the last point that has results."""
    experiment = summary.experiment
    at = experiment.points.index(summary.points[-1])
    return _sizes([experiment.worlds[at]])


def _sizes(worlds: Sequence[Any], leave_out: str = "") -> str:
    found = []
    for size in SIZES:
        value, *others = {getattr(world, size, None) for world in worlds}
        if size != leave_out and value is not None and not others:
            found.append(f"{size} = {power(value)}")
    return ", ".join(found)


def world(experiment: Experiment) -> str:
    """The world and those of its fields that are the same at all points."""
    fields = [described(world) for world in experiment.worlds]
    same = {
        name: value
        for name, value in fields[0].items()
        if name != "world" and value is not None and all(one.get(name) == value for one in fields)
    }
    kinds = dict.fromkeys(str(one["world"]) for one in fields)
    shown = (f"{_field(name)} = {_value(value)}" for name, value in same.items())
    return ", ".join([" or ".join(kinds), *shown])


def _field(name: str) -> str:
    return name if name in AXES else GREEK.get(name, name.replace("_", " "))


def _value(value: Any) -> str:
    """A number, a word, or the head of something long."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def runs(*realised: Realised) -> str:
    """What means and bands are of."""
    counts = [point.runs for point in realised]
    return "one run" if max(counts) == 1 else f"mean ± sd of {spread(counts)} runs"


def means(counts: Sequence[int]) -> str:
    """What curves and bands are of, in a sentence's words."""
    if max(counts) == 1:
        return "one run"
    return f"mean of {spread(counts)} runs, band ± one standard deviation"


def gap(summary: Summary) -> str:
    """What an incomplete panel lacks; empty for a complete one."""
    if summary.complete:
        return ""
    there, wanted = len(summary.points), len(summary.experiment.points)
    return f"incomplete: {there} of {wanted} points" if there < wanted else "incomplete"


def left_out(count: int) -> str:
    """What a logarithmic axis cannot show; empty for nothing."""
    return f"{many(count, 'mean')} ≤ 0 not shown" if count else ""


def regret_name(regret: Regret | str) -> str:
    """What a regret is called, also by the label it has in a table; another label stays itself.

    Examples
    --------
    >>> regret_name(Regret("preference", "stretch")), regret_name("borda/stretch")
    ('dynamic regret', 'Borda regret')
    >>> regret_name(Regret("preference", "condorcet", side="weak")), regret_name("mine")
    ('weak regret to the Condorcet winner', 'mine')
    >>> regret_name("static"), regret_name("best response")
    ('static regret', 'best-response regret')
    """
    if isinstance(regret, str):
        regret = WORDS.get(regret, regret)
    gain, benchmark, side, *_ = (*str(regret).split("/"), "", "both")
    if benchmark not in BENCHMARKS or (side or "both") not in SIDES:
        return str(regret)
    name, _ = BENCHMARKS[benchmark]
    if gain == "borda":
        moving = benchmark in ("stretch", "round")
        name = "Borda regret" if moving else name.replace("regret", "Borda regret")
    return SIDES[side or "both"][0] + name


def regret_to(regret: Regret) -> str:
    """What is charged, in a sentence's words.

    Examples
    --------
    >>> regret_to(Regret("borda", "round"))
    'Borda regret to the best arm of each round'
    """
    gain = "Borda regret" if regret.gain == "borda" else "Regret"
    return f"{gain} {SIDES[regret.side][1]}to {BENCHMARKS[str(regret.benchmark)][1]}"
