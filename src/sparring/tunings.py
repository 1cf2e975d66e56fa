"""Tunings: the parameters that each theorem prescribes, and which of them a learner takes.

One pure function per theorem, as printed or corrected. Each carries the theorem's number as
`theorem` and the condition under which its proof holds as `valid`. If gamma would exceed 1, it
refuses and says which T would do; where gamma is above `largest` (1/2), it warns. `corrected=True`
gives the tuning repaired as in docs/errata.md. docs/theory.md, Theorem 11, has the proof of the
bound that the tunings of SYM-EXP3.S make small, Theorem 12 that of SYM-EXP3-SIX.
"""

import functools
import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.problem import (
    LONGEST,
    SMALLEST_MIXING,
    SMALLEST_SHARE,
    Problem,
    Tuning,
    arms,
    demand_one,
)

SEARCHED = 2**15  # lengths, and numbers, of blocks that are all tried
BETWEEN = 2**13  # lengths that are tried between those, if T > 2^30
ROUNDING = 1 + 1e-12  # a condition met exactly in theory may be missed by the last bit
LENGTHS = 4096  # of blocks that are tried for players: within 0.3 percent where T is a million
MEMORY = 1000  # duels that tastes stay, for each arm, unless somebody knows better

LARGEST_RATE = 100.0

Floats = NDArray[np.float64]
Kind = TypeVar("Kind")
Rule = Callable[..., Kind]
"""From a `Problem`, and from `delta` or `corrected` if it takes them, to a tuning."""


def resolve(given: Any, problem: Problem, kind: type[Kind], **options: Any) -> Kind:
    """The given tuning, or what the given function makes from the problem and options it takes.

    Examples
    --------
    >>> resolve(lambda problem: Tuning(0.1, 1 / problem.K), Problem(K=4, T=100), Tuning).gamma
    0.25
    """
    if isinstance(given, kind):
        return given
    home = "sparring" if kind is Tuning else "sparring.tunings"
    rule, remedy = f"a {home}.{kind.__name__}", "Or a rule that makes one of a sparring.Problem"
    if not callable(given):
        raise checks.refuse("tuning", rule, given, remedy)
    taken = {name: value for name, value in options.items() if name in _takes(given)}
    found = given(problem, **taken)
    if not isinstance(found, kind):
        raise checks.refuse("tuning", rule, found, "That is what the rule gave")
    return found


def choose(
    tuning: Tuning | Rule[Tuning] | None,
    rule: Rule[Tuning],
    K: int,
    T: int | None,
    S: int | None = None,
    V_T: float | None = None,
    **excluded: object,  # by a given tuning; they are not passed on
) -> Tuning:
    """The tuning of a learner: made from T, S and V_T, or given instead of them.

    `rule` is the theorem's function. What is `excluded` are options that it has been given already,
    so another tuning or function excludes them; None and False mean that one was not given.
    """
    if tuning is not None:
        replaced = excluded if callable(tuning) else {"T": T, "S": S, "V_T": V_T, **excluded}
        for name, value in replaced.items():
            if value is not None and value is not False:
                raise ValueError(
                    f"give tuning or {name}, not both: the tuning replaces it; got {name}={value!r}"
                )
        if isinstance(tuning, Tuning) and tuning.gamma > 0.5:
            checks.warn(f"no theorem of the paper applies: gamma = {tuning.gamma:g} is above 1/2")
        if not callable(tuning):
            return checks.instance("tuning", tuning, Tuning, "Make one with Tuning(eta, gamma)")
    if T is None:
        remedy = "Or pass tuning=sparring.Tuning(...)"
        raise checks.refuse("T", "given: the number of rounds", None, remedy)
    return resolve(rule if tuning is None else tuning, Problem(K, T, S, V_T), Tuning)


def _takes(rule: Rule[Any]) -> set[str]:
    """The names of a function's arguments besides the problem."""
    try:
        return set(signature(rule).parameters)
    except (TypeError, ValueError):  # of some that are written in C
        return set()


if TYPE_CHECKING:
    from sparring._optimal import best as best
else:

    def __getattr__(name: str) -> Any:
        """Import `best` on demand: a learner in service does without it."""
        if name != "best":
            raise AttributeError(f"module 'sparring.tunings' has no attribute {name!r}")
        return import_module("sparring._optimal").best


# The theorems of the paper.


class NoTuningError(ValueError):
    """A theorem prescribes parameters that no learner can use, because T or V_T is too small."""


class Prescription(NamedTuple):
    """What a theorem prescribes, before checking whether a learner can use it."""

    eta: float
    gamma: float
    beta: float
    alpha: float

    def within(self, gamma: float) -> bool:
        """Whether the mixing is at most `gamma` and the bias at most 1."""
        return self.gamma <= gamma * ROUNDING and self.beta <= ROUNDING

    def excess(self) -> str:
        """The number that no learner can use."""
        if self.gamma > ROUNDING:
            return f"gamma = {self.gamma:.4g}"
        return f"beta = {self.beta:.4g}"


class ProvedRule(Protocol):
    """A theorem's tuning: a function of the problem, with the theorem's number."""

    theorem: str
    valid: str

    def __call__(self, problem: Problem, **options: Any) -> Tuning:
        """The theorem's tuning for the problem."""
        ...


def theorem(
    number: str, *, valid: str, largest: float = 0.5
) -> Callable[[Callable[..., Prescription]], ProvedRule]:
    """Turn a theorem's formula into a checked rule; it warns where gamma is above `largest`.

    `number` is a number of the paper's, or the name of another learner.
    """
    name = f"Theorem {number}" if number[0].isdigit() else f"The theorem of {number}"

    def decorate(formula: Callable[..., Prescription]) -> ProvedRule:
        @functools.wraps(formula)
        def rule(problem: Problem, **options: Any) -> Tuning:
            checks.instance("problem", problem, Problem, "Make one with sparring.Problem(K, T)")
            prescribe = functools.partial(formula, **options)
            numbers = prescribe(problem)
            if not numbers.within(1.0):
                usable = f"{_which_T(prescribe, problem, 1.0)} would do, and "
                raise NoTuningError(
                    f"{name} has no usable tuning for {problem}: "
                    f"{numbers.excess()} is above 1. {usable if largest < 1 else ''}"
                    f"{_which_T(prescribe, problem, largest)} makes the theorem apply"
                )
            if not numbers.within(largest):
                checks.warn(
                    f"{name} does not apply to {problem}: gamma = {numbers.gamma:.4g} is "
                    f"above {largest:g}. It does for {_which_T(prescribe, problem, largest)}"
                )
            return Tuning(
                numbers.eta, min(numbers.gamma, 1.0), min(numbers.beta, 1.0), numbers.alpha
            )

        rule.__annotations__["return"] = Tuning  # wraps copied the formula's
        rule.theorem, rule.valid = number, valid  # type: ignore[attr-defined]
        return rule  # type: ignore[return-value]

    return decorate


def _which_T(prescribe: Callable[[Problem], Prescription], problem: Problem, gamma: float) -> str:
    """The smallest T at which the theorem's mixing is at most `gamma`; it falls as T grows."""
    low, high = problem.T - 1, problem.T
    while high < LONGEST and not prescribe(replace(problem, T=high)).within(gamma):
        low, high = high, min(2 * high, LONGEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if prescribe(replace(problem, T=middle)).within(gamma) else (middle, high)
        )
    usable = prescribe(replace(problem, T=high)).within(gamma)
    return f"T >= {high}" if usable else f"no T up to {LONGEST:g}"


def segments(problem: Problem) -> int:
    """S, which must be given."""
    if problem.S is None:
        remedy = "S=1 if nothing changes; or pass tuning=sparring.Tuning(...)"
        raise checks.refuse("S", "given: this theorem needs the segments", None, remedy)
    return problem.S


def rand(problem: Problem | None = None) -> Tuning:
    """Sec. 7: both arms uniformly at random, whatever happens. No theorem, no parameters.

    Examples
    --------
    >>> rand()
    Tuning(eta=0.0, gamma=1.0, beta=0.0, alpha=0.0)
    """
    return Tuning(eta=0.0, gamma=1.0)


def rex3(problem: Problem) -> Tuning:
    """Sec. 7: gamma = min(1/2, sqrt(2 K ln K / (e T))), and REX3's step gamma / K.

    The printed gamma has no cap; without it gamma exceeds 1 at small T. See docs/adr/0004.
    """
    K, T = problem.K, problem.T
    gamma = min(0.5, math.sqrt(2 * K * math.log(K) / (math.e * T)))
    return Tuning(eta=gamma / K, gamma=gamma)


@theorem("3.3", valid="T >= 4 K ln K")
def dex3p(problem: Problem) -> Prescription:
    """Theorem 3.3 (Lemma 3.1): eta = 1/2 sqrt(ln K / (K T)), beta = 2 eta, gamma = 2 eta K.

    Static regret O(sqrt(K T) ln(K / delta)); the proof needs T >= 4 K ln K.

    Examples
    --------
    >>> dex3p(Problem(K=10, T=1_000_000)).gamma == math.sqrt(10 * math.log(10) / 1e6)
    True
    """
    K, T = problem.K, problem.T
    eta = math.sqrt(math.log(K) / (K * T)) / 2
    return Prescription(eta, 2 * eta * K, 2 * eta, 0.0)


@theorem("4.1 (S known)", valid="T >= 16 K S")
def dex3s_known(problem: Problem, *, corrected: bool = False) -> Prescription:
    """Theorem 4.1 (1): eta = beta = sqrt(S / (K T)), gamma = 2 eta K, alpha = 1 / T.

    Dynamic regret O(sqrt(S K T) ln(K T / delta)) is claimed; it follows only with the corrected
    alpha = 1 / (K T) (docs/errata.md, E1). The proof needs T >= 16 K S.
    """
    K, T = problem.K, problem.T
    eta = math.sqrt(segments(problem) / (K * T))
    return Prescription(eta, 2 * eta * K, eta, _share(problem, corrected))


@theorem("4.1 (S unknown)", valid="T >= 16 K")
def dex3s_unknown(problem: Problem, *, corrected: bool = False) -> Prescription:
    """Theorem 4.1 (2): eta = beta = 1 / sqrt(K T), gamma = 2 eta K, alpha = 1 / T.

    Dynamic regret O(S sqrt(K T) ln(K T / delta)) without knowing S. The proof needs T >= 16 K.
    """
    K, T = problem.K, problem.T
    eta = 1 / math.sqrt(K * T)
    return Prescription(eta, 2 * eta * K, eta, _share(problem, corrected))


@theorem("4.4", valid="T >= K V_T")
def dex3s_continuous(problem: Problem, *, corrected: bool = False) -> Prescription:
    """Theorem 4.4: eta = beta = V_T^(1/3) / (4 K^(2/3) T^(1/3)), gamma = 2 eta K, alpha = 1 / T.

    Dynamic regret O((K V_T)^(1/3) T^(2/3)) up to logarithms, where an arm dominates in every round
    (docs/errata.md, E5). The proof needs T >= K V_T. Corrected: alpha = 1 / (K T), and eta is at
    least 1 / sqrt(K T), the tuning of a single segment; a small V_T would make it ever smaller
    (U11).
    """
    K, T, V_T = problem.K, problem.T, problem.V_T
    if V_T is None:
        raise checks.refuse("V_T", "given: this theorem needs the continuous variation", None)
    eta = V_T ** (1 / 3) / (4 * K ** (2 / 3) * T ** (1 / 3))
    if corrected:
        eta = max(eta, 1 / math.sqrt(K * T))
    elif 2 * eta * K < SMALLEST_MIXING:
        remedy = "For preferences that never move use dex3p, or corrected=True"
        refusal = checks.refuse("V_T", "well above 0 for Theorem 4.4 to mix at all", V_T, remedy)
        raise NoTuningError(str(refusal))
    return Prescription(eta, 2 * eta * K, eta, _share(problem, corrected))


def dex3s(problem: Problem, *, corrected: bool = False) -> Tuning:
    """Theorem 4.1 or 4.4, depending on what the problem states: S, V_T or neither.

    Examples
    --------
    >>> problem = Problem(K=10, T=1_000_000, S=10)
    >>> dex3s(problem) == dex3s_known(problem)
    True
    """
    demand_one(problem.S, problem.V_T)
    if problem.V_T is not None:
        return dex3s_continuous(problem, corrected=corrected)
    return (dex3s_unknown if problem.S is None else dex3s_known)(problem, corrected=corrected)


@theorem("6.1", valid="T >= 16 K S ln K")
def borda_dex3s(problem: Problem, *, delta: float = 0.05, corrected: bool = False) -> Prescription:
    """Theorem 6.1: eta = (S ln K / (T sqrt(2K)))^(2/3), gamma = sqrt(2 eta K), alpha = 1 / (K T).

    beta = S^(1/3) sqrt(ln(2K / delta)) / ((2 eta)^(1/4) K^(3/4) sqrt(T)).

    Dynamic Borda regret with probability 1 - delta; the proof needs T >= 16 K S ln K. Corrected
    (errata E10, E12): S ln K becomes l = (S - 1) ln(K T) + ln K, and beta = sqrt((S ln K + ln(4 /
    delta)) / (gamma K T)).
    """
    K, T, S = problem.K, problem.T, segments(problem)
    delta = checks.real("delta", delta, low=1e-300, high=1)
    corrected = checks.flag("corrected", corrected)
    cost = (S - 1) * math.log(K * T) + math.log(K) if corrected else S * math.log(K)
    eta = (cost / (T * math.sqrt(2 * K))) ** (2 / 3)
    gamma = math.sqrt(2 * eta * K)
    if corrected:
        beta = math.sqrt((S * math.log(K) + math.log(4 / delta)) / (gamma * K * T))
    else:
        beta = S ** (1 / 3) * math.sqrt(math.log(2 * K / delta))
        beta /= (2 * eta) ** (1 / 4) * K ** (3 / 4) * math.sqrt(T)
    return Prescription(eta, gamma, beta, 1 / (K * T))


def _share(problem: Problem, corrected: bool) -> float:
    """Alpha: 1 / T as printed, or 1 / (K T), since each of K weights gets e alpha sum W."""
    corrected = checks.flag("corrected", corrected)
    return 1 / (problem.K * problem.T) if corrected else 1 / problem.T


# Those of other learners.


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
    return _prescription(problem, float(_cost(K, T, S)), _sym_share(K, T, S))


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
    return _prescription(problem, float(_cost(K, T, best)), _sym_share(K, T, best))


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


def _sym_share(K: int, T: int, S: int) -> float:
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


# A tuning that lasts, however long the run; and one for pairs of different arms.


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


# Players of a sparring match, as values: which learner, and its numbers.


@dataclass(frozen=True)
class Exp3:
    """EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002), on rewards.

    p(k) = (1 - gamma) w(k) / sum w + gamma / K, and w(k) <- w(k) exp(gamma r / (K p(k))) for the
    arm k that was played.

    Parameters
    ----------
    gamma
        Mixing and learning rate.

    Examples
    --------
    >>> Exp3(0.1)
    Exp3(gamma=0.1)
    """

    gamma: float

    def __post_init__(self) -> None:
        _number(self, "gamma", SMALLEST_MIXING, 1)


@dataclass(frozen=True)
class Exp3SIX:
    """EXP3-SIX, and EXP3-IX if alpha = 0 (Neu 2015), on losses, with implicit exploration.

    p(k) <- (1 - alpha) p(k) exp(-eta l(k)) / Z + alpha / K, where l(k) = loss / (p(k) + gamma) for
    the arm played and 0 for others, and Z makes the first part sum to 1 - alpha.

    Parameters
    ----------
    eta
        Learning rate.
    gamma
        Implicit exploration: it cuts the peaks of the estimates, and no arm is played for it.
    alpha
        Share, on the updated and normalised weights.

    Examples
    --------
    >>> Exp3SIX(eta=0.01, gamma=0.005)
    Exp3SIX(eta=0.01, gamma=0.005, alpha=0.0)
    """

    eta: float
    gamma: float
    alpha: float = 0.0

    def __post_init__(self) -> None:
        _number(self, "eta", 0, LARGEST_RATE)
        _number(self, "gamma", SMALLEST_MIXING, 1 / SMALLEST_MIXING)
        _number(self, "alpha", 0, 1)
        if 0 < self.alpha < SMALLEST_SHARE:
            raise checks.refuse("alpha", f"0 or at least {SMALLEST_SHARE:g}", self.alpha)


@dataclass(frozen=True)
class TsallisINF:
    """Tsallis-INF (Zimmert and Seldin 2021) with importance weights, on losses; nothing to tune.

    p(k) = 4 / (eta_t (L(k) - x))^2 with eta_t = 2 / sqrt t and x such that it sums to 1, where
    L(k) is the sum of loss / p(k) over the rounds in which k was played.

    Examples
    --------
    >>> TsallisINF()
    TsallisINF()
    """


Base = Exp3 | Exp3SIX | TsallisINF
BASES: dict[str, type[Any]] = {kind.__name__: kind for kind in (Exp3, Exp3SIX, TsallisINF)}


def base_to_json(base: Base) -> dict[str, Any]:
    """A base for JSON."""
    return {"name": type(base).__name__, **asdict(base)}


def base_from_json(written: dict[str, Any]) -> Base:
    """The base that `base_to_json` wrote."""
    kind = BASES.get(str(written.get("name")))
    if kind is None or {"name", *(field.name for field in fields(kind))} != written.keys():
        raise checks.refuse("base", f"one of sparring's {', '.join(BASES)}", written)
    made: Base = kind(**{name: value for name, value in written.items() if name != "name"})
    return made


def _number(base: Any, name: str, low: float, high: float) -> None:
    """Check a number of a frozen base."""
    object.__setattr__(base, name, checks.real(name, getattr(base, name), low=low, high=high))


# Their tunings. Neu (2015) has implicit exploration.


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
    return Exp3SIX(eta, eta / 2, _players_share(T, S))


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
    return Exp3SIX(eta, gamma, _players_share(T, S))


def cost(K: int, T: int, S: int | NDArray[np.int64]) -> Floats:
    """S ln K + (S - 1) ln(e (T - 1) / (S - 1)): at least c for the share (S - 1) / (T - 1)."""
    segments = np.asarray(S, np.float64)
    switches = segments - 1
    # Without a switch, any number will do for the logarithm's.
    each = 1 + np.log(np.maximum(T - 1, 1) / np.maximum(switches, 1))
    return np.asarray(segments * math.log(K) + switches * each)


def _players_share(T: int, S: int) -> float:
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
