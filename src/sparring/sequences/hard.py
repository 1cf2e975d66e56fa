"""How large a margin is hardest: the epsilon, and the segments, of the lower bounds of Sec. 5.

With segments of at most D rounds whose winner is drawn at random, every learner's expected regret
is at least T epsilon (rho - b epsilon), where rho is the chance to miss the winner and
b = sqrt(c D) grows with what a duel tells about it (docs/errata.md, E7 to E9).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST = 0.25  # the bounds hold up to here
CANDIDATES = 1024  # numbers of segments to try at once


class Family(NamedTuple):
    """What the bound of a family of instances needs."""

    others: int
    """Arms that cannot win: rho = (K - others - 1) / (K - others)."""
    information: float
    """c = information / (K - others)."""


FAMILIES = {
    "simple": Family(others=0, information=8 * math.log(4 / 3)),
    "paper": Family(others=1, information=4 * math.log(3)),
}


@lru_cache(maxsize=256)
def hardest(
    family: str, K: int, T: int, S: int | None, V_T: float | None, epsilon: float | None
) -> tuple[float, int]:
    """Epsilon and the number of segments, S or as many as V_T pays for, of the highest bound."""
    if epsilon is not None:
        return epsilon, S or min(1 + int((V_T or 0) / (2 * epsilon) * (1 + 1e-12)), T)
    if S is not None:
        return float(_epsilons(family, K, T, None, np.array([S]))[0]), S
    # Over all orders of magnitude, then closer and closer around the best.
    segments = np.unique(np.geomspace(1, T, CANDIDATES).astype(np.int64))
    while True:
        best = int(np.argmax(_bounds(family, K, T, V_T, segments)))
        low, high = segments[max(best - 1, 0)], segments[min(best + 1, len(segments) - 1)]
        if high - low <= 2:
            return float(_epsilons(family, K, T, V_T, segments)[best]), int(segments[best])
        segments = np.unique(np.linspace(low, high, CANDIDATES).astype(np.int64))


def _epsilons(
    family: str, K: int, T: int, V_T: float | None, segments: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The best epsilon for each number of segments; neighbours may differ by 2 epsilon."""
    rho, b = _constants(family, K, T, segments)
    epsilons = np.minimum(LARGEST, rho / (2 * b))
    if V_T is not None:
        several = segments > 1
        epsilons[several] = np.minimum(epsilons, V_T / (2 * np.maximum(segments - 1, 1)))[several]
    return epsilons


def _bounds(
    family: str, K: int, T: int, V_T: float | None, segments: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The lower bound for each number of segments."""
    rho, b = _constants(family, K, T, segments)
    epsilons = _epsilons(family, K, T, V_T, segments)
    return T * epsilons * (rho - b * epsilons)


def _constants(
    family: str, K: int, T: int, segments: NDArray[np.int64]
) -> tuple[float, NDArray[np.float64]]:
    """Rho, and b for each number of segments."""
    candidates = K - FAMILIES[family].others
    longest = -(-T // segments)
    rho = (candidates - 1) / candidates
    return rho, np.sqrt(FAMILIES[family].information * longest / candidates)
