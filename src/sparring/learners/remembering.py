"""seasoned: a learner that remembers earlier states of the world and recognises them."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels import seasons as kernels
from sparring.learners.compiled import Built, Compiled, Kernels
from sparring.learners.counting import leader
from sparring.learners.registry import register
from sparring.problem import LONGEST
from sparring.streams import Seed

MOST_STATES = 64
FRESH, TURN, SURE = 0.1, 0.9, 0.95  # chosen on three worlds (docs/seasons.md)


class Seasoned(Compiled):
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
    KERNELS: ClassVar[Kernels] = kernels
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
        memory = kernels.Seasons(
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
        memory.counter[kernels.BLANK] = 1
        memory.counter[kernels.ACTIVE] = 2
        numbers = kernels.SeasonsNumbers(
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
            return int(self._memory.counter[kernels.LEADING])

    @property
    def beliefs(self) -> NDArray[np.float64]:
        """(states,): how much it believes in each state; 0 for those it has not needed yet."""
        with self._turn:
            return np.asarray(self._memory.belief.copy())

    @property
    def favourite(self) -> int:
        """The arm it thinks best: the one that beat the most others in the leading state."""
        with self._turn:
            return leader(self._memory.W[self._memory.counter[kernels.LEADING]])


@register
def seasoned(
    K: int,
    T: int | None = None,
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
    T
        Not used; accepted because the other learners take it.
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
