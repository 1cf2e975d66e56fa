"""Monitored: a learner for constant preferences, restarted when a pair of arms has changed."""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sparring import checks
from sparring._kernels import monitors as kernels
from sparring._kernels.counts import Counts
from sparring.learners import alarms, counting
from sparring.learners.compiled import Built, Compiled, Kernels
from sparring.learners.registry import register
from sparring.problem import LONGEST, Problem
from sparring.streams import Seed

MOST = 10**8  # outcomes in all windows together
RAREST = 1e-9  # share of monitoring duels


class Monitored(Compiled):
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
    KERNELS: ClassVar[Kernels] = kernels

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
        if not isinstance(base, str) or base not in counting.RULES:
            raise checks.refuse("base", f"one of {sorted(counting.RULES)}", base)
        window = checks.whole("window", window, low=2, high=MOST)
        if window % 2:
            raise checks.refuse("window", "even", window, "Its halves are compared")
        options = {
            "base": base,
            "window": window,
            "threshold": checks.real("threshold", threshold, low=0, high=MOST),
            "gamma": checks.real("gamma", gamma, low=RAREST, high=1),
            "feed": checks.flag("feed", feed),
            "alpha": counting.checked(base, None, 1.0, alpha)["alpha"],
        }
        super().__init__(K, options, seed)
        kernels.begin(tuple(self._memory), self._numbers)

    def _build(
        self, *, base: str, window: int, threshold: float, gamma: float, feed: bool, alpha: float
    ) -> Built:
        N = pairs_of(self.K)
        if N * window > MOST:
            rule = f"at most {MOST // N} for the {N} pairs of {self.K} arms"
            raise checks.refuse("window", rule, window, "Each pair has its own")
        counts, numbers = counting.parts(self.K, rule=base, window=None, discount=1.0, alpha=alpha)
        windows = kernels.Windows(
            pairs=np.column_stack(np.triu_indices(self.K, 1)),
            rings=np.zeros((N, window)),
            halves=np.zeros((N, 2)),
            seen=np.zeros(N, np.int64),
            turn=np.zeros(1, np.int64),
            rounds=np.zeros(1, np.int64),
            epoch=np.zeros(1, np.int64),
            alarms=alarms.none_yet(),
        )
        monitors = kernels.MonitorNumbers(N, math.floor(N / gamma), window // 2, threshold, feed)
        memory = kernels.MonitorMemory._make((*windows, *counts))
        return Built(memory, (*numbers, *monitors), players=0, note=2)

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
        return fits and counting.possible(Counts(*m[kernels.FIRST :]), self.K, discount=1.0)

    @property
    def alarms(self) -> tuple[int, ...]:
        """The latest 1,000 rounds that raised an alarm, counted from 1 as they were told."""
        with self._turn:
            return alarms.latest(self._memory.alarms, int(self._memory.epoch[0]))

    @property
    def wins(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(K, K): wins of i over j that the base has seen since the last alarm."""
        with self._turn:
            return np.asarray(self._memory.W).copy()

    @property
    def favourite(self) -> int:
        """The arm it thinks best: the one that beat the most others since the last alarm."""
        return counting.leader(self.wins)


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


@register
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
