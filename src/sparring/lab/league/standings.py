"""The results of a league: the regret of all learners on all worlds, paired run by run."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars

from sparring import checks
from sparring.formats import Estimate
from sparring.lab import measures, summaries
from sparring.lab.league.contenders import BY_LABEL, CHANCE, told_to
from sparring.lab.league.fixtures import changes_of
from sparring.lab.league.suite import PREFIX, of_the_league
from sparring.lab.measures import UNKNOWN, Values
from sparring.lab.summaries import Curve, Summary
from sparring.problem import Problem
from sparring.regret import Regret
from sparring.simulation import Entrant
from sparring.simulation.entrants import known
from sparring.simulation.observers import ALARM, FAVOURITE


class Standing(NamedTuple):
    """A learner on a world."""

    label: str
    regret: Estimate
    to_best: Estimate
    """Its mean over that of the world's best; unknown where one is not positive."""
    to_chance: Estimate
    """Its mean over that of RAND; unknown where one is not positive."""
    runs: int
    complete: bool
    """Whether it has all runs that anybody has here."""


class HeadToHead(NamedTuple):
    """Two learners on a world."""

    world: str
    difference: Estimate
    """How much more regret the first has."""
    ratio: Estimate
    """The mean of the first over that of the second; unknown where one is not positive."""
    runs: int

    @property
    def winner(self) -> int:
        """0 or 1 for the learner whose regret is certainly less; -1 if neither's is.

        The ratio decides if there is one, as that is what is shown.
        """
        known = self.ratio.value == self.ratio.value
        interval, equal = (self.ratio, 1.0) if known else (self.difference, 0.0)
        return 0 if interval.high < equal else 1 if interval.low > equal else -1


class Meeting:
    """A world, and the regret of all learners on it."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary
        self.labels = summary.labels
        self._by_run: dict[tuple[str, str], dict[int, float]] = {}
        self._right: dict[str, Values] = {}
        last = summary.everything.filter(polars.col("t") == polars.col("T"))
        self._final = {label: last.filter(entrant=label).sort("run") for label in self.labels}

    @property
    def name(self) -> str:
        """What the league calls the world."""
        return self.summary.experiment.seeded_by.removeprefix(PREFIX)

    @property
    def title(self) -> str:
        """What a figure calls it."""
        return self.summary.experiment.title

    @property
    def world(self) -> Any:
        """Where it was played."""
        return self.summary.experiment.worlds[0]

    @property
    def told(self) -> Problem:
        """What learners may be told about it."""
        return self.summary.experiment.told or known(self.world)

    @property
    def regret(self) -> Regret:
        """What decides."""
        decides: Regret = self.summary.experiment.regret
        return decides

    @property
    def borda(self) -> Regret | None:
        """The regret by Borda scores that was noted beside it, if one was."""
        also = self.summary.experiment.also
        return next((regret for regret in also if regret.gain == "borda"), None)

    @property
    def T(self) -> int:
        """Rounds."""
        return int(self.world.T)

    @property
    def entrants(self) -> Mapping[str, Entrant]:
        """Who the labels stand for."""
        return dict(self.summary.experiment.entrants)

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """The runs that any learner has."""
        return tuple(sorted({run for label in self.labels for run in self.by_run(label)}))

    def by_run(self, label: str, regret: Regret | None = None) -> dict[int, float]:
        """The final regret of a learner by run; the one that decides, unless another is given.

        A run in which it is not defined is left out.
        """
        key = (label, str(regret or self.regret))
        if key not in self._by_run:  # asked for again and again
            rows = self._final[label].filter(regret=key[1])
            found = zip(rows["run"].to_list(), rows["value"].to_list(), strict=True)
            self._by_run[key] = {run: value for run, value in found if np.isfinite(value)}
        return self._by_run[key]

    @property
    def favourites(self) -> bool:
        """Whether it was noted if favourites are right."""
        return self.summary.experiment.favourites

    def right(self, label: str) -> Values:
        """(checkpoints, runs): 1 if its favourite was the best arm, else 0; NaN if it has none."""
        if label not in self._right:
            rows = self.summary.everything.filter(regret=FAVOURITE, entrant=label).sort("t", "run")
            times = rows["t"].n_unique()
            self._right[label] = rows["value"].to_numpy().reshape(times, -1)
        return self._right[label]

    @property
    def changes(self) -> tuple[int, ...] | None:
        """The rounds in which there is something to notice; None if the world has none."""
        return changes_of(self.world)

    def alarms(self, label: str) -> list[tuple[int, ...]]:
        """The rounds of a learner's alarms, run by run."""
        rows = self.summary.everything.filter(regret=ALARM, entrant=label)
        found: dict[int, list[int]] = {run: [] for run in self.by_run(label)}
        for run, t in rows.select("run", "t").iter_rows():
            found.setdefault(run, []).append(t)
        return [tuple(rounds) for rounds in found.values()]

    def values(self, label: str, regret: Regret | None = None) -> Values:
        """The same in the order of runs."""
        return np.array(list(self.by_run(label, regret).values()), float)

    def paired(
        self, first: str, second: str, regret: Regret | None = None
    ) -> tuple[Values, Values, tuple[int, ...]]:
        """The regrets of two learners in the runs that both have, and these runs."""
        a, b = self.by_run(first, regret), self.by_run(second, regret)
        runs = tuple(sorted(a.keys() & b.keys()))
        return np.array([a[run] for run in runs]), np.array([b[run] for run in runs]), runs

    def complete(self, label: str) -> bool:
        """Whether a learner played here, in all runs that any learner has."""
        return label in self.labels and tuple(self.by_run(label)) == self.runs

    @cached_property
    def best(self) -> str:
        """The learner with the least mean regret among those that are ranked and have all runs."""
        may = [label for label in self.labels if is_ranked(label) and self.complete(label)]
        return min(may or self.labels, key=lambda label: self.values(label).mean())

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """All learners with results, the least mean regret first."""
        means = {label: self.values(label).mean() for label in self.labels if self.by_run(label)}
        order = sorted(means, key=means.__getitem__)
        return tuple(
            Standing(
                label,
                measures.around(float(means[label]), [self.values(label)]),
                self.ratio(label, self.best),
                self.ratio(label, CHANCE),
                len(self.by_run(label)),
                self.complete(label),
            )
            for label in order
        )

    def ratio(self, label: str, other: str) -> Estimate:
        """The mean regret of one over that of the other, in the runs that both have."""
        if other not in self.labels:
            return UNKNOWN
        first, second, runs = self.paired(label, other)
        return measures.ratio(first, second) if runs else UNKNOWN

    def nanoseconds(self, label: str) -> Values:
        """The processor time of the learner in a round, run by run; none if it was not noted."""
        rows = self._final[label].filter(regret=str(self.regret))
        noted = rows["seconds"].to_list() if "seconds" in rows.columns else []
        return np.array([taken for taken in noted if taken is not None], float) * 1e9 / self.T

    @cached_property
    def curves(self) -> Mapping[str, Curve]:
        """The regret round by round, by label."""
        return {curve.label: curve for curve in self.summary.over_time}


class League:
    """All meetings of a folder, in the order of the suite; the user's own worlds come last."""

    def __init__(self, found: Sequence[Summary]) -> None:
        meetings = [Meeting(one) for one in found if one.experiment.luck.startswith(PREFIX)]
        if not meetings:
            remedy = "sparring league plays them"
            raise checks.refuse("found", "experiments of a league", checks.Shown("none"), remedy)
        order = list(of_the_league())
        place = {name: i for i, name in enumerate(order)}
        meetings.sort(key=lambda one: (place.get(one.name, len(order)), one.title, one.name))
        self.meetings = tuple(meetings)
        self.given = tuple(one for one in meetings if one.name not in place)
        """Those on worlds that are not of the league."""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All learners that played: contenders in the order of the suite, then the user's own."""
        found = dict.fromkeys(label for meeting in self.meetings for label in meeting.labels)
        ours = [label for label in BY_LABEL if label in found]
        return (*ours, *(label for label in found if label not in ours))

    @cached_property
    def entrants(self) -> Mapping[str, Entrant]:
        """What the labels stand for; on some worlds a contender has other options."""
        played = {label: who for one in self.meetings for label, who in one.entrants.items()}
        return {
            label: BY_LABEL[label].entrant if label in BY_LABEL else played[label]
            for label in played
        }

    @property
    def own(self) -> tuple[str, ...]:
        """The learners that do not belong to the league."""
        return tuple(label for label in self.labels if label not in BY_LABEL)

    def told(self, label: str) -> str:
        """What it must be told: "nothing", "T" or "S or V_T"."""
        return BY_LABEL[label].told if label in BY_LABEL else told_to(self.entrants[label])

    def ranked(self, label: str) -> bool:
        """Whether it takes part in the ranking; if not, it is a yardstick."""
        return is_ranked(label)

    def nanoseconds(self, label: str) -> float:
        """The processor time of a round, the median over worlds and runs; NaN if not noted."""
        taken = [one.nanoseconds(label) for one in self.meetings if label in one.labels]
        noted = np.concatenate(taken) if taken else np.array([])
        return float(np.median(noted)) if len(noted) else float("nan")

    def duel(self, first: str, second: str) -> tuple[HeadToHead, ...]:
        """Two learners on every world that both played, run by run on the same paths."""
        for label in (first, second):
            if label not in self.labels:
                raise checks.unknown("label", label, self.labels)
        found = []
        for meeting in self.meetings:
            if not {first, second} <= set(meeting.labels):
                continue
            a, b, runs = meeting.paired(first, second)
            if runs:
                difference, ratio = measures.difference(a, b), measures.ratio(a, b)
                found.append(HeadToHead(meeting.name, difference, ratio, len(runs)))
        return tuple(found)


def is_ranked(label: str) -> bool:
    """Whether a learner takes part in the ranking: the user's own does."""
    return label not in BY_LABEL or BY_LABEL[label].ranked


def read(folder: str | Path, names: Sequence[str] = ()) -> League:
    """The league of a folder, or only of some of its experiments."""
    return League(summaries.read(folder, tuple(names)))
