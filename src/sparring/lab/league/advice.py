"""Which learner to run, by what you can tell it and how the world behaves."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sparring.formats import Estimate
from sparring.lab.league.contenders import CHANCE
from sparring.lab.league.fixtures import Fixture
from sparring.lab.league.standings import League, Meeting
from sparring.lab.league.suite import of_the_league
from sparring.lab.measures import UNKNOWN, Values, around
from sparring.regret import Regret

# What one can tell a learner, each with what came before; a league's word for it and ours.
KNOWLEDGE: Mapping[str, str] = MappingProxyType(
    {"nothing": "nothing", "T": "only T", "S or V_T": "T, and S or V_T"}
)
ANY, STAYS, CHANGES, DRIFTS, NONE, BORDA, GIVEN = (
    "any of these worlds",
    "a winner that stays",
    "a winner that changes at times",
    "a winner that drifts",
    "no winner",
    "Borda scores count",
    "your own data",
)
KINDS = (ANY, STAYS, CHANGES, DRIFTS, NONE, BORDA, GIVEN)
LEAST = 0.01  # of the regret of RAND: less counts as this, or one world would decide for all
ALONE = 1e-4  # the same where there is one world only
HALVED = 8  # runs from which on one half chooses and the other judges


class Advice(NamedTuple):
    """Which learner to run in one case."""

    kind: str
    knows: str
    """What the learner may be told: "nothing", "T", "S or V_T"."""
    label: str
    """The learner."""
    to_chance: Estimate
    """Its regret over that of RAND, in the geometric mean over worlds."""
    second: str
    """The next best; empty if there is none."""
    to_second: Estimate
    """Its regret over that of the second."""
    worlds: tuple[str, ...]
    honest: bool
    """Whether the runs that judge are others than those that chose."""

    @property
    def sure(self) -> bool:
        """Whether the interval tells the two apart."""
        return self.to_second.high < 1


def kind_of(fixture: Fixture) -> str:
    """How a world of the league behaves.

    Examples
    --------
    >>> kind_of(of_the_league()["storm"]), kind_of(of_the_league()["walk"])
    ('a winner that changes at times', 'no winner')
    """
    if not fixture.winner:
        return NONE
    if fixture.benchmark == "round":
        return DRIFTS
    return STAYS if fixture.world.S == 1 else CHANGES


def advise(league: League) -> tuple[Advice, ...]:
    """Which learner to run, for each kind of world and for what it can be told.

    The choice has the least geometric mean, over the worlds of a kind, of regret relative to
    RAND's. Judging it by the same runs that chose it would be optimistic: with 8 or more runs, the
    first half chooses and the second half judges.
    """
    fixtures = of_the_league()
    usual = [one for one in league.meetings if one not in league.given]
    found = []
    for kind in KINDS:
        meetings: Sequence[Meeting] = usual
        if kind == GIVEN:
            meetings = league.given
        elif kind not in (ANY, BORDA):
            meetings = [one for one in usual if kind_of(fixtures[one.name]) == kind]
        scores = Scores(league, meetings, borda=kind == BORDA)
        found += [
            one for knows in KNOWLEDGE if (one := scores.choose(kind, knows, league)) is not None
        ]
    return tuple(found)


def overall(league: League) -> dict[str, Estimate]:
    """The regret relative to RAND's, of all runs, in the geometric mean over the league's worlds.

    It has the learners that may be chosen; the user's own worlds count if there are no others.
    """
    usual = [one for one in league.meetings if one not in league.given] or league.meetings
    scores = Scores(league, usual, halved=False)
    return {label: scores.ratio(label, CHANCE) for label in scores.labels}


class Scores:
    """Regrets over some worlds, from which one is chosen."""

    def __init__(
        self,
        league: League,
        meetings: Sequence[Meeting],
        *,
        borda: bool = False,
        halved: bool = True,
    ) -> None:
        self._regrets: dict[str, Regret | None] = {}
        self._meetings = []
        for one in meetings:
            regret = one.borda if borda else None
            if (borda and regret is None) or CHANCE not in one.labels:
                continue
            if not one.by_run(CHANCE, regret) or one.values(CHANCE, regret).mean() <= 0:
                continue  # where chance regrets nothing there is nothing to compare with
            self._regrets[one.name] = regret
            self._meetings.append(one)
        self.labels = tuple(
            label
            for label in league.labels
            if league.ranked(label) and all(one.complete(label) for one in self._meetings)
        )
        runs = min((len(one.runs) for one in self._meetings), default=0)
        self.honest = halved and runs >= HALVED

    def choose(self, kind: str, knows: str, league: League) -> Advice | None:
        """The best of those that need no more than this; None if there is none."""
        levels = list(KNOWLEDGE)
        enough = levels[: levels.index(knows) + 1]
        may = [label for label in self.labels if league.told(label) in enough]
        if not (self._meetings and may):
            return None
        chosen = {label: self.ratio(label, CHANCE, judging=False).value for label in may}
        first, *others = sorted(may, key=chosen.__getitem__)
        return Advice(
            kind,
            knows,
            first,
            self.ratio(first, CHANCE),
            others[0] if others else "",
            self.ratio(first, others[0]) if others else UNKNOWN,
            tuple(one.name for one in self._meetings),
            self.honest,
        )

    def ratio(self, first: str, second: str, *, judging: bool = True) -> Estimate:
        """The regret of one over that of the other, in the geometric mean over worlds.

        Each is first compared with RAND; with several worlds, less than 1% of its regret counts as
        1%. Worlds have independent luck, so their variances add up.
        """
        if not self._meetings:
            return UNKNOWN
        least = LEAST if len(self._meetings) > 1 else ALONE
        logs, samples = list[float](), list[Values]()
        for one in self._meetings:
            regret = self._regrets[one.name]
            parts = [self._half(one, label, regret, judging) for label in (first, second, CHANCE)]
            floor = least * max(float(parts[2].mean()), 1e-12)
            a, b = (max(float(values.mean()), floor) for values in parts[:2])
            logs.append(math.log(a / b))
            scaled = [
                values / mean if mean > floor else np.zeros(len(values))
                for values, mean in zip(parts, (a, b), strict=False)
            ]
            samples.append((scaled[0] - scaled[1]) / len(self._meetings))
        found = around(float(np.mean(logs)), samples)
        return Estimate(*(float(np.exp(min(number, 700.0))) for number in found))

    def _half(self, one: Meeting, label: str, regret: Regret | None, judging: bool) -> Values:
        values = one.values(label, regret)
        if not self.honest:
            return values
        middle = len(values) // 2
        return values[middle:] if judging else values[:middle]
