"""Since when each arm has been as it is: starts, counts of wins since each, and posteriors.

Nobody knows since when today's preferences hold. Starts s_0 < s_1 < ..., by the duels told before
them, lie on a grid that is geometric in age, each with the wins W counted since. Every arm has a
hidden start, its latest change, with a posterior A over the grid, and duels of i and j count since
the later of their two starts. An arm that changed later than its opponent is supposed to have
risen: LIFT more wins to begin with. `m` are Ages, `n` AgesNumbers; a position is a place on the
grid, the oldest start first.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.jit import Floats, Ints, inline

HAZARD = 0.125  # of a change, times age: each doubling of an age brings one with chance 1/12
GRID = 40  # starts at most: enough for 2^28 K duels, after which the two oldest become one
RATIO = 2.0  # a start goes when its neighbours' ages differ by no more than this factor
LIFT = 2.0  # Beta(3, 1) has the mean of a uniform on [1/2, 1]: of an arm that now wins
FLOOR = 1e-60  # weights stay above it: numbers that are almost 0 are slow


class Ages(NamedTuple):
    """What a learner knows."""

    W: Floats
    """(GRID, K, K) by slot: wins of i over j since the slot's start."""
    slot: Ints
    """(GRID,) by position: where in W its wins are."""
    start: Ints
    """(GRID,) by position: duels told before it."""
    A: Floats
    """(K, GRID) by position: the posterior of each arm's start."""
    median: Ints
    """(K,): the position of its median."""
    counter: Ints
    """(3,): starts in use, duels told, the latest row arm."""
    reign: Floats
    """(2,): the ages of the row arm and of the arm shown most: how long the world stood still."""
    y: Floats
    """(K,): the mixture of the arms shown recently."""
    phase: Floats
    """(K,): in [0, 1), what the next start of each arm is drawn with."""
    suspicion: Ints
    """(5,): its number, its two arms (NONE if there is none) and their starts."""
    odds: Floats
    """(3,): its lead in nats, how many of its duels were asked, and how many told."""
    drawn: Ints
    """(K,): the positions drawn last, as they were then."""
    rivals: Ints
    """(K,): scratch, the arms of y that count."""
    chance: Floats
    """(3, GRID): scratch, of an outcome since each start: nobody, the row or the column rose."""
    z: Floats
    """(K + 1,): scratch, normal numbers."""
    words: NDArray[np.uint64]
    """The random state."""


class AgesNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    oldest: float
    """The age beyond which nobody grows more careless."""
    differ: int
    """1 to show two different arms in every round, else 0."""


@inline
def hazard(age):
    """Of a change of one of K arms within K duels: that of some arm within one duel.

    c / age has no scale: stretch time, and the chance of a change between age a and age 2 a is the
    same. So neither a horizon nor a number of changes is needed.
    """
    return HAZARD / age


@inline
def find_median(i, m):
    """The position at which half of the weight of arm i is reached."""
    q, total = 0, m.A[i, 0]
    while total < 0.5 and q < m.counter[0] - 1:
        q += 1
        total += m.A[i, q]
    m.median[i] = q


@inline
def position(start, m):
    """Of a start, or of the next later one if it went."""
    q = m.counter[0] - 1
    while q > 0 and m.start[q - 1] >= start:
        q -= 1
    return q


@inline
def drop(k, m, n):
    """Take out position k; its weight goes to the next later start."""
    slot, last = m.slot[k], m.counter[0] - 1
    for i in range(n.K):
        m.A[i, k + 1] += m.A[i, k]
        for q in range(k, last):
            m.A[i, q] = m.A[i, q + 1]
        m.A[i, last] = 0.0
    for q in range(k, last):
        m.slot[q] = m.slot[q + 1]
        m.start[q] = m.start[q + 1]
    m.slot[last] = slot
    m.counter[0] = last


@inline
def thin_out(m, n):
    """Keep the starts geometric in age, as they will be seen from the next one."""
    t = m.counter[1]
    for k in range(m.counter[0] - 2, 0, -1):
        if t - m.start[k - 1] <= RATIO * (t - m.start[k + 1] + n.K):
            drop(k, m, n)
    if m.counter[0] == GRID:
        drop(0, m, n)


@inline
def measure_reign(m, n):
    """How long the latest row arm has been as it is, and the arm that y shows most.

    After a change the row arm is the new winner long before y is, so the hazard goes by it. Where
    nobody wins it is another every few rounds, often one that seems to have risen just now: by
    its age y would forget too soon.
    """
    shown = 0
    for k in range(1, n.K):
        if m.y[k] > m.y[shown]:
            shown = k
    m.reign[0] = min(float(m.counter[1] - m.start[m.median[m.counter[2]]]), n.oldest)
    m.reign[1] = min(float(m.counter[1] - m.start[m.median[shown]]), n.oldest)


@inline
def begin(m, n):
    """A new start, which takes from all others what the hazard says."""
    t = m.counter[1]
    measure_reign(m, n)
    thin_out(m, n)
    new = m.counter[0]
    m.start[new] = t
    m.counter[0] = new + 1
    for i in range(n.K):
        for j in range(n.K):
            m.W[m.slot[new], i, j] = 0.0
        m.A[i, new] = 0.0
    for q in range(new):
        share = hazard(max(min(float(t - m.start[q]), m.reign[0]), float(n.K)))
        for i in range(n.K):
            part = share * m.A[i, q]
            m.A[i, q] -= part
            m.A[i, new] += part
    for i in range(n.K):
        find_median(i, m)


@inline
def share_of(o, wins, losses):
    """The chance of outcome o."""
    return (o * wins + (1.0 - o) * losses) / (wins + losses)


@inline
def foretell(o, i, j, asked, m):
    """Fill `chance` for an outcome o of i against j, and count it.

    A duel asked before a start says nothing of it: there all three are what the older ones say.
    """
    known, mean, before, weight_i, weight_j = 0, 0.0, 0.0, 0.0, 0.0
    for q in range(m.counter[0]):
        if q == 0 or m.start[q] <= asked:
            slot = m.slot[q]
            wins, losses = m.W[slot, i, j] + 1.0, m.W[slot, j, i] + 1.0
            m.chance[0, q] = share_of(o, wins, losses)
            m.chance[1, q] = share_of(o, wins + LIFT, losses)
            m.chance[2, q] = share_of(o, wins, losses + LIFT)
            m.W[slot, i, j] += o
            m.W[slot, j, i] += 1.0 - o
            weight_i += m.A[i, q]
            weight_j += m.A[j, q]
            mean += (weight_i * weight_j - before) * m.chance[0, q]
            before, known = weight_i * weight_j, q
    rest = mean / before if before > FLOOR else m.chance[0, known]
    for q in range(known + 1, m.counter[0]):
        m.chance[0, q] = rest
        m.chance[1, q] = rest
        m.chance[2, q] = rest


@inline
def weigh(i, j, m):
    """Bayes' rule for the starts of both arms, each averaged over the other's.

    Returns the chance that all starts together gave the outcome.
    """
    before_i, before_j, later_i, later_j, total_i, total_j = 1.0, 1.0, 0.0, 0.0, 0.0, 0.0
    for q in range(m.counter[0] - 1, -1, -1):
        a, b = m.A[i, q], m.A[j, q]
        before_i, before_j = max(before_i - a, 0.0), max(before_j - b, 0.0)
        m.A[i, q] = a * (before_j * m.chance[1, q] + b * m.chance[0, q] + later_j)
        m.A[j, q] = b * (before_i * m.chance[2, q] + a * m.chance[0, q] + later_i)
        later_i += a * m.chance[1, q]
        later_j += b * m.chance[2, q]
        total_i += m.A[i, q]
        total_j += m.A[j, q]
    for q in range(m.counter[0]):
        m.A[i, q] = max(m.A[i, q] / total_i, FLOOR)
        m.A[j, q] = max(m.A[j, q] / total_j, FLOOR)
    find_median(i, m)
    find_median(j, m)
    return total_i
