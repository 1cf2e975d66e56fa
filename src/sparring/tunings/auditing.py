"""How `guarded` divides its rounds: doubling epochs, how often each audits, when it alarms.

These numbers are those of the proof in docs/theory.md, Theorem 9. In an epoch of n rounds a round
is an audit with chance eps, and the auditor has exponential weights w with mixing gamma and share
alpha. Its rate eta = 2 eps gamma / K keeps eta times an estimate below 1, and gamma = sqrt(K l /
(eps n)) makes l / eta + eta K n / (4 eps) smallest for the cost l = ln(K eps n) + ln K + e of a
comparator with one switch and about eps n audits. SYM-EXP3.S has the rule of `sym_exp3s_unknown`
for n rounds.
"""

import math
from typing import NamedTuple

from sparring.problem import LONGEST, Tuning

FIRST = 1024  # rounds of the first epoch
MOST = 0.1  # audits in a round, at most
SCALE = 0.5  # of (K / n)^(1/3): more makes the bound smaller and the audits dearer
HALF = 0.5  # mixing beyond it would leave no bound below n / 2


class Epoch(NamedTuple):
    """The numbers of an epoch."""

    n: int
    """Its rounds."""
    eps: float
    """The chance that a round is an audit."""
    auditor: Tuning
    limit: float
    """B: with more wins than this the auditor hands the epoch over."""
    overshoot: float
    """What one audit may add to the wins, at most."""
    keeper: Tuning
    """Of SYM-EXP3.S, which plays the rest of an epoch that was handed over."""


def epoch(K: int, number: int) -> Epoch:
    """The epoch of this number, from 0.

    Examples
    --------
    >>> found = epoch(10, 7)
    >>> found.n, round(found.eps, 4), round(found.auditor.gamma, 3), round(found.limit)
    (131072, 0.0212, 0.234, 7017)
    """
    n = FIRST << number
    eps = min(MOST, SCALE * (K / n) ** (1 / 3))
    cost = math.log(K * eps * n) + math.log(K) + math.e
    gamma = min(HALF, math.sqrt(K * cost / (eps * n)))
    auditor = Tuning(2 * eps * gamma / K, gamma, alpha=1 / (K * eps * n))
    overshoot = 1 / (2 * eps * (1 - gamma))
    L = math.log(n)
    limit = math.sqrt(overshoot * n * L) + overshoot * L / 3
    cost = math.log(K * n) + math.log(K) + math.e
    gamma = min(HALF, math.sqrt(K * cost / n) / 2)
    keeper = Tuning(2 * gamma / K, gamma, alpha=1 / (K * n))
    return Epoch(n, eps, auditor, limit, overshoot, keeper)


def epochs(K: int) -> list[Epoch]:
    """All epochs, for the largest possible number of rounds."""
    return [epoch(K, number) for number in range((LONGEST // FIRST).bit_length())]
