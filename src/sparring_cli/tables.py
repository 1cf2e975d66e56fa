"""What a person sees of bounds, certificates and coverage in the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, JustifyMethod
from rich.text import Text

from sparring import formats as numbers
from sparring.bounds import Bound, Lower
from sparring.certificates import Certificate
from sparring.lab.coverage import Covered
from sparring.problem import Problem
from sparring_cli.screen import Table, line, wrapped

if TYPE_CHECKING:
    from sparring_cli.theory import Row

SHOWN = 20  # arms of a certificate
UNPROVED = {"tracker": "no proved bound; steady, which is told as little, has one"}
WORDS = ("learner", "theorem", "instance", "valid", "guarantee", "of", "world")


def bounds(
    problem: Problem,
    delta: float,
    rows: Sequence["Row"],
    lowers: Mapping[str, Lower],
    files: Sequence[Path],
) -> None:
    """Upper and lower bounds."""
    _upper_bounds(problem, delta, rows)
    if problem.S is not None and problem.S > 1:
        _hindsight_cuts(delta, rows)
    _tunings(rows)
    _lower_bounds(lowers)
    for file in files:
        line(f"the figure: {file}")


def certificate(found: Certificate, path: Path) -> None:
    """What a log certifies."""
    duels = found.rounds
    if found.only_answered:
        line(f"{path}: {duels:,} answered duels of two different arms, of {found.K} arms")
        if found.asked is not None:
            share = f"{100 * found.answered / found.asked:.0f}%"
            line(f"of {found.asked:,} that were asked: {share} were answered")
    else:
        line(f"{path}: {duels:,} duels of {found.K} arms")
    sure = f"with probability {1 - found.delta:g}"
    line(f"regret to the best arm in hindsight: at most {_part(found.static, duels)}, {sure}")
    if found.segments > 1:
        best = f"to the best arm of each of {found.segments} segments"
        line(f"regret {best}: at most {_part(found.dynamic, duels)}, {sure}")
        wrapped("That needs cuts that do not depend on later duels: fix them before you look.")
    if found.vacuous:
        line(f"That says nothing yet: no learner loses more than {duels / 2:,.0f}. Log more duels.")
    table = _table("arm", "regret to it", "standard error", "at most")
    order = found.regret_bounds.argsort()[::-1]
    for arm in order[:SHOWN].tolist():
        table.add_row(
            str(arm),
            f"{found.estimates[arm]:,.0f}",
            f"{found.standard_errors[arm]:,.0f}",
            f"{found.regret_bounds[arm]:,.0f}",
        )
    Console().print(table)
    if found.K > SHOWN:
        line(f"and {found.K - SHOWN} arms with lower bounds; --json has all")
    line("Negative: the learner did better than this arm alone would have.")
    wrapped(f"It holds if {found.condition}.")


def coverage(found: Sequence[Covered], files: Sequence[Path]) -> None:
    """How often guarantees failed."""
    table = _table("guarantee", "of", "world", "failed", "allowed", "power")
    for case in found:
        word = Text(f"{case.failures}", "green" if case.holds else "red")
        power = f"{case.refutable:.2f}" if case.refutable < float("inf") else "any"
        world = case.world.split("(")[0]
        table.add_row(case.says, case.name, world, word, str(case.allowed), power)
    Console().print(table)
    runs = max(case.runs for case in found)
    wrapped(
        f"failed: of {runs} runs, and how many are allowed to. power: a bound of less than this "
        "part would have been refuted"
    )
    if all(case.allowed >= case.runs for case in found):
        line("too few runs to refute anything")
        found = []
    right = sum(case.holds for case in found if not case.printed)
    total = sum(not case.printed for case in found)
    if found:
        line(f"{right} of {total} corrected guarantees hold: they fail no more often than they may")
    for case in found:
        if case.printed:
            became = "holds" if case.holds else "fails"
            line(f"{case.says} ({case.name}) {became}: it says {case.bound:,.0f} at most")
    line(f"figures: {', '.join(str(file) for file in files)}")


def _upper_bounds(problem: Problem, delta: float, rows: Sequence["Row"]) -> None:
    sizes = {"K": problem.K, "T": problem.T, "S": problem.S, "V_T": problem.V_T}
    given = ", ".join(f"{name} = {value:,}" for name, value in sizes.items() if value is not None)
    Console().print(f"Regret is at most ({given})", style="bold", highlight=False)
    sure = f"{100 * (1 - delta):g}%"
    table = _table("learner", "theorem", sure, "mean", "fixed", "printed", "from T")
    for row in rows:
        upper = row.upper
        since = "never" if row.informative_from is None else numbers.bound(row.informative_from)
        found = (upper.probable, upper.mean, upper.mean_fixed, upper.printed)
        table.add_row(row.learner, row.theorem, *map(_bound, found), since)
    Console().print(table)
    trivial = sorted({row.upper.probable.trivial for row in rows})
    most = " (Borda regret: ".join(f"{value:,.0f}" for value in trivial) + ")" * (len(trivial) - 1)
    legend = {
        sure: "holds with this probability, whichever arm of each segment you compare with",
        "mean": "holds for the mean regret to the best arm of each segment",
        "fixed": "holds for the mean regret to arms chosen in advance",
        "printed": "what the paper's formula gives; it may be wrong",
        "from T": f"with fewer rounds than this, the {sure} bound says nothing; for ours, the "
        "fixed bound",
        "(...)": f"says nothing (vacuous): no learner can lose more than {most}",
        "none": "no bound of this kind is known",
        "ours": "a learner that is not in the paper",
        "tracker": UNPROVED["tracker"],
    }
    if any(row.learner == "DEX3.S, S unknown" for row in rows):
        legend["S unknown"] = "the corrected tuning that is not told S; its bound depends on S"
    if any(row.theorem == "4.4 (b)" for row in rows):
        legend["4.4"] = "holds if one arm dominates in every round"
        legend["4.4 (b)"] = "regret to the Condorcet winner of each round"
    width = max(map(len, legend)) + 2
    for word, meaning in legend.items():
        wrapped(meaning, f"{word:{width}}")
    if problem.S is None and problem.V_T is None:
        wrapped(
            "The benchmark is one arm: all rounds are one segment. Give --S or --V_T for a "
            "benchmark that changes."
        )
    else:
        wrapped("Segments are fixed in advance.")
    print()


def _hindsight_cuts(delta: float, rows: Sequence["Row"]) -> None:
    sure = f"{100 * (1 - delta):g}%"
    Console().print("If the cuts are chosen in hindsight, too", style="bold", highlight=False)
    table = _table("learner", "theorem", sure)
    for row in rows:
        if row.upper.hindsight_cuts.raw < float("inf"):
            table.add_row(row.learner, row.theorem, _bound(row.upper.hindsight_cuts))
    Console().print(table)
    wrapped("any cuts: the tuning that makes this bound smallest.")
    print()


def _tunings(rows: Sequence["Row"]) -> None:
    Console().print("Tunings", style="bold")
    table = _table("learner", "theorem", "eta", "gamma", "beta", "alpha", "valid")
    for row in rows:
        tuning, unmet = row.tuning, row.upper.unmet
        if not (tuning or unmet):
            continue  # each epoch has its own
        letters = ("eta", "gamma", "beta", "alpha")
        shown = [f"{tuning[it]:.3g}" if it in tuning else "" for it in letters]
        wrong = f"no: {unmet}" if tuning else "no: T or V_T is too small"
        word = Text(wrong, "red") if unmet else Text("yes", "green")
        table.add_row(row.learner, row.theorem, *shown, word)
    Console().print(table)
    print()


def _lower_bounds(lowers: Mapping[str, Lower]) -> None:
    Console().print("Averaged over these paths, no learner's mean regret is below", style="bold")
    table = _table("instance", "bound", "epsilon", "segment", "segments", "printed")
    for name, lower in lowers.items():
        table.add_row(
            name,
            numbers.bound(lower.value),
            f"{lower.epsilon:.4g}",
            f"{lower.length:,}",
            f"{lower.segments:,}",
            _printed(lower),
        )
    Console().print(table)
    wrapped(
        "The paths are those of sparring.CondorcetSwitches of this family: segments of so many "
        "rounds, and a winner that beats each other arm with probability 1/2 + epsilon. For each "
        "learner at least one of them is this bad; no single path is this bad for all learners."
    )


def _table(*columns: str) -> Table:
    """Words to the left, numbers to the right; long cells are broken between words only."""
    table = Table()
    for column in columns:
        broken = column in ("world", "valid")
        justify: JustifyMethod = "left" if column in WORDS else "right"
        table.add_column(column, justify=justify, no_wrap=not broken, overflow="fold")
    return table


def _bound(bound: Bound) -> str:
    if bound.raw == float("inf"):
        return "none"
    return f"({numbers.bound(bound.raw)})" if bound.vacuous else numbers.bound(bound.raw)


def _printed(lower: Lower) -> str:
    value = numbers.bound(lower.printed.value)
    if lower.printed.refuted:
        return f"{value}, but {numbers.bound(lower.printed.reached)} is reached"
    return f"{value}, says nothing" if lower.printed.value <= 0 else value


def _part(regret: float, duels: int) -> str:
    return f"{regret:,.0f} ({regret / duels:.3f} a duel)" if duels else f"{regret:,.0f}"
