"""The inequalities behind the theorems, corrected: what any tuning guarantees, in plain numbers.

Each bound is affine in the number of segments. docs/theory.md derives them; below, kappa is what
the mixing and the squares of the estimates take from the benchmark's gain, and the cost is that of
following it, (S - 1) ln(1 / alpha) + ln K + e alpha K T.
"""

import math
from typing import NamedTuple

import numpy as np

from sparring.problem import Tuning

ROUNDING = 1 + 1e-12  # a condition met exactly in theory may be missed by the last bit
LENGTHS = 4096  # of blocks to try at most


class Promise(NamedTuple):
    """What is promised of the regret: the terms that chance adds."""

    comparators: bool
    """Whether for all comparators at once, or for one that was fixed in advance."""
    confidence: float
    """ln(1 / delta), or 0 for a mean."""
    deviation: float = 0.0
    """The same for the plays' own Borda scores, which no comparator has a part in."""

    @classmethod
    def probable(cls, delta: float, gain: str) -> "Promise":
        """With probability 1 - delta, for all comparators; Borda scores need two events."""
        if gain == "borda":
            return cls(True, math.log(2 / delta), math.log(2 / delta))
        return cls(True, math.log(1 / delta))


MEAN = Promise(True, 0.0)  # the mean of the regret to the best comparator
FIXED = Promise(False, 0.0)  # the mean of the regret to one comparator


class Affine(NamedTuple):
    """A bound for S segments: `first` for one of them, and `further` for each more."""

    first: float
    further: float

    def at(self, S: int) -> float:
        """The bound for S segments; infinite where there is none."""
        return self.first if S == 1 else self.first + (S - 1) * self.further


NONE = Affine(math.inf, math.inf)


def unmet(K: int, S: int | None, tuning: Tuning, gain: str) -> str:
    """The first condition of a bound that a tuning does not meet; empty if it meets all.

    beta = 0 is no hindrance for the mean of the regret to one comparator.
    """
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    conditions = {
        "eta > 0": eta > 0,
        "gamma < 1": gamma < 1,
        **_usable(K, tuning, gain),
        "alpha > 0 for S > 1": tuning.alpha > 0 or S is None or S == 1,
        "beta > 0": beta > 0,
    }
    return next((condition for condition, met in conditions.items() if not met), "")


def _usable(K: int, tuning: Tuning, gain: str) -> dict[str, bool]:
    """What keeps eta times any estimate below 1, and kappa."""
    eta, gamma, beta = tuning.eta, tuning.gamma, tuning.beta
    if gain == "borda":
        small = eta * K * (1 + gamma * beta) <= gamma**2 * ROUNDING
        return {"eta K (1 + gamma beta) <= gamma^2": small}
    return {
        "(1 + beta) eta K <= gamma": (1 + beta) * eta * K <= gamma * ROUNDING,
        "gamma + (1 + beta) eta K < 1": gamma + (1 + beta) * eta * K < 1,
    }


def preference(K: int, T: int, tuning: Tuning, promise: Promise) -> Affine:
    """Of DEX3.P and DEX3.S, for DR_T: (kappa T/2 + X) / (1 - kappa) + C / (2 beta).

    X = beta K T + (1 - gamma) cost / eta, kappa = gamma + (1 + beta) eta K and
    C = S ln K + confidence. Repairs Theorems 3.3 and 4.1 (docs/theory.md, Theorem 3).
    """
    eta, gamma, beta, alpha = tuning.eta, tuning.gamma, tuning.beta, tuning.alpha
    kappa = gamma + (1 + beta) * eta * K
    if eta == 0 or not all(_usable(K, tuning, "preference").values()):
        return NONE
    first, further = cost(K, T, alpha)
    scale = (1 - gamma) / eta
    chance = _chance(K, promise, 2 * beta)
    return Affine(
        (kappa * T / 2 + beta * K * T + scale * first) / (1 - kappa) + chance.first,
        scale * further / (1 - kappa) + chance.further,
    )


def borda(K: int, T: int, tuning: Tuning, promise: Promise) -> Affine:
    """Of Borda-DEX3.S, for DBR_T, repairing Theorem 6.1 (docs/theory.md, Theorem 6).

    K / (K - 1) times kappa T + beta K T + cost / eta + C / (2 gamma beta) + sqrt(T L / gamma)
    + L / (6 gamma), with kappa = gamma + eta K (1 + gamma beta) / gamma and L the deviation.
    """
    eta, gamma, beta, alpha = tuning.eta, tuning.gamma, tuning.beta, tuning.alpha
    kappa = gamma + eta * K * (1 + gamma * beta) / gamma
    if eta == 0 or gamma >= 1 or not all(_usable(K, tuning, "borda").values()):
        return NONE
    first, further = cost(K, T, alpha)
    L = promise.deviation
    chance = _chance(K, promise, 2 * gamma * beta)
    deviation = math.sqrt(T * L / gamma) + L / (6 * gamma)
    level = kappa * T + beta * K * T + first / eta + chance.first + deviation
    return Affine(K / (K - 1) * level, K / (K - 1) * (further / eta + chance.further))


def relative(K: int, T: int, tuning: Tuning) -> Affine:
    """Of SYM-EXP3.S and REX3, for the mean of DR_T to a comparator fixed in advance.

    cost / (2 eta) + eta (K - 1) T / (4 (1 - gamma)) + gamma T (K - 1) / (2 K), if eta K / 2 <=
    gamma < 1; docs/theory.md, Theorem 11.
    """
    eta, gamma = tuning.eta, tuning.gamma
    if relative_unmet(K, None, tuning):
        return NONE
    first, further = cost(K, T, tuning.alpha)
    squares, mixing = eta * (K - 1) * T / (4 * (1 - gamma)), gamma * T * (K - 1) / (2 * K)
    return Affine(first / (2 * eta) + squares + mixing, further / (2 * eta))


def relative_unmet(K: int, S: int | None, tuning: Tuning) -> str:
    """`unmet` for the relative estimate."""
    conditions = {
        "beta = 0": tuning.beta == 0,
        "eta > 0": tuning.eta > 0,
        "gamma < 1": tuning.gamma < 1,
        "eta K / 2 <= gamma": tuning.eta * K / 2 <= tuning.gamma * ROUNDING,
        "alpha > 0 for S > 1": tuning.alpha > 0 or S is None or S == 1,
    }
    return next((condition for condition, met in conditions.items() if not met), "")


BOUNDS = {"preference": preference, "borda": borda}  # by gain


def drifting(bound: Affine, T: int, V_T: float) -> tuple[float, int]:
    """2 V_T floor(D / 2) + the bound for ceil(T / D) segments, and the best block length D.

    In a block with an arm that dominates in its middle round, that arm does as well as any
    benchmark up to twice the variation between (docs/theory.md, Theorem 4).
    """
    lengths = _lengths(bound, T, V_T)
    return _least(2 * V_T * (lengths // 2) + _at(bound, T, lengths), lengths)


def many_winners(
    bound: Affine, T: int, V_T: float, winners: int, longest: int
) -> tuple[float, int]:
    """n times the bound for ceil(T / D) segments + (n - 1) V_T D, and the best length D.

    n is the most Condorcet winners that a block of D rounds, up to the longest, can have
    (docs/theory.md, Theorem 5).
    """
    lengths = np.unique(np.minimum(_lengths(bound, T, V_T), longest))
    n = np.minimum(winners, lengths)
    return _least(n * _at(bound, T, lengths) + (n - 1) * V_T * lengths, lengths)


def cost(K: int, T: float, alpha: float) -> Affine:
    """What it costs to follow a benchmark, times eta; a learner without a share follows one arm."""
    each = math.log(1 / alpha) if alpha > 0 else math.inf
    return Affine(math.log(K) + math.e * alpha * K * T, each)


def _chance(K: int, promise: Promise, rate: float) -> Affine:
    """C / rate: how far the estimates may fall below what they estimate (Lemma A.1)."""
    arm = math.log(K) if promise.comparators else 0.0
    first = arm + promise.confidence
    if rate == 0:
        return Affine(math.inf if first else 0.0, math.inf if arm else 0.0)
    return Affine(first / rate, arm / rate)


def _lengths(bound: Affine, T: int, V_T: float) -> np.ndarray:
    """Lengths of blocks worth trying: any is right, and the best is near sqrt(further T / V_T)."""
    if not math.isfinite(bound.further) or V_T == 0:
        return np.array([T])
    middle = min(max(math.sqrt(bound.further * T / V_T), 1.0), float(T))
    low, high = max(middle / 8, 1.0), min(middle * 8, float(T))
    lengths = np.geomspace(low, high, LENGTHS).astype(np.int64)
    numbers = np.geomspace(max(T / high, 1.0), T / low, LENGTHS).astype(np.int64)  # of blocks
    tried = np.concatenate([[1, T], lengths, -(-T // numbers)])
    return np.unique(np.concatenate([tried, tried | 1])).clip(1, T)  # an odd one costs no more


def _at(bound: Affine, T: int, lengths: np.ndarray) -> np.ndarray:
    changes = -(-T // lengths) - 1
    with np.errstate(invalid="ignore"):
        return np.where(changes == 0, bound.first, bound.first + changes * bound.further)


def _least(values: np.ndarray, lengths: np.ndarray) -> tuple[float, int]:
    best = int(np.argmin(values))
    return float(values[best]), int(lengths[best])
