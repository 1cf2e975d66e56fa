"""The jobs of an experiment: one for each point and run, all entrants on one path."""

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from sparring import checks
from sparring.lab import marks
from sparring.lab.experiments.experiment import Experiment
from sparring.simulation.description import surveyed
from sparring.simulation.entrants import Factory, known
from sparring.simulation.match import COLUMNS, FURTHER, Match, Row, play_run
from sparring.simulation.progress import Tick
from sparring.simulation.simulate import match_of
from sparring.worlds import PreferenceSequence

REGRET = COLUMNS.index("regret")
# About how many nanoseconds a round takes (make bench): they decide the order and the time left.
LEARNER = 50.0  # and one for each arm
MATRIX = 1.5  # for each entry, where the world moves in each round
WARM = 20  # rounds that a learner of the user's own plays before it is timed
FORCED = 0.5  # for each entry and arm, to know what no learner avoids


class Job(NamedTuple):
    """One run at one point: entrants on one path. A task for `simulation.workers`."""

    experiment: Experiment
    point: float
    run: int
    seed: int

    @property
    def world(self) -> PreferenceSequence:
        """Where it is played."""
        world: PreferenceSequence = self.experiment.worlds[self._at]
        return world

    @property
    def _at(self) -> int:
        return self.experiment.points.index(self.point)

    @property
    def place(self) -> str:
        """Its point and run, which it may share with jobs of other entrants."""
        return f"{self.experiment.axis}={self.point}/run-{self.run:05}"

    @property
    def name(self) -> str:
        """What its part is called."""
        return f"{self.place}-{marks.group(self.marks.values())}"

    @property
    def marks(self) -> dict[str, str]:
        """By label, what distinguishes an entrant on this world, or a line, from any other."""
        return self.experiment.marks[self._at]

    def without(self, there: Collection[str]) -> "Job | None":
        """What is left to play if the parts with these marks exist; None if nothing."""
        missing = [label for label, mark in self.marks.items() if mark not in there]
        if len(missing) == len(self.marks):
            return self
        return self._replace(experiment=self.experiment.only(missing)) if missing else None

    @property
    def work(self) -> float:
        """About how many nanoseconds it takes; decides the order and the time left."""
        return known(self.world).T * self._round()

    def _round(self) -> float:
        problem, entrants = known(self.world), len(self.experiment.entrants)
        held = problem.S is not None or hasattr(self.world, "segments")
        found = entrants * (LEARNER + problem.K)
        if not held:
            found += MATRIX * problem.K**2
            found += FORCED * problem.K**3 if "irreducible" in self.experiment.lines else 0.0
        return found

    def __call__(self, tick: Tick = lambda work: None) -> "Result":
        """Play it."""
        experiment, a_round = self.experiment, self._round()
        match = match_of(
            self.world,
            dict(experiment.entrants),
            [experiment.regret, *experiment.also],
            seed=self.seed,
            checkpoints=experiment.checkpoints,
            experiment=experiment.seeded_by,
            told=experiment.told,
            favourites=experiment.favourites,
            alarms=experiment.alarms,
        )
        _warm(match, self.run)
        seconds: dict[str, float] = {}
        rows = play_run(match, self.run, lambda rounds: tick(rounds * a_round), seconds)
        rows = [row[: len(match.columns)] for row in rows]
        if "irreducible" in experiment.lines:
            drawn = [row for row in rows if row[REGRET] == str(experiment.regret)]
            rows.append(self._floor(drawn[-1], tick))
        return Result(rows, seconds)

    def _floor(self, like: Row, tick: Tick) -> Row:
        """The row of the regret that no learner avoids on this path."""
        forced = surveyed(
            self.world,
            self.seed,
            run=self.run,
            experiment=self.experiment.seeded_by,
            tick=lambda rounds: tick(0),  # which may end it; all work was told of already
        )
        row = dict(zip((*COLUMNS, *FURTHER), like, strict=True))
        return tuple({**row, "entrant": "irreducible", "value": forced.irreducible}.values())


_warmed = set[tuple[Factory, int]]()  # entrants that have compiled in this process, and their K


def _warm(match: Match, run: int) -> None:
    """Let learners of the user's own play a few rounds, so that compiling is not timed."""
    K = match.problem.K
    own = {label: who for label, who in match.entrants.items() if getattr(who, "source", "")}
    new = {label: who for label, who in own.items() if (who, K) not in _warmed}
    if not new:
        return
    _warmed.update((who, K) for who in new.values())
    short = match._replace(entrants=new, stops=(min(WARM, match.problem.T), match.problem.T))

    def stop(rounds: float) -> None:
        if rounds:
            raise InterruptedError

    with contextlib.suppress(InterruptedError, checks.SimulationError):  # the real run tells of it
        play_run(short, run, stop)


class Result(NamedTuple):
    """What a job gives back."""

    rows: list[Row]
    seconds: dict[str, float]
    """The processor time that each learner took for itself, by label."""


def all_jobs(experiment: Experiment, *, runs: int, seed: int) -> Iterator[Job]:
    """All jobs of an experiment, point by point."""
    for point, world in zip(experiment.points, experiment.worlds, strict=True):
        # With one world, as a job may be sent far and a sweep may have thousands.
        alone = replace(experiment, worlds=(world,))
        for number in range(runs):
            yield Job(alone, point, number, seed)
