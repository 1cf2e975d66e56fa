"""A path through a world, cut into pieces, with all that the learners' meters need."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import _matrices as kernels
from sparring import checks, preferences
from sparring._jit import Floats, Ints
from sparring.problem import Block, Problem
from sparring.regret import Arms, Mixture, Regret
from sparring.worlds import PreferenceSequence
from sparring.worlds.protocol import shown
from sparring.worlds.registry import is_own

PIECE = 32_768  # rounds: what a call costs is little then, and what it fills stays in the cache


class Piece(NamedTuple):
    """Some rounds of a path."""

    block: Block
    stop: int
    """Rounds of the path up to the end of this piece."""
    fresh: NDArray[np.bool_]
    """(m,): whether the matrix differs from the one before it."""
    scores: Floats
    """(m, K): Borda scores; (m, 0) if not asked for."""
    arms: dict[str | Arms | Mixture, Ints]
    """By benchmark, the arm of each round, -1 where there is none."""
    before: Floats
    """(K, K): the matrix before the first one."""
    before_scores: Floats
    """(K,) or (0,): its Borda scores."""


class Path:
    """One path through a world, to be iterated once; it counts S and V_T on the way.

    Parameters
    ----------
    world
        Any world. Blocks of worlds that are not this package's are checked, matrix by matrix.
    problem
        Its sizes, checked.
    rng
        The source of all its randomness.
    regrets
        What will be charged.
    stops
        Rounds at which a piece must end, ascending.
    scores
        Whether to compute Borda scores even if no regret needs them.
    longest
        The largest number of rounds in a piece.
    """

    def __init__(
        self,
        world: PreferenceSequence,
        problem: Problem,
        rng: Generator,
        *,
        regrets: Sequence[Regret] = (),
        stops: Iterable[int] = (),
        scores: bool = False,
        longest: int | None = None,
    ) -> None:
        self._world, self._rng, self._stops = world, rng, deque(stops)
        K = self._K = problem.K
        self._T = problem.T
        self._longest = longest or PIECE
        self._trusted = is_own(world)
        self._borda = scores or any(regret.gain == "borda" for regret in regrets)
        self._followed = {regret.benchmark for regret in regrets if regret.follows}
        self._runs = {
            given: (np.array(given.arms), np.cumsum(np.array(given.rounds)))
            for given in self._followed
            if isinstance(given, Arms)
        }
        self._averaged = any(regret.benchmark == "von neumann" for regret in regrets)
        self._total, self._age = np.zeros(K * K), np.zeros(1, np.int64)
        self._winner: tuple[int, Floats] | None = None
        self._best: tuple[int, NDArray[np.bool_]] | None = None
        self.t, self.S, self.V_T = 0, 0, 0.0
        self.matrix = np.zeros((K, K))  # none yet, and unlike any preference matrix
        self.scores = np.zeros(K if self._borda else 0)

    def __iter__(self) -> Iterator[Piece]:
        blocks = self._world.blocks(self._rng)
        if isinstance(blocks, Block):
            raise checks.refuse("blocks", "a generator: yield a Block, do not return it", blocks)
        for given in blocks:
            block = self._checked(given)
            yield from self._pieces(block, self._fresh(block), self._scores(block))
        if self.t != self._T:
            found = checks.Shown(f"{self.t} in all")
            raise checks.refuse("the holds of the blocks", f"T = {self._T} in all", found)

    def pieces(self, run: int) -> Iterator[Piece]:
        """The pieces; if the world fails, the error names it, the run and the round."""
        try:
            yield from self
        except Exception as error:
            where = f"{shown(self._world)} failed in run {run}, after round {self.t}"
            message = f"{where}: {type(error).__name__}: {error}"
            raise checks.SimulationError(message) from error

    def von_neumann_winner(self) -> Floats:
        """(K,): that of the mean of P_1, ..., P_t; computed once."""
        if self._winner is None or self._winner[0] != self.t:
            total = self._total.reshape(self.matrix.shape) + self._age[0] * self.matrix
            self._winner = self.t, preferences.von_neumann_winner(total / self.t)
        return self._winner[1]

    def best_arms(self) -> NDArray[np.bool_]:
        """(K,): whether each arm is the best in this round; computed once."""
        if self._best is None or self._best[0] != self.t:
            self._best = self.t, preferences.best_arms(self.matrix)
        return self._best[1]

    def _checked(self, block: Any) -> Block:
        """The block, checked unless the world is one of this package's."""
        if self._trusted:
            return block  # type: ignore[no-any-return]
        checks.instance("each of the world's blocks", block, Block, "Make it with sparring.Block")
        K, left = self._K, self._T - self.t
        P = checks.array("block.P", block.P, np.float64, (None, K, K))
        hold = checks.array("block.hold", block.hold, np.int64, (len(P),))
        if len(P) == 0 or hold.min() < 1:
            raise checks.refuse("block.hold", "at least 1 everywhere, for one matrix or more", hold)
        if sum(hold.tolist()) > left:  # of Python's numbers, which do not overflow
            rule = f"at most the {left} rounds that are left of T in all"
            raise checks.refuse("block.hold", rule, hold)
        return Block(preferences.valid(P, "block.P"), hold)

    def _fresh(self, block: Block) -> NDArray[np.bool_]:
        """Which matrices differ from the one before; S and V_T count them."""
        steps = np.empty(len(block.P))
        kernels.changes(block.P.reshape(len(steps), -1), self.matrix.ravel(), steps)
        self.S += int(np.count_nonzero(steps))
        if self.t == 0:
            steps[0] = 0.0  # P_1 is no change
        # Added one after the other, lest V_T depend on the length of the blocks.
        self.V_T = float(np.add.accumulate(np.append(self.V_T, steps))[-1])
        fresh = steps > 0
        fresh[0] |= self.t == 0
        return np.asarray(fresh)

    def _scores(self, block: Block) -> Floats:
        scores = np.empty((len(block.P), len(self.scores)))
        if self._borda:
            kernels.borda_scores(block.P, scores)
        return scores

    def _pieces(self, block: Block, fresh: NDArray[np.bool_], scores: Floats) -> Iterator[Piece]:
        """The block, cut at the stops and into pieces that are not too long."""
        ends = np.cumsum(block.hold)
        origin, done = self.t, 0
        while done < ends[-1]:
            while self._stops and self._stops[0] <= self.t:
                self._stops.popleft()
            stop = min(done + self._longest, int(ends[-1]))
            if self._stops:
                stop = min(stop, self._stops[0] - origin)
            first, last = np.searchsorted(ends, (done, stop - 1), side="right")
            part = slice(first, last + 1)
            hold = lengths(ends[part], done, stop)
            new = fresh[part].copy()
            if done > ends[first] - block.hold[first]:
                new[0] = False  # the matrix goes on
            yield self._advance(Block(block.P[part], hold), new, scores[part])
            done = stop

    def _advance(self, block: Block, fresh: NDArray[np.bool_], scores: Floats) -> Piece:
        """Move on by a piece, and return it."""
        before, before_scores = self.matrix, self.scores
        if self._averaged:
            flat = block.P.reshape(len(block.P), -1)
            kernels.add_stretches(flat, block.hold, fresh, before.ravel(), self._age, self._total)
        start, rounds = self.t, int(block.hold.sum())
        self.t += rounds
        if fresh.any():
            self.matrix, self.scores = block.P[-1].copy(), scores[-1].copy()
        arms = {benchmark: self._arms(benchmark, block, start) for benchmark in self._followed}
        return Piece(block, self.t, fresh, scores, arms, before, before_scores)

    def _arms(self, benchmark: str | Arms | Mixture, block: Block, start: int) -> Ints:
        """The arm of each round of a piece."""
        if isinstance(benchmark, Arms):
            arms, ends = self._runs[benchmark]
            first, last = np.searchsorted(ends, (start, self.t - 1), side="right")
            part = slice(first, last + 1)
            return np.repeat(arms[part], lengths(ends[part], start, self.t))
        winners = np.empty(len(block.P), np.int64)
        kernels.condorcet_winners(block.P, winners)
        return np.repeat(winners, block.hold)


def lengths(ends: Ints, start: int, stop: int) -> Ints:
    """How long each run lasts between start and stop, given where the runs end."""
    cut = np.minimum(ends, stop)
    result = cut - start
    result[1:] -= result[:-1].copy()
    return result
