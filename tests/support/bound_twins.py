"""Twins of the bounds: scalars and loops, rewritten from the errata and the proofs.

From sections 3 and 6 of the errata, and the derivation with kappa and rate 2 beta. With them go the
lists of all upper bounds, and problems and tunings to compare at.
"""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from sparring import Tuning, bounds

e, inf, ln, sqrt = math.e, math.inf, math.log, math.sqrt
DELTA = 0.05
SENSES = ("probable", "mean", "mean_fixed")
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


def cost(K, T, S, alpha):
    """(S - 1) ln(1 / alpha) + ln K + e alpha K T."""
    changes = 0.0
    if S > 1:
        changes = (S - 1) * ln(1 / alpha) if alpha > 0 else inf
    return changes + ln(K) + e * alpha * K * T


def confidence(sense, K, S, delta, events):
    """C: S ln K + ln(events / delta), S ln K, or nothing."""
    return {
        "probable": S * ln(K) + ln(events / delta),
        "mean": S * ln(K),
        "mean_fixed": 0.0,
    }[sense]


def over(C, rate):
    """C / rate, where no comparator needs no rate."""
    return C / rate if rate > 0 else (inf if C > 0 else 0.0)


def twin(K, T, S, tuning, sense="probable", delta=DELTA):
    """(kappa T/2 + beta K T + (1 - gamma) cost / eta) / (1 - kappa) + C / (2 beta)."""
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    kappa = gamma + (1 + beta) * eta * K
    if not (eta > 0 and (1 + beta) * eta * K <= gamma * (1 + 1e-12) and kappa < 1):
        return inf
    X = beta * K * T + (1 - gamma) * cost(K, T, S, tuning.alpha) / eta
    return (kappa * T / 2 + X) / (1 - kappa) + over(confidence(sense, K, S, delta, 1), 2 * beta)


def twin_drifting(K, T, V_T, tuning, sense="probable", delta=DELTA):
    return min(
        2 * V_T * (D // 2) + twin(K, T, math.ceil(T / D), tuning, sense, delta)
        for D in range(1, T + 1)
    )


def twin_condorcet(K, T, V_T, winners, tuning, sense="probable", delta=DELTA):
    return min(
        n * twin(K, T, math.ceil(T / D), tuning, sense, delta) + (n - 1) * V_T * D
        for D in range(1, T + 1)
        for n in [min(winners, D)]
    )


def twin_borda(K, T, S, tuning, sense="probable", delta=DELTA, factors=False):
    """Errata 3.5 with kappa for 2 gamma, rate 2 gamma beta and both players' plays together.

    `factors` keeps what its proof may keep: 1 - gamma at the cost and 1 - kappa at the chance.
    """
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    if not (eta > 0 and gamma < 1 and eta * K * (1 + gamma * beta) <= gamma**2 * (1 + 1e-12)):
        return inf
    kappa = gamma + eta * K * (1 + gamma * beta) / gamma
    L = ln(2 / delta) if sense == "probable" else 0.0
    of_cost, of_chance = (1 - gamma, 1 - kappa) if factors else (1, 1)
    return (
        K
        / (K - 1)
        * (
            kappa * T
            + beta * K * T
            + of_cost * cost(K, T, S, tuning.alpha) / eta
            + of_chance * over(confidence(sense, K, S, delta, 2), 2 * gamma * beta)
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
