"""Tunings of learners of exponential weights that are not in the paper: D-EXP3 and SYM-EXP3.S.

docs/theory.md, Theorem 11, has the proof of the bound that those of SYM-EXP3.S make small.
"""

import math

import numpy as np

from sparring import checks
from sparring.problem import Problem, Tuning, demand_one
from sparring.tunings.theorems import Prescription, segments, theorem

SEARCHED = 2**15  # lengths, and numbers, of blocks that are all tried
BETWEEN = 2**13  # lengths that are tried between those, if T > 2^30


@theorem("D-EXP3", valid="T >= K ln K", largest=1.0)
def d_exp3(problem: Problem) -> Prescription:
    """D-EXP3 (Saha, Koren and Mansour 2021): eta = (ln K / (T sqrt(K)))^(2/3), gamma = sqrt(eta K).

    The mean of the static Borda regret is then O((K ln K)^(1/3) T^(2/3)), whatever the preferences.
    gamma <= 1 is T >= K ln K.

    Examples
    --------
    >>> round(d_exp3(Problem(K=10, T=1_000_000)).gamma, 4)
    0.0284
    """
    K, T = problem.K, problem.T
    eta = (math.log(K) / (T * math.sqrt(K))) ** (2 / 3)
    return Prescription(eta, math.sqrt(eta * K), 0.0, 0.0)


@theorem("SYM-EXP3.S (S known)", valid="T >= K l")
def sym_exp3s_known(problem: Problem) -> Prescription:
    """SYM-EXP3.S for S segments: eta = sqrt(l / (K T)), gamma = eta K / 2.

    alpha = (S - 1) / (e K T) makes the cost of following S segments smallest, which is then
    l = ln K + (S - 1) (2 + ln(K T / (S - 1))); for S = 1 there is no share and l = ln K. The mean
    of the dynamic regret to a comparator fixed in advance is then about 0.93 sqrt(l K T)
    (`sparring.bounds.sym_exp3s`). The bound says something only if gamma <= 1/2: T >= K l.

    Examples
    --------
    >>> tuning = sym_exp3s_known(Problem(K=10, T=1_000_000, S=10))
    >>> tuning.alpha == 9 / (math.e * 1e7), tuning.gamma == 5 * tuning.eta
    (True, True)
    """
    K, T, S = problem.K, problem.T, segments(problem)
    return _prescription(problem, float(_cost(K, T, S)), _share(K, T, S))


@theorem("SYM-EXP3.S (S unknown)", valid="T >= K l")
def sym_exp3s_unknown(problem: Problem) -> Prescription:
    """SYM-EXP3.S without S and V_T: eta = sqrt(l / (K T)), gamma = eta K / 2, alpha = 1 / (K T).

    l = ln(K T) + ln K + e, the cost of a comparator with one switch; so the mean of the dynamic
    regret is about 0.93 sqrt(l K T) for S = 2, and at most S times that for any S, as in Theorem
    4.1 (2). The bound says something only if gamma <= 1/2: T >= K l.

    Examples
    --------
    >>> sym_exp3s_unknown(Problem(K=10, T=1_000_000)).alpha
    1e-07
    """
    K, T = problem.K, problem.T
    return _prescription(problem, math.log(K * T) + math.log(K) + math.e, 1 / (K * T))


@theorem("SYM-EXP3.S (V_T known)", valid="T >= K ln K")
def sym_exp3s_continuous(problem: Problem) -> Prescription:
    """SYM-EXP3.S for a variation of at most V_T: the tuning for S = ceil(T / D) segments.

    D is the length of a block with the least 2 V_T floor(D / 2) + the bound of `sym_exp3s_known`,
    with 1 in place of phi(1) = 0.72, among those with gamma <= 1/2 (others say nothing). That
    bounds the mean of the dynamic regret to any benchmark if the preferences are fixed in advance
    and an arm dominates in every round (`sparring.bounds.sym_exp3s`). The least is exact up to
    T = 2^30, and to 1e-4 beyond. V_T = 0 is S = 1. T >= K ln K is needed for one segment.

    Examples
    --------
    >>> still = sym_exp3s_continuous(Problem(K=10, T=1_000_000, V_T=0))
    >>> still == sym_exp3s_known(Problem(K=10, T=1_000_000, S=1))
    True
    """
    K, T, V_T = problem.K, problem.T, problem.V_T
    if V_T is None:
        raise checks.refuse("V_T", "given: this tuning needs the continuous variation", None)
    lengths = _lengths(T) if V_T > 0 else np.array([T])
    S = -(-T // lengths)
    gamma = np.sqrt(_cost(K, T, S) * K / T) / 2
    usable = gamma <= 0.5
    if not usable.any():  # not even for one segment
        return _prescription(problem, math.log(K), 0.0)
    lengths, S, gamma = lengths[usable], S[usable], gamma[usable]
    bound = gamma * T * (1 + (K - 1) / (2 * K) * (1 + 1 / (1 - gamma)))
    best = int(S[np.argmin(2 * V_T * (lengths // 2) + bound)])
    return _prescription(problem, float(_cost(K, T, best)), _share(K, T, best))


def sym_exp3s(problem: Problem) -> Tuning:
    """SYM-EXP3.S for what the problem knows: S, V_T or neither.

    Examples
    --------
    >>> problem = Problem(K=10, T=1_000_000, S=10)
    >>> sym_exp3s(problem) == sym_exp3s_known(problem)
    True
    """
    demand_one(problem.S, problem.V_T)
    if problem.V_T is not None:
        return sym_exp3s_continuous(problem)
    return (sym_exp3s_unknown if problem.S is None else sym_exp3s_known)(problem)


def _prescription(problem: Problem, cost: float, alpha: float) -> Prescription:
    """Half of h = 2 sqrt(l / (K T)), and the least mixing it allows."""
    eta = math.sqrt(cost / (problem.K * problem.T))
    return Prescription(eta, eta * problem.K / 2, 0.0, alpha)


def _share(K: int, T: int, S: int) -> float:
    """The share that makes (S - 1) ln(1 / alpha) + e alpha K T smallest."""
    return (S - 1) / (math.e * K * T)


def _cost(K: int, T: int, S: int | np.ndarray) -> np.ndarray:
    """(S - 1) ln(1 / alpha) + ln K + e alpha K T at that share."""
    switches = np.asarray(S, np.float64) - 1
    # Without a switch, any number will do for the logarithm's.
    each = 2 + np.log(float(K) * T / np.maximum(switches, 1))
    return np.asarray(math.log(K) + switches * each)


def _lengths(T: int) -> np.ndarray:
    """Lengths of blocks worth trying: the shortest for each number of blocks."""
    few = np.arange(1, min(math.isqrt(T) + 1, SEARCHED) + 1)
    tried = [few, -(-T // few)]
    if T > SEARCHED**2:
        tried.append(np.geomspace(SEARCHED, T / SEARCHED, BETWEEN).astype(np.int64) | 1)
    return np.concatenate(tried).clip(1, T)
