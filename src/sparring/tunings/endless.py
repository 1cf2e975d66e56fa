"""A tuning that lasts, however long the run; and one for pairs of different arms."""

import functools
import math
from bisect import bisect_left
from dataclasses import replace

from sparring import checks
from sparring.problem import LONGEST, Tuning, arms

MEMORY = 1000  # duels that tastes stay, for each arm, unless somebody knows better


def steady(K: int, memory: int | None = None) -> Tuning:
    """SYM-EXP3.S for a change in every `memory` duels: no T, no S, no V_T.

    If S - 1 = T / m changes come in T rounds, T drops out of the tuning of `sym_exp3s_known`, since
    the cost l is about (T / m) (2 + ln(K m)):

        eta = sqrt((2 + ln(K m)) / (K m)), gamma = eta K / 2, alpha = 1 / (e K m).

    With h = 2 eta the mean of the dynamic regret to S segments fixed in advance is, for every T,
    at most

        (ln K + (S - 1) (1 + ln(K m)) + T / m) / h
            + (e - 2) h (K - 1) T / (8 (1 - gamma)) + gamma T (K - 1) / (2 K),

    about sqrt(K (2 + ln(K m)) / m) a round while changes are no more frequent than that
    (`sparring.bounds.sym_exp3s` of this tuning).

    Parameters
    ----------
    K
        Number of arms.
    memory
        m, for how many duels tastes stay the same; 1,000 K if None.

    Examples
    --------
    >>> tuning = steady(10)
    >>> tuning == steady(10, memory=10_000), round(tuning.gamma, 3)
    (True, 0.058)
    """
    K = arms(K)
    if memory is None:
        memory = MEMORY * K
    remedy = "With less, half of all duels would be any two arms"
    m = checks.whole("memory", memory, low=least_memory(K), high=LONGEST, remedy=remedy)
    gamma = _gamma(K, m)
    return Tuning(eta=2 * gamma / K, gamma=gamma, alpha=1 / (math.e * K * m))


@functools.cache
def least_memory(K: int) -> int:
    """The shortest memory for K arms: with it, half of all duels are between random arms."""
    K = arms(K)
    return 1 + bisect_left(range(1, 64 * K), True, key=lambda m: _gamma(K, m) <= 0.5)


def apart(tuning: Tuning) -> Tuning:
    """A tuning of SYM-EXP3.S for pairs of different arms: twice eta, a quarter of gamma.

    If one arm has nearly all of p, most pairs from p x p are that arm twice and teach nothing. With
    two different arms every pair teaches, and a pair with a rare arm comes 1 / D times as often:
    less mixing is enough, and a faster rate adds no noise. The factors were measured
    (docs/two-arms.md); no theorem gives them.

    Examples
    --------
    >>> apart(Tuning(eta=0.01, gamma=0.2, alpha=1e-5))
    Tuning(eta=0.02, gamma=0.05, beta=0.0, alpha=1e-05)
    """
    return replace(tuning, eta=2 * tuning.eta, gamma=tuning.gamma / 4)


def _gamma(K: int, m: int) -> float:
    return math.sqrt(K * (2 + math.log(K * m)) / m) / 2
