"""How a claim is decided: each kind of decision reads a statistic from a panel and judges it.

A verdict rests on an interval over runs. The claim "holds" if the whole interval is on its side,
and "does not hold" if the whole interval is on the other side. Otherwise it is "not decidable" with
these runs at this scale. If it would hold, but is about more rounds than were played, it holds "so
far".
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from sparring.formats import Estimate, number
from sparring.lab.measures import LEVEL, UNKNOWN, around, difference, fall, ratio
from sparring.lab.summaries import LOWER_BOUND, Summary

HOLDS, SO_FAR, FAILS, OPEN = "holds", "so far", "does not hold", "not decidable"
MARGIN = 0.1  # of an exponent: over two decades, a factor of 1.6 between the curve and the line
CLOSE = 1.25  # a ratio that still counts as close: two curves a quarter apart
LEARNT = 0.75  # of the regret of RAND: who has more has hardly learnt, and grows like RAND
RAND = "RAND"
NONE_SHARED = "no run that both have"
LEVEL_OF_TWO = 1 - (1 - LEVEL) / 2  # of one of two looks

Place = TypeVar("Place")


class Reading(NamedTuple):
    """What a decision found."""

    measured: str
    """The statistic, in words."""
    estimate: Estimate
    wanted: str
    """What the estimate should be."""
    verdict: str
    note: str = ""


class Decision(Protocol):
    """Something that can be found out from a panel."""

    settled_by_a_part: ClassVar[tuple[str, ...]]
    """Verdicts along T that stand also if only the smaller part of the claim's T was played."""

    def __call__(self, panel: Summary) -> Reading:
        """Read it off."""
        ...


@dataclass(frozen=True)
class Grows:
    """The regret of a learner grows like a power of the axis, along the dotted line.

    It holds if the fitted exponent is within 0.1 of the power. It does not if the exponent is
    certainly farther away, or if that at either end is (97.5% each): a bent curve is not a power
    law, whatever line fits it.
    """

    label: str
    power: float
    settled_by_a_part: ClassVar[tuple[str, ...]] = (FAILS,)

    def __call__(self, panel: Summary) -> Reading:
        """The fitted exponent."""
        fitted, points = panel.growth(self.label), panel.points
        low, high = self.power - MARGIN, self.power + MARGIN
        verdict, deciding = within(fitted, low, high), fitted
        notes = []
        if len(points) > 2:
            ends = [
                panel.growth(self.label, two, LEVEL_OF_TWO) for two in (points[:2], points[-2:])
            ]
            notes = [f"{ends[0].value:.2f} at first, {ends[1].value:.2f} in the end"]
            outside = [end for end in ends if within(end, low, high) == FAILS]
            if verdict != FAILS and outside:
                verdict, deciding = FAILS, outside[-1]
                notes.insert(0, "the curve bends")
        if fitted == UNKNOWN:
            verdict, notes = self._without_growth(panel)
        elif verdict == FAILS and deciding.high < low:
            notes.append("slower than the line, which no bound from above forbids")
        measured = f"growth of {self.label} along {panel.experiment.axis}"
        wanted = f"exponent {low:.2f} to {high:.2f}"
        return Reading(measured, fitted, wanted, verdict, "; ".join(notes))

    def _without_growth(self, panel: Summary) -> tuple[str, list[str]]:
        """The verdict if a mean is not positive: what is surely negative does not grow."""
        certain = 1 - (1 - LEVEL) / len(panel.points)
        for x in panel.points:
            values = panel.values(self.label, x)
            if not len(values):
                continue
            if (mean := around(float(values.mean()), [values], certain)).high < 0:
                where = f"negative, {mean.value:,.0f} at {place(panel, x)}"
                return FAILS, [where, "which no bound from above forbids"]
        return OPEN, ["no exponent, as a mean is not positive or there is one point only"]


@dataclass(frozen=True)
class GrowsAtMost:
    """The regret of a learner grows no faster than a power of the axis, once it has learnt.

    What an upper bound promises shows only where the learner's regret is certainly below three
    quarters of RAND's: before that its regret grows like RAND's, linearly in T and not with K, S or
    V_T. Along T the last two points count, along the other axes all such points. A steeper curve
    refutes nothing at a finite size, so such a claim holds or is not decidable.
    """

    label: str
    power: float
    settled_by_a_part: ClassVar[tuple[str, ...]] = (HOLDS,)

    def __call__(self, panel: Summary) -> Reading:
        """The exponent where it has learnt."""
        learnt = [x for x in panel.points if self._has_learnt(panel, x)]
        axis, high = panel.experiment.axis, self.power + MARGIN
        if axis == "T":
            points = panel.points[-2:] if learnt[-1:] == list(panel.points[-1:]) else ()
        else:
            points = tuple(learnt)
        wanted, measured = f"exponent at most {high:.2f}", f"growth of {self.label} along {axis}"
        if len(points) < 2:
            note = f"not certainly below three quarters of {RAND} at enough points"
            return Reading(measured, UNKNOWN, wanted, OPEN, note)
        found = panel.growth(self.label, points)
        measured += f" from {number(points[0])} to {number(points[-1])}"
        verdict = within(found, -math.inf, high)
        if verdict == FAILS:
            note = "steeper, which at a finite size refutes nothing"
            return Reading(measured, found, wanted, OPEN, note)
        return Reading(measured, found, wanted, verdict)

    def _has_learnt(self, panel: Summary, x: float) -> bool:
        if RAND not in panel.labels:
            return True
        return ratio(*panel.paired(x, self.label, RAND)).high < LEARNT


@dataclass(frozen=True)
class Falls:
    """The regret of a learner falls along the axis."""

    label: str
    settled_by_a_part: ClassVar[tuple[str, ...]] = ()

    def __call__(self, panel: Summary) -> Reading:
        """The fitted exponent."""
        fitted = panel.growth(self.label)
        measured = f"growth of {self.label} along {panel.experiment.axis}"
        falling = Estimate(-fitted.value, -fitted.high, -fitted.low)
        return Reading(measured, fitted, "exponent below 0", above_zero(falling))


@dataclass(frozen=True)
class Below:
    """At the last point one learner has less regret than another, on the same paths."""

    label: str
    other: str
    settled_by_a_part: ClassVar[tuple[str, ...]] = ()

    def __call__(self, panel: Summary) -> Reading:
        """The difference of the two, run by run."""
        x = panel.points[-1]
        lower, upper = panel.paired(x, self.label, self.other)
        found = difference(upper, lower)
        measured = f"{self.other} minus {self.label} at {place(panel, x)}"
        note = f"{upper.mean():,.0f} and {lower.mean():,.0f}" if len(upper) else NONE_SHARED
        return Reading(measured, found, "difference above 0", above_zero(found), note)


@dataclass(frozen=True)
class GapNarrows:
    """The gap between two learners is smaller at the last point than at the first."""

    label: str
    other: str
    settled_by_a_part: ClassVar[tuple[str, ...]] = ()

    def __call__(self, panel: Summary) -> Reading:
        """By how much it fell."""
        first, last = panel.points[0], panel.points[-1]
        pairs = [panel.paired(x, self.label, self.other) for x in (first, last)]
        gaps = [upper - lower for lower, upper in pairs]
        axis = f"from {place(panel, first)} to {number(last)}"
        measured = f"fall of {self.other} minus {self.label} {axis}"
        note = NONE_SHARED
        if all(map(len, gaps)):
            note = f"from {gaps[0].mean():,.0f} to {gaps[1].mean():,.0f}"
        found = fall(*gaps) if first != last else UNKNOWN
        return Reading(measured, found, "fall above 0", above_zero(found), note)


@dataclass(frozen=True)
class Close:
    """At every point two learners have much the same regret."""

    label: str
    other: str
    settled_by_a_part: ClassVar[tuple[str, ...]] = ()

    def __call__(self, panel: Summary) -> Reading:
        """The ratio that decided."""
        level = 1 - (1 - LEVEL) / len(panel.points)  # as each point may refute it
        ratios = {
            x: ratio(*panel.paired(x, self.label, self.other), level=level) for x in panel.points
        }
        verdicts = {x: within(found, 1 / CLOSE, CLOSE) for x, found in ratios.items()}
        verdict, x = together(verdicts, ratios, distance)
        measured = f"{self.label} over {self.other} at {place(panel, x)}, farthest from 1"
        return Reading(measured, ratios[x], f"ratio {1 / CLOSE:.2f} to {CLOSE:.2f}", verdict)


@dataclass(frozen=True)
class CanBeNegative:
    """A learner's regret is negative in some run: it beats every fixed arm."""

    labels: Sequence[str]
    settled_by_a_part: ClassVar[tuple[str, ...]] = (HOLDS,)

    def __call__(self, panel: Summary) -> Reading:
        """How many runs were."""
        values = [panel.values(label, x) for label in self.labels for x in panel.points]
        negative, runs = sum(int((v < 0).sum()) for v in values), sum(len(v) for v in values)
        found = Estimate(negative, negative, negative)
        verdict = HOLDS if negative else OPEN  # what may happen is not refuted by what did not
        measured = f"negative regrets of {' and '.join(self.labels)}, of {runs:,}"
        return Reading(measured, found, "at least 1", verdict)


@dataclass(frozen=True)
class AboveBound:
    """Every learner's mean regret is above the lower bound at every point."""

    settled_by_a_part: ClassVar[tuple[str, ...]] = (FAILS,)

    def __call__(self, panel: Summary) -> Reading:
        """The regret over the bound that decided."""
        measured, wanted = "regret over the lower bound", "ratio at least 1"
        if LOWER_BOUND not in panel.experiment.lines:
            return Reading(measured, UNKNOWN, wanted, OPEN, "no bound is drawn")
        places = [
            (label, x) for label in panel.labels for x in panel.points if panel.by_run(label, x)
        ]
        if not places:
            return Reading(measured, UNKNOWN, wanted, OPEN, "no learner played")
        bounds = {line.label: line for line in panel.lines}[LOWER_BOUND]
        level = 1 - (1 - LEVEL) / len(places)
        over = {}
        for label, x in places:
            values = panel.values(label, x) / bounds.mean[bounds.x == x]
            over[label, x] = around(float(values.mean()), [values], level)
        verdicts = {at: within(found, 1, math.inf) for at, found in over.items()}
        verdict, (label, x) = together(verdicts, over, lambda found: -found.value)
        measured = f"{label} over the lower bound at {place(panel, x)}, the lowest"
        return Reading(measured, over[label, x], wanted, verdict)


def within(found: Estimate, low: float, high: float) -> str:
    """The verdict on an estimate that should be from low to high."""
    if low <= found.low and found.high <= high:
        return HOLDS
    if found.high < low or found.low > high:
        return FAILS
    return OPEN  # also where the interval is unknown


def above_zero(found: Estimate) -> str:
    """The verdict on an estimate that should be above 0."""
    if found.low > 0:
        return HOLDS
    return FAILS if found.high < 0 or found.low == found.high == 0 else OPEN


def together(
    verdicts: Mapping[Place, str], found: Mapping[Place, Estimate], key: Callable[[Estimate], float]
) -> tuple[str, Place]:
    """The verdict on what should hold everywhere, and where it was decided, by the highest key.

    One failure decides; without failures, one open case does.
    """
    verdict = next(kind for kind in (FAILS, OPEN, HOLDS) if kind in verdicts.values())
    deciding = [at for at, each in verdicts.items() if each == verdict]
    return verdict, max(deciding, key=lambda at: key(found[at]))


def distance(found: Estimate) -> float:
    """How far a ratio is from 1; an unknown one is farthest."""
    return abs(math.log(found.value)) if found.value > 0 else math.inf


def place(panel: Summary, x: float) -> str:
    """A point of the axis of a panel, in words."""
    return f"{panel.experiment.axis} = {number(x)}"
