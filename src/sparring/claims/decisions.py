"""How a claim is decided: each kind of test reads one statistic off a panel and judges it.

A verdict is a matter of an interval over runs. The claim "holds" where the whole interval is on its
side, it "does not hold" where the whole interval is on the other side, and else it is "not
decidable" with these runs at this scale.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sparring.measures import UNKNOWN, Estimate, around, difference, fall, growth, ratio
from sparring.summaries import LOWER_BOUND, Summary

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decidable"
MARGIN = 0.1  # of an exponent: over two decades, a factor of 1.6 between the curve and the line
CLOSE = 1.25  # a ratio that still counts as close: two curves a quarter apart


class Reading(NamedTuple):
    """What a test found."""

    measured: str
    """The statistic, in words."""
    estimate: Estimate
    wanted: str
    """What the estimate should be."""
    verdict: str
    note: str = ""


class Test(Protocol):
    """Something that can be found out from a panel."""

    def __call__(self, panel: Summary) -> Reading:
        """Read it off."""
        ...


@dataclass(frozen=True)
class Grows:
    """The regret of a learner grows like a power of the axis.

    It holds if the fitted exponent is within 0.1 of the power, and does not if the one between the
    last two points is not: a bent curve is no power law, whatever line is laid through it.
    """

    label: str
    power: float

    def __call__(self, panel: Summary) -> Reading:
        """The fitted exponent."""
        fitted, last = _slopes(panel, self.label)
        low, high = self.power - MARGIN, self.power + MARGIN
        verdict = within(fitted, low, high)
        note = f"{last.value:.2f} between the last two points" if last != UNKNOWN else ""
        if verdict != FAILS and within(last, low, high) == FAILS:
            verdict, note = FAILS, f"the curve bends: {note}"
        elif verdict == FAILS and fitted.high < low:
            note = f"slower, so no contradiction to a bound from above; {note}"
        elif fitted == UNKNOWN:
            verdict, note = self._without_growth(panel)
        measured = f"growth of {self.label} along {panel.experiment.axis}"
        return Reading(measured, fitted, f"{low:.2f} to {high:.2f}", verdict, note)

    def _without_growth(self, panel: Summary) -> tuple[str, str]:
        """The verdict where a mean is not positive: what is surely negative does not grow."""
        for x in panel.points:
            values = panel.values(self.label, x)
            if (mean := around(float(values.mean()), [values])).high < 0:
                where = f"{mean.value:,.0f} at {_place(panel, x)}"
                return FAILS, f"the mean is negative, {where}; no contradiction to a bound"
        return OPEN, "a mean is not positive, or there is one point only: no growth to speak of"


@dataclass(frozen=True)
class GrowsAtMost:
    """The regret of a learner grows no faster than a power of the axis, in the end.

    What a bound from above promises shows between the last two points, if at all: below some size
    every learner's regret is linear. So a steeper curve refutes nothing, and is not decidable.
    """

    label: str
    power: float

    def __call__(self, panel: Summary) -> Reading:
        """The exponent between the last two points."""
        fitted, last = _slopes(panel, self.label)
        high = self.power + MARGIN
        measured = f"growth of {self.label} between the last two {panel.experiment.axis}"
        note = f"{fitted.value:.2f} over all points" if fitted != UNKNOWN else ""
        verdict = within(last, -math.inf, high)
        if verdict == FAILS:
            verdict, note = OPEN, f"steeper still, which at a finite size refutes nothing; {note}"
        return Reading(measured, last, f"at most {high:.2f}", verdict, note)


@dataclass(frozen=True)
class Falls:
    """The regret of a learner falls along the axis."""

    label: str

    def __call__(self, panel: Summary) -> Reading:
        """The fitted exponent."""
        fitted, _ = _slopes(panel, self.label)
        measured = f"growth of {self.label} along {panel.experiment.axis}"
        return Reading(measured, fitted, "below 0", within(fitted, -math.inf, 0))


@dataclass(frozen=True)
class Below:
    """At the last point one learner has less regret than another, on the same paths.

    Where the claim is about a size that was not reached, there is nothing to decide.
    """

    label: str
    other: str
    T: int = 0

    def __call__(self, panel: Summary) -> Reading:
        """The difference of the two, run by run."""
        last = panel.realised[-1]
        lower, upper = (panel.values(label, last.x) for label in (self.label, self.other))
        found = difference(upper, lower)
        measured = f"{self.other} minus {self.label} at {_place(panel, last.x)}"
        note = f"{upper.mean():,.0f} and {lower.mean():,.0f}"
        verdict = within(found, 0, math.inf)
        if last.T < self.T:
            verdict = OPEN
            note = f"{note}; but the claim is about T = {self.T:,}, and this is T = {last.T:,}"
        return Reading(measured, found, "above 0", verdict, note)


@dataclass(frozen=True)
class GapNarrows:
    """The gap between two learners is smaller at the last point than at the first."""

    label: str
    other: str

    def __call__(self, panel: Summary) -> Reading:
        """By how much it fell."""
        first, last = panel.points[0], panel.points[-1]
        gaps = [panel.values(self.other, x) - panel.values(self.label, x) for x in (first, last)]
        axis = f"from {_place(panel, first)} to {_place(panel, last)}"
        measured = f"fall of {self.other} minus {self.label} {axis}"
        note = f"from {gaps[0].mean():,.0f} to {gaps[1].mean():,.0f}"
        found = fall(*gaps) if first != last else UNKNOWN
        return Reading(measured, found, "above 0", within(found, 0, math.inf), note)


@dataclass(frozen=True)
class Close:
    """At every point two learners have much the same regret."""

    label: str
    other: str

    def __call__(self, panel: Summary) -> Reading:
        """The ratio that is farthest from 1."""
        ratios = {
            x: ratio(panel.values(self.label, x), panel.values(self.other, x)) for x in panel.points
        }
        verdicts = [within(found, 1 / CLOSE, CLOSE) for found in ratios.values()]
        verdict = FAILS if FAILS in verdicts else OPEN if OPEN in verdicts else HOLDS
        x, worst = max(ratios.items(), key=lambda item: _distance(item[1]))
        measured = f"{self.label} over {self.other}, farthest from 1"
        note = f"at {_place(panel, x)}"
        return Reading(measured, worst, f"{1 / CLOSE:.2f} to {CLOSE:.2f}", verdict, note)


@dataclass(frozen=True)
class CanBeNegative:
    """A learner's regret is negative in some run: it beats every fixed arm."""

    labels: Sequence[str]

    def __call__(self, panel: Summary) -> Reading:
        """How many runs were."""
        values = [panel.values(label, x) for label in self.labels for x in panel.points]
        negative, runs = sum(int((v < 0).sum()) for v in values), sum(len(v) for v in values)
        found = Estimate(negative, negative, negative)
        verdict = HOLDS if negative else OPEN  # what may happen is not refuted by what did not
        measured = f"negative regrets of {' and '.join(self.labels)}, of {runs}"
        return Reading(measured, found, "at least 1", verdict)


@dataclass(frozen=True)
class AboveBound:
    """Every learner's mean regret is above the lower bound at every point."""

    def __call__(self, panel: Summary) -> Reading:
        """The lowest ratio of mean and bound."""
        bounds = {line.label: line for line in panel.lines}[LOWER_BOUND]
        ratios = {
            (label, x): ratio(panel.values(label, x), panel.values(label, x) * 0 + bound)
            for label in panel.labels
            for x, bound in zip(bounds.x.tolist(), bounds.mean.tolist(), strict=True)
        }
        (label, x), found = min(ratios.items(), key=lambda item: item[1].value)
        note = f"{label} at {_place(panel, x)}"
        measured = "lowest regret over the lower bound"
        return Reading(measured, found, "at least 1", within(found, 1, math.inf), note)


def within(found: Estimate, low: float, high: float) -> str:
    """The verdict on an estimate that should be from low to high."""
    if low <= found.low and found.high <= high:
        return HOLDS
    if found.high < low or found.low > high:
        return FAILS
    return OPEN  # also where the interval is unknown


def _place(panel: Summary, x: float) -> str:
    """A point of the axis, in words."""
    return (
        f"{panel.experiment.axis} = {x:,.0f}" if x == int(x) else f"{panel.experiment.axis} = {x}"
    )


def _distance(found: Estimate) -> float:
    """How far a ratio is from 1; an unknown one is farthest."""
    return abs(math.log(found.value)) if found.value > 0 else math.inf


def _slopes(panel: Summary, label: str) -> tuple[Estimate, Estimate]:
    """The growth of a curve over all points and between the last two."""
    values = [panel.values(label, x) for x in panel.points]
    return growth(panel.points, values), growth(panel.points[-2:], values[-2:])
