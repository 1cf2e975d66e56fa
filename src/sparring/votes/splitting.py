"""Where to cut votes in two: strengths before, other strengths after."""

import itertools

import numpy as np
from numpy.typing import NDArray

from sparring.votes.changes import DROP
from sparring.votes.fitting import chances, solve
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

CUTS = 60


def split(votes: Votes, begin: int, end: int) -> tuple[int, int, int]:
    """The vote between begin and end before which strengths changed, with an interval.

    Strengths are fitted before and after each of sixty cuts; the cut with the largest likelihood is
    the change. Cuts whose log-likelihood is at most 3.68 lower make the interval: 95% for one
    small and sudden change (`sparring.votes.changes`).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=2000)
    >>> tea = rng.random(2000) < np.where(np.arange(2000) < 1200, 0.7, 0.3)
    >>> votes = Votes(("tea", "coffee"), first, 1 - first, np.where(first == 0, tea, ~tea))
    >>> best, low, high = split(votes, 0, 2000)
    >>> low <= 1200 <= high, high - low < 300
    (True, True)
    """
    edges = np.unique(np.linspace(begin, end, min(CUTS, end - begin) + 2).astype(int))
    parts = [votes[low:high] for low, high in itertools.pairwise(edges)]
    met = np.cumsum([part.sums(np.ones(len(part))) for part in parts], axis=0)
    won = np.cumsum([part.sums(part.outcome) for part in parts], axis=0)
    fits = [
        _likelihood(met[k], won[k]) + _likelihood(met[-1] - met[k], won[-1] - won[k])
        for k in range(len(parts) - 1)
    ]
    best = int(np.argmax(fits))
    close = np.flatnonzero(np.array(fits) >= fits[best] - DROP)
    # Between two cuts nothing was tried: the change may be anywhere up to the next ones.
    return int(edges[best + 1]), int(edges[close[0]]), int(edges[close[-1] + 2])


def _likelihood(met: Floats, won: Floats) -> float:
    """The logarithm of the largest likelihood of votes with one set of strengths."""
    strengths, _, _ = solve(met, won)
    p = np.clip(chances(strengths), 1e-12, 1 - 1e-12)
    return float((won * np.log(p) + (met - won) * np.log(1 - p)).sum())
