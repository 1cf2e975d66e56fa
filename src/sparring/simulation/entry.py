"""An entry: one learner in one run, how it plays, and who watches it."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.learners import Learner
from sparring.learners.blocks import cut
from sparring.learners.frame import is_own
from sparring.problem import Block, Plays
from sparring.simulation.observers import Observer
from sparring.simulation.path import PIECE, Path, Piece
from sparring.simulation.post import Post
from sparring.simulation.progress import Tick

PULSE = 256  # rounds of asking and telling after which a run looks whether it is still wanted

Coins = NDArray[np.float64]


class Entry:
    """A learner in a run.

    Parameters
    ----------
    label
        What the learner is called.
    where
        The world and the run, for errors.
    tick
        Called now and then; it may raise to end the run.
    """

    def __init__(self, label: str, where: str, tick: Tick) -> None:
        self.label, self._where, self._tick = label, where, tick
        self.rows: list[tuple[Any, ...]] = []
        self.seconds = 0.0

    def enter(
        self,
        learner: Learner,
        observers: Sequence[Observer],
        *,
        counted: bool,
        post: Post | None = None,
    ) -> None:
        """Begin with a learner and its observers; how often arms are shown may be counted.

        If answers may be late, missing or spoiled, the post delivers them.
        """
        self.learner: Any = learner
        self._post = post
        self._observers, self._counted = observers, counted
        ours = is_own(learner)
        self._trusted = ours and "play" not in vars(learner)
        self._blockwise = callable(getattr(learner, "play", None))
        self._stride = min(observer.stride for observer in observers)
        self._shown = np.zeros(learner.K, np.int64)
        self._room = Plays(np.empty(PIECE, np.int64), np.empty(PIECE, np.int64))

    def play(self, piece: Piece, coins: Coins, lots: Coins) -> None:
        """Play a piece of the path under observation; the lots decide what happens to answers."""
        rounds = len(coins)
        for start in range(0, rounds, self._stride):
            stop = min(start + self._stride, rounds)
            block = piece.block if stop - start == rounds else cut(piece.block, start, stop)
            room = Plays._make(arms[start:stop] for arms in self._room)
            begun = time.thread_time()  # not of the wall: other threads share the processors
            lot = lots[:, start:stop]
            self._fill(room, block, coins[start:stop], lot, piece.stop - rounds + start)
            self.seconds += time.thread_time() - begun
            with Blame(self, f"when it was watched after round {piece.stop - rounds + stop}"):
                for observer in self._observers:
                    observer.look(self.learner)
        plays = Plays._make(arms[:rounds] for arms in self._room)
        for observer in self._observers:
            observer.played(piece, plays)
        if self._counted:
            for arms in plays:
                self._shown += np.bincount(arms, minlength=len(self._shown))

    def think(self, t: int) -> None:
        """Let observers look before round t + 1."""
        with Blame(self, f"when it was asked for its favourite after round {t}"):
            for observer in self._observers:
                observer.before(self.learner)

    def read(self, path: Path, seed: int) -> None:
        """Note what the observers have to say at this moment."""
        shown = self._shown.tolist()
        with Blame(self, f"when its regret was read after round {path.t}"):
            for observer in self._observers:
                self.rows += [(*reading, seed, shown) for reading in observer.read(path)]

    def _fill(self, room: Plays, block: Block, coins: Coins, lots: Coins, t: int) -> None:
        """Play a block after t rounds; the arms are written into `room`."""
        rounds = f"in rounds {t + 1} to {t + len(coins)}"
        if self._post is not None or not self._blockwise:
            self._ask_and_tell(room, block, coins, lots, t)
            return
        if self._trusted:
            with Blame(self, rounds):
                self.learner.play(block, coins, out=room)
            return
        # A learner that wrote into them would change the others' world.
        block, coins = Block(_locked(block.P), _locked(block.hold.copy())), _locked(coins.copy())
        with Blame(self, rounds):
            plays = self.learner.play(block, coins)
            checks.instance("what play returned", plays, Plays, "It has the row and column arms")
            for name, arms in room._asdict().items():
                given = checks.array(f"plays.{name}", getattr(plays, name), np.int64, (len(coins),))
                arms[:] = given  # a copy: what is looked at must be what the kernels read
                if arms.min() < 0 or arms.max() >= len(self._shown):
                    found = checks.Shown(f"{arms.min()} to {arms.max()}")
                    raise checks.refuse(f"plays.{name}", f"from 0 to {len(self._shown) - 1}", found)

    def _ask_and_tell(
        self, room: Plays, block: Block, coins: Coins, lots: Coins, start: int
    ) -> None:
        """Ask and tell round by round, for a learner without `play` or answers by the post."""
        learner, post, K, t = self.learner, self._post, len(self._shown), 0
        by_round = lots.T.tolist()
        try:
            for P, hold in zip(block.P, block.hold.tolist(), strict=True):
                for _ in range(hold):
                    duel = learner.ask()
                    row = checks.whole("the duel's row", duel.row, low=0, high=K - 1)
                    col = checks.whole("the duel's col", duel.col, low=0, high=K - 1)
                    room.rows[t], room.cols[t] = row, col
                    outcome = float(coins[t] < P[row, col])
                    if post is None:
                        learner.tell(duel, outcome)
                    else:
                        post.send(start + t, duel, float(P[row, col]), outcome, by_round[t])
                        post.deliver(start + t)
                    t += 1
                    if t % PULSE == 0:
                        self._tick(0)
        except (Exception, SystemExit) as error:
            raise self.failure(f"in round {start + t + 1}", error) from error

    def failure(self, when: str, error: BaseException) -> checks.SimulationError:
        """The error that names entrant, world, run and round."""
        who = f"entrant {self.label!r} failed on {self._where}, {when}"
        return checks.SimulationError(f"{who}: {type(error).__name__}: {error}")


class Blame:
    """A context in which failures are blamed on the entry."""

    def __init__(self, entry: Entry, when: str) -> None:
        self._entry, self._when = entry, when

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, (Exception, SystemExit)):
            raise self._entry.failure(self._when, error) from error


def _locked(values: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written."""
    view = values[:]
    view.flags.writeable = False
    return view
