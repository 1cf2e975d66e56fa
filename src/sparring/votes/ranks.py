"""Which ranks are possible: which arms are certainly above which, all at once."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def above(strengths: Floats, covariance: Floats, alpha: float = 0.05) -> NDArray[np.bool_]:
    """(K, K): whether the arm of the row is certainly above that of the column.

    Every difference is tested. With Holm's correction all statements hold together with probability
    1 - alpha, if strengths are normal with this covariance.

    Examples
    --------
    >>> above(np.array([1.0, 0.0, 0.1]), np.eye(3) * 0.01).astype(int).tolist()
    [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    """
    K = len(strengths)
    i, j = np.triu_indices(K, 1)
    lead = strengths[i] - strengths[j]
    variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
    score = np.abs(lead) / np.sqrt(np.maximum(variance, 1e-300))
    order = np.argsort(-score, kind="stable")
    chance = np.array([math.erfc(one / math.sqrt(2)) for one in score[order].tolist()])
    left = len(order) - np.arange(len(order))
    fails = np.flatnonzero(chance * left > alpha)
    sure = order[: fails[0] if len(fails) else len(order)]
    found = np.zeros((K, K), np.bool_)
    up = lead[sure] > 0
    found[np.where(up, i[sure], j[sure]), np.where(up, j[sure], i[sure])] = True
    return found


def rank_sets(certain: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The best and the worst rank of each arm, from 1, that the certain differences leave open.

    Examples
    --------
    >>> rank_sets(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool))
    [(1, 1), (2, 3), (2, 3)]
    """
    best, worst = 1 + certain.sum(0), len(certain) - certain.sum(1)
    return list(zip(best.tolist(), worst.tolist(), strict=True))
