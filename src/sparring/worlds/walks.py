"""The worlds of the paper's experiments (Sec. 7): two Gaussian walks and a drift with a budget."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring._random import CHUNK, lanes
from sparring.problem import Block
from sparring.worlds import _walks as kernels
from sparring.worlds.protocol import Segmented, World, cut, pairs
from sparring.worlds.registry import register

LARGEST_STEP = 0.5  # of a drift: an entry can then always move one way or the other


@register
@dataclass(frozen=True)
class GaussianWalk(World):
    """Sec. 7.1: P_1 uniform, then every P(i, j), i < j, steps by N(0, sigma) in each round.

    sigma is the standard deviation; entries are clipped to [0, 1] and mirrored.

    Examples
    --------
    >>> world = GaussianWalk(K=3, T=1000)
    >>> block = next(world.blocks(np.random.default_rng(1)))
    >>> block.P.shape, int(block.hold.sum())
    ((1000, 3, 3), 1000)
    """

    sigma: float = 0.002

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("sigma", deviation(self.sigma))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each round."""
        walk = _Walk(self.K, self.sigma, rng)
        for start, stop in cut(self.T, self.K):
            yield Block(walk.matrices(stop - start), np.ones(stop - start, np.int64))


@register
@dataclass(frozen=True)
class SwitchingWalk(Segmented):
    """Sec. 7.2: the Gaussian walk, stepping only between S segments of equal length.

    The boundaries are round(s T / S), s = 1, ..., S - 1; the paper's, read literally, would often
    not change anything (docs/errata.md, U2).

    Examples
    --------
    >>> world = SwitchingWalk(K=3, T=1000, S=3)
    >>> [int(n) for block in world.blocks(np.random.default_rng(1)) for n in block.hold]
    [333, 334, 333]
    >>> world.changes
    (334, 668)
    """

    sigma: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("sigma", deviation(self.sigma))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each segment."""
        walk = _Walk(self.K, self.sigma, rng)
        for start, stop in cut(self.S, self.K):
            yield Block(walk.matrices(stop - start), self._hold(start, stop))


@register
@dataclass(frozen=True)
class BudgetedDrift(World):
    """Sec. 7.2: P_1 uniform, then steps whose largest is mu_t V_T, mu ~ Dirichlet(1, ..., 1).

    Every entry i < j moves by exactly that, T - 1 times, in one of two kinds of direction
    (docs/adr/0007): "random", drawn for each step, which is the closest reading of the text, or
    "persistent", kept until the entry would leave [0, 1]. No step is larger than 1/2.

    Examples
    --------
    >>> BudgetedDrift(K=3, T=1000, V_T=10, direction="persistent").V_T
    10.0
    """

    V_T: float
    direction: str = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        most = LARGEST_STEP * (self.T - 1)
        remedy = "Each of the T - 1 steps is at most 1/2: take a larger T or a smaller V_T"
        self._set("V_T", checks.real("V_T", self.V_T, low=0, high=most, remedy=remedy))
        if not isinstance(self.direction, str) or self.direction not in ("random", "persistent"):
            raise checks.refuse("direction", "'random' or 'persistent'", self.direction)

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each round."""
        triangle = rng.random(pairs(self.K))
        signs = np.where(rng.random(pairs(self.K)) < 0.5, -1.0, 1.0)
        state, words = lanes(rng), np.empty(CHUNK, np.uint64)
        position = np.array([CHUNK])
        left = self.V_T
        for start, stop in cut(self.T, self.K):
            sizes, P = np.zeros(stop - start), np.empty((stop - start, self.K, self.K))
            steps = min(stop, self.T - 1) - start  # behind the last matrix there is none
            u = rng.random(steps)
            left = kernels.share_out(u, left, self.T - 1 - start, LARGEST_STEP, sizes[:steps])
            redraw = self.direction == "random"
            kernels.drift(triangle, signs, P, sizes, redraw, state, words, position)
            yield Block(P, np.ones(stop - start, np.int64))


class _Walk:
    """A Gaussian walk on its way."""

    def __init__(self, K: int, sigma: float, rng: Generator) -> None:
        self._K, self._sigma = K, sigma
        self._triangle = rng.random(pairs(K))
        self._normals = (lanes(rng), np.empty(CHUNK, np.uint64), np.empty(CHUNK))
        self._position = np.array([CHUNK])

    def matrices(self, count: int) -> NDArray[np.float64]:
        """The next matrices, a step behind each."""
        P = np.empty((count, self._K, self._K))
        kernels.walk(self._triangle, P, self._sigma, *self._normals, self._position)
        return P


def deviation(sigma: float) -> float:
    """Sigma, checked."""
    return checks.real("sigma", sigma, low=0, high=float("inf"))
