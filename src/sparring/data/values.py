"""A data set: preferences, the names of the arms, and where it all comes from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring import checks, preferences, streams
from sparring.votes import Votes
from sparring.worlds import Constant, Recorded


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Preferences, as `sparring.data.load` returns them.

    Examples
    --------
    >>> import sparring
    >>> rankers = sparring.data.load("arxiv6")
    >>> rankers
    Dataset('arxiv6', K=6, periods=1)
    >>> rankers.P[0].tolist()  # how often the first ranker beats each
    [0.5, 0.55, 0.55, 0.54, 0.61, 0.61]
    >>> rankers.world(T=10_000)
    Constant(K=6, T=10000)
    """

    name: str
    P: NDArray[np.float64]
    """(K, K), or (periods, K, K) if tastes change: the chance that the row beats the column."""
    arms: tuple[str, ...]
    """What the arms are called."""
    about: str
    """What it is, and who wins."""
    source: str
    """Where the numbers come from."""
    licence: str = "MIT, as all of sparring"
    """The terms on which you may pass it on."""

    def __post_init__(self) -> None:
        P = preferences.valid(self.P).copy()
        P.flags.writeable = False
        object.__setattr__(self, "P", P)
        object.__setattr__(self, "arms", tuple(checks.names("arms", self.arms)))

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, K={self.K}, periods={self.periods})"

    @property
    def K(self) -> int:
        """Number of arms."""
        return len(self.arms)

    @property
    def periods(self) -> int:
        """Number of matrices, which are in order of time."""
        return len(self._matrices)

    @property
    def _matrices(self) -> NDArray[np.float64]:
        return self.P if self.P.ndim == 3 else self.P[None]

    def world(self, T: int, *, interpolate: bool = False) -> Constant | Recorded:
        """A world of T rounds for `simulate`, with the periods stretched over them.

        Parameters
        ----------
        T
            Number of rounds.
        interpolate
            Whether tastes drift from one period to the next instead of jumping.
        """
        if self.periods == 1:
            return Constant(self.P, T, label=self.name)
        return Recorded(self.P, T, interpolate=interpolate, arms=self.arms, label=self.name)

    def votes(self, n: int, *, seed: int = 0) -> Votes:
        """Draw n votes on random pairs, in order of time, for `sparring.votes`.

        Examples
        --------
        >>> import sparring
        >>> sparring.data.load("league12").votes(5_000)
        5,000 votes on 12 arms
        """
        n = checks.whole("n", n, low=1, high=10_000_000)
        rng = streams.keyed(seed, "votes", experiment=f"data {self.name}", K=self.K, T=n, run=0)
        first = rng.integers(self.K, size=n, dtype=np.int32)
        second = (first + rng.integers(1, self.K, size=n, dtype=np.int32)) % np.int32(self.K)
        period = np.arange(n) * self.periods // n
        won = rng.random(n) < self._matrices[period, first, second]
        chance = np.full(n, 2 / (self.K * (self.K - 1)))
        return Votes(self.arms, first, second, won.astype(float), chance=chance)
