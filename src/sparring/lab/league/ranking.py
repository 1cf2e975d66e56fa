"""Mean ranks over worlds, and whether they tell learners apart: Friedman's and Nemenyi's tests.

J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006). The tests
treat the worlds as a random sample. Those of a league are chosen, and some are alike, so the tests
say how consistent an order is over these worlds, not how it is elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from sparring import checks
from sparring.lab.league.standings import League

ALPHA = 0.05


@dataclass(frozen=True)
class Ranking:
    """Learners by their mean rank, the best first."""

    labels: tuple[str, ...]
    ranks: NDArray[np.float64]
    """The mean rank of each."""
    worlds: tuple[str, ...]
    """Over which they are means."""
    table: NDArray[np.float64]
    """The rank of each learner on each world, learners by worlds."""
    left_out: tuple[str, ...] = ()
    """Who could be ranked but did not play all worlds in all runs."""

    @property
    def mean_rank(self) -> dict[str, float]:
        """The mean rank by label."""
        return dict(zip(self.labels, self.ranks.tolist(), strict=True))

    @property
    def wins(self) -> dict[str, int]:
        """On how many worlds no other learner had less regret."""
        first = self.table == self.table.min(axis=0)
        return dict(zip(self.labels, first.sum(axis=1).tolist(), strict=True))

    @property
    def p_value(self) -> float:
        """Iman and Davenport's p value: how likely such ranks are if all learners are alike."""
        return iman_davenport(self.table)

    @property
    def distance(self) -> float:
        """Nemenyi's critical difference; NaN for one learner."""
        if len(self.labels) < 2:
            return math.nan
        return critical_difference(len(self.labels), len(self.worlds))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The longest rows of learners of which no two are told apart."""
        return tuple(self.labels[i:j] for i, j in groups(self.ranks, self.distance))

    def beside(self, label: str) -> tuple[str, ...]:
        """The others that are not told apart from a learner."""
        near = np.abs(self.ranks - self.mean_rank[label]) <= self.distance
        pairs = zip(self.labels, near.tolist(), strict=True)
        return tuple(other for other, close in pairs if close and other != label)


def rank(league: League) -> Ranking:
    """Rank all learners that played all worlds of the league, by their mean regret on each.

    The user's own worlds do not count, unless there are no others: a learner without a tuning for
    them would drop out of the ranking.
    """
    meetings = [one for one in league.meetings if one not in league.given] or league.meetings
    may = [label for label in league.labels if league.ranked(label)]
    found = [label for label in may if all(one.complete(label) for one in meetings)]
    means = np.array([[one.values(label).mean() for one in meetings] for label in found])
    table = ranks_of(means.reshape(len(found), len(meetings)))
    mean = table.mean(axis=1)
    order = np.argsort(mean, kind="stable")
    return Ranking(
        tuple(found[i] for i in order),
        mean[order],
        tuple(one.name for one in meetings),
        table[order],
        tuple(label for label in may if label not in found),
    )


def ranks_of(values: ArrayLike) -> NDArray[np.float64]:
    """The rank of each row in each column, from 1 for the least; equal rows share the mean.

    Examples
    --------
    >>> ranks_of([[5.0, 1.0], [7.0, 1.0], [3.0, 9.0]]).tolist()
    [[2.0, 1.5], [3.0, 1.5], [1.0, 3.0]]
    """
    table = np.asarray(values, float)
    below = (table[:, None] > table[None]).sum(axis=1)
    equal = (table[:, None] == table[None]).sum(axis=1)
    return np.asarray(below + (equal + 1) / 2)


def iman_davenport(table: ArrayLike) -> float:
    """The p value of the hypothesis that all rows of ranks are alike; NaN if undefined.

    From Friedman's chi^2, corrected for ties: F = (N - 1) chi^2 / (N (k - 1) - chi^2), with k - 1
    and (k - 1)(N - 1) degrees of freedom, for k learners on N worlds.

    Examples
    --------
    >>> f"{iman_davenport(ranks_of([[1, 1, 1, 2], [2, 2, 2, 1], [3, 3, 3, 3]])):.4f}"
    '0.0066'
    """
    ranks = np.asarray(table, float)
    k, N = ranks.shape
    if k < 2 or N < 2:
        return math.nan
    spread = float(np.square(ranks - (k + 1) / 2).sum())
    if spread == 0:  # all tied
        return 1.0
    between = N * float(np.square(ranks.mean(axis=1) - (k + 1) / 2).sum())
    chi_squared = N * (k - 1) * between / spread
    rest = N * (k - 1) - chi_squared
    if rest <= 1e-12 * N * (k - 1):  # the same order everywhere
        return 0.0
    F = (N - 1) * chi_squared / rest
    return float(special.fdtrc(k - 1, (k - 1) * (N - 1), F))


def critical_difference(k: int, N: int, alpha: float = ALPHA) -> float:
    """By how much mean ranks must differ for two of k learners to differ on N worlds: Nemenyi's.

    CD = q sqrt(k (k + 1) / (6 N)), where q is the studentized range of k normals over sqrt 2.

    Examples
    --------
    >>> f"{critical_difference(4, 14):.3f}"
    '1.254'
    """
    k = checks.whole("k", k, low=2, high=1000)
    N = checks.whole("N", N, low=1, high=10**6)
    return quantile(k, alpha) * math.sqrt(k * (k + 1) / (6 * N))


@cache
def quantile(k: int, alpha: float = ALPHA) -> float:
    """Nemenyi's q: the 1 - alpha quantile of the studentized range of k normals, over sqrt 2."""
    return float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)


def groups(ranks: Sequence[float] | NDArray[np.float64], distance: float) -> list[tuple[int, int]]:
    """The longest stretches of rising ranks that span no more than a distance, of two or more.

    Examples
    --------
    >>> groups([1.0, 1.5, 2.5, 4.0], 1.2)
    [(0, 2), (1, 3)]
    """
    found, last = list[tuple[int, int]](), 0
    for i, low in enumerate(ranks):
        j = sum(1 for high in ranks if high - low <= distance)
        if j > last and j - i > 1:
            found.append((i, j))
        last = max(last, j)
    return found
