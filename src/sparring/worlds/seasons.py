"""Seasonal: tastes that come back, in a cycle of matrices with a winner each."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring.problem import LONGEST, Block
from sparring.segments import boundary
from sparring.worlds.protocol import World, beginnings, cut, pairs
from sparring.worlds.registry import register
from sparring.worlds.winners import crown, positive


@register
@dataclass(frozen=True)
class Seasonal(World):
    """Seasons: a cycle of matrices, each with its own winner, repeated again and again.

    A cycle lasts `period` rounds, and season s of all, from 0, begins after round(s period /
    seasons). Its matrix is one of the cycle's: the winner, another arm in each season, beats every
    arm with 1/2 + margin; the other entries are uniform in [1/2 - margin, 1/2 + margin]. A learner
    that remembers a season need not learn it again.

    Examples
    --------
    >>> world = Seasonal(K=5, T=1000, period=400)
    >>> world.S, world.changes
    (5, (201, 401, 601, 801))
    >>> P = next(world.blocks(np.random.default_rng(1))).P
    >>> bool((P[0] == P[2]).all()), bool((P[0] == P[1]).all())
    (True, False)
    """

    period: int
    seasons: int = 2
    margin: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        remedy = "Each season has a winner of its own"
        seasons = checks.whole("seasons", self.seasons, low=2, high=self.K, remedy=remedy)
        self._set("seasons", seasons)
        remedy = "Each season of a cycle has a round"
        period = checks.whole("period", self.period, low=seasons, high=LONGEST, remedy=remedy)
        self._set("period", period)
        self._set("margin", positive("margin", self.margin))

    @property
    def S(self) -> int:
        """Segments: seasons that begin within T rounds."""
        S = (self.T * self.seasons) // self.period  # or one more: the last to begin is near
        while boundary(S, self.period, self.seasons) < self.T:
            S += 1
        return S

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds, from 1, in which another season begins."""
        return beginnings(self._hold(0, self.S))

    def _hold(self, start: int, stop: int) -> NDArray[np.int64]:
        """The lengths of seasons start, ..., stop - 1; the last may end early."""
        ends = [boundary(s, self.period, self.seasons) for s in range(start, stop + 1)]
        return np.diff(np.minimum(ends, self.T)).astype(np.int64)

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each season."""
        K, above = self.K, np.triu_indices(self.K, 1)
        winners = rng.permutation(K)[: self.seasons]
        u = rng.random((self.seasons, pairs(K)))
        cycle = np.full((self.seasons, K, K), 0.5)
        cycle[:, above[0], above[1]] = 0.5 + self.margin * (2 * u - 1)
        cycle[:, above[1], above[0]] = 1 - cycle[:, above[0], above[1]]
        crown(cycle, winners, 0.5 + self.margin)
        for start, stop in cut(self.S, K):
            yield Block(cycle[np.arange(start, stop) % self.seasons], self._hold(start, stop))
