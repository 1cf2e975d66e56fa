"""Several states of the world, each with counts of its own, and a belief which one holds.

A state is what double Thompson sampling knows (`thompson`), and forgets nothing. Two states are
drawn from the belief. If they are one, it chooses the pair; else the champions of both meet, which
tells them apart. One state is blank, for what is new: it takes every duel for a fair coin, and its
champion is any arm. An outcome moves the belief by Bayes' rule, and a little of it is spread again.

Duels are counted in the state that leads. Those since it was last sure are noted beside: a state
that takes over gets them, and the one before gives them back. When the blank one takes over, the
next slot is blank, or the one that has not led for longest, whose counts are forgotten.
"""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, outline, rounds
from sparring._random import arm, below
from sparring.learners import counts
from sparring.learners.counts import leader, limit_of, update_losses
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST
from sparring.streams import Seed

TOLD, LEADING, BEGUN, BLANK, ACTIVE, RECENT = range(6)  # the places of `counter`
LEAST = 1e-100  # belief, so that none is gone for good


class Seasons(NamedTuple):
    """What a learner knows; the first seven as in Counts, for each of M states."""

    W: Floats
    """(M, K, K)."""
    divergence: Floats
    """(M, K, K)."""
    evidence: Floats
    """(M, K)."""
    order: Ints
    """(M, 2, K)."""
    mass: Floats
    """(M,)."""
    favourite: Ints
    """(M,)."""
    unit: Floats
    """(1,): 1, as nothing is discounted."""
    belief: Floats
    """(M,): the chance that a state holds; 0 of slots that were never used."""
    recent: Floats
    """(K, K): wins in the duels since it was last sure which state leads; W has them, too."""
    latest: Ints
    """(M,): duels told when a state last led."""
    counter: Ints
    """(6,): duels told, the state that leads, duels told when it began to, the blank state, how
    many states there are, the blank one included, and how many duels `recent` has."""
    scratch: Floats
    """(2, K): for whoever chooses; nothing in it lasts."""
    words: Words
    """The random state."""


class SeasonsNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    states: int
    alpha: float
    """The width of confidence bounds."""
    hazard: float
    """c: a state that has held for a rounds changes with chance c / a."""
    youngest: float
    oldest: float
    """The least and the most a there is."""
    fresh: float
    """The part of changes that lead to something new."""
    turn: float
    """The belief with which a state takes the lead."""
    sure: float
    """That with which the one that leads keeps the recent duels,"""
    recent: int
    """if there are so many."""


@inline
def state_of(m, s):
    """The counts of a state, as double Thompson sampling takes them."""
    return counts.Counts(
        m.W[s],
        m.unit,
        m.mass[s : s + 1],
        m.counter[:0],
        m.counter[:0],
        m.unit[:0],
        m.counter[:0],
        m.favourite[s : s + 1],
        m.divergence[s],
        m.evidence[s],
        m.order[s],
        m.counter[:0],
        m.scratch,
        m.words,
    )


@inline
def numbers_of(n):
    """What tunes the counts."""
    return counts.CountsNumbers(n.K, counts.THOMPSON, n.alpha, 0.0, 0, 1.0)


@outline
def champion(m, n, s):
    """The arm that a state has for the best; for the blank one any."""
    if s == m.counter[BLANK]:
        return below(m.words, n.K)
    state, inner = state_of(m, s), numbers_of(n)
    return counts.champion(state, inner, update_losses(state, inner, limit_of(state, inner)))


@inline
def choose(r, note, m, n):
    """The pair to show next."""
    first = arm(m.words, m.belief, m.counter[ACTIVE])
    second = arm(m.words, m.belief, m.counter[ACTIVE])
    if first == second and first != m.counter[BLANK]:
        return counts.thompson_pair(state_of(m, first), numbers_of(n))
    return champion(m, n, first), champion(m, n, second)


@inline
def weigh(o, row, col, m):
    """Bayes' rule; returns the state that is believed most."""
    total = 0.0
    for s in range(m.counter[ACTIVE]):
        wins, defeats = m.W[s, row, col] + 1.0, m.W[s, col, row] + 1.0
        m.belief[s] *= (o * wins + (1.0 - o) * defeats) / (wins + defeats)
        total += m.belief[s]
    best = 0
    for s in range(m.counter[ACTIVE]):
        m.belief[s] /= total
        if m.belief[s] > m.belief[best]:
            best = s
    return best


@inline
def spread(m, n):
    """Let the world change with the chance of the leading state's age."""
    age = float(m.counter[TOLD] - m.counter[BEGUN])
    part = n.hazard / min(max(age, n.youngest), n.oldest)
    known = m.counter[ACTIVE] - 1
    for s in range(m.counter[ACTIVE]):
        share = n.fresh if s == m.counter[BLANK] else (1.0 - n.fresh) / known
        m.belief[s] = max((1.0 - part) * m.belief[s] + part * share, LEAST)


@inline
def wipe(m, n, s):
    """Forget a state's counts."""
    m.mass[s] = 0.0
    m.favourite[s] = -1
    m.latest[s] = 0
    for i in range(n.K):
        m.evidence[s, i] = 0.0
        m.order[s, 0, i] = 0
        m.order[s, 1, i] = 0
        for j in range(n.K):
            m.W[s, i, j] = 0.0
            m.divergence[s, i, j] = 0.0


@inline
def settle(m, n):
    """What was told lately is of the state that leads beyond doubt."""
    m.counter[RECENT] = 0
    for i in range(n.K):
        for j in range(n.K):
            m.recent[i, j] = 0.0


@inline
def move(m, n, s, sign):
    """Give a state the recent duels, or take them back."""
    for i in range(n.K):
        m.order[s, 1, i] = 0
        for j in range(n.K):
            m.W[s, i, j] = max(m.W[s, i, j] + sign * m.recent[i, j], 0.0)
            m.divergence[s, i, j] = 0.0


@outline
def follow(s, m, n):
    """Let another state lead: the recent duels are its own. If it was the blank one, another is."""
    old = m.counter[LEADING]
    move(m, n, old, -1.0)
    move(m, n, s, 1.0)
    settle(m, n)
    m.latest[old] = m.counter[TOLD]
    m.counter[LEADING] = s
    m.counter[BEGUN] = m.counter[TOLD]
    if s == m.counter[BLANK]:
        blank = m.counter[ACTIVE]
        if blank < n.states:
            m.counter[ACTIVE] += 1
        else:
            blank = old
            for other in range(n.states):
                if other != s and m.latest[other] < m.latest[blank]:
                    blank = other
            rest = 1.0 - m.belief[blank]  # at least `turn`, the belief in s
            m.belief[blank] = 0.0
            for other in range(n.states):
                m.belief[other] /= rest
        m.counter[BLANK] = blank
        wipe(m, n, blank)


@inline
def learn(o, row, col, note, m, n):
    """Learn an outcome."""
    m.counter[TOLD] += 1
    if row != col:
        best, lead = weigh(o, row, col, m), m.counter[LEADING]
        counts.credit(row, col, o, 1.0 - o, state_of(m, lead), numbers_of(n))
        m.recent[row, col] += o
        m.recent[col, row] += 1.0 - o
        m.counter[RECENT] += 1
        if best != lead and m.belief[best] > n.turn:
            follow(best, m, n)
        elif m.counter[RECENT] >= n.recent and m.belief[lead] > n.sure:
            settle(m, n)
    m.mass[m.counter[LEADING]] += 1.0
    spread(m, n)


MOST_STATES = 64
FRESH, TURN, SURE = 0.1, 0.9, 0.95  # chosen on three worlds (docs/seasons.md)


class Seasoned(Family):
    """Double Thompson sampling for each state of the world; use `seasoned`.

    Parameters
    ----------
    K
        Number of arms.
    states, hazard
        As for `seasoned`.
    alpha
        The width of the confidence bounds of double Thompson sampling.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = Seasoned(3, states=4, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.beliefs.shape, learner.state
    ((4,), 0)
    """

    KIND = "seasons"
    MOST_ARMS = 2_000  # half a gigabyte
    KERNELS = rounds(choose, learn, Seasons, SeasonsNumbers)
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {"W": (1, 2), "recent": (0, 1)}

    def __init__(
        self,
        K: int,
        *,
        states: int = 8,
        hazard: float = 0.25,
        alpha: float = 0.51,
        seed: Seed = None,
    ) -> None:
        options = {
            "states": checks.whole("states", states, low=2, high=MOST_STATES),
            "hazard": checks.real("hazard", hazard, low=1e-6, high=1),
            "alpha": checks.real("alpha", alpha, low=0, high=1e6),
        }
        super().__init__(K, options, seed)

    def _build(self, *_: Any, states: int, hazard: float, alpha: float) -> Built:
        K, M = self.K, states
        memory = Seasons(
            W=np.zeros((M, K, K)),
            divergence=np.zeros((M, K, K)),
            evidence=np.zeros((M, K)),
            order=np.zeros((M, 2, K), np.int64),
            mass=np.zeros(M),
            favourite=np.full(M, -1),
            unit=np.ones(1),
            belief=np.zeros(M),
            recent=np.zeros((K, K)),
            latest=np.zeros(M, np.int64),
            counter=np.zeros(6, np.int64),
            scratch=np.zeros((2, K)),
            words=np.zeros(4, np.uint64),
        )
        memory.belief[0] = 1.0
        memory.counter[BLANK] = 1
        memory.counter[ACTIVE] = 2
        numbers = SeasonsNumbers(
            K=K,
            states=M,
            alpha=alpha,
            hazard=hazard,
            youngest=float(K * K),
            oldest=10_000.0 * K,
            fresh=FRESH,
            turn=TURN,
            sure=SURE,
            recent=4 * K,
        )
        return Built(memory, numbers, players=0, note=0)

    @classmethod
    def _largest(cls, K: int, *_: Any, states: int = 2, **options: Any) -> int:
        return states * K * K

    def _possible(self) -> bool:
        m, M = self._memory, self._options["states"]
        told, leading, begun, blank, active, recent = m.counter.tolist()
        if not (0 <= begun <= told <= LONGEST and 0 <= recent <= told and 2 <= active <= M):
            return False
        most = 1.0 + told
        fits = [
            (m.W >= 0) & (most >= m.W),
            (m.recent >= 0) & (m.recent <= most),
            (m.mass >= 0) & (m.mass <= most),
            (m.favourite >= -1) & (m.favourite < self.K),
            (m.order >= 0) & (m.order < self.K),
            (m.divergence >= 0) & (m.divergence <= 1),
            (m.latest >= 0) & (m.latest <= told),
            (m.belief >= 0) & (m.belief <= 1 + 1e-9),
            m.unit == 1,
        ]
        believed = bool(m.belief[:active].any()) and not m.belief[active:].any()
        places = 0 <= leading < active and 0 <= blank < active and leading != blank
        return believed and places and all(bool(part.all()) for part in fits)

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        places = {place: k for k, place in enumerate(before) if place is not None}
        favourite = heir._memory.favourite
        favourite[:] = [places.get(arm, -1) for arm in favourite.tolist()]

    @property
    def state(self) -> int:
        """The number of the leading state."""
        with self._turn:
            return int(self._memory.counter[LEADING])

    @property
    def beliefs(self) -> Floats:
        """(states,): how much it believes in each state; 0 for those it has not needed yet."""
        with self._turn:
            return np.asarray(self._memory.belief.copy())

    @property
    def favourite(self) -> int:
        """The arm it thinks best: the one that beat the most others in the leading state."""
        with self._turn:
            return leader(self._memory.W[self._memory.counter[LEADING]])


@register()
def seasoned(
    K: int,
    *,
    states: int = 8,
    hazard: float = 0.25,
    seed: Seed = None,
) -> Seasoned:
    """A learner that remembers earlier states of the world, for tastes that come back.

    Each state has its own counts, on which double Thompson sampling plays (`double_thompson`), and
    a belief b. Each round draws two states from b. If both are the same, that state chooses the
    pair; if they differ, their champions meet. One state is blank: its champion is a random arm,
    and it takes every duel for a fair coin. After an outcome o of i and j

        b(s) ~ b(s) (o W_s(i, j) + (1 - o) W_s(j, i) + 1) / (W_s(i, j) + W_s(j, i) + 2),

    then the share c / a is spread, where a is how long the leading state has led: a tenth to the
    blank state, the rest over all others. A state takes the lead if its b is above 0.9. It takes
    over the duels since the former leader was last sure (b > 0.95).

    It is ours, made from known parts: Bayes' rule with changes of state is the forward pass of a
    hidden Markov model, and giving a share back to what was once good is Bousquet and Warmuth's
    (2002). There is no theorem. It needs to know neither periods nor the number of seasons. Where
    nothing comes back it has more regret than `tracker`, up to twice as much in docs/seasons.md,
    and where arms beat each other in circles it plays like D-TS. Its constants were chosen on three
    worlds (docs/seasons.md).

    Parameters
    ----------
    K
        Number of arms.
    states
        How many states it remembers, the blank one included, from 2 to 64.
    hazard
        c; a is at least K^2 and at most 10,000 K duels.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = seasoned(5, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.state
    0
    """
    return Seasoned(K, states=states, hazard=hazard, seed=seed)
