"""Upper bounds of DEX3.P, DEX3.S and Borda-DEX3.S for any tuning, corrected and as printed.

The sizes K, T, S, V_T and delta of each function may be numbers or arrays; arrays give arrays.
`tuning` is a `Tuning`, or a function that makes one from a `Problem` (and from delta, if it takes
it), such as `tunings.best`. If None it is the theorem's, as printed or, with `corrected`, with the
share repaired (errata E1). The bounds are always the corrected ones; `printed` has the paper's.
"""

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sparring import checks, inequalities, tunings
from sparring.bounds import printed
from sparring.bounds.values import SENSES, Bound, Upper, over_arrays
from sparring.inequalities import FIXED, MEAN, Affine, Promise
from sparring.problem import LONGEST, Problem, Tuning
from sparring.tunings import Rule, resolve

Chosen = Tuning | Rule[Tuning] | None
DELTA = 0.05


class Theorem(NamedTuple):
    """What a theorem's bound is made of."""

    gain: str
    rule: Rule[Tuning]
    """Its tuning."""
    bound: Callable[[Affine, Problem], tuple[float, int]]
    """The corrected bound, and the rounds of a block if the proof cuts the horizon into blocks."""
    printed: Callable[[Problem, Tuning, float], float]
    needs: str = "S"
    """The size it is about."""


def switching(affine: Affine, problem: Problem) -> tuple[float, int]:
    """The bound for the problem's segments."""
    assert problem.S is not None
    return affine.at(problem.S), 0


def drifting(affine: Affine, problem: Problem) -> tuple[float, int]:
    """The bound for the problem's variation, and the length of its blocks."""
    assert problem.V_T is not None
    return inequalities.drifting(affine, problem.T, problem.V_T)


STATIC = Theorem("preference", tunings.dex3p, switching, printed.static)
KNOWN = Theorem("preference", tunings.dex3s_known, switching, printed.switching)
UNKNOWN = KNOWN._replace(rule=tunings.dex3s_unknown)
CONTINUOUS = Theorem("preference", tunings.dex3s_continuous, drifting, printed.continuous, "V_T")
BORDA = Theorem("borda", tunings.borda_dex3s, switching, printed.borda)
BORDA_CONTINUOUS = Theorem(
    "borda", partial(tunings.best, gain="borda"), drifting, printed.nothing, "V_T"
)


@over_arrays
def dex3p(K: int, T: int, *, tuning: Chosen = None, delta: float = DELTA) -> Upper:
    """Theorem 3.3, App. A, last display: static regret of DEX3.P.

    Corrected (docs/theory.md, Theorem 3 with S = 1 and alpha = 0): (kappa T / 2 + beta K T +
    (1 - gamma) ln K / eta) / (1 - kappa) + C / min(4 beta, 2), where C = ln(K / delta) and kappa =
    gamma + phi(zeta) (1 + beta) eta K, with zeta = (1 + beta) eta K / gamma and phi(zeta) =
    (e^zeta - 1 - zeta) / zeta^2.

    Parameters
    ----------
    K, T
        The problem.
    tuning
        A `Tuning` or a function that makes one; the theorem's if None.
    delta
        How often `probable` may fail.

    Examples
    --------
    >>> found = dex3p(10, 1_000_000)
    >>> f"{found.probable.value:.0f} {found.mean.value:.0f} {found.mean_fixed.value:.0f}"
    '20333 18772 17572'
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

    Corrected (docs/theory.md, Theorem 3): (kappa T / 2 + beta K T + (1 - gamma) l / eta) /
    (1 - kappa) + C / min(4 beta, 2), with l = (S - 1) (ln(1 / alpha) + zeta - 1) + ln K + e alpha K
    T, C = S ln K + ln(1 / delta), and kappa and zeta as for `dex3p`. If the cuts are chosen in
    hindsight, C has (S - 1) ln(e (T - 1) / (S - 1)) more.

    Examples
    --------
    >>> found = dex3s_known(10, 1_000_000, S=10, tuning=tunings.best)
    >>> round(found.probable.value), round(found.hindsight_cuts.value)
    (88552, 124987)
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
    """Theorem 4.1 (2), App. B.1: dynamic regret to S segments, with a tuning that ignores S.

    The formula is that of `dex3s_known` (docs/theory.md, Theorem 3); it holds for each S with its
    own probability.

    Examples
    --------
    >>> dex3s_unknown(10, 1_000_000, S=[1, 20], corrected=True).probable.vacuous
    array([False,  True])
    """
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

    Corrected (docs/theory.md, Theorem 4): 2 V_T floor(D / 2) + the bound of `dex3s_known` for
    ceil(T / D) segments, for the best length D of a block, which is `block`.

    V_T is an upper bound on the variation, known in advance. An arm dominates if it does at least
    as well as each other arm against every opponent. Without such an arm the printed theorem is
    false (errata E5); for the Condorcet winner as the benchmark use `dex3s_condorcet`. `mean_fixed`
    is for preferences fixed in advance; the other senses allow them to depend on the past. The
    blocks belong to the proof, so cuts of the benchmark do not matter, and `hindsight_cuts` equals
    `probable`.

    Examples
    --------
    >>> found = dex3s_continuous(10, 1_000_000, V_T=10, tuning=tunings.best)
    >>> round(found.probable.value, -3), found.printed.vacuous
    (387000.0, True)
    """
    return _upper(CONTINUOUS, Problem(K, T, V_T=V_T), tuning, delta, corrected=corrected)


@over_arrays
def dex3s_condorcet(
    K: int,
    T: int,
    V_T: float,
    *,
    winners: int | None = None,
    within: int | None = None,
    tuning: Chosen = None,
    corrected: bool = False,
    delta: float = DELTA,
) -> Upper:
    """Theorem 4.4 repaired for Condorcet winners: DR_T to the winner of each round.

    docs/theory.md, Theorem 5: n times the bound of `dex3s_known` for ceil(T / D) segments +
    (n - 1) V_T D, where a block of D rounds has at most n winners.

    Every round must have a winner. If you know how often it changes, use `dex3s_known`, which needs
    no variation. `mean_fixed` is for preferences fixed in advance.

    Parameters
    ----------
    K, T, V_T
        The problem.
    winners, within
        Known in advance: any `within` rounds in a row have at most `winners` different winners. If
        None, n is K, or D if that is less.
    tuning, corrected, delta
        As for the others.

    Examples
    --------
    >>> found = dex3s_condorcet(10, 10**9, V_T=1, winners=2, within=10**7, corrected=True)
    >>> found.probable.vacuous, found.block <= 10**7
    (False, True)
    """
    problem = Problem(K, T, V_T=V_T)
    if (winners is None) != (within is None):
        raise ValueError(
            f"give both winners and within, or neither: any `within` rounds in a row have at most "
            f"`winners` winners; got winners={winners}, within={within}"
        )
    most, longest = problem.K, problem.T
    if winners is not None:
        most = checks.whole("winners", winners, low=1, high=problem.K)
        longest = min(checks.whole("within", within, low=1), problem.T)

    def bound(affine: Affine, problem: Problem) -> tuple[float, int]:
        assert problem.V_T is not None
        return inequalities.many_winners(affine, problem.T, problem.V_T, most, longest)

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
    """Theorem 6.1, App. D, last display: dynamic Borda regret of Borda-DEX3.S to S segments.

    Corrected (docs/theory.md, Theorem 6): K / (K - 1) times kappa T + beta K T + l / eta + C / (4
    gamma beta) + sqrt(T L / gamma) + L / (6 gamma), with zeta = eta K (1 + gamma beta) / gamma^2,
    kappa = gamma (1 + zeta phi(zeta)), l as for `dex3s_known`, L = ln(2 / delta) and C = S ln K +
    L, and the same addition for cuts in hindsight as there.

    Examples
    --------
    >>> found = borda_dex3s(10, 1_000_000, S=10, corrected=True)
    >>> round(found.probable.value), found.probable.trivial
    (430167, 1000000.0)
    """
    return _upper(BORDA, Problem(K, T, S), tuning, delta, corrected=corrected)


@over_arrays
def borda_dex3s_continuous(
    K: int, T: int, V_T: float, *, tuning: Chosen = None, delta: float = DELTA
) -> Upper:
    """Sec. 6, last remark: dynamic Borda regret under a continuous variation, for any preferences.

    2 V_T floor(D / 2) + the bound of `borda_dex3s` for ceil(T / D) segments (docs/theory.md,
    Theorem 6). The paper skips it, so it has no tuning of its own: the default is `tunings.best`,
    and nothing is printed. `mean_fixed` is for preferences fixed in advance.

    Examples
    --------
    >>> borda_dex3s_continuous(10, 10**7, V_T=10).probable.vacuous
    False
    """
    return _upper(BORDA_CONTINUOUS, Problem(K, T, V_T=V_T), tuning, delta)


def informative_from(
    function: Callable[..., Upper], K: int, *, sense: str = "probable", **options: Any
) -> int | None:
    """The smallest T at which a bound of this module says something; None if there is none.

    The tuning is the theorem's for each T, or what a function given as `tuning` makes. T is found
    by doubling and halving, assuming that a bound that says something at one T also does at larger
    ones.

    Examples
    --------
    >>> informative_from(dex3p, 10)
    1929
    """
    if sense not in SENSES:
        raise checks.refuse("sense", f"one of {', '.join(map(repr, SENSES))}", sense)
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
    theorem: Theorem, problem: Problem, chosen: Chosen, delta: float, **options: Any
) -> Upper:
    """All senses of a theorem's bound for one problem; the options are for the theorem's rule."""
    delta = checks.real("delta", delta, low=1e-300, high=1)
    if getattr(problem, theorem.needs) is None:
        raise checks.refuse(theorem.needs, "given: the bound is about it", None)
    trivial = float(problem.T) if theorem.gain == "borda" else problem.T / 2
    try:
        tuning = chosen_tuning(theorem, problem, chosen, {**options, "delta": delta})
    except tunings.NoTuningError as error:
        return Upper.none(trivial, str(error))

    def bound(promise: Promise) -> tuple[float, int]:
        affine = inequalities.BOUNDS[theorem.gain](problem.K, problem.T, tuning, promise)
        return theorem.bound(affine, problem)

    ways = 0.0 if problem.S is None else inequalities.ways(problem.T, problem.S)
    probable, block = bound(Promise.probable(delta, theorem.gain))
    return Upper(
        Bound.of(probable, trivial),
        Bound.of(bound(Promise.probable(delta, theorem.gain, ways))[0], trivial),
        Bound.of(bound(MEAN)[0], trivial),
        Bound.of(bound(FIXED)[0], trivial),
        Bound.of(theorem.printed(problem, tuning, delta), trivial),
        tuning,
        inequalities.unmet(problem.K, problem.S, tuning, theorem.gain),
        block,
    )


def chosen_tuning(
    theorem: Theorem, problem: Problem, chosen: Chosen, options: dict[str, Any]
) -> Tuning:
    """The tuning that the bound is about."""
    if chosen is not None and checks.flag("corrected", options.get("corrected", False)):
        raise ValueError("give tuning or corrected, not both: the tuning replaces it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", checks.TheoremWarning)  # the bound tells it better
        rule = theorem.rule if chosen is None else chosen
        return resolve(rule, problem, Tuning, **options)
