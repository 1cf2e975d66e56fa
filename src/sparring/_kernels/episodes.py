"""Episodes, replays and the interval test: when an arm leaves a run, and when all begins anew.

A run has a set of active arms, all of them when it begins. The episode is the lowest run of a
stack, and a replay is a run on top of it that lasts a given number of rounds; the top run plays.
G are running sums of estimates, each with mean P(i, j) a round, and an interval (c, t] rejects an
arm if G(t) - G(c) - (t - c) / 2 exceeds a threshold. Intervals end now, since a threshold grows
with the length: only what was just credited can newly exceed one. They begin at checkpoints: the
two latest multiples of each power of two from 2^first to 2^last, the starts of all runs, and
METASWIFT's latest switch. So of any interval that ends now and is at least 2^(first + 1) rounds
long, more than the latest quarter is tested.

A rejected arm leaves every run that had begun when the interval did. The episode is one of them:
its set is within every other, and is the set called `good` by ANACONDA and master by METASWIFT.
What a replay rejects is out of the runs below as well when it ends.

`m` are Episodes, `n` EpisodesNumbers.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.draws import uniform
from sparring._kernels.jit import Floats, Ints, inline

FOREVER = 2**62  # rounds


class Episodes(NamedTuple):
    """What a learner knows."""

    G: Floats
    """(K, K), ANACONDA: wins of i over j, each times its inverse chance; (2, K), METASWIFT: wins
    of candidates over arm i, and of arm i over the present candidate."""
    copies: Floats
    """(slots, ...): G at the checkpoints: starts of runs, then multiples, then the switch."""
    positions: Ints
    """(slots,): how many duels had been told at each; -1 if it is none."""
    active: Ints
    """(runs, K): 1 if the arm is in the set of the run, lowest run first."""
    starts: Ints
    """(runs,): how many duels had been told when the run began."""
    ends: Ints
    """(runs,): and when it is over; that of the lowest means nothing."""
    depth: Ints
    """(1,): how many runs there are."""
    told: Ints
    """(1,): duels told so far."""
    candidate: Ints
    """(1,): METASWIFT's row arm."""
    alarms: Ints
    """(1000,): how many duels had been told when the latest episodes began, as a ring."""
    restarts: Ints
    """(1,): how many alarms there were."""
    words: NDArray[np.uint64]
    """The random state."""


class EpisodesNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    rule: int
    slope: float
    """The threshold is slope sqrt(n) + offset for an interval of n rounds."""
    offset: float
    chance: float
    """The square of what multiplies the chance of replays."""
    first: int
    """Checkpoints are multiples of 2^first and more."""
    last: int
    """Replays last 2, 4, ..., 2^last rounds."""
    runs: int
    """The most runs there can be at a time."""
    slots: int


@inline
def keep(slot, m):
    """Make the present moment a checkpoint."""
    m.positions[slot] = m.told[0]
    for i in range(m.G.shape[0]):
        for j in range(m.G.shape[1]):
            m.copies[slot, i, j] = m.G[i, j]


@inline
def keep_multiples(m, n):
    """Each power of two has two slots, taken in turn."""
    t = m.told[0]
    k = n.first
    while k <= n.last and t % (1 << k) == 0:
        keep(n.runs + 2 * (k - n.first) + ((t >> k) & 1), m)
        k += 1


@inline
def evidence(i, j, since, m, n):
    """The latest checkpoint from which G[i, j] exceeds the threshold, not before `since`; or -1."""
    found = -1
    for slot in range(n.slots):
        c = m.positions[slot]
        if c >= since and c > found:
            length = np.float64(m.told[0] - c)
            excess = m.G[i, j] - m.copies[slot, i, j] - 0.5 * length
            if excess > n.slope * math.sqrt(length) + n.offset:
                found = c
    return found


@inline
def reject(k, c, m):
    """Arm k leaves the runs that had begun at checkpoint c."""
    for run in range(m.depth[0]):
        if m.starts[run] <= c:
            m.active[run, k] = 0


@inline
def size(run, m, n):
    """How many arms are active in a run."""
    number = 0
    for k in range(n.K):
        number += m.active[run, k]
    return number


@inline
def begin(run, end, m, n):
    """A run with all arms, on top of those below."""
    m.starts[run] = m.told[0]
    m.ends[run] = end
    for k in range(n.K):
        m.active[run, k] = 1
    keep(run, m)
    m.depth[0] = run + 1


@inline
def close(end, m):
    """Drop the replays that are over by then."""
    while m.depth[0] > 1 and m.ends[m.depth[0] - 1] <= end:
        m.depth[0] -= 1
        m.positions[m.depth[0]] = -1


@inline
def replay(m, n):
    """The length of the longest replay drawn in this round, 0 if none.

    One of m rounds comes with the chance that the numbers have / sqrt(m age): u^2 m age < chance^2.
    """
    age = np.float64(m.told[0] - m.starts[0])
    length = 1 << n.last
    while length > 1:
        u = uniform(m.words)
        if u * u * (length * age) < n.chance:
            return length
        length >>= 1
    return 0


@inline
def restart(m, n):
    """A new episode: no arm was left."""
    close(FOREVER, m)
    m.alarms[m.restarts[0] % m.alarms.shape[0]] = m.told[0]
    m.restarts[0] += 1
    begin(0, 0, m, n)


@inline
def advance(m, n):
    """After a round: a new episode if no arm is left, else the runs of the next round.

    A replay that outlasts a run below takes its place, which would never play again. So from the
    lowest up replays begin later and end earlier: their lengths are different powers of two, and
    there are never more than `last` of them.
    """
    if size(0, m, n) == 0:
        restart(m, n)
    else:
        length = replay(m, n)
        end = m.told[0] + length
        close(end, m)
        if length > 0:
            begin(m.depth[0], end, m, n)
    keep_multiples(m, n)
