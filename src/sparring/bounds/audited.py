"""The upper bound of `guarded`, the tracker under audit."""

import math

from sparring import inequalities
from sparring.bounds.values import Bound, Upper, over_arrays
from sparring.inequalities import Affine
from sparring.problem import Problem
from sparring.tunings.auditing import FIRST, Epoch, epoch


@over_arrays
def guarded(K: int, T: int, S: int) -> Upper:
    """Our bound on the dynamic regret of `guarded` to S segments, which it is not told.

    For preferences that may depend on the past, and a comparator fixed in advance, the mean of the
    regret in m rounds of an epoch, in which the comparator has s segments, is at most m / 2, and at
    most

        l / eta + (e - 2) eta (K - 1) m / (4 eps (1 - gamma)) + B + 1 / (2 eps (1 - gamma))
            + eps m / 4 + the bound of SYM-EXP3.S for m rounds,

    both without switches, plus (s - 1) max(ln(1 / alpha) / eta, ln(1 / alpha') / (2 eta')) for the
    switches, where eta' and alpha' are those of SYM-EXP3.S, since a switch comes before or after
    the hand-over. Here l = ln K + e alpha K eps m and B = sqrt(n ln n / (2 eps (1 - gamma))) + ln n
    / (6 eps (1 - gamma)); `sparring.tunings.auditing` has the numbers of an epoch of n rounds. The
    bound is the sum over epochs with the S - 1 switches where they cost most (docs/theory.md,
    Theorem 9). Only `mean_fixed` is bounded; there is no single tuning.

    Parameters
    ----------
    K, T
        The problem.
    S
        The segments of the comparator.

    Examples
    --------
    >>> found = guarded(10, 10_000_000, S=[1, 10]).mean_fixed
    >>> found.value.round(-4), found.vacuous
    (array([ 920000., 2210000.]), array([False, False]))
    """
    problem = Problem(K, T, S)
    K, left, number, parts = problem.K, problem.T, 0, []
    while left > 0:
        m = min(left, FIRST << number)
        parts.append((m, _within(K, m, epoch(K, number))))
        left, number = left - m, number + 1
    raw = _worst(parts, (problem.S or 1) - 1)
    nothing = Bound.of(math.inf, problem.T / 2)
    mean_fixed = Bound.of(raw, problem.T / 2)
    return Upper(nothing, nothing, nothing, mean_fixed, nothing, None, "", 0)


def _within(K: int, m: int, epoch: Epoch) -> Affine:
    """The bound for the first m rounds of an epoch, by the segments of the comparator there."""
    eta, gamma, eps = epoch.auditor.eta, epoch.auditor.gamma, epoch.eps
    cost = inequalities.cost(K, eps * m, epoch.auditor.alpha)
    # An estimate has an exponent of 1 at most.
    squares = inequalities.curvature(1.0) * eta * (K - 1) * m / (4 * eps * (1 - gamma))
    wins = epoch.limit + epoch.overshoot
    kept = inequalities.relative(K, m, epoch.keeper)
    # A switch comes before the epoch is handed over or after: it costs once.
    return Affine(
        cost.first / eta + squares + wins + eps * m / 4 + kept.first,
        max(cost.further / eta, kept.further),
    )


def _worst(parts: list[tuple[int, Affine]], switches: int) -> float:
    """The largest sum of the parts, each at most m / 2, over all ways to place the switches.

    The cost of one more switch in an epoch never rises, so taking the dearest ones is the worst
    case.
    """
    total, steps = 0.0, []
    for m, bound in parts:
        first = min(bound.first, m / 2)
        full = math.floor((m / 2 - first) / bound.further)
        steps += [(bound.further, full), (m / 2 - first - full * bound.further, 1)]
        total += first
    for gain, times in sorted(steps, reverse=True):
        total += min(times, switches) * gain
        switches -= min(times, switches)
    return total
