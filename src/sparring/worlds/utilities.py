"""Worlds in which arms have utilities: a rotation, a slow walk, and utilities that switch."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring.problem import LONGEST, Block
from sparring.segments import boundary
from sparring.worlds import _walks as kernels
from sparring.worlds.protocol import Segmented, World, cut
from sparring.worlds.registry import register
from sparring.worlds.winners import positive

LARGEST_PRODUCT = 10**18  # of handovers and T, which are multiplied in 64 bits
LARGEST_SPREAD = 100.0  # of utilities: far below it hardly a duel is left to chance
STEPS = 100  # in the time of `memory`: a step's deviation is then a seventh of the spread


@register
@dataclass(frozen=True)
class RotatingWinner(World):
    """Smooth utilities that take turns: a dominating arm in every round, and variation V_T.

    P(i, j) = 1/2 + (u(i) - u(j)) / 2. In a random order one arm's utility falls from 2 m to 0 while
    the next one's rises, as cos^2 and sin^2; all others have 0. A handover costs a variation of
    2 m. The margin m is the largest one, up to `largest_margin`, that makes V_T a whole number of
    handovers. This is where Theorem 4.4 holds (docs/errata.md, E5).

    Examples
    --------
    >>> world = RotatingWinner(K=10, T=100_000, V_T=9.5)
    >>> world.handovers, world.margin
    (10, 0.475)
    """

    V_T: float
    largest_margin: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("largest_margin", positive("largest_margin", self.largest_margin))
        most = 2 * self.largest_margin * (self.T - 1)
        remedy = "A handover takes a round and 2 margin: take a larger T or a smaller V_T"
        self._set("V_T", checks.real("V_T", self.V_T, low=0, high=most, remedy=remedy))
        if self.handovers * self.T > LARGEST_PRODUCT:
            found = checks.Shown(f"{self.handovers} times T = {self.T}")
            raise checks.refuse("handovers times T", f"at most {LARGEST_PRODUCT:g}", found)

    @property
    def handovers(self) -> int:
        """How often the lead is handed on."""
        # Less a rounding error: 1.1 / 0.1 is above 11.
        return math.ceil(self.V_T / (2 * self.largest_margin) * (1 - 1e-12))

    @property
    def margin(self) -> float:
        """By how much the winner's chance exceeds 1/2 between two handovers."""
        return self.V_T / (2 * self.handovers) if self.handovers else self.largest_margin

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each round."""
        order = rng.permutation(self.K)
        for start, stop in cut(self.T, self.K):
            u = self._utilities(np.arange(start, stop), order)
            P = 0.5 + 0.5 * (u[:, :, None] - u[:, None, :])
            yield Block(P, np.ones(stop - start, np.int64))

    def _utilities(self, t: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.float64]:
        """u (rounds, K) of rounds t, from 0: handover h begins at round(h (T - 1) / H)."""
        H, steps, rounds = self.handovers, self.T - 1, np.arange(len(t))
        u = np.zeros((len(t), self.K))
        if H == 0:
            u[:, order[0]] = 2 * self.margin
            return u
        h = np.minimum((H * (2 * t + 1) - 1) // (2 * steps), H - 1)
        begin, end = boundary(h, steps, H), boundary(h + 1, steps, H)
        angle = 0.5 * np.pi * (t - begin) / (end - begin)
        u[rounds, order[h % self.K]] = 2 * self.margin * np.cos(angle) ** 2
        u[rounds, order[(h + 1) % self.K]] = 2 * self.margin * np.sin(angle) ** 2
        return u


@register
@dataclass(frozen=True)
class UtilityWalk(World):
    """Slow utilities, P(i, j) = 1 / (1 + exp(u(j) - u(i))), each a mean-reverting Gaussian walk.

    Every u(i) is an Ornstein-Uhlenbeck process, stationary from the first round on: mean 0,
    standard deviation `spread`, and autocorrelation exp(-d / memory) over d rounds. `memory` is T /
    5 and at least 1 unless given. Utilities step every `hold` rounds, memory / 100 unless given: at
    T = 100,000 there are 500 stretches of 200 rounds. The arm with the highest utility is the
    Condorcet winner and dominates. With `moving`, only that many random arms move, and the others
    keep their first utilities. Bradley and Terry, Rank analysis of incomplete block designs (1952);
    Uhlenbeck and Ornstein, On the theory of the Brownian motion (1930).

    A learner is told neither S nor V_T. The number of stretches is the grain of the walk, chosen
    for speed; it does not say how often a learner should change its mind. V_T grows with that
    number without bound, and no Gaussian step is bounded on every path. For the same reason there
    are no `changes`.

    Examples
    --------
    >>> world = UtilityWalk(K=3, T=100_000)
    >>> block = next(world.blocks(np.random.default_rng(1)))
    >>> block.P.shape, int(block.hold[0]), int(block.hold.sum())
    ((500, 3, 3), 200, 100000)
    """

    spread: float = 1.0
    memory: float | None = None
    hold: int | None = None
    moving: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("spread", checks.real("spread", self.spread, low=0, high=LARGEST_SPREAD))
        memory, hold = reverting(self.memory, self.hold)
        self._set("memory", memory)
        self._set("hold", hold)
        if self.moving is not None:
            self._set("moving", checks.whole("moving", self.moving, low=0, high=self.K))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, a matrix for each stretch of `hold` rounds; the last may be shorter."""
        pace = pace_of(self.T, self.memory, self.hold)
        u = self.spread * rng.standard_normal(self.K)
        keep, step = np.full(self.K, pace.keep), np.full(self.K, self.spread * pace.step)
        if self.moving is not None:
            still = rng.permutation(self.K)[self.moving :]
            keep[still], step[still] = 1.0, 0.0
        for start, stop in cut(pace.stretches, self.K):
            P = np.empty((stop - start, self.K, self.K))
            kernels.revert(u, P, keep, step, rng.standard_normal((stop - start, self.K)))
            yield Block(P, pace.lengths(start, stop))


@register
@dataclass(frozen=True)
class UtilitySwitches(Segmented):
    """Utilities that are drawn again for each of S segments: P(i, j) = 1 / (1 + exp(u(j) - u(i))).

    Every u(i) is normal with mean 0 and standard deviation `spread`, independently in each segment.
    Like `UtilityWalk` it is a Bradley-Terry model at every moment, so that choices from more than
    two arms are also defined (`sparring.choices.plackett_luce`), but changes are sudden instead of
    slow.

    Examples
    --------
    >>> block = next(UtilitySwitches(K=3, T=100, S=4).blocks(np.random.default_rng(1)))
    >>> block.P.shape, block.hold.tolist()
    ((4, 3, 3), [25, 25, 25, 25])
    """

    spread: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("spread", checks.real("spread", self.spread, low=0, high=LARGEST_SPREAD))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each segment."""
        for start, stop in cut(self.S, self.K):
            u = self.spread * rng.standard_normal((stop - start, self.K))
            P = np.empty((stop - start, self.K, self.K))
            kernels.revert(
                u[0].copy(), P, np.zeros(self.K), np.ones(self.K), np.roll(u, -1, axis=0)
            )
            yield Block(P, self._hold(start, stop))


class Pace(NamedTuple):
    """How a mean-reverting walk of deviation 1 steps: to keep x + step z, every `hold` rounds."""

    keep: float
    step: float
    hold: int
    stretches: int
    T: int

    def lengths(self, start: int, stop: int) -> NDArray[np.int64]:
        """The lengths of stretches start, ..., stop - 1; the last may be shorter."""
        found = np.full(stop - start, self.hold, np.int64)
        found[-1] = min(self.hold, self.T - (stop - 1) * self.hold)
        return found


def pace_of(T: int, memory: float | None, hold: int | None) -> Pace:
    """That of a walk with this memory, T / 5 and at least 1 unless given, held so many rounds."""
    memory = max(T / 5, 1.0) if memory is None else memory
    hold = min(max(int(memory / STEPS), 1) if hold is None else hold, T)
    step = math.sqrt(-math.expm1(-2 * hold / memory))  # so the deviation stays
    return Pace(math.exp(-hold / memory), step, hold, -(-T // hold), T)


def reverting(memory: float | None, hold: int | None) -> tuple[float | None, int | None]:
    """The memory and the hold of a walk, checked."""
    if memory is not None:
        memory = checks.real("memory", memory, low=1, high=float("inf"))
    if hold is not None:
        hold = checks.whole("hold", hold, low=1, high=LONGEST)
    return memory, hold
