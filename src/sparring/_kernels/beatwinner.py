"""Beat the Winner Reset (Kolpaczki, Bengs and Huellermeier 2022): whoever wins stays.

The incumbent and the challenger duel until one of them has c wins. The loser goes to the back of
the queue, and the first in it is the next challenger.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.draws import below
from sparring._kernels.jit import Floats, Ints, inline, kernel, online

LONGEST_STRETCH = 2.0**53  # of self-duels; more could not be counted down one by one


class Arena(NamedTuple):
    """Who duels, and who waits."""

    incumbent: Ints
    """(1,): I."""
    queue: Ints
    """(K - 1,): the other arms, in a ring: the challenger J, then those that wait."""
    head: Ints
    """(1,): where in the ring J is."""
    goal: Ints
    """(1,): c, the wins that decide a pairing."""
    wins: Floats
    """(2,): those of I and of J in this pairing."""
    pairing: Ints
    """(1,): pairings decided so far, the number of the present one."""
    stretch: Floats
    """(1,): beta^l after l pairings; 1 if there are no self-duels."""
    rest: Floats
    """(1,): self-duels of I to be asked before the next pairing."""
    words: NDArray[np.uint64]
    """The random state."""


class BeatWinnerNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    beta: float
    """How the stretches of self-duels grow; 0 if there are none."""


@online
def begin(memory, numbers):
    """Put all arms in a random order; the first is the incumbent."""
    m, n = Arena(*memory), BeatWinnerNumbers(*numbers)
    first = below(m.words, n.K)
    m.incumbent[0] = first
    for k in range(n.K - 1):
        m.queue[k] = k if k < first else k + 1
    for last in range(n.K - 2, 0, -1):  # Fisher and Yates
        place = below(m.words, last + 1)
        arm = m.queue[last]
        m.queue[last] = m.queue[place]
        m.queue[place] = arm


@inline
def choose(note, m):
    """The incumbent and the challenger, or the incumbent with itself; the note says which."""
    if m.rest[0] > 0.0:
        m.rest[0] -= 1.0
        note[0] = -1.0
        return m.incumbent[0], m.incumbent[0]
    note[0] = m.pairing[0]
    return m.incumbent[0], m.queue[m.head[0]]


@inline
def decide(m, n):
    """End a pairing: the loser to the back, and the next challenger comes."""
    if m.wins[0] >= m.goal[0]:  # also if both have c, by ties: it was not beaten
        m.goal[0] += 1
    else:
        loser = m.incumbent[0]
        m.incumbent[0] = m.queue[m.head[0]]
        m.queue[m.head[0]] = loser
        m.goal[0] = 1
    m.head[0] = (m.head[0] + 1) % (n.K - 1)
    m.wins[0] = 0.0
    m.wins[1] = 0.0
    m.pairing[0] += 1
    if n.beta > 0.0:
        m.stretch[0] = min(m.stretch[0] * n.beta, LONGEST_STRETCH)
        m.rest[0] = np.floor(m.stretch[0])


@inline
def learn(o, note, m, n):
    """Count the outcome for the present pairing, if it is of it."""
    if note[0] == m.pairing[0]:
        m.wins[0] += o
        m.wins[1] += 1.0 - o
        if max(m.wins[0], m.wins[1]) >= m.goal[0]:
            decide(m, n)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    return choose(note, Arena(*memory))


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, note, Arena(*memory), BeatWinnerNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Arena(*memory), BeatWinnerNumbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(note, m)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, note, m, n)
            t += 1
    return t
