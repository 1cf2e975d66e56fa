"""Monitored dueling bandits (Kolpaczki, Bengs and Huellermeier 2022): watch all pairs for changes.

A base, one of the rules on counts, plays; but of `period` rounds the first go to all pairs, one
after the other. When the two halves of a pair's latest `2 half` such duels differ by more than the
threshold, all is forgotten and begins anew. `m` and `n` are what is known for the detection of
changes and what tunes it, together with those of the base.
"""

import math
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, inline, online, rounds
from sparring._random import below
from sparring.learners import counts
from sparring.learners.counts import Counts, CountsNumbers, rounded
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST, Problem
from sparring.streams import Seed

MOST = 10**8  # outcomes in all windows together
RAREST = 1e-9  # share of monitoring duels
KEPT = 1_000  # at most one a round, so that none is missed by looking every so many rounds


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


class Detector(NamedTuple):
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


# All that changes: the windows, then the base's counts; and what tunes the base, then the windows.
MonitorMemory: Any = namedtuple("MonitorMemory", Windows._fields + Counts._fields)  # type: ignore[misc]
MonitorNumbers: Any = namedtuple("MonitorNumbers", CountsNumbers._fields + Detector._fields)  # type: ignore[misc]
FIRST = len(Windows._fields)  # where in a memory the counts begin
BASE = len(CountsNumbers._fields)  # and in the numbers what tunes the windows


@inline
def counts_of(m):
    """The counts of the base."""
    return Counts(*m[FIRST:])


@inline
def base_of(n):
    """What tunes the base."""
    return CountsNumbers(*n[:BASE])


@online
def begin(memory, numbers):
    """Put all pairs in a random order."""
    m, n = MonitorMemory(*memory), MonitorNumbers(*numbers)
    for last in range(n.N - 1, 0, -1):  # Fisher and Yates
        place = below(m.words, last + 1)
        for side in range(2):
            arm = m.pairs[last, side]
            m.pairs[last, side] = m.pairs[place, side]
            m.pairs[place, side] = arm


@inline
def choose(r, note, m, n):
    """A pair to monitor, or the base's; the note keeps which of them, and the epoch."""
    turn = m.turn[0] % n.period
    m.turn[0] += 1
    note[0] = m.epoch[0]
    note[1] = 1.0 if turn < n.N else 0.0
    if turn < n.N:
        return m.pairs[turn, 0], m.pairs[turn, 1]
    return counts.choose(r, note, counts_of(m), base_of(n))


@inline
def differs(o, pair, m, n):
    """Put an outcome into a pair's window; whether it is full and its halves differ too much."""
    o = rounded(o)
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
def clear(c, K):
    """Make a base's counts those of a new one; the random state goes on."""
    c.unit[0] = 1.0
    c.mass[0] = 0.0
    c.told[0] = 0
    c.favourite[0] = -1
    for i in range(K):
        c.evidence[i] = 0.0
        c.order[0, i] = 0
        c.order[1, i] = 0
        for j in range(K):
            c.W[i, j] = 0.0
            c.divergence[i, j] = 0.0
    for k in range(c.place.shape[0]):
        c.place[k] = 0


@inline
def restart(m, n):
    """Note the alarm, and forget everything else."""
    m.alarms[m.epoch[0] % m.alarms.shape[0]] = m.rounds[0]
    m.epoch[0] += 1
    m.turn[0] = 0
    for pair in range(n.N):
        m.seen[pair] = 0
        m.halves[pair, 0] = 0.0
        m.halves[pair, 1] = 0.0
    clear(counts_of(m), n.K)


@inline
def learn(o, row, col, note, m, n):
    """Learn an outcome; of duels asked before the last alarm nothing."""
    m.rounds[0] += 1
    if note[0] != m.epoch[0]:
        return
    monitored = note[1] > 0.0 and row < col  # i < j, save in a note from a damaged snapshot
    if n.feed or not monitored:
        counts.learn(o, row, col, note, counts_of(m), base_of(n))
    if monitored:
        number = row * (2 * n.K - row - 1) // 2 + col - row - 1  # of all pairs in order
        if differs(o, number, m, n):
            restart(m, n)


class Monitored(Family):
    """A learner on counts that starts again when the duels of some pair have changed.

    Use `monitored_db`, which explains it and finds these numbers, unless you have your own.

    Parameters
    ----------
    K
        Number of arms.
    base
        "rucb", "rmed1" or "thompson": what plays while nothing changes.
    window
        w, how many monitoring duels of a pair are compared, half with half: an even number.
    threshold
        b, how far the wins in the two halves may lie apart.
    gamma
        The share of the rounds that are monitoring duels, at most 1.
    feed
        Whether the base learns from monitoring duels, too.
    alpha
        The width of the base's confidence bounds, above 1/2 in theory.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = Monitored(3, base="rucb", window=100, threshold=20.0, gamma=0.1, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.alarms
    ()
    """

    KIND = "monitored"
    KERNELS = rounds(choose, learn, MonitorMemory, MonitorNumbers)

    def __init__(
        self,
        K: int,
        *,
        base: str,
        window: int,
        threshold: float,
        gamma: float,
        feed: bool = False,
        alpha: float = 0.51,
        seed: Seed = None,
    ) -> None:
        if not isinstance(base, str) or base not in counts.RULES:
            raise checks.refuse("base", f"one of {sorted(counts.RULES)}", base)
        window = checks.whole("window", window, low=2, high=MOST)
        if window % 2:
            raise checks.refuse("window", "even", window, "Its halves are compared")
        options = {
            "base": base,
            "window": window,
            "threshold": checks.real("threshold", threshold, low=0, high=MOST),
            "gamma": checks.real("gamma", gamma, low=RAREST, high=1),
            "feed": checks.flag("feed", feed),
            "alpha": counts.checked(base, None, 1.0, alpha)["alpha"],
        }
        super().__init__(K, options, seed)
        begin(self._state.arrays, self._numbers)

    def _build(
        self, *, base: str, window: int, threshold: float, gamma: float, feed: bool, alpha: float
    ) -> Built:
        N = pairs_of(self.K)
        if N * window > MOST:
            rule = f"at most {MOST // N} for the {N} pairs of {self.K} arms"
            raise checks.refuse("window", rule, window, "Each pair has its own")
        base_memory, numbers = counts.parts(
            self.K, rule=base, window=None, discount=1.0, alpha=alpha
        )
        windows = Windows(
            pairs=np.column_stack(np.triu_indices(self.K, 1)),
            rings=np.zeros((N, window)),
            halves=np.zeros((N, 2)),
            seen=np.zeros(N, np.int64),
            turn=np.zeros(1, np.int64),
            rounds=np.zeros(1, np.int64),
            epoch=np.zeros(1, np.int64),
            alarms=no_alarms(),
        )
        monitors = Detector(N, math.floor(N / gamma), window // 2, threshold, feed)
        memory = MonitorMemory._make((*windows, *base_memory))
        return Built(memory, MonitorNumbers._make((*numbers, *monitors)), players=0, note=2)

    @classmethod
    def _largest(cls, K: int, *, window: int, **_: Any) -> int:
        return max(K * K, pairs_of(K) * int(window))

    def _possible(self) -> bool:
        m = self._memory
        first, second = m.pairs.T
        fits = bool(((first >= 0) & (first < second) & (second < self.K)).all())
        fits &= bool(((m.rings >= 0) & (m.rings <= 1)).all())
        fits &= bool(((m.halves >= 0) & (m.halves <= m.rings.shape[1] // 2)).all())
        for counted in (m.seen, m.turn, m.rounds, m.epoch):
            fits &= bool(((counted >= 0) & (counted <= LONGEST)).all())
        return fits and counts.possible(Counts(*m[FIRST:]), self.K, discount=1.0)

    @property
    def alarms(self) -> tuple[int, ...]:
        """The latest 1,000 rounds that raised an alarm, counted from 1 as they were told."""
        with self._turn:
            return latest_alarms(self._memory.alarms, int(self._memory.epoch[0]))

    @property
    def wins(self) -> Floats:
        """(K, K): wins of i over j that the base has seen since the last alarm."""
        with self._turn:
            return np.asarray(self._memory.W).copy()

    @property
    def favourite(self) -> int:
        """The arm it thinks best: the one that beat the most others since the last alarm."""
        return counts.leader(self.wins)


# The rounds of the latest alarms, in a ring buffer.


def no_alarms() -> Ints:
    """A ring before the first alarm."""
    return np.zeros(KEPT, np.int64)


def latest_alarms(ring: Ints, raised: int) -> tuple[int, ...]:
    """The rounds in a ring after this many alarms, the oldest first; at most `KEPT` of them.

    Examples
    --------
    >>> ring = no_alarms()
    >>> ring[:3] = 1_007, 5, 6  # the first place was taken a second time
    >>> latest_alarms(ring, 1_001)[:2], latest_alarms(ring, 1_001)[-1]
    ((5, 6), 1007)
    """
    return tuple(ring[np.arange(max(raised - KEPT, 0), raised) % KEPT].tolist())


class Detection(NamedTuple):
    """What theory needs to detect changes."""

    C: float
    """Minus the logarithm of half the chance of a false alarm in one test."""
    window: int
    threshold: float
    gamma: float


def pairs_of(K: int) -> int:
    """How many pairs of K arms there are."""
    return K * (K - 1) // 2


def detection(
    problem: Problem, change: float, scale: float, window: int | None = None
) -> Detection:
    """The paper's window, threshold and share of monitoring duels, not capped."""
    K, T, S = problem.K, problem.T, problem.S or 1
    C = scale * math.log((4 * T + 2) * math.sqrt(T) / (math.sqrt(S) * K))
    if window is None:
        window = max(2 * math.ceil(4 * C / change**2), 2)
    gamma = (K - 1) / 2 * math.sqrt(S * window / T)
    return Detection(C, window, math.sqrt(window * C / 2), gamma)


@register("T", "S")
def monitored_db(
    K: int,
    T: int,
    *,
    S: int | None = None,
    change: float = 0.3,
    base: str = "thompson",
    scale: float = 1.0,
    window: int | None = None,
    threshold: float | None = None,
    gamma: float | None = None,
    feed: bool = False,
    seed: Seed = None,
) -> Monitored:
    """Monitored dueling bandits (Kolpaczki, Bengs and Huellermeier 2022; TMLR 2024): alarms.

    A learner for constant preferences, the base, plays. A share gamma of the rounds are monitoring
    duels, which go through all N = K (K - 1) / 2 pairs in turn, in one random order: the first N of
    every floor(N / gamma) rounds. Each pair has a window of its latest w monitoring duels, with
    outcomes rounded to 24 binary digits. When it is full and the wins in its two halves differ by
    more than b, an alarm is raised: windows, base and schedule start again. `Monitored.alarms` are
    the rounds in which that happened. With `scale` = 1 the numbers are the paper's:

        C = scale ln((4 T + 2) sqrt(T) / (sqrt(S) K)),   w >= 8 C / change^2, the least even one,
        b = sqrt(w C / 2),   gamma = (K - 1) / 2 sqrt(S w / T).

    By Hoeffding's inequality a test where nothing changed raises an alarm with chance at most 2
    exp(-C), so that in T rounds there are at most 2 gamma T exp(-C) false alarms on average. If a
    pair changes by at least `change` when its window is full, which takes w floor(N / gamma) rounds
    from an alarm, then half as many rounds later there was an alarm with chance at least 1 -
    exp(-C). The regret is O(K sqrt(S T ln T) / change) plus the base's in each segment (from
    memory). Changes that are smaller, gradual or faster go unnoticed.

    The monitoring duels alone cost gamma times what `rand` costs. If gamma is 1 or more, as with
    K = 10, S = 4 up to T = 1e5, there is a TheoremWarning and the base never plays. A smaller scale
    makes windows shorter and monitoring duels fewer, and more alarms are false; we advise 0.5
    (measured in docs/learners.md). Only answers to duels asked since the last alarm count.

    Parameters
    ----------
    K, seed
        As for `Monitored`.
    T
        Number of rounds to plan for, at least K; the learner continues after them.
    S
        Segments of constant preferences, 1 if unknown.
    change
        The smallest change of a preference that must be noticed.
    base, feed
        As for `Monitored`; the paper's base does not learn from monitoring duels.
    scale
        Factor of C; 1 in theory.
    window, threshold, gamma
        w, b and gamma instead of those above; without them, b and gamma follow the window.

    Examples
    --------
    >>> learner = monitored_db(4, 100_000, S=4, change=0.4, scale=0.5, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.alarms
    ()
    """
    problem = Problem(K, T, S)
    if problem.T < problem.K:
        raise checks.refuse("T", f"at least K = {problem.K}", T)
    change = checks.real("change", change, low=1e-3, high=1)
    scale = checks.real("scale", scale, low=1e-3, high=100)
    if window is not None:
        window = checks.whole("window", window, low=2, high=MOST)
    theory = detection(problem, change, scale, window)
    if gamma is None and theory.gamma >= 1:
        checks.warn(
            f"gamma = {theory.gamma:.3g} is capped at 1: all rounds are monitoring duels, and "
            f"{base!r} never plays. Take a larger T or change, or a smaller scale"
        )
    return Monitored(
        K,
        base=base,
        window=theory.window,
        threshold=theory.threshold if threshold is None else threshold,
        gamma=min(theory.gamma, 1.0) if gamma is None else gamma,
        feed=feed,
        seed=seed,
    )
