"""Watching votes for changes: has the leader fallen, and has any pair changed.

**The leader.** For the favourite f and each other arm j there is a Shiryaev-Roberts sum for each
bet, which a vote on (f, j) multiplies: R <- (1 + R) (1 + bet (1/2 - o)), o the favourite's score.
The alarm rings when the sum over j of the mean over bets reaches the threshold.

**A pair.** At each scale s a confidence sequence begins at the pair's votes 1, 1 + d, 1 + 2 d, ...,
d = span[s], and lives for 2 d votes, so that two are alive. With n votes and w wins since it began,
and c(x) = ln(1 + x (e^rate - 1)), it has shown all x to be too low for the chance to win with

    rate w - n c(x) > L,   that is   x < (exp((rate w - L) / n) - 1) / (e^rate - 1),

and, by the same formula for losses, others to be too high. `ends` keeps what no sequence has ever
shown to be wrong. The alarm rings when nothing is left.

The events are bits of one number, as several may come with one vote.
"""

import math
from typing import NamedTuple

from sparring._jit import Floats, Ints, inline, kernel, online

LEADER, PAIR, CHOOSE = 1, 2, 4  # events
REFRESH = 1024  # votes on the favourite after which the total is summed anew, for its rounding
POINTS = 512  # of the traces

# What `counts` holds: votes in all; since the leader's last alarm; after how many of the latter to
# choose; the favourite, -1 if there is none; votes on it since it was chosen.
VOTES, SINCE, CHOICE, FAVOURITE, ON = range(5)


class WatchMemory(NamedTuple):
    """All that changes."""

    counts: Ints
    """(5,): as above."""
    width: Ints
    """(1,): votes that share a point of the traces."""
    R: Floats
    """(K, bets): the sums against the favourite, by arm and bet."""
    means: Floats
    """(K,): their means over bets."""
    total: Floats
    """(1,): the sum of the means."""
    traces: Floats
    """(POINTS, 2): the highest total, and the strongest evidence on a pair in nats, for drawing."""
    arms: Ints
    """(pairs, 2): the pairs met, i < j."""
    tally: Floats
    """(pairs, 2): votes since the leader's last alarm, and wins of i among them."""
    record: Floats
    """(pairs, 2): votes since the pair's last alarm, and wins of i among them."""
    ends: Floats
    """(pairs, 2): least and largest chance of i that no sequence has shown to be wrong."""
    logs: Floats
    """(pairs, 4, scales): c of the least and of the largest, then of 1 - the largest and 1 - the
    least."""
    born: Floats
    """(pairs, scales, 2, 4): what the record was when a sequence began, the number of the vote
    and its time; -1 votes if there is none."""


class WatchNumbers(NamedTuple):
    """What tunes the watches."""

    bets: Floats
    """(bets,): on the favourite's losing, in (0, 2)."""
    span: Ints
    """(scales,): votes from one sequence to the next; each a multiple of the one before."""
    rate: Floats
    """(scales,): of a sequence, in log odds."""
    growth: Floats
    """(scales,): e^rate - 1."""
    limit: Floats
    """(scales, 2): L of a pair's first sequence and of all later ones."""
    leader: float
    """At which total the alarm of the leader rings."""
    pairs: float
    """The logarithm of the mean number of votes to a false alarm on pairs, for the trace."""
    ringing: bool
    """Whether alarms on pairs may ring."""


@inline
def against(o, arm, m, n):
    """Count a vote of the favourite and this arm, o the favourite's score."""
    mean = 0.0
    for g in range(n.bets.shape[0]):
        m.R[arm, g] = (1.0 + m.R[arm, g]) * (1.0 + n.bets[g] * (0.5 - o))
        mean += m.R[arm, g]
    mean /= n.bets.shape[0]
    m.counts[ON] += 1
    m.total[0] += mean - m.means[arm]
    m.means[arm] = mean
    if m.counts[ON] % REFRESH == 0:
        total = 0.0
        for k in range(m.means.shape[0]):
            total += m.means[k]
        m.total[0] = total


@inline
def begin_due(pair, at, m, n):
    """Begin the sequences whose turn it is, before the pair's next vote."""
    votes = int(m.record[pair, 0])
    for s in range(n.span.shape[0]):
        if votes % n.span[s]:
            break
        side = (votes // n.span[s]) % 2
        m.born[pair, s, side, 0] = m.record[pair, 0]
        m.born[pair, s, side, 1] = m.record[pair, 1]
        m.born[pair, s, side, 2] = m.counts[VOTES]
        m.born[pair, s, side, 3] = at


@inline
def set_end(pair, end, value, m, n):
    """Move an end, 0 the least and 1 the largest, and what is kept of it."""
    m.ends[pair, end] = value
    for s in range(n.span.shape[0]):
        m.logs[pair, end, s] = math.log1p(value * n.growth[s])
        m.logs[pair, 3 - end, s] = math.log1p((1.0 - value) * n.growth[s])


@inline
def narrow(pair, m, n):
    """Take from the pair's chances what its sequences show to be wrong; the strongest evidence.

    It is the largest of rate w - n c(x) - L at the far ends, plus the threshold's logarithm.
    """
    votes, wins = m.record[pair, 0], m.record[pair, 1]
    strongest = 0.0
    for s in range(n.span.shape[0]):
        if 4.0 * votes < n.span[s]:
            break
        rate = n.rate[s]
        for side in range(2):
            first = m.born[pair, s, side, 0]
            age = votes - first
            if first < 0.0 or 4.0 * age < n.span[s]:
                continue  # so young, the shorter ones tell more
            limit = n.limit[s, 0] if first == 0.0 else n.limit[s, 1]
            for end in range(2):
                won = wins - m.born[pair, s, side, 1]
                score = rate * (won if end == 0 else age - won)
                shown = score - age * m.logs[pair, 1 + 2 * end, s]
                strongest = max(strongest, n.pairs + shown - limit)
                if score - age * m.logs[pair, 2 * end, s] > limit:
                    bound = math.expm1((score - limit) / age) / n.growth[s]
                    set_end(pair, end, bound if end == 0 else 1.0 - bound, m, n)
    return strongest


@inline
def note(strongest, m):
    """Put the evidence into the traces; when they are full, two points become one."""
    votes, width = m.counts[VOTES] - 1, m.width[0]
    if votes >= POINTS * width:
        for k in range(POINTS):
            for which in range(2):
                both = 0.0
                if 2 * k < POINTS:
                    both = max(m.traces[2 * k, which], m.traces[2 * k + 1, which])
                m.traces[k, which] = both
        width *= 2
        m.width[0] = width
    point = votes // width
    m.traces[point, 0] = max(m.traces[point, 0], m.total[0])
    m.traces[point, 1] = max(m.traces[point, 1], strongest)


@inline
def count(i, j, pair, o, at, m, n):
    """Count one vote of i < j, o the score of i; returns the events."""
    events = 0
    m.counts[VOTES] += 1
    m.counts[SINCE] += 1
    m.tally[pair, 0] += 1.0
    m.tally[pair, 1] += o
    favourite = m.counts[FAVOURITE]
    if favourite == i:
        against(o, j, m, n)
    elif favourite == j:
        against(1.0 - o, i, m, n)
    begin_due(pair, at, m, n)
    m.record[pair, 0] += 1.0
    m.record[pair, 1] += o
    strongest = 0.0
    if n.ringing:
        strongest = narrow(pair, m, n)
        if m.ends[pair, 0] > m.ends[pair, 1]:
            events += PAIR
    note(strongest, m)
    if favourite >= 0 and m.total[0] >= n.leader:
        events += LEADER
    elif m.counts[SINCE] >= m.counts[CHOICE]:
        events += CHOOSE
    return events


@online
def add(i, j, pair, o, at, memory, numbers):
    """Count one vote, as `count`."""
    m, n = WatchMemory(*memory), WatchNumbers(*numbers)
    return count(i, j, pair, o, at, m, n)


@kernel
def add_many(low, high, pairs, outcomes, times, begin, memory, numbers):
    """Count votes from `begin` on until one has events: how many are counted then, and the events.

    low, high: the arms, low < high; pairs: their places in the memory; outcomes: of the low ones.
    """
    m, n = WatchMemory(*memory), WatchNumbers(*numbers)
    for t in range(begin, low.shape[0]):
        events = count(low[t], high[t], pairs[t], outcomes[t], times[t], m, n)
        if events:
            return t + 1, events
    return low.shape[0], 0


@online
def forget(pair, memory, numbers):
    """Begin a pair again."""
    m, n = WatchMemory(*memory), WatchNumbers(*numbers)
    m.record[pair, 0] = 0.0
    m.record[pair, 1] = 0.0
    set_end(pair, 0, 0.0, m, n)
    set_end(pair, 1, 1.0, m, n)
    for s in range(n.span.shape[0]):
        for side in range(2):
            m.born[pair, s, side, 0] = -1.0
