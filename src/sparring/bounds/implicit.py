"""Upper bounds of SYM-EXP3-SIX, which hold with high probability and for any preferences."""

import math
from typing import Any, NamedTuple

from sparring import checks, inequalities, tunings
from sparring.bounds.values import Bound, over_arrays
from sparring.inequalities import FIXED, MEAN, Affine, Promise
from sparring.problem import Problem, demand_one
from sparring.tunings import Exp3SIX, Rule, resolve


class LikelyUpper(NamedTuple):
    """Upper bounds on a learner's regret, as in `Upper`, with one more sense."""

    probable_fixed: Bound
    """With probability 1 - delta, for a comparator fixed in advance."""
    probable: Bound
    """With probability 1 - delta, for every choice of arms on segments fixed in advance."""
    hindsight_cuts: Bound
    """With probability 1 - delta, for every choice of arms and of the cuts between segments."""
    mean: Bound
    """The mean of the regret to the best arms on segments fixed in advance."""
    mean_fixed: Bound
    """The mean of the regret to a comparator fixed in advance."""
    tuning: Any
    """The tuning it is about."""
    unmet: Any
    """A condition that the tuning does not meet; empty if all is well."""
    block: Any
    """Rounds of a block of the comparator in the first of these, for a continuous variation."""


@over_arrays
def sym_exp3six(
    K: int,
    T: int,
    S: int | None = None,
    V_T: float | None = None,
    *,
    tuning: Exp3SIX | Rule[Exp3SIX] | None = None,
    delta: float = 0.05,
) -> LikelyUpper:
    """Our bound on the dynamic regret of SYM-EXP3-SIX to S segments, or under a variation.

    For preferences that may depend on the past, with L = ln(2 / delta), with probability 1 - delta,

        DR_T <= c / eta + (L + C) / (4 gamma) + (gamma + eta / 4) (K T + L / (4 gamma)),
        c = S ln K + (S - 1) ln(1 / alpha) + (T - S) ln(1 / (1 - alpha)),

    with C = 0 for a comparator fixed in advance, C = S ln K for all choices of arms on segments
    fixed in advance, and C = S ln K + (S - 1) ln(e (T - 1) / (S - 1)) for all cuts, too. The mean
    is at most c / eta + C / (4 gamma) + (gamma + eta / 4) K T. docs/theory.md, Theorem 12, has the
    proof. For V_T it is 2 V_T floor(D / 2) plus the bound for ceil(T / D) segments, with the best
    D. That holds for any benchmark if an arm dominates in every round, and in the senses of a fixed
    comparator if the preferences are fixed in advance (docs/theory.md, Theorem 4).

    Each answer must be told before the next pair is asked.

    Parameters
    ----------
    K, T
        The problem.
    S, V_T
        The segments of the comparator, or the variation: give one of the two.
    tuning
        A `tunings.Exp3SIX`, such as the `base` of the learner, or a function that makes one from a
        Problem (and from delta, if it takes it); `tunings.sym_exp3six` if None.
    delta
        How often the bounds with high probability may fail.

    Examples
    --------
    >>> found = sym_exp3six(10, 1_000_000, S=10)
    >>> round(found.probable_fixed.value), round(found.mean_fixed.value)
    (43405, 41253)
    >>> all_cuts = tunings.sym_exp3six(Problem(10, 1_000_000, S=10), hindsight_cuts=True)
    >>> round(sym_exp3six(10, 1_000_000, S=10, tuning=all_cuts).hindsight_cuts.value)
    74414
    >>> sym_exp3six(10, 1_000_000, V_T=10).probable_fixed.vacuous
    False
    """
    delta = checks.real("delta", delta, low=1e-300, high=1)
    problem = Problem(K, T, S, V_T)
    demand_one(S, V_T, needed=True)
    rule = tunings.sym_exp3six if tuning is None else tuning
    used = resolve(rule, problem, Exp3SIX, delta=delta)
    unmet = _unmet(problem.S, used)
    L = math.log(2 / delta)

    ways = 0.0 if problem.S is None else inequalities.ways(problem.T, problem.S)

    def bound(promise: Promise) -> tuple[Bound, int]:
        if unmet:
            return Bound.of(math.inf, problem.T / 2), 0
        affine = _affine(problem.K, problem.T, used, promise)
        if problem.V_T is None:
            assert problem.S is not None
            return Bound.of(affine.at(problem.S), problem.T / 2), 0
        found, block = inequalities.drifting(affine, problem.T, problem.V_T)
        return Bound.of(found, problem.T / 2), block

    probable_fixed, block = bound(Promise(False, L, L))
    return LikelyUpper(
        probable_fixed,
        bound(Promise(True, L, L))[0],
        bound(Promise(True, ways + L, L))[0],
        bound(MEAN)[0],
        bound(FIXED)[0],
        used,
        unmet,
        block,
    )


def following(K: int, T: int, alpha: float) -> Affine:
    """c: what it costs to follow a comparator, for 0 <= alpha < 1."""
    stay = -math.log1p(-alpha)
    each = math.log(K) - math.log(alpha) - stay if alpha > 0 else math.inf
    return Affine(math.log(K) + (T - 1) * stay, each)


def _affine(K: int, T: int, tuning: Exp3SIX, promise: Promise) -> Affine:
    """The bound for S segments."""
    eta, gamma, alpha = tuning.eta, tuning.gamma, tuning.alpha
    first, further = following(K, T, alpha)
    chance = inequalities.chance(K, promise, 4 * gamma)
    estimated = K * T + promise.deviation / (4 * gamma)
    return Affine(
        first / eta + chance.first + (gamma + eta / 4) * estimated, further / eta + chance.further
    )


def _unmet(S: int | None, tuning: Exp3SIX) -> str:
    conditions = {
        "eta > 0": tuning.eta > 0,
        "alpha < 1": tuning.alpha < 1,
        "alpha > 0 for S > 1": tuning.alpha > 0 or S is None or S == 1,
    }
    return next((condition for condition, met in conditions.items() if not met), "")
