"""The rounds of a learner's latest alarms, in a ring buffer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 1_000  # at most one a round, so that none is missed by looking every so many rounds


def none_yet() -> NDArray[np.int64]:
    """A ring before the first alarm."""
    return np.zeros(KEPT, np.int64)


def latest(ring: NDArray[Any], raised: int) -> tuple[int, ...]:
    """The rounds in a ring after this many alarms, the oldest first; at most `KEPT` of them.

    Examples
    --------
    >>> ring = none_yet()
    >>> ring[:3] = 1_007, 5, 6  # the first place was taken a second time
    >>> latest(ring, 1_001)[:2], latest(ring, 1_001)[-1]
    ((5, 6), 1007)
    """
    return tuple(ring[np.arange(max(raised - KEPT, 0), raised) % KEPT].tolist())
