"""ANACONDA and METASWIFT: learners that drop arms, replay the past and start again.

**Episodes.** When an arm leaves a run, and when all begins anew.

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

**Duels.** ANACONDA (Kleine Buening and Saha 2023) draws both arms uniformly from the set A of the
top run, so that a win of i over j, in either order, times |A|^2 / 2 has mean P(i, j). METASWIFT
(Suk and Agarwal 2023) shows a candidate against one arm of A; times |A|, a win has mean P. Each |A|
is that of the moment of asking, known by the note: it holds p, 1 / |A| for arms of A.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, rounds
from sparring._random import below, uniform
from sparring.learners.family import Family
from sparring.learners.frame import MORE_ARMS, Built, register
from sparring.learners.monitored import latest_alarms, no_alarms
from sparring.problem import Problem, arms
from sparring.streams import Seed

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
    words: Words
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


# Duels among the arms that are left, and what each says against whom.

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
def choose(r, note, m, n):
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


RULES = {"anaconda": ANACONDA, "metaswift": METASWIFT}
MOST_ARMS = {"anaconda": 2_000, "metaswift": 1_000_000}  # a gigabyte or two, if T is huge


class Elimination(Family):
    """A learner that drops arms that lost too much in some interval; with none left it restarts.

    An episode is a stack of runs, each with a set of active arms, all of them when it begins. The
    top run plays. A replay, a run of m = 2, 4, ... rounds, begins with chance replays / sqrt(m (t -
    t_l)) in round t of an episode that began in t_l, to see how dropped arms do by now; if several
    are drawn in a round, the longest counts. An arm leaves a run when some interval within the run
    rejects it. When the lowest run, the episode, has no arm left, everything has changed: a new
    episode begins.

    An interval of n rounds rejects an arm if the sum of dhat, the estimated margin of another over
    it in each round, exceeds scale times

        K sqrt(n L / 2) + K^2 L / 6,    L = 3 ln T + 2 ln K,    for ANACONDA,
        sqrt(K n L) + K L / 3,          L = 3 ln T + ln K,      for METASWIFT.

    With scale 1 this is Freedman's inequality for all intervals and arms at once: with chance 1 -
    1/T no arm is rejected by an interval in which the other (for METASWIFT, the candidates) was
    never better. Intervals begin on a geometric grid: at the starts of runs, and at the two latest
    multiples of 2^k, where 2^k is at least K^2 (METASWIFT: K). In any interval of at least 4 K^2 (4
    K) rounds, more than the last quarter is tested. A round takes O(K + log T), and memory is K^2
    (2 K) numbers for each of 3 log2 T checkpoints. docs/learners.md has what was measured, and
    where we interpret the papers.

    Use the named learners, `anaconda` and `metaswift`, unless you want other chances of replays.

    Parameters
    ----------
    K, T, scale, replays, seed
        As for `anaconda`.
    rule
        "anaconda" or "metaswift".

    Examples
    --------
    >>> learner = Elimination(3, rule="anaconda", T=100_000, scale=0.2, replays=0.1, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.active, learner.alarms
    ((0, 1, 2), ())
    """

    KIND = "elimination"
    KERNELS = rounds(choose, learn, Episodes, EpisodesNumbers)

    def __init__(
        self,
        K: int,
        *,
        rule: str,
        T: int,
        scale: float = 1.0,
        replays: float = 1.0,
        seed: Seed = None,
    ) -> None:
        if not isinstance(rule, str) or rule not in RULES:
            raise checks.refuse("rule", f"one of {sorted(RULES)}", rule)
        K = arms(K, most=MOST_ARMS[rule], remedy=MORE_ARMS)
        options = {
            "rule": rule,
            "T": Problem(K, T).T,
            "scale": checks.real("scale", scale, low=1e-6, high=1e6),
            "replays": checks.real("replays", replays, low=0, high=1e6),
        }
        super().__init__(K, options, seed)
        self._memory.candidate[0] = int(self._memory.words[0]) % self.K  # any arm will do

    def _build(self, *, rule: str, T: int, scale: float, replays: float) -> Built:
        K = self.K
        pairs = rule == "anaconda"
        last = max((T - 1).bit_length(), 1)
        first = min(((K * K if pairs else K) - 1).bit_length(), last)
        slope, offset = threshold(K, T, rule)
        runs = last + 1
        slots = runs + 2 * (last - first + 1) + 1
        numbers = EpisodesNumbers(
            K=K,
            rule=RULES[rule],
            slope=scale * slope,
            offset=scale * offset,
            chance=replays * replays,
            first=first,
            last=last,
            runs=runs,
            slots=slots,
        )
        rows = K if pairs else 2
        memory = Episodes(
            G=np.zeros((rows, K)),
            copies=np.zeros((slots, rows, K)),
            positions=np.array([0] + [-1] * (slots - 1)),
            active=np.ones((runs, K), np.int64),
            starts=np.zeros(runs, np.int64),
            ends=np.zeros(runs, np.int64),
            depth=np.ones(1, np.int64),
            told=np.zeros(1, np.int64),
            candidate=np.zeros(1, np.int64),
            alarms=no_alarms(),
            restarts=np.zeros(1, np.int64),
            words=np.zeros(4, np.uint64),
        )
        players = 1 if pairs else 2
        return Built(memory, numbers, players=players, note=players * K)

    @classmethod
    def _largest(cls, K: int, *, rule: str, **_: Any) -> int:
        return K * K if rule == "anaconda" else K  # for each checkpoint

    def _possible(self) -> bool:
        memory = self._memory
        runs = len(memory.starts)
        told, depth, count = int(memory.told[0]), int(memory.depth[0]), int(memory.restarts[0])
        if not (1 <= depth <= runs and 0 <= told < FOREVER and 0 <= count <= told):
            return False
        active, starts, ends = memory.active, memory.starts[:depth], memory.ends[1:depth]
        lengths = ends - starts[1:]
        fits = bool(0 <= memory.candidate[0] < self.K)
        fits &= bool((memory.positions >= -1).all() and (memory.positions <= told).all())
        fits &= bool(np.isin(active, (0, 1)).all()) and bool(active[0].any())
        fits &= bool(
            (active[:depth] >= active[0]).all()
        )  # else the top run might lose all arms first
        # As `advance` leaves the stack, so that it never grows beyond its room.
        fits &= bool(starts[0] >= 0 and starts[-1] <= told and (np.diff(starts) > 0).all())
        fits &= bool((np.diff(ends) < 0).all())
        fits &= bool(np.isin(lengths, 2 ** np.arange(1, runs, dtype=np.int64)).all())
        return fits

    def _distributions(self) -> Floats:
        active = self._memory.active[self._memory.depth[0] - 1]
        p = np.zeros((self._players, self.K))
        p[-1] = active / active.sum()
        if self._players == 2:
            p[0, self._memory.candidate[0]] = 1.0
        return p

    @property
    def active(self) -> tuple[int, ...]:
        """The arms of the run that plays."""
        with self._turn:
            return tuple(np.flatnonzero(self._distributions()[-1]).tolist())

    @property
    def alarms(self) -> tuple[int, ...]:
        """The latest 1,000 rounds, in duels told, in which an episode lost its last arm."""
        with self._turn:
            return latest_alarms(self._memory.alarms, int(self._memory.restarts[0]))


def threshold(K: int, T: int, rule: str) -> tuple[float, float]:
    """The threshold of n rounds is slope sqrt(n) + offset: Freedman's sqrt(2 v n L) + b L / 3.

    An estimate has range b and, where P <= 1/2, variance of at most v: b = K^2 / 2 and v = K^2 / 4
    for ANACONDA, b = K and v = K / 2 for METASWIFT. L makes the chance 1/T for all of T^2 / 2
    intervals, and K^2 pairs or 2 K arms.
    """
    if rule == "anaconda":
        log_tests = 3 * math.log(T) + 2 * math.log(K)
        return K * math.sqrt(log_tests / 2), K * K * log_tests / 6
    log_tests = 3 * math.log(T) + math.log(K)
    return math.sqrt(K * log_tests), K * log_tests / 3


@register("T")
def anaconda(
    K: int, T: int, *, scale: float = 1.0, replays: float = 1.0, seed: Seed = None
) -> Elimination:
    """ANACONDA (Kleine Buening and Saha 2023): finds new Condorcet winners, however many.

    Both arms are drawn independently and uniformly from the set A of the run that plays, and

        dhat(i, j) = |A|^2 / 2 1{i and j met} (share of i's win) - 1/2

    has mean P(i, j) - 1/2 for arms of A, and is -1/2 otherwise, which never rejects an arm. Arm j
    is rejected if in some interval the sum of dhat(i, j) exceeds the threshold for any i. Runs,
    replays, intervals and thresholds are those of `Elimination`.

    The regret is O(K sqrt(S T)) up to logarithms, where S counts changes of the Condorcet winner
    and need not be known. Without a Condorcet winner arms reject each other in circles, and new
    episodes never stop. Replays with all arms take most of the rounds unless `replays` and `scale`
    are small.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    scale
        Factor of the threshold; 1 in theory, 0.2 to 0.3 in practice.
    replays
        Factor of the chance of replays; 1 in theory, 0.1 to 0.3 in practice.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = anaconda(5, 100_000, scale=0.2, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p[0].tolist()
    [0.2, 0.2, 0.2, 0.2, 0.2]
    """
    return Elimination(K, rule="anaconda", T=T, scale=scale, replays=replays, seed=seed)


@register("T")
def metaswift(
    K: int, T: int, *, scale: float = 1.0, replays: float = 1.0, seed: Seed = None
) -> Elimination:
    """METASWIFT (Suk and Agarwal 2023): a candidate meets all arms until one does better.

    The row arm is the candidate c, the column arm is drawn uniformly from the set A of the run that
    plays, and

        dhat(c, i) = |A| 1{i met c} (share of c's win) - 1/2,

    and dhat(i, c) likewise. Arm i is rejected if in some interval the sum of dhat(c, i) exceeds the
    threshold, whichever arms were candidates. Arm i becomes the candidate, and the old one is
    rejected, if the sum of dhat(i, c) exceeds it in some interval since c became the candidate. The
    first candidate is random. A candidate's duels with itself, and late answers about an earlier
    candidate, say nothing about it. Runs, replays, intervals and thresholds are those of
    `Elimination`.

    The regret is O(sqrt(K S T)) up to logarithms under strong stochastic transitivity and the
    stochastic triangle inequality, where S counts significant changes and need not be known.
    Without both, no learner has such a regret. Where arms beat each other in circles, new episodes
    never stop.

    Parameters are those of `anaconda`.

    Examples
    --------
    >>> learner = metaswift(4, 100_000, scale=0.3, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p[1].tolist()  # p[0] is 1 for the candidate
    [0.25, 0.25, 0.25, 0.25]
    """
    return Elimination(K, rule="metaswift", T=T, scale=scale, replays=replays, seed=seed)
