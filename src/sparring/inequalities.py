"""The inequalities behind the theorems, corrected: what any tuning guarantees, in plain numbers.

Each bound is affine in the number of segments. docs/theory.md derives them. Below, zeta is the
largest exponent that an estimate can have, kappa what the mixing and the squares of the estimates
take from the benchmark's gain, and the cost is that of following it,
(S - 1) (ln(1 / alpha) + zeta - 1) + ln K + e alpha K T.
"""

import math
from typing import NamedTuple

import numpy as np

from sparring.problem import Tuning

LENGTHS = 4096  # of blocks to try at most
LARGEST = 700.0  # exponent with an exponential that is a number


class Promise(NamedTuple):
    """What is promised about the regret: the terms that chance adds."""

    arms: bool
    """Whether for all choices of arms at once, or for one that was made in advance."""
    confidence: float
    """ln(1 / delta), or 0 for a mean; and more if the cuts are chosen in hindsight, too."""
    deviation: float = 0.0
    """ln(2 / delta) for what no comparator has a part in, such as the plays' own Borda scores."""

    @classmethod
    def probable(cls, delta: float, gain: str, ways: float = 0.0) -> "Promise":
        """With probability 1 - delta, for all arms, and for all cuts if `ways` counts those.

        Borda scores need two events.
        """
        if gain == "borda":
            return cls(True, ways + math.log(2 / delta), math.log(2 / delta))
        return cls(True, ways + math.log(1 / delta))


MEAN = Promise(True, 0.0)  # the mean of the regret to the best arms
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
    conditions = _conditions(tuning)
    if gain == "preference":
        conditions["gamma + phi(zeta) (1 + beta) eta K < 1"] = _kappa(K, tuning) < 1
    conditions["alpha > 0 for S > 1"] = tuning.alpha > 0 or S is None or S == 1
    conditions["beta > 0"] = tuning.beta > 0
    return _first_unmet(conditions)


def preference(K: int, T: int, tuning: Tuning, promise: Promise) -> Affine:
    """For DEX3.P and DEX3.S, on DR_T: (kappa T/2 + X) / (1 - kappa) + C / min(4 beta, 2).

    X = beta K T + (1 - gamma) cost / eta, kappa = gamma + phi(zeta) (1 + beta) eta K with
    zeta = (1 + beta) eta K / gamma, and C = S ln K + confidence. Repairs Theorems 3.3 and 4.1
    (docs/theory.md, Theorem 3).
    """
    eta, gamma, beta, alpha = tuning.eta, tuning.gamma, tuning.beta, tuning.alpha
    kappa = _kappa(K, tuning)
    if _first_unmet(_conditions(tuning)) or not kappa < 1:
        return NONE
    first, further = cost(K, T, alpha, (1 + beta) * eta * K / gamma)
    scale = (1 - gamma) / eta
    slack = chance(K, promise, min(4 * beta, 2.0))
    return Affine(
        (kappa * T / 2 + beta * K * T + scale * first) / (1 - kappa) + slack.first,
        scale * further / (1 - kappa) + slack.further,
    )


def borda(K: int, T: int, tuning: Tuning, promise: Promise) -> Affine:
    """For Borda-DEX3.S, on DBR_T, repairing Theorem 6.1 (docs/theory.md, Theorem 6).

    K / (K - 1) times kappa T + beta K T + cost / eta + C / (4 gamma beta) + sqrt(T L / gamma)
    + L / (6 gamma), with kappa = gamma (1 + zeta phi(zeta)), zeta = eta K (1 + gamma beta) /
    gamma^2 and L the deviation.
    """
    eta, gamma, beta, alpha = tuning.eta, tuning.gamma, tuning.beta, tuning.alpha
    if _first_unmet(_conditions(tuning)):
        return NONE
    zeta = eta * K * (1 + gamma * beta) / gamma**2
    kappa = gamma * (1 + zeta * curvature(zeta))
    first, further = cost(K, T, alpha, zeta)
    L = promise.deviation
    slack = chance(K, promise, 4 * gamma * beta)
    deviation = math.sqrt(T * L / gamma) + L / (6 * gamma)
    level = kappa * T + beta * K * T + first / eta + slack.first + deviation
    return Affine(K / (K - 1) * level, K / (K - 1) * (further / eta + slack.further))


def relative(K: int, T: int, tuning: Tuning, late: int = 0) -> Affine:
    """For SYM-EXP3.S and REX3, on the mean of DR_T to a comparator fixed in advance.

    With h = 2 eta and zeta = h K / (4 gamma), cost / h + phi(zeta) h Q T + gamma T (K - 1) / (2 K),
    where Q = (K - 1) / (8 (1 - gamma)) (docs/theory.md, Theorem 11). If answers come up to `late`
    rounds late, Q is larger, and `late` (T (h / 4 + phi(2 zeta) h^2 Q + e^(1 + zeta) alpha K)
    + S - 1) is added (Theorem 15).
    """
    eta, gamma, alpha = tuning.eta, tuning.gamma, tuning.alpha
    if relative_unmet(None, tuning):
        return NONE
    h, zeta = 2 * eta, eta * K / (2 * gamma)
    first, further = cost(K, T, alpha, zeta)
    squares, mixing = (K - 1) / (8 * (1 - gamma)), gamma * T * (K - 1) / (2 * K)
    price = 0.0
    if late > 0:
        inflation = 2 * late * math.log1p(h * (1 + 2 * zeta * curvature(2 * zeta)))
        if max(inflation, zeta) > LARGEST:
            return NONE
        shared = math.exp(1 + zeta) * alpha * K
        squares = math.exp(inflation) * (squares + 2 * late * shared * K / (8 * gamma))
        price = late * T * (h / 4 + curvature(2 * zeta) * h**2 * squares + shared)
    found = first / h + curvature(zeta) * h * T * squares + mixing + price
    return Affine(found, further / h + late)


def relative_unmet(S: int | None, tuning: Tuning) -> str:
    """`unmet` for the relative estimate."""
    shared = tuning.alpha > 0 or S is None or S == 1
    conditions = {"beta = 0": tuning.beta == 0, **_conditions(tuning)}
    return _first_unmet({**conditions, "alpha > 0 for S > 1": shared})


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


def cost(K: int, T: float, alpha: float, zeta: float = 1.0) -> Affine:
    """What it costs to follow a benchmark, times eta; a learner without a share follows one arm."""
    each = max(math.log(1 / alpha) + zeta - 1, 0.0) if alpha > 0 else math.inf
    return Affine(math.log(K) + math.e * alpha * K * T, each)


def ways(T: int, S: int) -> float:
    """(S - 1) ln(e (T - 1) / (S - 1)): at least the logarithm of the ways to make S - 1 cuts."""
    return 0.0 if S == 1 else (S - 1) * (1 + math.log((T - 1) / (S - 1)))


def curvature(zeta: float) -> float:
    """phi(zeta) = (e^zeta - 1 - zeta) / zeta^2: exp(z) <= 1 + z + phi(zeta) z^2 for z <= zeta.

    Examples
    --------
    >>> curvature(0.0), curvature(1.0) == math.e - 2
    (0.5, True)
    """
    if zeta > LARGEST:
        return math.inf
    if zeta < 0.01:  # the difference would be rounding
        return 1 / 2 + zeta / 6 + zeta**2 / 24 + zeta**3 / 120 + zeta**4 / 720
    return (math.expm1(zeta) - zeta) / zeta**2


def _kappa(K: int, tuning: Tuning) -> float:
    """What DEX3.S's mixing and squares take of the benchmark's gain."""
    step = (1 + tuning.beta) * tuning.eta * K
    return tuning.gamma + curvature(step / tuning.gamma) * step


def _conditions(tuning: Tuning) -> dict[str, bool]:
    """What every bound needs of a tuning."""
    return {"eta > 0": tuning.eta > 0, "gamma < 1": tuning.gamma < 1}


def _first_unmet(conditions: dict[str, bool]) -> str:
    return next((condition for condition, met in conditions.items() if not met), "")


def chance(K: int, promise: Promise, rate: float) -> Affine:
    """C / rate: how far the estimates may fall below what they estimate (Lemma A.1)."""
    arm = math.log(K) if promise.arms else 0.0
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
