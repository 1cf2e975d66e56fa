"""best: the tuning with the smallest bound."""

import math
from collections.abc import Callable

from sparring import checks, inequalities
from sparring.inequalities import Affine, Promise
from sparring.problem import SMALLEST_MIXING, Problem, Tuning, demand_one

SHRINKS = (math.sqrt(5) - 1) / 2  # by which a golden section shortens an interval
PRECISION = 1e-6  # of the logarithm of a number searched for: a bound is flat at its minimum
TURNS = 100  # of numbers that have closed forms given the others, at most; mostly 5 do
STILL = 1e-12  # a relative change that is none
SOME = (1, 2, 4, 8, 16, 32)  # segments that are tried, and all up to the last if one is good
SHORT = (1, 3, 5, 7, 9)  # rounds of a segment that are tried, too: an odd number costs no more
SMALLEST = 1e-20  # number searched for: 1 / sqrt(K T) is larger
EXPONENTS = (1e-3, 4.0)  # zeta: 1 / zeta + phi(zeta) is least at 1.6, and less is worth it if S > 1
GAINS = ("preference", "borda", "relative")


def best(
    problem: Problem,
    delta: float = 0.05,
    *,
    gain: str = "preference",
    hindsight_cuts: bool = False,
) -> Tuning:
    """The tuning whose corrected bound, with probability 1 - delta, is smallest.

    For S it is the bound of Theorem 4.1 (of Theorem 3.3 if S = 1, where alpha = 0 gives DEX3.P),
    for V_T that of Theorem 4.4, and with gain "borda" that of Theorem 6.1; see `sparring.bounds`.
    The bound is convex in the logarithms of its numbers, so taking turns and golden sections find
    its minimum (docs/theory.md, "The best tuning"). For preferences, delta = 1 gives the bound on
    the mean of the regret to the best arms. For SYM-EXP3.S, whose bound is on the mean of the
    regret to one comparator, delta does not matter.

    Parameters
    ----------
    problem
        K, T, and S or V_T. If you know neither, use `dex3s_unknown(problem, corrected=True)`.
    delta
        How often the bound may fail.
    gain
        "preference" for `dex3p` and `dex3s`, "borda" for `borda_dex3s`, "relative" for `sym_exp3s`.
    hindsight_cuts
        Whether to use the bound for cuts that are chosen in hindsight, like the arms.

    Examples
    --------
    >>> best(Problem(K=10, T=1_000_000, S=1)).alpha
    0.0
    >>> tuned = best(Problem(K=10, T=1_000_000, S=10))
    >>> round((1 + tuned.beta) * tuned.eta * 10 / tuned.gamma, 2)
    1.44
    """
    checks.instance("problem", problem, Problem, "Make one with sparring.Problem(K, T, S=...)")
    delta = checks.real("delta", delta, low=1e-300, high=1)
    if not isinstance(gain, str) or gain not in GAINS:
        raise checks.refuse("gain", f"one of {', '.join(map(repr, GAINS))}", gain)
    remedy = (
        "S=1 for a benchmark that never changes; who knows neither may take "
        "tunings.dex3s_unknown(problem, corrected=True)"
    )
    demand_one(problem.S, problem.V_T, needed=True, remedy=remedy)
    ways = 0.0
    if checks.flag("hindsight_cuts", hindsight_cuts) and problem.S is not None:
        ways = inequalities.ways(problem.T, problem.S)
    promise = Promise.probable(delta, gain, ways)
    if problem.S is not None:
        return _for_segments(problem, problem.S, promise, gain)
    return _for_variation(problem, promise, gain)


def _bound(problem: Problem, tuning: Tuning, promise: Promise, gain: str) -> Affine:
    """The bound that is to be small."""
    if gain == "relative":
        return inequalities.relative(problem.K, problem.T, tuning)
    return inequalities.BOUNDS[gain](problem.K, problem.T, tuning, promise)


def _for_segments(problem: Problem, S: int, promise: Promise, gain: str) -> Tuning:
    """The best tuning for S segments: one number by search, and the others given it."""
    low, high = map(math.log, EXPONENTS if gain != "borda" else (SMALLEST, 1.0))

    def tuned(log_number: float) -> Tuning:
        return TUNED[gain](problem, S, promise, math.exp(log_number))

    def bound(log_number: float) -> float:
        return _bound(problem, tuned(log_number), promise, gain).at(S)

    return tuned(_argmin(bound, low=low, high=high))


def _preference(problem: Problem, S: int, promise: Promise, zeta: float) -> Tuning:
    """The best beta and eta, in turns, and the mixing that makes the largest exponent zeta.

    With kappa = (1 + beta) eta K m, where m = 1 / zeta + phi(zeta), the bound is
    (a + b beta) / (c - d beta) + C / (4 beta) in beta, and a like quotient in eta.
    """
    K, T, alpha = problem.K, problem.T, _share(problem, S)
    cost, C = inequalities.cost(K, T, alpha, zeta).at(S), S * math.log(K) + promise.confidence
    phi = inequalities.curvature(zeta)
    m = 1 / zeta + phi
    eta = beta = 0.0
    for _ in range(TURNS):
        before, more = eta, (1 + beta) * K
        paid = T / 2 + beta * K * T + more * cost * phi
        eta = cost / (more * m * cost + math.sqrt(more * m * cost * paid))
        d = eta * K * m
        steepness = d * T / 2 + K * T * (1 - d) + K * cost * phi
        beta = min((1 - d) / (2 * math.sqrt(steepness / C) + d), 0.5)
        if abs(eta - before) <= STILL * eta:
            break
    return Tuning(eta, max((1 + beta) * eta * K / zeta, SMALLEST_MIXING), beta, alpha)


def _borda(problem: Problem, S: int, promise: Promise, gamma: float) -> Tuning:
    """The best beta and zeta, in turns: each has a closed form given the other.

    With eta = zeta gamma^2 / (K (1 + gamma beta)) the bound is gamma T zeta phi(zeta) + cost / eta
    in zeta, where the part zeta (S - 1) of the cost is no matter, and beta K T + cost / eta +
    C / (4 gamma beta) in beta.
    """
    K, T, alpha = problem.K, problem.T, _share(problem, S)
    first, C = inequalities.cost(K, T, alpha, 0.0).at(S), S * math.log(K) + promise.confidence
    zeta = beta = 0.0
    for _ in range(TURNS):
        before = zeta
        zeta = _exponent(K * (1 + gamma * beta) * first / (gamma**3 * T))
        cost = first + (S - 1) * zeta
        price = K * T + cost * K / (zeta * gamma)
        beta = min(math.sqrt(C / (4 * gamma * price)), 1.0)
        if abs(zeta - before) <= STILL * zeta:
            break
    return Tuning(zeta * gamma**2 / (K * (1 + gamma * beta)), gamma, beta, alpha)


def _exponent(level: float) -> float:
    """The zeta with 1 + (zeta - 1) e^zeta = level, by Newton's method from above: it is convex."""
    zeta = min(math.sqrt(2 * level), 1 + math.log1p(level))
    for _ in range(TURNS):
        value = zeta * math.expm1(zeta) - zeta**2 * inequalities.curvature(zeta)
        step = (value - level) / (zeta * math.exp(zeta))
        zeta -= step
        if step <= STILL * zeta:
            break
    return zeta


def _relative(problem: Problem, S: int, promise: Promise, zeta: float) -> Tuning:
    """The best eta, and the mixing that makes the largest exponent zeta.

    In h = 2 eta the bound is cost / h + h A (phi(zeta) / (1 - h r) + 1 / zeta), with gamma = h r.
    Its derivative vanishes where the convex h sqrt(A (phi(zeta) / (1 - h r)^2 + 1 / zeta)) is
    sqrt(cost): Newton's method, from above.
    """
    K, T, alpha = problem.K, problem.T, _share(problem, S)
    cost, phi = inequalities.cost(K, T, alpha, zeta).at(S), inequalities.curvature(zeta)
    A, r, goal = (K - 1) * T / 8, K / (4 * zeta), math.sqrt(cost)
    h = min(goal / math.sqrt(A * (phi + 1 / zeta)), goal / (math.sqrt(A * phi) + r * goal))
    for _ in range(TURNS):
        left = 1 - h * r
        root = math.sqrt(A * (phi / left**2 + 1 / zeta))
        step = (h * root - goal) / (root + h * A * phi * r / (left**3 * root))
        h -= step
        if step <= STILL * h:
            break
    return Tuning(h / 2, max(h * r, SMALLEST_MIXING), 0.0, alpha)


TUNED = {"preference": _preference, "borda": _borda, "relative": _relative}


def _share(problem: Problem, S: int) -> float:
    """The share that makes (S - 1) ln(1 / alpha) + e alpha K T smallest."""
    return (S - 1) / (math.e * problem.K * problem.T)


def _for_variation(problem: Problem, promise: Promise, gain: str) -> Tuning:
    """The best tuning for a variation: the best of those for 1, ..., T segments."""
    T, V_T = problem.T, problem.V_T or 0.0

    def tuned(segments: float) -> tuple[float, Tuning]:
        """The bound for this many equal segments, and the tuning."""
        S = min(max(round(segments), 1), T)
        length = -(-T // S)
        tuning = _for_segments(problem, S, promise, gain)
        affine = _bound(problem, tuning, promise, gain)
        return 2 * V_T * (length // 2) + affine.at(-(-T // length)), tuning

    many = math.exp(
        _argmin(lambda it: tuned(math.exp(it))[0], low=0.0, high=math.log(T), precision=1e-3)
    )
    found = [tuned(many), *(tuned(S) for S in SOME if S <= T), *(tuned(-(-T // D)) for D in SHORT)]
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
