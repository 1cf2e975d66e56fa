"""Bradley-Terry strengths that forget, as a learner: pairs are chosen by them as by ratings.

How strengths follow votes is in `sparring._strengths`; the clock is duels told, so a
self-duel says nothing, but time passes.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from sparring import _strengths as strengths
from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, rounds
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.learners.ratings import HIGHEST, PAIRINGS, pair, paired
from sparring.problem import LONGEST
from sparring.streams import Seed

LONGEST_HALF_LIFE = 1e12


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
    words: Words
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
def choose(r, note, m, n):
    """The pair to show next."""
    for k in range(n.K):
        m.variance[k] = 1.0 / m.information[k]
    return pair(m.mu, m.variance, m.words, n)


@inline
def learn(o, row, col, note, m, n):
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


class BradleyTerry(Family):
    """A learner that uses Bradley-Terry strengths and forgets; use `bradley_terry`.

    Parameters
    ----------
    K
        Number of arms.
    pairing, explore, half, deviation
        As for `bradley_terry`; `half` is 100 K if None.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = BradleyTerry(3, pairing="random", seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.favourite == duel.row
    True
    """

    KIND = "strengths"
    MOST_ARMS = 5_000  # nearly half a gigabyte
    KERNELS = rounds(choose, learn, Fitted, FittedNumbers)
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {
        "mu": (0,),
        "information": (0,),
        "met": (0, 1),
        "won": (0, 1),
    }

    def __init__(
        self,
        K: int,
        *,
        pairing: str,
        explore: float = 0.1,
        half: float | None = None,
        deviation: float = 1.0,
        seed: Seed = None,
    ) -> None:
        options = paired(pairing, explore)
        if half is not None:
            half = checks.real("half", half, low=1, high=LONGEST_HALF_LIFE)
        deviation = checks.real("deviation", deviation, low=0.01, high=100)
        super().__init__(K, {**options, "half": half, "deviation": deviation}, seed)

    def _build(self, *_: Any, **options: Any) -> Built:
        K, ridge = self.K, options["deviation"] ** -2
        memory = Fitted(
            mu=np.zeros(K),
            information=np.full(K, ridge),
            met=np.zeros((K, K)),
            won=np.zeros((K, K)),
            state=np.zeros(strengths.SIZE),
            told=np.zeros(1, np.int64),
            variance=np.zeros(K),
            words=np.zeros(4, np.uint64),
        )
        memory.state[strengths.SIDE_INFORMATION] = strengths.CERTAIN
        numbers = FittedNumbers(
            K=K,
            pairing=PAIRINGS[options["pairing"]],
            explore=options["explore"],
            scale=1.0,
            ridge=ridge,
            half=options["half"] or 100.0 * K,
            block=max(strengths.FIRST, K),
        )
        return Built(memory, numbers, players=0, note=0)

    @classmethod
    def _largest(cls, K: int, *_: Any, **options: Any) -> int:
        return K * K

    def _possible(self) -> bool:
        m, ridge = self._memory, FittedNumbers(*self._numbers).ridge
        told = float(m.told[0])
        state = m.state
        known = (strengths.SIDE, strengths.SIDE_INFORMATION)
        fits = 0 <= told <= LONGEST and tuple(state[list(known)]) == (0.0, strengths.CERTAIN)
        passed = state[[strengths.VOTES, strengths.SINCE, strengths.ORIGIN, strengths.LATEST]]
        fits &= bool((passed >= 0).all() and (passed <= told).all())
        fits &= bool((abs(m.mu) <= HIGHEST).all() and (m.information >= ridge * 0.999).all())
        fits &= bool((m.won >= 0).all() and (m.won <= m.met).all())
        return fits and not m.met.diagonal().any()

    @property
    def strengths(self) -> Floats:
        """(K,): the strengths, in log-odds."""
        with self._turn:
            return np.asarray(self._memory.mu.copy())

    @property
    def deviations(self) -> Floats:
        """(K,): the standard deviation of each strength if the others are known."""
        with self._turn:
            return np.asarray(1 / np.sqrt(self._memory.information))

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the strongest."""
        return int(np.argmax(self.strengths))


@register()
def bradley_terry(
    K: int,
    *,
    pairing: str = "thompson",
    half: float | None = None,
    explore: float = 0.1,
    seed: Seed = None,
) -> BradleyTerry:
    """Bradley and Terry's (1952) strengths, as in leaderboards, fitted to duels that fade.

    P(i, j) = logistic(s(i) - s(j)), s ~ N(0, 1), and a duel of age a counts 2^(-a / half). Each
    duel takes a Newton step of its two arms, and every K duels a sweep over all arms brings the
    strengths in line with all that is remembered: the fit by which `sparring.votes` predicts votes.
    The doubt of a strength is 1 / sqrt(information) as if the others were known, which is too
    small. The half-life of 100 K duels is ours, as is how pairs are chosen. There is no theorem
    about regret.

    Parameters
    ----------
    K
        Number of arms.
    pairing
        As for `glicko2`.
    half
        Duels after which a duel counts half; None for 100 K.
    explore
        The share of random pairs, if `pairing` is "greedy".
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = bradley_terry(5, half=1_000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return BradleyTerry(K, pairing=pairing, half=half, explore=explore, seed=seed)
