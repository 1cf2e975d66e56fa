"""ANACONDA and METASWIFT: duels among the arms that are left, and what each says against whom.

ANACONDA (Kleine Buening and Saha 2023) draws both arms uniformly from the set A of the top run, so
that a win of i over j, in either order, times |A|^2 / 2 has mean P(i, j). METASWIFT (Suk and
Agarwal 2023) shows a candidate against one arm of A; times |A|, a win has mean P. Each |A| is that
of the moment of asking, known by the note: it holds p, 1 / |A| for arms of A.
"""

import math

from sparring._kernels.draws import below
from sparring._kernels.episodes import (
    Episodes,
    EpisodesNumbers,
    advance,
    evidence,
    keep,
    reject,
    size,
)
from sparring._kernels.jit import inline, kernel, online

ANACONDA, METASWIFT = 0, 1  # the rules

AGAINST, FOR = 0, 1  # rows of METASWIFT's G: wins of candidates over an arm, and of it over them


@inline
def any_of(run, number, m):
    """One of the `number` arms active in a run."""
    left = below(m.words, number)
    k = 0
    while left > 0 or m.active[run, k] == 0:
        left -= m.active[run, k]
        k += 1
    return k


@inline
def choose(note, m, n):
    """The next pair, and what it is drawn from."""
    top = m.depth[0] - 1
    number = size(top, m, n)
    if n.rule == ANACONDA:
        for k in range(n.K):
            note[k] = m.active[top, k] / number
        return any_of(top, number, m), any_of(top, number, m)
    for k in range(n.K):
        note[k] = 1.0 if k == m.candidate[0] else 0.0
        note[n.K + k] = m.active[top, k] / number
    return m.candidate[0], any_of(top, number, m)


@inline
def arms_of(p, n):
    """|A| as a whole number, from p = 1 / |A|, whatever a note from outside says."""
    return math.floor(1.0 / max(p, 1.0 / n.K) + 0.5)


@inline
def compare(o, row, col, note, m, n):
    """ANACONDA: each of the two arms is tested by what the other won."""
    number = arms_of(note[col], n)
    weight = 0.5 * number * number
    m.G[row, col] += weight * o
    m.G[col, row] += weight * (1.0 - o)
    reject(col, evidence(row, col, m.starts[0], m, n), m)
    reject(row, evidence(col, row, m.starts[0], m, n), m)


@inline
def challenge(o, row, col, note, m, n):
    """METASWIFT: the column arm may be rejected, or reject the candidate and take its place.

    A late answer may be about an earlier candidate, and says nothing about this one.
    """
    number = arms_of(note[n.K + col], n)
    m.G[AGAINST, col] += number * o
    reject(col, evidence(AGAINST, col, m.starts[0], m, n), m)
    if row == m.candidate[0]:
        m.G[FOR, col] += number * (1.0 - o)
        since = max(m.starts[0], m.positions[n.slots - 1])
        c = evidence(FOR, col, since, m, n)
        if c >= 0:
            reject(row, c, m)
            m.candidate[0] = col
            keep(n.slots - 1, m)


@inline
def learn(o, row, col, note, m, n):
    """A round: credit the winner, reject who lost too much, go on to the next."""
    m.told[0] += 1
    if row != col:  # a self-duel tells nothing
        if n.rule == ANACONDA:
            compare(o, row, col, note, m, n)
        else:
            challenge(o, row, col, note, m, n)
    advance(m, n)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    return choose(note, Episodes(*memory), EpisodesNumbers(*numbers))


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, row, col, note, Episodes(*memory), EpisodesNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Episodes(*memory), EpisodesNumbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(note, m, n)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, note, m, n)
            t += 1
    return t
