"""Monitored dueling bandits (Kolpaczki, Bengs and Huellermeier 2022): watch all pairs for changes.

A base, one of the rules on counts, plays; but of `period` rounds the first go to all pairs, one
after the other. When the two halves of a pair's latest `2 half` such duels differ by more than the
threshold, all is forgotten and begins anew.
"""

from collections import namedtuple
from typing import Any, NamedTuple

from sparring._kernels import counts
from sparring._kernels.draws import below
from sparring._kernels.jit import Floats, Ints, inline, kernel, online


class Windows(NamedTuple):
    """What is known for the detection of changes."""

    pairs: Ints
    """(N, 2): all pairs of arms i < j, in the order in which they are monitored."""
    rings: Floats
    """(N, window): the latest outcomes of each pair, in a ring; by the number of the pair."""
    halves: Floats
    """(N, 2): the sums of the older and of the newer half of them."""
    seen: Ints
    """(N,): monitoring duels of each pair told since the last alarm."""
    turn: Ints
    """(1,): rounds asked since the last alarm."""
    rounds: Ints
    """(1,): rounds told in all."""
    epoch: Ints
    """(1,): alarms so far."""
    alarms: Ints
    """(1000,): a ring of the latest rounds with an alarm, from 1 as they were told."""


# All that changes: the windows, then the base's counts.
MonitorMemory: Any = namedtuple("MonitorMemory", Windows._fields + counts.Counts._fields)  # type: ignore[misc]
FIRST = len(Windows._fields)  # where in a memory the counts begin
BASE = len(counts.CountsNumbers._fields)  # and in the numbers what tunes the windows


class MonitorNumbers(NamedTuple):
    """What tunes the detection."""

    N: int
    """How many pairs there are."""
    period: int
    """The rounds from one sweep through all pairs to the next."""
    half: int
    """Half the length of a window."""
    threshold: float
    """b: how much the halves may differ."""
    feed: bool
    """Whether the base learns from monitoring duels, too."""


@online
def begin(memory, numbers):
    """Put all pairs in a random order."""
    m, c, n = (
        Windows(*memory[:FIRST]),
        counts.Counts(*memory[FIRST:]),
        MonitorNumbers(*numbers[BASE:]),
    )
    for last in range(n.N - 1, 0, -1):  # Fisher and Yates
        place = below(c.words, last + 1)
        for side in range(2):
            arm = m.pairs[last, side]
            m.pairs[last, side] = m.pairs[place, side]
            m.pairs[place, side] = arm


@inline
def choose(note, m, c, n, base):
    """A pair to monitor, or the base's; the note keeps which of them, and the epoch."""
    turn = m.turn[0] % n.period
    m.turn[0] += 1
    note[0] = m.epoch[0]
    note[1] = 1.0 if turn < n.N else 0.0
    if turn < n.N:
        return m.pairs[turn, 0], m.pairs[turn, 1]
    return counts.choose(c, base)


@inline
def differs(o, pair, m, n):
    """Put an outcome into a pair's window; whether it is full and its halves differ too much."""
    o = counts.rounded(o)
    seen, window = m.seen[pair], 2 * n.half
    place = seen % window
    if seen < n.half:
        m.halves[pair, 0] += o
    elif seen < window:
        m.halves[pair, 1] += o
    else:
        middle = m.rings[pair, (place + n.half) % window]
        m.halves[pair, 0] += middle - m.rings[pair, place]
        m.halves[pair, 1] += o - middle
    m.rings[pair, place] = o
    m.seen[pair] += 1
    full = m.seen[pair] >= window
    return full and abs(m.halves[pair, 0] - m.halves[pair, 1]) > n.threshold


@inline
def clear(c, base):
    """Make a base's counts those of a new one; the random state goes on."""
    c.unit[0] = 1.0
    c.mass[0] = 0.0
    c.told[0] = 0
    c.favourite[0] = -1
    for i in range(base.K):
        c.evidence[i] = 0.0
        c.order[0, i] = 0
        c.order[1, i] = 0
        for j in range(base.K):
            c.W[i, j] = 0.0
            c.divergence[i, j] = 0.0
    for k in range(c.place.shape[0]):
        c.place[k] = 0


@inline
def restart(m, c, n, base):
    """Note the alarm, and forget everything else."""
    m.alarms[m.epoch[0] % m.alarms.shape[0]] = m.rounds[0]
    m.epoch[0] += 1
    m.turn[0] = 0
    for pair in range(n.N):
        m.seen[pair] = 0
        m.halves[pair, 0] = 0.0
        m.halves[pair, 1] = 0.0
    clear(c, base)


@inline
def learn(o, row, col, note, m, c, n, base):
    """Learn an outcome; of duels asked before the last alarm nothing."""
    m.rounds[0] += 1
    if note[0] != m.epoch[0]:
        return
    monitored = note[1] > 0.0 and row < col  # i < j, save in a note from a damaged snapshot
    if n.feed or not monitored:
        counts.count(o, row, col, c, base)
    if monitored:
        number = row * (2 * base.K - row - 1) // 2 + col - row - 1  # of all pairs in order
        if differs(o, number, m, n):
            restart(m, c, n, base)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    m, c = Windows(*memory[:FIRST]), counts.Counts(*memory[FIRST:])
    base, n = counts.CountsNumbers(*numbers[:BASE]), MonitorNumbers(*numbers[BASE:])
    return choose(note, m, c, n, base)


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    m, c = Windows(*memory[:FIRST]), counts.Counts(*memory[FIRST:])
    base, n = counts.CountsNumbers(*numbers[:BASE]), MonitorNumbers(*numbers[BASE:])
    learn(o, row, col, note, m, c, n, base)


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, c = Windows(*memory[:FIRST]), counts.Counts(*memory[FIRST:])
    base, n = counts.CountsNumbers(*numbers[:BASE]), MonitorNumbers(*numbers[BASE:])
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(note, m, c, n, base)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, note, m, c, n, base)
            t += 1
    return t
