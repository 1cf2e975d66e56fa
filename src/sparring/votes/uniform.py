"""Whether pairs were chosen uniformly: the chance of a pair, and a rough check."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.votes.values import Votes

CLEARLY = 1e-6  # how rarely uniform pairs are warned of
ALIKE = 1e-3  # by how much a logged chance may differ, as a share, and be that of uniform pairs
ENOUGH = 5.0  # votes expected of a cell, from which on the chi-square law is near

Pairs = Literal["logged", "uniform"]


class Uniformity(NamedTuple):
    """A chi-square test of the claim that all pairs had equal chances in every vote."""

    statistic: float
    freedom: int
    """Degrees of freedom."""
    chance: float
    """How likely so large a statistic is where the claim is true, roughly."""

    def __str__(self) -> str:
        says = "clearly not uniform" if self.chance < CLEARLY else "nothing speaks against uniform"
        tail = f"p = {self.chance:.2g}" if self.chance >= CLEARLY else f"p below {CLEARLY:g}"
        return f"{says}: chi-square {self.statistic:,.1f} of {self.freedom:,}, {tail}"


def uniformity(votes: Votes) -> Uniformity:
    """Test whether all pairs were shown equally often.

    It counts pairs, or arms if there are fewer than five votes for each pair. It is rough: pairs
    that look uniform over the whole log need not have been so at each time, or given the past.

    Examples
    --------
    >>> votes = Votes(("a", "b", "c"), [0] * 60, [1] * 50 + [2] * 10, [1] * 60)
    >>> print(uniformity(votes))
    clearly not uniform: chi-square 70.0 of 2, p below 1e-06
    """
    K, n = votes.K, len(votes)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    pairs = K * (K - 1) // 2
    if n >= ENOUGH * pairs or K == 2:
        met = np.bincount(low.astype(np.int64) * K + high, minlength=K * K).reshape(K, K)
        met = met[np.triu_indices(K, 1)]
        statistic, freedom = float(((met - n / pairs) ** 2).sum() / (n / pairs or 1)), pairs - 1
    else:  # an arm is in 2 of K places, and the counts of two arms hold each other down
        shown = np.bincount(low, minlength=K) + np.bincount(high, minlength=K)
        spread = max(n, 1) * 2 / K * (1 - 2 / K) * K / (K - 1)
        statistic, freedom = float(((shown - 2 * n / K) ** 2).sum() / spread), K - 1
    return Uniformity(statistic, freedom, _tail(statistic, freedom))


def pair_chances(votes: Votes, pairs: Pairs) -> NDArray[np.float64]:
    """(n,): the chance of each vote's pair, logged or said to be uniform."""
    if pairs not in ("logged", "uniform"):
        raise checks.unknown("pairs", pairs, ("logged", "uniform"))
    demand_plain(votes)
    if pairs == "uniform":
        even = 2 / (votes.K * (votes.K - 1))
        _demand_even(votes, even)
        found = uniformity(votes)
        if found.chance < CLEARLY:
            checks.warn(
                f"these votes are taken as votes on uniform pairs, but the pairs are {found}. What "
                "follows holds for uniform pairs only"
            )
        return np.full(len(votes), even)
    if votes.chance is None:
        remedy = (
            'Say pairs="uniform" if every pair was equally likely in every vote, whatever came '
            "before; from_duels makes votes with chances from the duels of a learner"
        )
        raise checks.refuse("votes.chance", "known", checks.Shown("None"), remedy)
    return votes.chance


def _demand_even(votes: Votes, even: float) -> None:
    """Refuse logged chances that are not those of uniform pairs."""
    if votes.chance is None or np.allclose(votes.chance, even, rtol=ALIKE, atol=0):
        return
    found = checks.Shown(
        f"chances from {votes.chance.min():.3g} to {votes.chance.max():.3g} instead of {even:.3g}"
    )
    remedy = (
        'borda and evaluate take logged chances: pairs="logged"; a learner can be replayed on '
        "uniform pairs only"
    )
    raise checks.refuse("votes", "on uniform pairs", found, remedy)


def demand_plain(votes: Any) -> None:
    """Refuse what is not `Votes`, has no votes, or has votes of different weights."""
    if not isinstance(votes, Votes):
        raise checks.refuse("votes", "a sparring.votes.Votes", votes)
    if len(votes) == 0:
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    if votes.K < 2:
        raise checks.refuse("votes.names", "two arms or more", votes.names)
    if votes.weight is not None:
        remedy = "dataclasses.replace(votes, weight=None) counts all the same"
        raise checks.refuse("votes.weight", "None here", checks.Shown("weights"), remedy)


def _tail(statistic: float, freedom: int) -> float:
    """The chance of a larger chi-square, by Wilson and Hilferty's cube root."""
    if freedom == 0:
        return 1.0
    spread = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2)) / 2
