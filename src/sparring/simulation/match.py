"""One run, the only loop: every entrant on the same path with the same coins, observed."""

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from sparring import checks, streams
from sparring._jit import compile_from_now_on
from sparring.learners import Learner
from sparring.problem import Problem
from sparring.regret import Regret
from sparring.simulation.entrants import Factory, make
from sparring.simulation.entry import Blame, Entry
from sparring.simulation.observers import Alarms, Charges, Favourite, Observer
from sparring.simulation.path import PIECE, Path
from sparring.simulation.post import Post, links_of
from sparring.simulation.progress import Tick
from sparring.worlds import PreferenceSequence
from sparring.worlds.protocol import name_of, shown

COLUMNS = ("world", "entrant", "K", "T", "S", "V_T", "run", "regret", "t", "value")
FURTHER = ("undefined", "seed")
# Less than so much processor time is not told: where the clock is coarse, it is mostly rounding.
LEAST_SECONDS = 100 * time.get_clock_info("thread_time").resolution

Row = tuple[Any, ...]


class Match(NamedTuple):
    """What is played in every run."""

    world: PreferenceSequence
    problem: Problem
    """What a learner may know about the world."""
    entrants: dict[str, Factory]
    regrets: dict[str, Regret]
    stops: tuple[int, ...]
    seed: int
    experiment: str
    plays: bool
    favourites: bool = False
    alarms: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a row; counts of plays may follow."""
        return (*COLUMNS, *FURTHER, "plays") if self.plays else (*COLUMNS, *FURTHER)

    def stream(self, run: int, purpose: str, label: str = "") -> Generator:
        """The generator for one purpose; all entrants share those of path, coins and answers."""
        K, T = self.problem.K, self.problem.T
        names = {"experiment": self.experiment, "label": label}
        return streams.keyed(self.seed, purpose, **names, K=K, T=T, run=run)

    def observers(self, learner: Learner) -> list[Observer]:
        """The observers of a learner."""
        found: list[Observer] = [Charges(self.regrets, self.problem.K)]
        if self.favourites:
            found.append(Favourite())
        if self.alarms and hasattr(learner, "alarms"):
            found.append(Alarms())
        return found


class Run(NamedTuple):
    """One run of a match, as a task."""

    match: Match
    run: int

    @property
    def work(self) -> float:
        """Its rounds."""
        return self.match.problem.T

    def __call__(self, tick: Tick = lambda rounds: None) -> list[Row]:
        """Play it."""
        return play_run(self.match, self.run, tick)


def play_run(
    match: Match,
    run: int,
    tick: Tick = lambda rounds: None,
    spent: dict[str, float] | None = None,
) -> list[Row]:
    """Play one run; a row for each entrant, stop and regret.

    `tick` is called with rounds done, also with 0 now and then, and may raise to end the run.
    `spent` is filled with the seconds of processor time that each learner took, in the thread that
    plays; times too short for the clock are left out.
    """
    compile_from_now_on()  # also for learners that have no `play`
    regrets, problem = list(match.regrets.values()), match.problem
    path_rng, coins = match.stream(run, "path"), match.stream(run, "coins")
    stops = set(match.stops)
    asks = {stop - 1 for stop in stops} if match.favourites else set[int]()
    path = Path(match.world, problem, path_rng, regrets=regrets, stops=sorted(stops | asks - {0}))
    links = links_of(match.world)
    answers = [match.stream(run, "answers", name) for name in links]
    room, lots = np.empty(PIECE), np.empty((len(links), PIECE))
    entries = [_entry(match, run, label, list(links.values()), tick) for label in match.entrants]
    if len({id(entry.learner) for entry in entries}) < len(entries):
        raise checks.refuse("entrants", "makers of a learner each", checks.Shown("one for two"))
    for entry in entries if 0 in asks else ():
        entry.think(0)
    for piece in path.pieces(run):
        tossed = room[: int(piece.block.hold.sum())]
        coins.random(out=tossed)
        for rng, lot in zip(answers, lots, strict=True):
            rng.random(out=lot[: len(tossed)])
        for entry in entries:
            entry.play(piece, tossed, lots[:, : len(tossed)])
            if piece.stop in stops:
                entry.read(path, match.seed)
            if piece.stop in asks:
                entry.think(piece.stop)
            tick(0)
        tick(len(tossed))
    if spent is not None:
        noted = [entry for entry in entries if entry.seconds >= LEAST_SECONDS]
        spent.update({entry.label: entry.seconds for entry in noted})
    world = name_of(match.world)
    sizes = (problem.K, problem.T, path.S, path.V_T, run)
    return [(world, entry.label, *sizes, *row) for entry in entries for row in entry.rows]


def _entry(match: Match, run: int, label: str, links: list[Any], tick: Tick) -> Entry:
    entry = Entry(label, f"{shown(match.world)} in run {run}", tick)
    with Blame(entry, "when it was made"):
        learner = make(match.entrants[label], match.problem, match.stream(run, "learner", label))
    post = Post(links, learner) if links else None
    entry.enter(learner, match.observers(learner), counted=match.plays, post=post)
    return entry
