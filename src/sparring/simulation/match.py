"""One run: every entrant on the same path with the same coins, charged piece by piece."""

import math
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.learners.registry import is_own
from sparring.problem import Block, Plays, Problem
from sparring.regret import Regret
from sparring.simulation.entrants import Factory, make
from sparring.simulation.favourites import FAVOURITE, favourite_of
from sparring.simulation.meter import Meter
from sparring.simulation.path import PIECE, Path, Piece
from sparring.simulation.progress import Tick
from sparring.worlds import PreferenceSequence
from sparring.worlds.protocol import name_of, shown

COLUMNS = ("world", "entrant", "K", "T", "S", "V_T", "run", "regret", "t", "value")
FURTHER = ("undefined", "seed")
# Less than so much processor time is not told: where the clock is coarse, it is mostly rounding.
LEAST_SECONDS = 100 * time.get_clock_info("thread_time").resolution
PULSE = 256  # rounds of asking and telling after which a run looks whether it is still wanted

Row = tuple[Any, ...]


class Match(NamedTuple):
    """What is played in every run."""

    world: PreferenceSequence
    problem: Problem
    """What a learner may know of the world."""
    entrants: dict[str, Factory]
    regrets: dict[str, Regret]
    stops: tuple[int, ...]
    seed: int
    experiment: str
    plays: bool
    favourites: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """What a row is made of; it may have counts of plays behind."""
        return (*COLUMNS, *FURTHER, "plays") if self.plays else (*COLUMNS, *FURTHER)

    def stream(self, run: int, purpose: str, label: str = "") -> Generator:
        """The generator of one purpose; of path and coins there is one for all entrants."""
        K, T = self.problem.K, self.problem.T
        names = {"experiment": self.experiment, "label": label}
        return streams.keyed(self.seed, purpose, **names, K=K, T=T, run=run)


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
    `spent` is filled with the seconds of processor time that each learner took for itself, in the
    thread that plays; what is too little for the clock is left out.
    """
    regrets, problem = list(match.regrets.values()), match.problem
    path_rng, coins = match.stream(run, "path"), match.stream(run, "coins")
    stops = set(match.stops)
    # Favourites are asked for before the round: a learner that begins anew behind it has none yet.
    asks = {stop - 1 for stop in stops} if match.favourites else set[int]()
    ends = sorted(stops | asks - {0})
    path = Path(match.world, problem, path_rng, regrets=regrets, stops=ends)
    room = np.empty(PIECE)
    players = [Player(match, run, label, tick) for label in match.entrants]
    if len({id(player.learner) for player in players}) < len(players):
        raise checks.refuse("entrants", "makers of a learner each", checks.Shown("one for two"))
    for player in players if 0 in asks else ():
        player.think(0)
    for piece in path.pieces(run):
        tossed = room[: int(piece.block.hold.sum())]
        coins.random(out=tossed)
        for player in players:
            player.play(piece, tossed)
            if piece.stop in stops:
                player.read(path)
            if piece.stop in asks:
                player.think(piece.stop)
            tick(0)
        tick(len(tossed))
    if spent is not None:
        noted = [player for player in players if player.seconds >= LEAST_SECONDS]
        spent.update({player.label: player.seconds for player in noted})
    world = name_of(match.world)
    sizes = (problem.K, problem.T, path.S, path.V_T, run)
    return [
        (world, player.label, *sizes, *reading) for player in players for reading in player.readings
    ]


class Player:
    """One entrant of one run, with its meter."""

    def __init__(self, match: Match, run: int, label: str, tick: Tick) -> None:
        self.label, self._match, self._run, self._tick = label, match, run, tick
        self.readings: list[Row] = []
        self._favourite: int | None = None
        self.seconds = 0.0
        K = match.problem.K
        with Blame(self, "when it was made"):
            rng = match.stream(run, "learner", label)
            self.learner: Any = make(match.entrants[label], match.problem, rng)
        ours = is_own(self.learner)
        self._trusted = ours and "play" not in vars(self.learner)
        self._blockwise = callable(getattr(self.learner, "play", None))
        self._meter = Meter(list(match.regrets.values()), K)
        self._shown = np.zeros(K, np.int64)
        self._room = Plays(np.empty(PIECE, np.int64), np.empty(PIECE, np.int64))

    def play(self, piece: Piece, coins: NDArray[np.float64]) -> None:
        """Play a piece of the path, and be charged for it."""
        block = piece.block
        if not self._trusted:  # a learner that wrote into them would change the others' world
            hold, coins = _locked(block.hold.copy()), _locked(coins.copy())
            block = Block(_locked(block.P), hold)
        begun = time.thread_time()  # not of the wall: other threads share the processors
        if self._blockwise:
            rounds = f"in rounds {piece.stop - len(coins) + 1} to {piece.stop}"
            with Blame(self, rounds):
                if self._trusted:
                    room = Plays._make(arms[: len(coins)] for arms in self._room)
                    plays = self.learner.play(block, coins, out=room)
                else:
                    plays = self._checked(self.learner.play(block, coins), len(coins))
        else:
            plays = self._ask_and_tell(block, coins, piece.stop - len(coins))
        self.seconds += time.thread_time() - begun
        self._meter.charge(piece, plays)
        if self._match.plays:
            for arms in plays:
                self._shown += np.bincount(arms, minlength=len(self._shown))

    def read(self, path: Path) -> None:
        """Note all regrets at this moment, and whether the favourite was right, if one is asked."""
        counts = self._shown.tolist()
        with Blame(self, f"when its regret was read after round {path.t}"):
            values = self._meter.values(path)
        for label, (value, undefined) in zip(self._match.regrets, values, strict=True):
            self.readings.append((label, path.t, value, undefined, self._match.seed, counts))
        if self._match.favourites:
            arm = self._favourite
            right = math.nan if arm is None else float(path.best_arms()[arm])
            self.readings.append((FAVOURITE, path.t, right, 0, self._match.seed, counts))

    def think(self, t: int) -> None:
        """Note the favourite with which it goes into the next round."""
        with Blame(self, f"when it was asked for its favourite after round {t}"):
            self._favourite = favourite_of(self.learner)

    def _ask_and_tell(self, block: Block, coins: NDArray[np.float64], start: int) -> Plays:
        """What `play` does, for a learner that has none."""
        learner, K = self.learner, len(self._shown)
        plays = Plays(np.empty(len(coins), np.int64), np.empty(len(coins), np.int64))
        t = 0
        try:
            for P, hold in zip(block.P, block.hold.tolist(), strict=True):
                for _ in range(hold):
                    duel = learner.ask()
                    row = checks.whole("the duel's row", duel.row, low=0, high=K - 1)
                    col = checks.whole("the duel's col", duel.col, low=0, high=K - 1)
                    plays.rows[t], plays.cols[t] = row, col
                    learner.tell(duel, float(coins[t] < P[row, col]))
                    t += 1
                    if t % PULSE == 0:
                        self._tick(0)
        except (Exception, SystemExit) as error:
            raise self.failure(f"in round {start + t + 1}", error) from error
        return plays

    def _checked(self, plays: Any, rounds: int) -> Plays:
        """The plays, if they are arms of this world: kernels do not look."""
        checks.instance("what play returned", plays, Plays, "It has the row and the column arms")
        # Copies: what is looked at here must be what the kernels read.
        rows = checks.array("plays.rows", plays.rows, np.int64, (rounds,)).copy()
        cols = checks.array("plays.cols", plays.cols, np.int64, (rounds,)).copy()
        for name, arms in (("rows", rows), ("cols", cols)):
            if arms.min() < 0 or arms.max() >= len(self._shown):
                found = checks.Shown(f"{arms.min()} to {arms.max()}")
                raise checks.refuse(f"plays.{name}", f"from 0 to {len(self._shown) - 1}", found)
        return Plays(rows, cols)

    def failure(self, when: str, error: BaseException) -> checks.SimulationError:
        """The error that names entrant, world, run and round."""
        where = f"{shown(self._match.world)} in run {self._run}, {when}"
        who = f"entrant {self.label!r} failed on {where}"
        return checks.SimulationError(f"{who}: {type(error).__name__}: {error}")


class Blame:
    """While it is entered, a failure is the player's."""

    def __init__(self, player: Player, when: str) -> None:
        self._player, self._when = player, when

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, (Exception, SystemExit)):
            raise self._player.failure(self._when, error) from error


def _locked(values: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written."""
    view = values[:]
    view.flags.writeable = False
    return view
