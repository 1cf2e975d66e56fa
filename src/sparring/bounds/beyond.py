"""Upper bounds of learners that are not in the paper."""

import math

from sparring import checks, inequalities, tunings
from sparring.bounds import printed
from sparring.bounds.upper import Chosen, Theorem, chosen_tuning, drifting, switching
from sparring.bounds.values import Bound, Upper, over_arrays
from sparring.problem import Problem, demand_one

KNOWN = Theorem("preference", tunings.sym_exp3s_known, switching, printed.nothing)
CONTINUOUS = Theorem("preference", tunings.sym_exp3s_continuous, drifting, printed.nothing, "V_T")


@over_arrays
def sym_exp3s(
    K: int,
    T: int,
    S: int | None = None,
    V_T: float | None = None,
    *,
    tuning: Chosen = None,
    late: int = 0,
) -> Upper:
    """Our bound on the dynamic regret of SYM-EXP3.S to S segments, or under a variation.

    For preferences that may depend on the past, and a comparator fixed in advance, with h = 2 eta,
    zeta = h K / (4 gamma) and phi(zeta) = (e^zeta - 1 - zeta) / zeta^2,

        E DR_T <= l / h + phi(zeta) h (K - 1) T / (8 (1 - gamma)) + gamma T (K - 1) / (2 K),
        l = (S - 1) (ln(1 / alpha) + zeta - 1) + ln K + e alpha K T,

    for any tuning with gamma < 1 and beta = 0; docs/theory.md, Theorem 11, has the proof. For V_T
    it is 2 V_T floor(D / 2) plus the bound for ceil(T / D) segments, with the best D, which is
    `block`. That holds for any benchmark, if an arm dominates in every round and the preferences
    are fixed in advance (docs/theory.md, Theorem 4). Late answers cost about h T / 4 for each round
    of delay (docs/theory.md, Theorem 15).

    Only `mean_fixed` is bounded: nothing is known in the other senses, and the paper prints
    nothing. REX3, which is SYM-EXP3.S without a share, has this bound too (docs/errata.md).

    Parameters
    ----------
    K, T
        The problem.
    S, V_T
        The segments of the comparator, or the variation: give one of the two.
    tuning
        A `Tuning` or a rule; if None `tunings.sym_exp3s_known` or `tunings.sym_exp3s_continuous`.
    late
        How many more rounds may be asked before an answer is told; 0 if each is told before the
        next is asked. The delays and the preferences may depend on earlier answers, but not on
        duels whose answers are still to come.

    Examples
    --------
    >>> round(sym_exp3s(10, 1_000_000, S=10).mean_fixed.value)
    33950
    >>> best = tunings.best(Problem(10, 1_000_000, S=10), gain="relative")
    >>> round(sym_exp3s(10, 1_000_000, S=10, tuning=best).mean_fixed.value)
    32469
    >>> round(sym_exp3s(10, 1_000_000, S=1, tuning=tunings.rex3).mean_fixed.value)
    5203
    >>> sym_exp3s(10, 1_000_000, S=10, late=5).mean_fixed.value > 40_000
    True
    >>> sym_exp3s(10, 1_000_000, V_T=10).mean_fixed.vacuous
    False
    """
    problem = Problem(K, T, S, V_T)
    demand_one(S, V_T, needed=True)
    late = checks.whole("late", late, low=0)
    theorem = KNOWN if V_T is None else CONTINUOUS
    nothing = Bound.of(math.inf, problem.T / 2)
    try:
        used = chosen_tuning(theorem, problem, tuning, {})
    except tunings.NoTuningError as error:
        return Upper.none(problem.T / 2, str(error))
    found, block = theorem.bound(inequalities.relative(problem.K, problem.T, used, late), problem)
    unmet = inequalities.relative_unmet(problem.S, used)
    mean_fixed = Bound.of(found, problem.T / 2)
    return Upper(nothing, nothing, nothing, mean_fixed, nothing, used, unmet, block)
