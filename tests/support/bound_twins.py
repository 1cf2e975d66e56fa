"""Twins of the bounds: scalars and loops, rewritten from the errata and the proofs.

From sections 3 and 6 of the errata, and from the theorems of docs/theory.md. With them go the lists
of all upper bounds, and problems and tunings to compare at.
"""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from sparring import Tuning, bounds

e, inf, ln, sqrt = math.e, math.inf, math.log, math.sqrt
DELTA = 0.05
SENSES = ("probable", "hindsight_cuts", "mean", "mean_fixed")
CLOSE = {"rel": 1e-11}

# Every upper bound: the size beside K and T, and its gain.
UPPER = {
    bounds.dex3p: (None, "preference"),
    bounds.dex3s_known: ("S", "preference"),
    bounds.dex3s_unknown: ("S", "preference"),
    bounds.dex3s_continuous: ("V_T", "preference"),
    bounds.dex3s_condorcet: ("V_T", "preference"),
    bounds.borda_dex3s: ("S", "borda"),
    bounds.borda_dex3s_continuous: ("V_T", "borda"),
}
SWITCHING = [bounds.dex3s_known, bounds.dex3s_unknown]
DRIFTING = [bounds.dex3s_continuous, bounds.dex3s_condorcet]
WITH_A_SHARE = [*SWITCHING, *DRIFTING, bounds.borda_dex3s]
every_upper = pytest.mark.parametrize("function", UPPER, ids=lambda function: function.__name__)


def sizes_of(function, S=10, V_T=10.0):
    return {name: size for name, size in (("S", S), ("V_T", V_T)) if name == UPPER[function][0]}


def phi(zeta):
    """sum of zeta^n / (n + 2)!, n = 0, 1, ...: the quotient (e^zeta - 1 - zeta) / zeta^2."""
    if zeta > 700:
        return inf
    term, total, n = 0.5, 0.0, 0
    while term > 1e-18 * total:
        total += term
        n += 1
        term *= zeta / (n + 2)
    return total


def cost(K, T, S, alpha, zeta=1.0):
    """(S - 1) (ln(1 / alpha) + zeta - 1) + ln K + e alpha K T, where a switch costs 0 at least."""
    changes = 0.0
    if S > 1:
        changes = (S - 1) * max(ln(1 / alpha) + zeta - 1, 0.0) if alpha > 0 else inf
    return changes + ln(K) + e * alpha * K * T


def confidence(sense, K, S, delta, events, T=None):
    """C: S ln K + ln(events / delta), with the ways to cut, S ln K, or nothing."""
    if sense == "hindsight_cuts":
        more = (S - 1) * ln(e * (T - 1) / (S - 1)) if T is not None and S > 1 else 0.0
        return S * ln(K) + ln(events / delta) + more
    return {
        "probable": S * ln(K) + ln(events / delta),
        "mean": S * ln(K),
        "mean_fixed": 0.0,
    }[sense]


def over(C, rate):
    """C / rate, where no comparator needs no rate."""
    return C / rate if rate > 0 else (inf if C > 0 else 0.0)


def twin(K, T, S, tuning, sense="probable", delta=DELTA, cuts=True):
    """(kappa T/2 + beta K T + (1 - gamma) cost / eta) / (1 - kappa) + C / min(4 beta, 2).

    Without `cuts` those of the benchmark are no matter.
    """
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    zeta = (1 + beta) * eta * K / gamma
    kappa = gamma + phi(zeta) * (1 + beta) * eta * K
    if not (eta > 0 and kappa < 1):
        return inf
    X = beta * K * T + (1 - gamma) * cost(K, T, S, tuning.alpha, zeta) / eta
    C = confidence(sense, K, S, delta, 1, T if cuts else None)
    return (kappa * T / 2 + X) / (1 - kappa) + over(C, min(4 * beta, 2))


def first_edition(K, T, S, tuning, sense="probable", delta=DELTA):
    """The bound with 1 for phi(zeta), zeta = 1 in the cost and half the rate of chance."""
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    kappa = gamma + (1 + beta) * eta * K
    if not (eta > 0 and (1 + beta) * eta * K <= gamma * (1 + 1e-12) and kappa < 1):
        return inf
    X = beta * K * T + (1 - gamma) * cost(K, T, S, tuning.alpha) / eta
    return (kappa * T / 2 + X) / (1 - kappa) + over(confidence(sense, K, S, delta, 1), 2 * beta)


def twin_drifting(K, T, V_T, tuning, sense="probable", delta=DELTA):
    return min(
        2 * V_T * (D // 2) + twin(K, T, math.ceil(T / D), tuning, sense, delta, cuts=False)
        for D in range(1, T + 1)
    )


def twin_condorcet(K, T, V_T, winners, tuning, sense="probable", delta=DELTA):
    return min(
        n * twin(K, T, math.ceil(T / D), tuning, sense, delta, cuts=False) + (n - 1) * V_T * D
        for D in range(1, T + 1)
        for n in [min(winners, D)]
    )


def twin_borda(K, T, S, tuning, sense="probable", delta=DELTA, factors=False, cuts=True):
    """Errata 3.5 with kappa for 2 gamma, rate 4 gamma beta and both players' plays together.

    `factors` keeps what its proof may keep: 1 - gamma at the cost and 1 - kappa at the chance.
    """
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    if not (eta > 0 and gamma < 1):
        return inf
    zeta = eta * K * (1 + gamma * beta) / gamma**2
    kappa = gamma + phi(zeta) * eta * K * (1 + gamma * beta) / gamma
    L = ln(2 / delta) if sense in ("probable", "hindsight_cuts") else 0.0
    of_cost, of_chance = (1 - gamma, 1 - kappa) if factors else (1, 1)
    C = confidence(sense, K, S, delta, 2, T if cuts else None)
    return (
        K
        / (K - 1)
        * (
            kappa * T
            + beta * K * T
            + of_cost * cost(K, T, S, tuning.alpha, zeta) / eta
            + of_chance * over(C, 4 * gamma * beta)
            + sqrt(T * L / gamma)
            + L / (6 * gamma)
        )
    )


def errata(K, T, S, tuning, dev):
    """M1 and M2 of errata 3.0, with the deviation C / beta given."""
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    X = beta * K * T + cost(K, T, S, tuning.alpha) / eta
    M2 = (gamma * T + X) / (1 - 2 * gamma) + dev if gamma < 0.5 else inf
    return 2 * gamma * T + X + dev, M2


def errata_probable(K, T, S, tuning, delta=DELTA):
    M1, M2 = errata(K, T, S, tuning, (S * ln(K) + ln(2 / delta)) / tuning.beta)
    return min(M1, M2)


def errata_borda(K, T, S, tuning, delta=DELTA):
    eta, gamma, beta, L = tuning.eta, tuning.gamma, tuning.beta, ln(4 / delta)
    return (
        K
        / (K - 1)
        * (
            2 * gamma * T
            + beta * K * T
            + cost(K, T, S, tuning.alpha) / eta
            + (S * ln(K) + L) / (gamma * beta)
            + sqrt(2 * T * L / gamma)
            + 2 * L / (3 * gamma)
        )
    )


def random_cases(seed, count, gain="preference", T=(1, 12)):
    """Problems and tunings that meet the conditions, near what theorems give and far from it."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        K = int(rng.choice([2, 3, 10, 100]))
        rounds = int(10 ** rng.uniform(*T))
        S = int(min(rounds, 10 ** rng.uniform(0, 3)))
        eta = 10 ** rng.uniform(-3, 1.5) * sqrt(S / (K * rounds))
        beta = min(10 ** rng.uniform(-3, 1.5) * sqrt(S / (K * rounds)), 1.0)
        alpha = min(10 ** rng.uniform(-1, 2) / (K * rounds), 1.0)
        if gain == "borda":
            gamma = 10 ** rng.uniform(-3, 0) * 0.999
            eta = min(eta, gamma**2 / (K * (1 + gamma * beta)))
        else:
            gamma = (1 + beta) * eta * K * rng.choice([1.0, 1.5, 3.0])
        if gamma < 1:
            yield K, rounds, S, Tuning(eta, gamma, beta, alpha)


tuning_numbers = st.tuples(
    st.integers(2, 1000),
    st.integers(1, 10**9),
    st.integers(1, 1000),
    st.floats(-9, 0.5),
    st.floats(1, 3),
    st.floats(-9, 0) | st.just(-inf),
    st.floats(-12, 0) | st.just(-inf),
    st.floats(1e-9, 1),
)
