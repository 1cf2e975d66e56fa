"""Upper bounds of DEX3.P, DEX3.S and Borda-DEX3.S: of any tuning, corrected and as printed."""

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from sparring import checks, inequalities, tunings
from sparring.bounds import printed
from sparring.bounds.values import Bound, Upper, over_arrays
from sparring.inequalities import BEST, FIXED, Affine, Promise
from sparring.problem import LONGEST, Problem, Tuning

Rule = Callable[[Problem], Tuning]
Chosen = Tuning | Rule | None
DELTA = 0.05


class Theorem(NamedTuple):
    """What a theorem's bound is made of."""

    gain: str
    rule: Callable[..., Tuning]
    """Its tuning."""
    bound: Callable[[Affine, Problem], tuple[float, int]]
    """The corrected bound, and the rounds of a block if the proof cuts the horizon into blocks."""
    printed: Callable[[Problem, Tuning, float], float]
    needs: str = "S"
    """The size it is about."""


def _switching(affine: Affine, problem: Problem) -> tuple[float, int]:
    assert problem.S is not None
    return affine.at(problem.S), 0


def _drifting(affine: Affine, problem: Problem) -> tuple[float, int]:
    assert problem.V_T is not None
    return inequalities.drifting(affine, problem.T, problem.V_T)


def _best_borda(problem: Problem, delta: float) -> Tuning:
    return tunings.best(problem, delta, gain="borda")


STATIC = Theorem("preference", tunings.dex3p, _switching, printed.static)
KNOWN = Theorem("preference", tunings.dex3s_known, _switching, printed.switching)
UNKNOWN = KNOWN._replace(rule=tunings.dex3s_unknown)
CONTINUOUS = Theorem("preference", tunings.dex3s_continuous, _drifting, printed.continuous, "V_T")
BORDA = Theorem("borda", tunings.borda_dex3s, _switching, printed.borda)
BORDA_CONTINUOUS = Theorem("borda", _best_borda, _drifting, printed.nothing, "V_T")


@over_arrays
def dex3p(K: int, T: int, *, tuning: Chosen = None, delta: float = DELTA) -> Upper:
    """Theorem 3.3 with Lemmas 3.1 and 3.2 (App. A): static regret of DEX3.P.

    Parameters
    ----------
    K, T
        The problem; numbers or arrays, which give arrays.
    tuning
        A `Tuning`, or a rule from a `Problem` to one; the theorem's if None.
    delta
        How often `probable` may fail.

    Examples
    --------
    >>> found = dex3p(10, 1_000_000)
    >>> f"{found.probable.value:.0f} {found.best.value:.0f} {found.expected.value:.0f}"
    '23600 20478 18079'
    """
    return _upper(STATIC, Problem(K, T, S=1), tuning, delta)


@over_arrays
def dex3s_known(
    K: int,
    T: int,
    S: int,
    *,
    tuning: Chosen = None,
    corrected: bool = False,
    delta: float = DELTA,
) -> Upper:
    """Theorem 4.1 (1), App. B.1: dynamic regret of DEX3.S to S segments, with S known.

    `corrected` chooses between the theorem's tuning as printed and with the share repaired (errata
    E1); the bounds on its regret are always the corrected ones, and `printed` the printed one.
    """
    return _upper(KNOWN, Problem(K, T, S), tuning, delta, corrected=corrected)


@over_arrays
def dex3s_unknown(
    K: int,
    T: int,
    S: int,
    *,
    tuning: Chosen = None,
    corrected: bool = False,
    delta: float = DELTA,
) -> Upper:
    """Theorem 4.1 (2), App. B.1: dynamic regret to S segments, with a tuning that knows no S."""
    return _upper(UNKNOWN, Problem(K, T, S), tuning, delta, corrected=corrected)


@over_arrays
def dex3s_continuous(
    K: int,
    T: int,
    V_T: float,
    *,
    tuning: Chosen = None,
    corrected: bool = False,
    delta: float = DELTA,
) -> Upper:
    """Theorem 4.4, App. B.2: dynamic regret to any benchmark, if an arm dominates in every round.

    V_T is what the variation is at most, known in advance. An arm dominates if it does at least as
    well as each other arm against every opponent; without one the printed theorem is false (errata
    E5), and for the Condorcet winner as the benchmark there is `dex3s_condorcet`. `expected` is for
    preferences fixed in advance; the other senses allow them to depend on the past.
    """
    return _upper(CONTINUOUS, Problem(K, T, V_T=V_T), tuning, delta, corrected=corrected)


@over_arrays
def dex3s_condorcet(
    K: int,
    T: int,
    V_T: float,
    *,
    winners: int | None = None,
    tuning: Chosen = None,
    corrected: bool = False,
    delta: float = DELTA,
) -> Upper:
    """Theorem 4.4 repaired for Condorcet winners: DR_T to the winner of each round.

    Every round must have a winner. `winners` is the most different ones that the rounds of one
    block can have, where `block` is its length, K if None. Who knows how often the winner changes
    rather uses `dex3s_known`, which needs no variation. `expected` is for preferences fixed in
    advance.
    """
    problem = Problem(K, T, V_T=V_T)
    most = problem.K
    if winners is not None:
        most = checks.whole("winners", winners, low=1, high=problem.K)

    def bound(affine: Affine, problem: Problem) -> tuple[float, int]:
        assert problem.V_T is not None
        return inequalities.many_winners(affine, problem.T, problem.V_T, most)

    return _upper(CONTINUOUS._replace(bound=bound), problem, tuning, delta, corrected=corrected)


@over_arrays
def borda_dex3s(
    K: int,
    T: int,
    S: int,
    *,
    tuning: Chosen = None,
    corrected: bool = False,
    delta: float = DELTA,
) -> Upper:
    """Theorem 6.1, App. D: dynamic Borda regret of Borda-DEX3.S to S segments."""
    return _upper(BORDA, Problem(K, T, S), tuning, delta, corrected=corrected, delta=delta)


@over_arrays
def borda_dex3s_continuous(
    K: int,
    T: int,
    V_T: float,
    *,
    tuning: Chosen = None,
    delta: float = DELTA,
) -> Upper:
    """Sec. 6, last remark: dynamic Borda regret under a continuous variation, for any preferences.

    The paper skips it, so there is no tuning of its own: without one it is `tunings.best`, and
    nothing is printed. `expected` is for preferences fixed in advance.
    """
    return _upper(BORDA_CONTINUOUS, Problem(K, T, V_T=V_T), tuning, delta, delta=delta)


def informative_from(
    function: Callable[..., Upper], K: int, *, sense: str = "probable", **options: Any
) -> int | None:
    """The T from which on a bound of this module says something; None if there is none.

    The tuning is the theorem's for each T, or what a rule given as `tuning` makes of it.

    Examples
    --------
    >>> informative_from(dex3p, 10)
    2591
    """
    senses = ("probable", "best", "expected", "printed")
    if sense not in senses:
        raise checks.refuse("sense", f"one of {', '.join(map(repr, senses))}", sense)
    if isinstance(options.get("tuning"), Tuning):
        raise ValueError("give a rule, or no tuning: one tuning does not fit every T")

    def vacuous(T: int) -> bool:
        return bool(getattr(function(K, T, **options), sense).vacuous)

    largest = Problem(K, LONGEST, options.get("S"), options.get("V_T"))
    low = max(largest.S or 1, math.ceil(largest.V_T or 1)) - 1
    high = low + 1
    while high < LONGEST and vacuous(high):
        low, high = high, min(2 * high, LONGEST)
    if vacuous(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if vacuous(middle) else (low, middle)
    return high


def _upper(
    theorem: Theorem, problem: Problem, chosen: Chosen, delta: float, /, **options: Any
) -> Upper:
    """All senses of a theorem's bound for one problem; the options are for the theorem's rule."""
    delta = checks.real("delta", delta, low=1e-300, high=1)
    if getattr(problem, theorem.needs) is None:
        raise checks.refuse(theorem.needs, "given: the bound is about it", None)
    trivial = float(problem.T) if theorem.gain == "borda" else problem.T / 2
    tuning = _tuning(theorem, problem, chosen, options)
    unmet = "a larger T"
    if tuning is not None:
        unmet = inequalities.unmet(problem.K, tuning, theorem.gain)

    def bound(promise: Promise) -> tuple[float, int]:
        if tuning is None:
            return math.inf, 0
        affine = inequalities.BOUNDS[theorem.gain](problem.K, problem.T, tuning, promise)
        return theorem.bound(affine, problem)

    probable, block = bound(Promise.probable(delta, theorem.gain))
    as_printed = math.inf if tuning is None else theorem.printed(problem, tuning, delta)
    return Upper(
        Bound.of(probable, trivial),
        Bound.of(bound(BEST)[0], trivial),
        Bound.of(bound(FIXED)[0], trivial),
        Bound.of(as_printed, trivial),
        tuning,
        unmet,
        block,
    )


def _tuning(
    theorem: Theorem, problem: Problem, chosen: Chosen, options: dict[str, Any]
) -> Tuning | None:
    """The tuning to speak of; None if the rule has none for this problem."""
    if chosen is not None and options.get("corrected"):
        raise ValueError("give tuning or corrected, not both: the tuning replaces it")
    if isinstance(chosen, Tuning):
        return chosen
    if chosen is not None and not callable(chosen):
        remedy = "Or a rule from a sparring.Problem to one"
        raise checks.refuse("tuning", "a sparring.Tuning", chosen, remedy)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", checks.TheoremWarning)  # the bound tells it better
            if chosen is None:
                return theorem.rule(problem, **options)
            return checks.instance("tuning", chosen(problem), Tuning, "A rule gives one")
    except tunings.NoTuningError:
        return None
