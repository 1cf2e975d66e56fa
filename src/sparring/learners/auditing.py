"""What audits say about a regret: the certificate of `guarded`, from sums over its rounds."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels.guard import RATES

Floats = NDArray[np.float64]


class Audited(NamedTuple):
    """A certificate by audits."""

    regret: float
    """An upper bound on the regret to the best arm in hindsight."""
    rounds: int
    """The number of rounds it covers: those that SYM-EXP3.S did not play."""
    vacuous: bool
    """Whether it is vacuous: no learner loses more than 1/2 a round."""


def certified(estimate: Floats, charges: Floats, rounds: int, audits: int, delta: Any) -> Audited:
    """The least over lambda of max_k [sum x(k) + (sum psi + ln(G K / delta)) / lambda] + audits/2.

    It covers all pairs that were chosen (docs/theory.md, Theorem 10). An audit replaces one of the
    two arms, which costs at most 1/2.

    Parameters
    ----------
    estimate
        (K,): the sums of x.
    charges
        (G, K): the sums of psi, for each rate.
    rounds, audits
        How many rounds were under audit, and how many of them audits.
    delta
        How often it may fail.

    Examples
    --------
    >>> certified(np.array([0.0, -900.0]), np.ones((12, 2)), 1000, 10, delta=0.05).vacuous
    False
    """
    delta = checks.real("delta", delta, low=1e-300, high=1)
    slack = math.log(charges.size / delta)
    chance = ((charges + slack) / RATES[:, None]).min(axis=0)
    found = float((estimate + chance).max()) + audits / 2
    return Audited(min(found, rounds / 2), rounds, found >= rounds / 2)
