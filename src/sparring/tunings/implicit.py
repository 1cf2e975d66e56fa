"""Tunings of the sparring learners: EXP3 and implicit exploration.

docs/theory.md, Theorem 12, has the proof of the bound that those of SYM-EXP3-SIX make small.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.problem import Problem, demand_one
from sparring.tunings.bases import Exp3, Exp3SIX

Floats = NDArray[np.float64]
LENGTHS = 4096  # of blocks to try: within 0.3 percent of the best where T is a million


def exp3(problem: Problem) -> Exp3:
    """EXP3's gamma = min(1, sqrt(K ln K / ((e - 1) T))) (Auer et al. 2002, Corollary 3.2).

    Examples
    --------
    >>> round(exp3(Problem(K=10, T=1_000_000)).gamma, 6)
    0.003661
    """
    return Exp3(_mixing(problem.K, problem.T))


def exp3ix(problem: Problem) -> Exp3SIX:
    """EXP3-IX's eta = 2 gamma = sqrt(2 ln K / (K T)) (Neu 2015, Theorem 1).

    Examples
    --------
    >>> found = exp3ix(Problem(K=10, T=1_000_000))
    >>> round(found.eta, 7), found.gamma == found.eta / 2, found.alpha
    (0.0006786, True, 0.0)
    """
    return exp3six(Problem(problem.K, problem.T, S=1))


def exp3six(problem: Problem) -> Exp3SIX:
    """EXP3-SIX's alpha = (S - 1) / (T - 1), eta = 2 gamma = sqrt(2 l / (K T)).

    l = S ln K + (S - 1) ln(e (T - 1) / (S - 1)) is the cost of S segments. Neu (2015) has the form;
    this l is ours, and smaller than the S ln(e K T / S) of such statements. For V_T it is S =
    ceil(T / D) with the D that makes 2 V_T floor(D / 2) + 2 sqrt(2 K T l) least, and without S and
    V_T it is S = 2.

    Examples
    --------
    >>> exp3six(Problem(K=10, T=1_000_001, S=11)).alpha
    1e-05
    """
    K, T = problem.K, problem.T
    S = _segments(problem, lambda l: 2 * np.sqrt(2.0 * K * T * l))
    eta = math.sqrt(2 * float(cost(K, T, S)) / (K * T))
    return Exp3SIX(eta, eta / 2, _share(T, S))


def sym_exp3six(problem: Problem, delta: float = 0.05, *, hindsight_cuts: bool = False) -> Exp3SIX:
    """SYM-EXP3-SIX's eta = 2 sqrt(l / (K T)), gamma = sqrt(ln(2 / delta) / (2 K T)).

    alpha and l are those of `exp3six`. They make the bound of Theorem 12 small for a comparator
    fixed in advance; for V_T the number of segments makes 2 V_T floor(D / 2) + that bound least,
    with the first edition's sqrt(2 l L) / 4, L = ln(2 / delta), in place of half of that. With
    `hindsight_cuts`, gamma = sqrt((ln(2 / delta) + l) / (4 K T)) makes the bound small that holds
    for all comparators of S segments at once.

    Examples
    --------
    >>> found = sym_exp3six(Problem(K=10, T=1_000_000, S=1))
    >>> round(found.eta, 6), round(found.gamma, 6), found.alpha
    (0.00096, 0.000429, 0.0)
    """
    K, T = problem.K, problem.T
    L = math.log(2 / checks.real("delta", delta, low=1e-300, high=1))
    S = _segments(problem, lambda l: np.sqrt(1.0 * K * T * l) + np.sqrt(2 * l * L) / 4)
    l = float(cost(K, T, S))
    eta, gamma = 2 * math.sqrt(l / (K * T)), math.sqrt(L / (2 * K * T))
    if checks.flag("hindsight_cuts", hindsight_cuts):
        gamma = math.sqrt((L + l) / (4 * K * T))
    return Exp3SIX(eta, gamma, _share(T, S))


def cost(K: int, T: int, S: int | NDArray[np.int64]) -> Floats:
    """S ln K + (S - 1) ln(e (T - 1) / (S - 1)): at least c for the share (S - 1) / (T - 1)."""
    segments = np.asarray(S, np.float64)
    switches = segments - 1
    # Without a switch, any number will do for the logarithm's.
    each = 1 + np.log(np.maximum(T - 1, 1) / np.maximum(switches, 1))
    return np.asarray(segments * math.log(K) + switches * each)


def _share(T: int, S: int) -> float:
    """(S - 1) / (T - 1), but at most 1/2, which also costs no more than `cost`."""
    return 0.0 if S == 1 else min((S - 1) / (T - 1), 0.5)


def _mixing(K: int, T: int) -> float:
    return min(1.0, math.sqrt(K * math.log(K) / ((math.e - 1) * T)))


def _segments(problem: Problem, bound: Callable[[Floats], Floats]) -> int:
    """The problem's segments; for a variation, those with the least bound; 2 if unknown."""
    K, T, S, V_T = problem.K, problem.T, problem.S, problem.V_T
    demand_one(S, V_T)
    if V_T is None:
        return min(2, T) if S is None else S
    lengths = np.geomspace(1, T, LENGTHS).astype(np.int64) | 1  # an odd one costs no more
    lengths = np.append(lengths.clip(1, T), T)
    numbers = -(-T // lengths)
    return int(numbers[np.argmin(2 * V_T * (lengths // 2) + bound(cost(K, T, numbers)))])
