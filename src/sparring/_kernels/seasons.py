"""Several states of the world, each with counts of its own, and a belief which one holds.

A state is what double Thompson sampling knows (`thompson`), and forgets nothing. Two states are
drawn from the belief. If they are one, it chooses the pair; else the champions of both meet, which
tells them apart. One state is blank, for what is new: it takes every duel for a fair coin, and its
champion is any arm. An outcome moves the belief by Bayes' rule, and a little of it is spread again.

Duels are counted in the state that leads. Those since it was last sure are noted beside: a state
that takes over gets them, and the one before gives them back. When the blank one takes over, the
next slot is blank, or the one that has not led for longest, whose counts are forgotten.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels import counts, thompson
from sparring._kernels.draws import arm, below
from sparring._kernels.jit import Floats, Ints, inline, kernel, online, outline
from sparring._kernels.losses import fewest, limit_of

TOLD, LEADING, BEGUN, BLANK, ACTIVE, RECENT = range(6)  # the places of `counter`
LEAST = 1e-100  # belief, so that none is gone for good


class Seasons(NamedTuple):
    """What a learner knows; the first seven as in Counts, for each of M states."""

    W: Floats
    """(M, K, K)."""
    divergence: Floats
    """(M, K, K)."""
    evidence: Floats
    """(M, K)."""
    order: Ints
    """(M, 2, K)."""
    mass: Floats
    """(M,)."""
    favourite: Ints
    """(M,)."""
    unit: Floats
    """(1,): 1, as nothing is discounted."""
    belief: Floats
    """(M,): the chance that a state holds; 0 of slots that were never used."""
    recent: Floats
    """(K, K): wins in the duels since it was last sure which state leads; W has them, too."""
    latest: Ints
    """(M,): duels told when a state last led."""
    counter: Ints
    """(6,): duels told, the state that leads, duels told when it began to, the blank state, how
    many states there are, the blank one included, and how many duels `recent` has."""
    scratch: Floats
    """(2, K): for whoever chooses; nothing in it lasts."""
    words: NDArray[np.uint64]
    """The random state."""


class SeasonsNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    states: int
    alpha: float
    """The width of confidence bounds."""
    hazard: float
    """c: a state that has held for a rounds changes with chance c / a."""
    youngest: float
    oldest: float
    """The least and the most a there is."""
    fresh: float
    """The part of changes that lead to something new."""
    turn: float
    """The belief with which a state takes the lead."""
    sure: float
    """That with which the one that leads keeps the recent duels,"""
    recent: int
    """if there are so many."""


@inline
def state_of(m, s):
    """The counts of a state, as double Thompson sampling takes them."""
    return counts.Counts(
        m.W[s],
        m.unit,
        m.mass[s : s + 1],
        m.counter[:0],
        m.counter[:0],
        m.unit[:0],
        m.counter[:0],
        m.favourite[s : s + 1],
        m.divergence[s],
        m.evidence[s],
        m.order[s],
        m.counter[:0],
        m.scratch,
        m.words,
    )


@inline
def numbers_of(n):
    """What tunes the counts."""
    return counts.CountsNumbers(n.K, counts.THOMPSON, n.alpha, 0.0, 0, 1.0)


@outline
def champion(m, n, s):
    """The arm that a state has for the best; for the blank one any."""
    if s == m.counter[BLANK]:
        return below(m.words, n.K)
    state, inner = state_of(m, s), numbers_of(n)
    return thompson.champion(state, inner, fewest(state, inner, limit_of(state, inner)))


@inline
def choose(m, n):
    """The pair to show next."""
    first = arm(m.words, m.belief, m.counter[ACTIVE])
    second = arm(m.words, m.belief, m.counter[ACTIVE])
    if first == second and first != m.counter[BLANK]:
        return thompson.choose(state_of(m, first), numbers_of(n))
    return champion(m, n, first), champion(m, n, second)


@inline
def weigh(o, row, col, m):
    """Bayes' rule; returns the state that is believed most."""
    total = 0.0
    for s in range(m.counter[ACTIVE]):
        wins, defeats = m.W[s, row, col] + 1.0, m.W[s, col, row] + 1.0
        m.belief[s] *= (o * wins + (1.0 - o) * defeats) / (wins + defeats)
        total += m.belief[s]
    best = 0
    for s in range(m.counter[ACTIVE]):
        m.belief[s] /= total
        if m.belief[s] > m.belief[best]:
            best = s
    return best


@inline
def spread(m, n):
    """Let the world change with the chance of the leading state's age."""
    age = float(m.counter[TOLD] - m.counter[BEGUN])
    part = n.hazard / min(max(age, n.youngest), n.oldest)
    known = m.counter[ACTIVE] - 1
    for s in range(m.counter[ACTIVE]):
        share = n.fresh if s == m.counter[BLANK] else (1.0 - n.fresh) / known
        m.belief[s] = max((1.0 - part) * m.belief[s] + part * share, LEAST)


@inline
def wipe(m, n, s):
    """Forget a state's counts."""
    m.mass[s] = 0.0
    m.favourite[s] = -1
    m.latest[s] = 0
    for i in range(n.K):
        m.evidence[s, i] = 0.0
        m.order[s, 0, i] = 0
        m.order[s, 1, i] = 0
        for j in range(n.K):
            m.W[s, i, j] = 0.0
            m.divergence[s, i, j] = 0.0


@inline
def settle(m, n):
    """What was told lately is of the state that leads beyond doubt."""
    m.counter[RECENT] = 0
    for i in range(n.K):
        for j in range(n.K):
            m.recent[i, j] = 0.0


@inline
def move(m, n, s, sign):
    """Give a state the recent duels, or take them back."""
    for i in range(n.K):
        m.order[s, 1, i] = 0
        for j in range(n.K):
            m.W[s, i, j] = max(m.W[s, i, j] + sign * m.recent[i, j], 0.0)
            m.divergence[s, i, j] = 0.0


@outline
def follow(s, m, n):
    """Let another state lead: the recent duels are its own. If it was the blank one, another is."""
    old = m.counter[LEADING]
    move(m, n, old, -1.0)
    move(m, n, s, 1.0)
    settle(m, n)
    m.latest[old] = m.counter[TOLD]
    m.counter[LEADING] = s
    m.counter[BEGUN] = m.counter[TOLD]
    if s == m.counter[BLANK]:
        blank = m.counter[ACTIVE]
        if blank < n.states:
            m.counter[ACTIVE] += 1
        else:
            blank = old
            for other in range(n.states):
                if other != s and m.latest[other] < m.latest[blank]:
                    blank = other
            rest = 1.0 - m.belief[blank]  # at least `turn`, the belief in s
            m.belief[blank] = 0.0
            for other in range(n.states):
                m.belief[other] /= rest
        m.counter[BLANK] = blank
        wipe(m, n, blank)


@inline
def learn(o, row, col, m, n):
    """Learn an outcome."""
    m.counter[TOLD] += 1
    if row != col:
        best, lead = weigh(o, row, col, m), m.counter[LEADING]
        counts.credit(row, col, o, 1.0 - o, state_of(m, lead), numbers_of(n))
        m.recent[row, col] += o
        m.recent[col, row] += 1.0 - o
        m.counter[RECENT] += 1
        if best != lead and m.belief[best] > n.turn:
            follow(best, m, n)
        elif m.counter[RECENT] >= n.recent and m.belief[lead] > n.sure:
            settle(m, n)
    m.mass[m.counter[LEADING]] += 1.0
    spread(m, n)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    return choose(Seasons(*memory), SeasonsNumbers(*numbers))


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, row, col, Seasons(*memory), SeasonsNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Seasons(*memory), SeasonsNumbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(m, n)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, m, n)
            t += 1
    return t
