"""How T rounds are cut into S segments of equal length: everywhere at round(s T / S)."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Rounds = TypeVar("Rounds", int, NDArray[np.int64])


def boundary(s: Rounds, T: int, S: int) -> Rounds:
    """Rounds before segment s of S, from 0: round(s T / S), halves up (docs/adr/0001).

    Examples
    --------
    >>> [boundary(s, T=10, S=4) for s in range(5)]
    [0, 3, 5, 8, 10]
    """
    return (2 * s * T + S) // (2 * S)


def equal_cuts(T: int, S: int) -> list[int]:
    """After how many rounds each segment but the first begins.

    Examples
    --------
    >>> equal_cuts(T=10, S=4)
    [3, 5, 8]
    """
    return [boundary(s, T, S) for s in range(1, S)]


def lengths(start: int, stop: int, T: int, S: int) -> NDArray[np.int64]:
    """The lengths of segments start, ..., stop - 1 of S."""
    return np.diff([boundary(s, T, S) for s in range(start, stop + 1)]).astype(np.int64)
