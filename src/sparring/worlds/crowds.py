"""MovingShares: groups with fixed tastes, whose shares in the crowd move."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from sparring import checks
from sparring.problem import Block
from sparring.worlds.protocol import World, cut
from sparring.worlds.registry import register
from sparring.worlds.utilities import LARGEST_SPREAD, pace_of, reverting

MOST_GROUPS = 1000


@register
@dataclass(frozen=True)
class MovingShares(World):
    """Groups of users with fixed tastes, whose shares in the crowd move.

    Group g has utilities u_g(i) ~ N(0, spread^2) and P_g(i, j) = 1 / (1 + exp(u_g(j) - u_g(i))).
    Its share is exp(x_g) over their sum, where x is a mean-reverting Gaussian walk: x ~ N(0,
    swing^2), and after a lag of r rounds two moments of x_g have the correlation exp(-r / memory).
    P_t is the mean of the groups' matrices by their shares: what a duel shown to a random user
    tells. There may be no arm that beats all others, though each group ranks them.

    `memory` and `hold` are as in `UtilityWalk`.

    Examples
    --------
    >>> world = MovingShares(K=4, T=100_000, groups=3)
    >>> block = next(world.blocks(np.random.default_rng(1)))
    >>> block.P.shape, int(block.hold.sum())
    ((500, 4, 4), 100000)
    """

    groups: int = 3
    spread: float = 1.5
    swing: float = 2.0
    memory: float | None = None
    hold: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("groups", checks.whole("groups", self.groups, low=1, high=MOST_GROUPS))
        self._set("spread", checks.real("spread", self.spread, low=0, high=LARGEST_SPREAD))
        self._set("swing", checks.real("swing", self.swing, low=0, high=LARGEST_SPREAD))
        memory, hold = reverting(self.memory, self.hold)
        self._set("memory", memory)
        self._set("hold", hold)

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, a matrix for each stretch of `hold` rounds; the last may be shorter."""
        pace, K = pace_of(self.T, self.memory, self.hold), self.K
        u = self.spread * rng.standard_normal((self.groups, K))
        rows, cols = np.triu_indices(K, 1)
        tastes = 0.5 + 0.5 * np.tanh(0.5 * (u[:, rows] - u[:, cols]))
        x = self.swing * rng.standard_normal(self.groups)
        for start, stop in cut(pace.stretches, K):
            shares = np.empty((stop - start, self.groups))
            for share, z in zip(shares, rng.standard_normal(shares.shape), strict=True):
                share[:] = np.exp(x - x.max())
                x = pace.keep * x + self.swing * pace.step * z
            shares /= shares.sum(axis=1, keepdims=True)
            P = np.full((stop - start, K, K), 0.5)
            mean = np.einsum("mg,gp->mp", shares, tastes)
            P[:, rows, cols] = np.clip(mean, 0.0, 1.0)  # rounding may exceed 1
            P[:, cols, rows] = 1.0 - P[:, rows, cols]
            yield Block(P, pace.lengths(start, stop))
