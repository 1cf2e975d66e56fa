"""Beat the Winner Reset (Kolpaczki, Bengs and Huellermeier 2022): whoever wins stays.

The incumbent and the challenger duel until one of them has c wins. The loser goes to the back of
the queue, and the first in it is the next challenger.
"""

from typing import NamedTuple

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, online, rounds
from sparring._random import below
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST
from sparring.streams import Seed

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
    words: Words
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
def choose(r, note, m, n):
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
def learn(o, row, col, note, m, n):
    """Count the outcome for the present pairing, if it is of it."""
    if note[0] == m.pairing[0]:
        m.wins[0] += o
        m.wins[1] += 1.0 - o
        if max(m.wins[0], m.wins[1]) >= m.goal[0]:
            decide(m, n)


FASTEST = 10.0  # growth of the stretches of self-duels


class BeatTheWinner(Family):
    """Beat the Winner Reset; use `btwr`, where it is explained.

    Parameters
    ----------
    K, strong, seed
        As for `btwr`.

    Examples
    --------
    >>> learner = BeatTheWinner(3, seed=1)
    >>> learner.ask().row == learner.incumbent
    True
    """

    KIND = "beat the winner"
    KERNELS = rounds(choose, learn, Arena, BeatWinnerNumbers)

    def __init__(self, K: int, *, strong: float | None = None, seed: Seed = None) -> None:
        if strong is not None:
            strong = checks.real("strong", strong, low=1, high=FASTEST)
        super().__init__(K, {"strong": strong}, seed)
        begin(self._state.arrays, self._numbers)

    def _build(self, *, strong: float | None) -> Built:
        memory = Arena(
            incumbent=np.zeros(1, np.int64),
            queue=np.zeros(self.K - 1, np.int64),
            head=np.zeros(1, np.int64),
            goal=np.ones(1, np.int64),
            wins=np.zeros(2),
            pairing=np.zeros(1, np.int64),
            stretch=np.ones(1),
            rest=np.zeros(1),
            words=np.zeros(4, np.uint64),
        )
        return Built(memory, BeatWinnerNumbers(self.K, strong or 0.0), players=0, note=1)

    def _possible(self) -> bool:
        m = self._memory
        arms = np.sort(np.append(m.queue, m.incumbent))
        fits = bool((arms == np.arange(self.K)).all()) and 0 <= m.head[0] < self.K - 1
        fits &= 1 <= m.goal[0] <= LONGEST and 0 <= m.pairing[0] <= LONGEST
        fits &= bool((m.wins >= 0).all() and (m.wins < m.goal[0]).all())
        fits &= bool(1 <= m.stretch[0] <= LONGEST_STRETCH)
        return fits and bool(0 <= m.rest[0] <= m.stretch[0])

    @property
    def incumbent(self) -> int:
        """The arm that won the last pairing: the present guess at the winner."""
        with self._turn:
            return int(self._memory.incumbent[0])

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the incumbent."""
        return self.incumbent

    @property
    def streak(self) -> int:
        """How many pairings in a row the incumbent has won; the next takes one more win."""
        with self._turn:
            return int(self._memory.goal[0]) - 1


@register()
def btwr(K: int, *, strong: float | None = None, seed: Seed = None) -> BeatTheWinner:
    """Beat the Winner Reset (Kolpaczki, Bengs and Huellermeier 2022; TMLR 2024): no parameters.

    All arms stand in a queue, in random order. The first is the incumbent I, the second the
    challenger J, and c = 1. They duel until one has c wins. If I won, J goes to the back and c
    grows by 1; else I goes to the back, J is the incumbent, and c = 1 again. The next challenger is
    the first in the queue. An outcome o between 0 and 1 is o of a win for one and 1 - o for the
    other; if both reach c at once, I wins.

    The expected weak regret, which charges only the better arm of each pair, is O(S K ln K / gap^2)
    over S segments whose winner beats all others with at least 1/2 + gap (from memory). Measure it
    by weak regret, `Regret("preference", ..., "weak")`: a challenger is in every duel, so the
    strong regret and that of both players grow linearly in T. Where no arm beats all others, the
    incumbent keeps changing. Only answers to the present pairing count; with many open duels at a
    time, most come too late.

    Parameters
    ----------
    K
        Number of arms.
    strong
        beta in [1, 10], for a variant meant for strong regret: after the l-th pairing the incumbent
        duels itself floor(beta^l) times, with 1.05 in a public implementation of the authors'
        experiments. l never starts again, so after a few hundred pairings it no longer follows
        changes. None for no self-duels.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = btwr(5, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 0.0)  # the challenger wins, and is the incumbent
    >>> learner.incumbent == duel.col
    True
    """
    return BeatTheWinner(K, strong=strong, seed=seed)
