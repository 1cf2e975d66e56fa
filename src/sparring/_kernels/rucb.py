"""RUCB (Zoghi, Whiteson, Munos and de Rijke 2014): relative upper confidence bounds.

U(i, j) = mu(i, j) + sqrt(alpha ln t / N(i, j)), where x / 0 counts as 1, and U(i, i) = 1/2. With
discount U(i, j) grows beyond any limit while a pair does not meet, so one that never met, or so
long ago that its counts are 0, has an infinite one. `m` are Counts, `n` CountsNumbers.
"""

import math

from sparring._kernels.draws import below, uniform
from sparring._kernels.jit import inline
from sparring._kernels.losses import fewest, limit_of


@inline
def upper(m, n, i, j, wide):
    """U(i, j) of two arms, `wide` being alpha ln t in units of `unit`."""
    both = m.W[i, j] + m.W[j, i]
    if both <= 0.0:
        return math.inf if n.discount < 1.0 else 2.0
    return m.W[i, j] / both + math.sqrt(wide / both)


@inline
def candidates(m, n):
    """How many arms may beat all others: those without a sure loss."""
    found = 0
    for c in range(n.K):
        found += 1 if m.order[0, c] == 0 else 0
    return found


@inline
def nth(m, n, skipped, place):
    """The candidate with `place` others before it, one of them skipped."""
    found = -1
    for c in range(n.K):
        if m.order[0, c] == 0 and c != skipped:
            if place == 0:
                found = c
            place -= 1
    return found


@inline
def champion(m, n):
    """The row arm: with chance 1/2 the favourite, else any other candidate."""
    number = candidates(m, n)
    if number == 0:
        m.favourite[0] = -1
        return below(m.words, n.K)
    if m.favourite[0] >= 0 and m.order[0, m.favourite[0]] > 0:
        m.favourite[0] = -1
    if number == 1:
        m.favourite[0] = nth(m, n, -1, 0)
        return m.favourite[0]
    if m.favourite[0] < 0:
        return nth(m, n, -1, below(m.words, number))
    if uniform(m.words) < 0.5:
        return m.favourite[0]
    return nth(m, n, m.favourite[0], below(m.words, number - 1))


@inline
def challenger(m, n, c, wide):
    """The column arm: who may beat c most; among equals any, but c only if it is alone."""
    most, ties, d = 0.5, 0, c
    for j in range(n.K):
        bound = upper(m, n, j, c, wide) if j != c else 0.0
        if bound >= most:
            ties = 1 if bound > most else ties + 1
            most = bound
            if ties == 1 or below(m.words, ties) == 0:
                d = j
    return d


@inline
def choose(m, n):
    """The next pair."""
    limit = limit_of(m, n)
    fewest(m, n, limit)
    c = champion(m, n)
    return c, challenger(m, n, c, 0.25 * limit)
