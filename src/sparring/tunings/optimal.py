"""best: the tuning with the smallest bound."""

import math
from collections.abc import Callable

from sparring import checks, inequalities
from sparring.inequalities import Promise
from sparring.problem import SMALLEST_MIXING, Problem, Tuning, demand_one

SHRINKS = (math.sqrt(5) - 1) / 2  # by which a golden section shortens an interval
PRECISION = 1e-6  # of the logarithm of a number searched for: a bound is flat at its minimum
TURNS = 6  # of beta and eta: the second hardly moves with the first
SOME = (1, 2, 4, 8, 16, 32)  # segments that are tried, and all up to the last if one is good
SMALLEST = 1e-20  # number searched for: 1 / sqrt(K T) is larger


def best(problem: Problem, delta: float = 0.05, *, gain: str = "preference") -> Tuning:
    """The tuning whose corrected bound, with probability 1 - delta, is smallest.

    For S it is the bound of Theorem 4.1 (of Theorem 3.3 if S = 1, where alpha = 0 gives DEX3.P),
    for V_T that of Theorem 4.4, and with gain "borda" that of Theorem 6.1; see `sparring.bounds`.
    All but eta (gamma for Borda scores) has a closed form, and in the logarithm of eta the bound is
    convex, so a golden section finds its minimum. For preferences,
    delta = 1 gives the bound on the mean of the regret to the best comparator.

    Parameters
    ----------
    problem
        K, T, and S or V_T. Who knows neither may take `dex3s_unknown(problem, corrected=True)`.
    delta
        How often the bound may fail.
    gain
        "preference" for `dex3p` and `dex3s`, "borda" for `borda_dex3s`.

    Examples
    --------
    >>> best(Problem(K=10, T=1_000_000, S=1)).alpha
    0.0
    >>> tuned = best(Problem(K=10, T=1_000_000, S=10))
    >>> tuned.gamma == (1 + tuned.beta) * tuned.eta * 10
    True
    """
    checks.instance("problem", problem, Problem, "Make one with sparring.Problem(K, T, S=...)")
    delta = checks.real("delta", delta, low=1e-300, high=1)
    if not isinstance(gain, str) or gain not in inequalities.BOUNDS:
        raise checks.refuse("gain", f"one of {', '.join(map(repr, inequalities.BOUNDS))}", gain)
    remedy = (
        "S=1 for a benchmark that never changes; who knows neither may take "
        "tunings.dex3s_unknown(problem, corrected=True)"
    )
    demand_one(problem.S, problem.V_T, needed=True, remedy=remedy)
    promise = Promise.probable(delta, gain)
    if problem.S is not None:
        return _for_segments(problem, problem.S, promise, gain)
    return _for_variation(problem, promise, gain)


def _for_segments(problem: Problem, S: int, promise: Promise, gain: str) -> Tuning:
    """The best tuning for S segments: the best eta, or for Borda scores gamma, by search."""
    K, T = problem.K, problem.T
    tuned, highest = (_with_gamma, 1.0) if gain == "borda" else (_with_eta, 0.5 / K)

    def bound(log_number: float) -> float:
        tuning = tuned(problem, S, promise, math.exp(log_number))
        return inequalities.BOUNDS[gain](K, T, tuning, promise).at(S)

    return tuned(problem, S, promise, math.exp(_argmin(bound, high=math.log(highest))))


def _with_eta(problem: Problem, S: int, promise: Promise, eta: float) -> Tuning:
    """The best beta, and the least gamma that both allow.

    With gamma = (1 + beta) eta K the bound is (a + b beta) / (c - d beta) + C / (2 beta).
    """
    K, T, alpha = problem.K, problem.T, _share(problem, S)
    cost, C = inequalities.cost(K, T, alpha).at(S), S * math.log(K) + promise.confidence
    a, b = eta * K * T + (1 - eta * K) * cost / eta, K * ((1 + eta) * T - cost)
    c, d = 1 - 2 * eta * K, 2 * eta * K
    steepness = max(2 * (b * c + a * d) / C, 0.0)
    beta = min(c / (math.sqrt(steepness) + d), 1.0)
    return Tuning(eta, min(max((1 + beta) * eta * K, SMALLEST_MIXING), 1.0), beta, alpha)


def _with_gamma(problem: Problem, S: int, promise: Promise, gamma: float) -> Tuning:
    """The best beta and eta, in turns: each has a closed form given the other.

    eta balances its part of kappa and the cost, as far as gamma allows; a larger beta costs K T,
    and eta K T or, at the limit of eta, what that limit falls by.
    """
    K, T, alpha = problem.K, problem.T, _share(problem, S)
    cost, C = inequalities.cost(K, T, alpha).at(S), S * math.log(K) + promise.confidence
    eta = beta = 0.0
    for _ in range(TURNS):
        slope = K * (1 + gamma * beta)
        eta, largest = math.sqrt(cost * gamma / (slope * T)), gamma**2 / slope
        price = K * T + (eta * K * T if eta < largest else cost * K / gamma)
        beta = min(math.sqrt(C / (2 * gamma * price)), 1.0)
    return Tuning(min(eta, gamma**2 / (K * (1 + gamma * beta))), gamma, beta, alpha)


def _share(problem: Problem, S: int) -> float:
    """The share that makes (S - 1) ln(1 / alpha) + e alpha K T smallest."""
    return (S - 1) / (math.e * problem.K * problem.T)


def _for_variation(problem: Problem, promise: Promise, gain: str) -> Tuning:
    """The best tuning for a variation: the best of those for 1, ..., T segments."""
    T, V_T = problem.T, problem.V_T or 0.0

    def tuned(segments: float) -> tuple[float, Tuning]:
        """The tuning for so many equal segments, after the bound for those."""
        S = min(max(round(segments), 1), T)
        length = -(-T // S)
        tuning = _for_segments(problem, S, promise, gain)
        affine = inequalities.BOUNDS[gain](problem.K, T, tuning, promise)
        return 2 * V_T * (length // 2) + affine.at(-(-T // length)), tuning

    many = math.exp(
        _argmin(lambda it: tuned(math.exp(it))[0], low=0.0, high=math.log(T), precision=1e-3)
    )
    found = [tuned(many), *(tuned(S) for S in SOME if S <= T)]
    if many <= SOME[-1] or found[0] != min(found, key=lambda it: it[0]):
        # With few segments the bound has many minima.
        found += [tuned(S) for S in range(1, min(SOME[-1], T) + 1)]
    return min(found, key=lambda it: it[0])[1]


def _argmin(
    function: Callable[[float], float],
    *,
    low: float = math.log(SMALLEST),
    high: float,
    precision: float = PRECISION,
) -> float:
    """Where a function with one minimum, which may be infinite on its right, is smallest."""
    left, right = high - SHRINKS * (high - low), low + SHRINKS * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > precision:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - SHRINKS * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + SHRINKS * (high - low)
            at_right = function(right)
    return (low + high) / 2
