"""Beat the Winner: the last winner stays, and all others take turns against it."""

from typing import ClassVar

import numpy as np

from sparring import checks
from sparring._kernels import beatwinner as kernels
from sparring.learners.compiled import Built, Compiled, Kernels
from sparring.learners.registry import register
from sparring.problem import LONGEST
from sparring.streams import Seed

FASTEST = 10.0  # growth of the stretches of self-duels


class BeatTheWinner(Compiled):
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
    KERNELS: ClassVar[Kernels] = kernels

    def __init__(self, K: int, *, strong: float | None = None, seed: Seed = None) -> None:
        if strong is not None:
            strong = checks.real("strong", strong, low=1, high=FASTEST)
        super().__init__(K, {"strong": strong}, seed)
        kernels.begin(tuple(self._memory), self._numbers)

    def _build(self, *, strong: float | None) -> Built:
        memory = kernels.Arena(
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
        return Built(memory, kernels.BeatWinnerNumbers(self.K, strong or 0.0), players=0, note=1)

    def _possible(self) -> bool:
        m = self._memory
        arms = np.sort(np.append(m.queue, m.incumbent))
        fits = bool((arms == np.arange(self.K)).all()) and 0 <= m.head[0] < self.K - 1
        fits &= 1 <= m.goal[0] <= LONGEST and 0 <= m.pairing[0] <= LONGEST
        fits &= bool((m.wins >= 0).all() and (m.wins < m.goal[0]).all())
        fits &= bool(1 <= m.stretch[0] <= kernels.LONGEST_STRETCH)
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


@register
def btwr(
    K: int, T: int | None = None, *, strong: float | None = None, seed: Seed = None
) -> BeatTheWinner:
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
    T
        Not used; accepted because the other learners take it.
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
