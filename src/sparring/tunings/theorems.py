"""One pure function per theorem: the parameters it prescribes, as printed or corrected.

Each function carries the theorem's number as `theorem` and the condition under which its proof
holds (gamma <= 1/2) as `valid`. If gamma would exceed 1, the function refuses and says which T
would do; between 1/2 and 1 it warns. `corrected=True` gives the tuning repaired as in
docs/errata.md.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from sparring import checks
from sparring.inequalities import ROUNDING
from sparring.problem import LONGEST, SMALLEST_MIXING, Problem, Tuning, demand_one


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
