"""Facts about preference matrices: rules, changes, winners, scores, the gap no pair closes."""

import numpy as np

from sparring._jit import inline, kernel
from sparring._math import larger, smaller

EXACT, INEXACT = -1, -2
TIE = 1e-12  # Borda scores that differ by less are equal but for rounding
TOLERANCE = 1e-9  # of P(i, j) + P(j, i) = 1: matrices come from files and from floating point


@kernel
def first_invalid(P):
    """Flat position of the first entry of P (m, K, K) that breaks a rule, or EXACT or INEXACT.

    Entries are in [0, 1] and P(i, j) + P(j, i) = 1, which on the diagonal says 1/2; exactly, or up
    to the tolerance.
    """
    K = P.shape[1]
    exact = True
    for m in range(P.shape[0]):
        for i in range(K):
            for j in range(K):
                x = P[m, i, j]
                if not 0.0 <= x <= 1.0:
                    return (m * K + i) * K + j
                if j <= i:
                    total = x + P[m, j, i]
                    exact &= total == 1.0
                    if abs(total - 1.0) > TOLERANCE:
                        return (m * K + i) * K + j
    return EXACT if exact else INEXACT


@kernel
def mirror(P):
    """Make P (m, K, K) exact: 1 - P(i, j) below the diagonal, 1/2 on it, where they are not.

    Pair by pair: what a matrix becomes must not depend on the others of its block.
    """
    for m in range(P.shape[0]):
        for i in range(P.shape[1]):
            P[m, i, i] = 0.5
            for j in range(i):
                if P[m, i, j] + P[m, j, i] != 1.0:
                    P[m, i, j] = 1.0 - P[m, j, i]


@inline
def distance(x, y):
    """The largest difference of an entry."""
    largest = 0.0
    for i in range(x.shape[0]):
        largest = larger(largest, abs(x[i] - y[i]))
    return largest


@kernel
def changes(P, before, steps):
    """Fill steps (m,): the largest change of an entry since the matrix before; all are flat."""
    for m in range(P.shape[0]):
        steps[m] = distance(P[m], P[m - 1] if m > 0 else before)


@kernel
def add_stretches(P, hold, fresh, before, age, total):
    """Add to `total` the matrices whose stretches end in this block, times their rounds; all flat.

    fresh[m] says whether P[m] differs from the matrix before it, which for the first is `before`;
    age (1,) counts the rounds of the stretch that goes on.
    """
    for m in range(P.shape[0]):
        if fresh[m]:
            last = P[m - 1] if m > 0 else before
            for i in range(total.shape[0]):
                total[i] += age[0] * last[i]
            age[0] = 0
        age[0] += hold[m]


@inline
def beats_all(P, m):
    """The arm of P[m] that beats each other one with more than 1/2, or -1.

    A candidate that does not beat its challenger is out, so one is left to verify.
    """
    K = P.shape[1]
    candidate = 0
    for j in range(1, K):
        if not P[m, candidate, j] > 0.5:
            candidate = j
    for j in range(K):
        if j != candidate and not P[m, candidate, j] > 0.5:
            return -1
    return candidate


@kernel
def condorcet_winners(P, winners):
    """Fill winners (m,): the Condorcet winner of each matrix, or -1."""
    for m in range(P.shape[0]):
        winners[m] = beats_all(P, m)


@kernel
def borda_scores(P, scores):
    """Fill scores (m, K): b(j), the mean over i != j of P(j, i) = 1 - P(i, j).

    From the columns of P, since a loop over j has no order of summation to keep.
    """
    K = P.shape[1]
    for m in range(P.shape[0]):
        b = scores[m]
        for j in range(K):
            b[j] = 0.0
        for i in range(K):
            for j in range(K):
                b[j] += P[m, i, j]
        for j in range(K):
            b[j] = (K - 0.5 - b[j]) / (K - 1)


@inline
def highest(x):
    """The highest entry."""
    high = x[0]
    for j in range(1, x.shape[0]):
        high = larger(high, x[j])
    return high


@inline
def lowest(x):
    """The lowest entry."""
    low = x[0]
    for j in range(1, x.shape[0]):
        low = smaller(low, x[j])
    return low


@inline
def lowest_sum(x, y):
    """The lowest entry of x + y."""
    low = x[0] + y[0]
    for j in range(1, x.shape[0]):
        low = smaller(low, x[j] + y[j])
    return low


@inline
def weakest_opponent(x):
    """Where the lowest entry stands."""
    where = 0
    for j in range(1, x.shape[0]):
        if x[j] < x[where]:
            where = j
    return where


@kernel
def gap(P, worst):
    """The regret to its best response that every pair has: min over a, b of max over j of r(j).

    r(j) = (1 - P(a, j) - P(b, j)) / 2. `worst` (K,) is scratch: against whom each arm fares worst,
    which rules out most pairs at once.
    """
    K = P.shape[0]
    for a in range(K):
        worst[a] = weakest_opponent(P[a])
    best = 0.0
    for a in range(K):
        for b in range(a, K):
            if P[a, worst[a]] + P[b, worst[a]] > best and P[a, worst[b]] + P[b, worst[b]] > best:
                best = larger(best, lowest_sum(P[a], P[b]))
    return max(0.5 * (1.0 - best), 0.0)


@kernel
def survey(P, hold, fresh, scores, worst, leaders, counts, forced):
    """Count what `describe` tells of a piece of a path.

    leaders (2,): the last Condorcet and the last Borda winner, or -1. counts (4,): changes of the
    one, rounds that have one, changes of the other, rounds of the stretch that goes on. forced
    (2,): the regret that the stretches before it cost by force, and the gap of its matrix.
    """
    for m in range(P.shape[0]):
        if fresh[m]:
            forced[0] += counts[3] * forced[1]
            counts[3] = 0
            forced[1] = gap(P[m], worst)
            best = highest(scores[m])
            if leaders[1] < 0 or scores[m, leaders[1]] < best - TIE:
                counts[2] += 1 if leaders[1] >= 0 else 0
                leaders[1] = np.argmax(scores[m])
        counts[3] += hold[m]
        winner = beats_all(P, m)
        if winner >= 0:
            counts[0] += 1 if leaders[0] >= 0 and leaders[0] != winner else 0
            counts[1] += hold[m]
            leaders[0] = winner
