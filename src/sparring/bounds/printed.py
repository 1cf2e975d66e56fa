"""The bounds as the paper's proofs print them, with constants, right or wrong.

Each is the last display of its proof before the parameters are put in, for one player, and so for
the mean of both. Theorems 3.3 and 4.1 claim to fail with probability 2 delta; here delta is the
total. 4 eta K T is written 2 gamma T, which is the same for gamma = 2 eta K.
"""

import math

from sparring.problem import Problem, Tuning


def static(problem: Problem, tuning: Tuning, delta: float) -> float:
    """App. A.1, last display: beta K T + 2 sqrt(2 T ln(2/d)) + ln K / eta + ..."""
    K, T, d = problem.K, problem.T, delta / 2
    if tuning.eta == 0 or tuning.beta == 0:
        return math.inf
    return (
        tuning.beta * K * T
        + 2 * math.sqrt(2 * T * math.log(2 / d))
        + math.log(K) / tuning.eta
        + math.log(2 * K / d) / tuning.beta
        + 2 * tuning.gamma * T
    )


def switching(problem: Problem, tuning: Tuning, delta: float) -> float:
    """App. B.1: sum 2 sqrt(2 D ln(2/d)) + (e alpha/eta - beta K) T + S ln(1/alpha)/eta + ...

    The sum over the segments is largest, 2 sqrt(2 S T ln(2/d)), where they are equal.
    """
    K, T, S, d = problem.K, problem.T, problem.S or 1, delta / 2
    if 0 in (tuning.eta, tuning.beta, tuning.alpha):
        return math.inf
    return (
        2 * math.sqrt(2 * S * T * math.log(2 / d))
        + (math.e * tuning.alpha / tuning.eta - tuning.beta * K) * T
        + S / tuning.eta * math.log(1 / tuning.alpha)
        + S / tuning.beta * math.log(2 * K / d)
        + 2 * tuning.gamma * T
    )


def continuous(problem: Problem, tuning: Tuning, delta: float) -> float:
    """App. B.2, the line before (a), with Delta = sqrt(2) K^(1/3) (T / V_T)^(2/3)."""
    K, T, V_T = problem.K, problem.T, problem.V_T
    if not V_T or 0 in (tuning.eta, tuning.beta, tuning.alpha):
        return math.inf
    length = math.sqrt(2) * math.cbrt(K) * math.cbrt(T / V_T) ** 2
    segment = math.log(1 / tuning.alpha) / tuning.eta + math.log(2 * K / delta) / tuning.beta
    return (
        2 * V_T * length
        + 2 * math.sqrt(2 * T * math.log(2 / delta))
        + (math.e * tuning.alpha / tuning.eta - tuning.beta * K) * T
        + (T / length + 1) * segment
        + 4 * tuning.gamma * T
    )


def borda(problem: Problem, tuning: Tuning, delta: float) -> float:
    """App. D, last display: 2 gamma T + (1 + gamma)/gamma sqrt(2 S T ln(2/delta)) + ..."""
    K, T, S = problem.K, problem.T, problem.S or 1
    eta, gamma, beta, alpha = tuning.eta, tuning.gamma, tuning.beta, tuning.alpha
    if 0 in (eta, beta, alpha):
        return math.inf
    return (
        2 * gamma * T
        + (1 + gamma) / gamma * math.sqrt(2 * S * T * math.log(2 / delta))
        + (math.e * alpha / eta + beta) * K * T
        + S / eta * math.log(1 / alpha)
        + S / (gamma * beta) * math.log(2 * K / delta)
    )


def nothing(problem: Problem, tuning: Tuning, delta: float) -> float:
    """Where the paper prints no bound."""
    return math.inf


def lower_switching(K: int, T: int, S: int) -> tuple[float, float, float]:
    """App. C.1, last display: the bound, epsilon and the length of a segment."""
    epsilon = math.sqrt(S * (K - 1) / (T * math.log(4 / 3))) / 2
    root = math.sqrt(T * (K - 1) / S * math.log(4 / 3))
    return epsilon * T / 2 - 8 * epsilon**2 * root * T / (K - 1), epsilon, T / S


def lower_continuous(K: int, T: int, V_T: float) -> tuple[float, float, float]:
    """App. C.2, last display: the bound, epsilon and the length of a segment."""
    length = K ** (-5 / 3) * math.cbrt(T / V_T) ** 2
    root = math.sqrt(length * K * math.log(4 / 3))
    epsilon = min(V_T / (2 * max(math.ceil(T / length), 1)), 1 / (16 * root))
    return T / (64 * root), epsilon, length
