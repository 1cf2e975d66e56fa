"""Which margin is hardest: the epsilon, and the segments, of the lower bounds of Sec. 5.

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
CANDIDATES = 1_000_000  # to try at most: all of them up to T = 1e12


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
    # Only how long a segment is and how many there are count, so each number up to sqrt(T) is
    # tried as the one and as the other.
    root = min(math.isqrt(T) + 1, T)
    if root <= CANDIDATES:
        numbers = np.arange(1, root + 1)
    else:
        numbers = np.unique(np.geomspace(1, root, CANDIDATES).astype(np.int64))
    segments = np.concatenate([numbers, -(-T // numbers)])
    best = int(np.argmax(_bounds(family, K, T, V_T, segments)))
    return float(_epsilons(family, K, T, V_T, segments)[best]), int(segments[best])


def lower_bound(family: str, K: int, T: int, segments: int, epsilon: float) -> float:
    """A lower bound on every learner's expected regret on the instance; 0 if none is proved."""
    rho, b = _constants(family, K, T, np.array([segments]))
    return max(T * epsilon * (rho - float(b[0]) * epsilon), 0.0) if epsilon <= LARGEST else 0.0


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
