"""Elimination: ANACONDA and METASWIFT, which drop arms, replay the past and start again."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels import elimination as kernels
from sparring._kernels.episodes import FOREVER, Episodes, EpisodesNumbers
from sparring.learners import alarms
from sparring.learners.compiled import Built, Compiled, Kernels
from sparring.learners.frame import MORE_ARMS
from sparring.learners.registry import register
from sparring.problem import Problem, arms
from sparring.streams import Seed

RULES = {"anaconda": kernels.ANACONDA, "metaswift": kernels.METASWIFT}
MOST_ARMS = {"anaconda": 2_000, "metaswift": 1_000_000}  # a gigabyte or two, if T is huge


class Elimination(Compiled):
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
    KERNELS: ClassVar[Kernels] = kernels

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
            alarms=alarms.none_yet(),
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

    def _distributions(self) -> NDArray[np.float64]:
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
            return alarms.latest(self._memory.alarms, int(self._memory.restarts[0]))


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


@register
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


@register
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
