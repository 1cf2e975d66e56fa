"""Bradley-Terry strengths that forget, and the loop of the learner that chooses pairs by them.

How strengths follow votes is `strengths`; its clock is duels told, so a self-duel
says nothing, but time passes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import _strengths as strengths
from sparring._kernels.jit import Floats, Ints, inline, kernel, online
from sparring._kernels.pairing import pair


class Fitted(NamedTuple):
    """What a learner knows: the arrays of `strengths`, and what pairs are chosen by."""

    mu: Floats
    """(K,): the strengths, in log-odds."""
    information: Floats
    """(K,): 1 / variance of each, the others' being known."""
    met: Floats
    """(K, K): duels by row and column arm, faded to the moment state[ORIGIN]."""
    won: Floats
    """(K, K): those that the row arm won."""
    state: Floats
    """(SIZE,): where `strengths` stands."""
    told: Ints
    """(1,): duels told so far."""
    variance: Floats
    """(K,): for whoever chooses; nothing in it lasts."""
    words: NDArray[np.uint64]
    """The random state."""


class FittedNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    pairing: int
    explore: float
    scale: float
    ridge: float
    """1 / variance of a strength before any duel."""
    half: float
    """Duels after which one counts half."""
    block: int
    """The most duels between two settlements."""


@inline
def choose(m, n):
    """The pair to show next."""
    for k in range(n.K):
        m.variance[k] = 1.0 / m.information[k]
    return pair(m.mu, m.variance, m.words, n)


@inline
def learn(o, row, col, m, n):
    """Follow a vote, at the moment told."""
    m.told[0] += 1
    now = float(m.told[0])
    if strengths.is_due(m.state, n.half, n.block, now):
        strengths.fade(m.state, n.half, now, m.met, m.won)
        strengths.settle(m.state, n.ridge, np.inf, m.mu, m.information, m.met, m.won)
        m.state[strengths.SINCE] = 0.0
    if row != col:
        strengths.learn(m.state, row, col, o, 1.0, m.mu, m.information)
        strengths.count(m.state, row, col, o, 1.0, n.half, now, m.met, m.won)
    strengths.pass_on(m.state, now)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    return choose(Fitted(*memory), FittedNumbers(*numbers))


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, row, col, Fitted(*memory), FittedNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Fitted(*memory), FittedNumbers(*numbers)
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
