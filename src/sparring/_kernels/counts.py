"""Counts of wins that may be forgotten, and the loop of the learners that choose by them.

The rules that choose a pair are in `rucb`, `rmed` and `thompson`. A duel is counted when it is
told: with discount all earlier counts shrink by `discount`, with a window the duel of `window`
rounds before leaves. To shrink them, what a duel adds grows instead, and all is rescaled by a power
of two when that is large.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels import losses, rmed, rucb, thompson
from sparring._kernels.jit import Floats, Ints, inline, kernel, online

RUCB, RMED1, THOMPSON = 0, 1, 2  # the rules

BIG = 2.0**256
TINY = 2.0**-256
GRAIN = 2.0**-24  # outcomes in a window are multiples of it, so that sums of 10^8 are exact


class Counts(NamedTuple):
    """What a learner knows."""

    W: Floats
    """(K, K): W[i, j], wins of i over j, in units of `unit`; a tie is half a win of both."""
    unit: Floats
    """(1,): what a win adds now, in [1, 2^256]: 1 without discount."""
    mass: Floats
    """(1,): how many rounds are remembered; with discount the sum of their weights."""
    rows: Ints
    """(window,): the row arms of the latest rounds, -1 where there was none; as the next two."""
    cols: Ints
    outcomes: Floats
    told: Ints
    """(1,): duels told so far."""
    favourite: Ints
    """(1,): RUCB's hypothesised best arm, or Thompson sampling's last row arm; -1 for none."""
    divergence: Floats
    """(K, K): RMED's N d(mu, 1/2) of each pair, 0 where mu > 1/2, in units of `unit`; the chances
    that Thompson sampling keeps."""
    evidence: Floats
    """(K,): the sums of its rows, RMED's I; else how certain an arm's least certain loss is."""
    order: Ints
    """(2, K): RMED's list of arms to go through, and the next one; else how many sure losses each
    arm has, and 1 where that is known."""
    place: Ints
    """(3,): pairs of the first phase begun, how long the list is, how far it was gone through."""
    scratch: Floats
    """(2, K): for whoever chooses; nothing in it lasts."""
    words: NDArray[np.uint64]
    """The random state."""


class CountsNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    rule: int
    alpha: float
    """The width of confidence bounds."""
    slack: float
    """RMED's f(K)."""
    window: int
    """Rounds that are remembered; 0 for all."""
    discount: float
    """What a round leaves of the counts before it; 1 for all."""


@inline
def choose(m, n):
    """The pair that the rule chooses now."""
    if n.rule == RUCB:
        return rucb.choose(m, n)
    if n.rule == RMED1:
        return rmed.choose(m, n)
    return thompson.choose(m, n)


@inline
def credit(row, col, x, y, m, n):
    """Add x to the row arm's wins over the column arm, and y to those of the other over it."""
    if row != col:  # a self-duel tells nothing
        m.W[row, col] += x
        m.W[col, row] += y
        if n.rule == RMED1:
            rmed.weigh(m, row, col, n)
        else:
            losses.doubt(m, row)
            losses.doubt(m, col)
            thompson.doubt(m, row, col)


@inline
def rescale(m, n):
    """Divide all that is in units of `unit`, and the unit, by 2^256."""
    m.unit[0] *= TINY
    for i in range(n.K):
        m.evidence[i] *= TINY
        for j in range(n.K):
            m.W[i, j] *= TINY
            m.divergence[i, j] *= TINY


@inline
def rounded(o):
    """The multiple of GRAIN nearest to an outcome: what is left when it goes must be exact."""
    return np.rint(o / GRAIN) * GRAIN


@inline
def replace_oldest(o, row, col, m, n):
    """Take the place of the oldest duel in the window, which is forgotten."""
    place = m.told[0] % n.window
    if m.rows[place] >= 0:
        old = m.outcomes[place]
        credit(m.rows[place], m.cols[place], -old, old - 1.0, m, n)
    else:
        m.mass[0] += 1.0
    m.rows[place] = row
    m.cols[place] = col
    m.outcomes[place] = o


@inline
def count(o, row, col, m, n):
    """Count the outcome of a duel, and forget what is due."""
    if n.window > 0:
        o = rounded(o)
        replace_oldest(o, row, col, m, n)
    else:
        m.mass[0] = n.discount * m.mass[0] + 1.0
        m.unit[0] /= n.discount
        if m.unit[0] > BIG:
            rescale(m, n)
    m.told[0] += 1
    credit(row, col, o * m.unit[0], (1.0 - o) * m.unit[0], m, n)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    return choose(Counts(*memory), CountsNumbers(*numbers))


@online
def tell(o, row, col, note, memory, numbers):
    """Count the outcome o."""
    count(o, row, col, Counts(*memory), CountsNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Counts(*memory), CountsNumbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(m, n)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            count(1.0 if coins[t] < chance else 0.0, row, col, m, n)
            t += 1
    return t
