"""What a figure says in words: sizes, numbers, the name of a regret, how theory grows."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sparring.lab.summaries import Realised, Summary
from sparring.regret import Regret

SIZES = ("K", "T", "S", "V_T")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
BENCHMARKS = {
    "horizon": "static regret",
    "stretch": "dynamic regret",
    "round": "dynamic regret",
    "condorcet": "regret to the Condorcet winner",
    "von neumann": "regret to the von Neumann winner",
    "arms": "regret to given arms",
    "mixture": "regret to a mixture",
}
SIDES = {
    "both": "",
    "row": "row player's ",
    "column": "column player's ",
    "weak": "weak ",
    "strong": "strong ",
}


def symbol(size: str) -> str:
    """A size as mathematics, alone: in an SVG, mathematics is placed letter by letter."""
    return f"${size}$"


def number(value: float) -> str:
    """A number in full, with commas."""
    return f"{value:,.10g}"


def power(value: float) -> str:
    """A power of ten from a thousand on as such, any other number in full.

    Examples
    --------
    >>> power(100000), power(20000), power(10)
    ('10⁵', '20,000', '10')
    """
    return _power(value) if value >= 1000 and math.log10(value).is_integer() else number(value)


def numbers(values: Sequence[float]) -> list[str]:
    """The numbers of an axis: powers of ten if all are and some are large, else all in full."""
    if all(math.log10(value).is_integer() for value in values) and max(values) > 10_000:
        return [_power(value) for value in values]
    return [number(value) for value in values]


def _power(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(RAISED)


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


def runs(*realised: Realised) -> str:
    """What means and bands are of."""
    counts = [point.runs for point in realised]
    least, most = min(counts), max(counts)
    if most == 1:
        return "one run"
    return f"mean ± sd of {number(most) if least == most else f'{least} to {most}'} runs"


def gap(summary: Summary) -> str:
    """What an incomplete panel lacks; empty for a complete one."""
    if summary.complete:
        return ""
    there, wanted = len(summary.points), len(summary.experiment.points)
    return f"incomplete: {there} of {wanted} points" if there < wanted else "incomplete"


def left_out(count: int) -> str:
    """What a logarithmic axis cannot show; empty for nothing."""
    return f"{count} mean{'s' * (count > 1)} ≤ 0 not shown" if count else ""


def regret_name(regret: Regret) -> str:
    """What the regret is called.

    Examples
    --------
    >>> regret_name(Regret("preference", "stretch")), regret_name(Regret("borda", "stretch"))
    ('dynamic regret', 'Borda regret')
    >>> regret_name(Regret("preference", "condorcet", side="weak"))
    'weak regret to the Condorcet winner'
    """
    name = BENCHMARKS[str(regret.benchmark)]
    if regret.gain == "borda":
        name = name.removeprefix("dynamic ").replace("regret", "Borda regret")
    return SIDES[regret.side] + name


def growth_of(size: str, slope: float) -> str:
    """A power of a size as theory writes it.

    Examples
    --------
    >>> growth_of("T", 1 / 2), growth_of("V_T", 1 / 3), growth_of("T", 1)
    ('√$T$', '$V_T^{1/3}$', '$T$')
    """
    exponent = Fraction(slope).limit_denominator(12)
    if exponent == Fraction(1, 2):  # a plain sign, as a browser may lack the glyph of $\sqrt{}$
        return f"√{symbol(size)}"
    if abs(exponent - slope) > 1e-9:
        return f"${size}^{{{slope:.3g}}}$"
    return symbol(size) if exponent == 1 else f"${size}^{{{exponent}}}$"
