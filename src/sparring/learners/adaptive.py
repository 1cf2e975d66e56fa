"""tracker: the learner that needs only K, for a few hundred votes and for millions."""

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels import adaptive as kernels
from sparring._kernels.ages import FLOOR, GRID, LIFT, Ages, AgesNumbers
from sparring._kernels.responses import GOLDEN, NONE
from sparring.learners.compiled import Built, Compiled, Kernels, Note
from sparring.learners.registry import register_unplanned
from sparring.problem import LONGEST, Problem
from sparring.streams import Seed

OLDEST = 10_000  # duels for each arm: a service never grows more careless than at this age
DRAWS = 1000  # of everything unknown, behind `chances`: a chance of 1/2 is then known to 0.03


class Adaptive(Compiled):
    """The learner behind `tracker`; see there what it does.

    Parameters
    ----------
    K, differ, oldest, seed
        As for `tracker`.

    Examples
    --------
    >>> learner = Adaptive(3, differ=True, seed=1)
    >>> duel = learner.ask()
    >>> duel.row != duel.col
    True
    """

    KIND = "adaptive"
    COPIED_ONCE = True
    MOST_ARMS = 2_000  # more than a gigabyte
    KERNELS: ClassVar[Kernels] = kernels
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {
        "W": (1, 2),
        **dict.fromkeys(("A", "median", "y", "phase", "drawn"), (0,)),
    }

    def __init__(
        self, K: int, *, differ: bool = False, oldest: float | None = None, seed: Seed = None
    ) -> None:
        if oldest is not None:
            never = isinstance(oldest, (float, np.floating)) and oldest == math.inf
            rest = LONGEST if never else oldest
            oldest = checks.real("oldest", rest, low=1, high=LONGEST, remedy="math.inf is never")
        super().__init__(K, {"differ": checks.flag("differ", differ), "oldest": oldest}, seed)
        self._book.differ = differ

    def _build(self, *, differ: bool, oldest: float | None) -> Built:
        K = self.K
        A = np.zeros((K, GRID))
        A[:, 0] = 1.0
        memory = Ages(
            W=np.zeros((GRID, K, K)),
            slot=np.arange(GRID),
            start=np.zeros(GRID, np.int64),
            A=A,
            median=np.zeros(K, np.int64),
            counter=np.array([1, 0, 0]),
            reign=np.zeros(2),
            y=np.full(K, 1.0 / K),
            phase=np.arange(float(K)) * GOLDEN**2 % 1.0,
            suspicion=np.array([0, NONE, NONE, 0, 0]),
            odds=np.zeros(3),
            drawn=np.zeros(K, np.int64),
            rivals=np.zeros(K, np.int64),
            chance=np.zeros((3, GRID)),
            z=np.zeros(K + 1),
            words=np.zeros(4, np.uint64),
        )
        numbers = AgesNumbers(K, float(OLDEST * K if oldest is None else oldest), int(differ))
        return Built(memory, numbers, players=0, note=4)

    def _possible(self) -> bool:
        m, K = self._memory, self.K
        starts, told, row = (int(number) for number in m.counter)
        if not (1 <= starts <= GRID and 0 <= told <= LONGEST and 0 <= row < K):
            return False
        grid, later = m.start[:starts], m.start[1:starts]
        pair = m.suspicion[1:3]
        fits = [
            np.sort(m.slot) == np.arange(GRID),
            (grid >= 0) & (grid <= told),
            later > grid[:-1],
            (m.W >= 0) & (told >= m.W),
            (m.A >= 0) & (m.A <= 1) & (np.arange(GRID) < starts) | (m.A == 0),
            np.abs(m.A.sum(axis=1) - 1) < 1e-6,
            (m.y >= 0) & (np.abs(m.y.sum() - 1) < 1e-6),
            (m.phase >= 0) & (m.phase < 1),
            (m.reign >= 0) & (m.reign <= told),
            (m.median >= 0) & (m.median < starts),
            (m.drawn >= 0) & (m.drawn < GRID),  # of the last ask: starts may have gone since
            (pair >= NONE) & (pair < K),
            m.suspicion[[0, 3, 4]] >= 0,
            (m.suspicion[3:] <= told) & (pair[1] != NONE) | (pair[0] == NONE),
            m.odds >= 0 if pair[0] != NONE else m.odds[1:] >= 0,
        ]
        return bool(all(part.all() for part in fits))

    def _note_of(self, row: int, col: int, p: Any) -> Note:
        m, note = self._memory, np.empty(4)  # filled one by one: an index array takes longer
        note[0], note[1] = m.counter[1], NONE
        note[2], note[3] = m.start[m.median[row]], m.start[m.median[col]]
        return note

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        m = heir._memory
        new = [k for k, place in enumerate(before) if place is None]
        newest = int(m.counter[0]) - 1
        m.A[new] = np.arange(GRID) == newest  # it is as it is since just now
        m.median[new] = m.drawn[new] = newest
        if new:
            for k in new:  # one by one, so that it does not matter how many come together
                m.y[k] = FLOOR
                m.y[: k + 1] /= m.y[: k + 1].sum()
        else:
            m.y[:] /= m.y.sum()
        m.counter[2] = before.index(m.counter[2]) if m.counter[2] in before else m.y.argmax()
        pair = m.suspicion[1:3].tolist()
        if all(arm in before for arm in pair):
            m.suspicion[1:3] = [before.index(arm) for arm in pair]
        else:
            m.suspicion[1:] = (NONE, NONE, 0, 0)
            m.odds[:] = 0.0

    @classmethod
    def _largest(cls, K: int, *_: Any, **options: Any) -> int:
        return GRID * K * K

    def _fits(self, row: int, col: int, note: NDArray[np.float64]) -> bool:
        m, (told, suspicion, *starts) = self._memory, note
        fits = all(0 <= number <= m.counter[1] for number in (told, *starts))
        return fits and bool(NONE <= suspicion <= m.suspicion[0])

    def _copied(self) -> tuple[Ages, Any]:
        """A copy of what it knows, to look at while others continue, and its numbers."""
        with self._turn:
            return self._copied_memory(), self._numbers

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: it gains most against those shown recently."""
        with self._turn:
            return _favourite(self._memory)

    @property
    def chances(self) -> NDArray[np.float64]:
        """(K,): for each arm, how probable it is that it is the best now.

        It makes 1,000 draws of all that is unknown: since when each arm is as it is, and who beats
        whom. Looking changes nothing. docs/tracker.md has how well it is calibrated.
        """
        return _chances(*self._copied())

    @property
    def confidence(self) -> float:
        """How probable it is that the favourite is the best arm now, by `chances`."""
        memory, numbers = self._copied()
        favourite = _favourite(memory)
        return float(_chances(memory, numbers)[favourite])


@register_unplanned
def tracker(
    K: int,
    *,
    T: int | None = None,
    differ: bool = False,
    oldest: float | None = None,
    seed: Seed = None,
) -> Adaptive:
    """The learner we recommend: told only K, it finds the best arm and follows it as tastes change.

    Every arm has a hidden start: the time since when it has been as it is. The learner keeps a
    posterior over these starts and, from each start on, counts of who beat whom. A change comes
    with hazard 1 / (8 age), which has no scale, so neither T nor the number of changes is needed.
    Let y be the mixture of arms shown recently. The row arm is the best response to y under
    preferences drawn from what most likely holds now; the column arm is the best response under
    preferences drawn from all that may hold. Where one arm beats all others, y becomes that arm,
    and the column is an arm that might beat it now. Where arms beat each other in circles, this is
    fictitious play, which approaches a von Neumann winner. docs/learners.md has the mathematics.

    No theorem bounds its regret; that of `steady` has a bound. Over all worlds of the league
    (docs/league.md) it has the least regret, even beside learners that are told T and S.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    differ
        Whether to show two different arms in every round, for a page that must not show one twice.
        If False, an arm meets itself when there is nothing to learn: no vote is needed, tell 0.5.
    oldest
        The age, in duels, beyond which it does not get less watchful, so that it still notices a
        change after years of calm: 10,000 for each arm if None, math.inf for no limit.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = tracker(K=4, seed=7)
    >>> for _ in range(500):  # a crowd that likes arm 2
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.row == duel.col else float(duel.row == 2))
    >>> learner.favourite, learner.confidence > 0.9
    (2, True)
    """
    if T is not None:
        Problem(K, T)
    return Adaptive(K, differ=differ, oldest=oldest, seed=seed)


def preferences(m: Ages) -> NDArray[np.float64]:
    """(K, K): the expected chance that i beats j, over all starts of both; 1/2 on the diagonal."""
    n = int(m.counter[0])
    A = m.A[:, :n]
    before = np.cumsum(A, axis=1) - A
    W = m.W[m.slot[:n]]
    met = W + W.transpose(0, 2, 1)
    same, risen = (W + 1) / (met + 2), (W + 1 + LIFT) / (met + 2 + LIFT)
    by_both = np.einsum("iq,jq,qij->ij", A, A, same)
    by_first = np.einsum("iq,jq,qij->ij", A, before, risen)  # i changed later, at q
    found = by_both + by_first + before @ A.T - by_first.T
    found.flat[:: len(A) + 1] = 0.5
    return np.asarray(found)


def _favourite(m: Ages) -> int:
    """The arm expected to gain most against the arms shown recently."""
    return int(((preferences(m) - 0.5) @ m.y).argmax())


def _chances(m: Ages, numbers: Any) -> NDArray[np.float64]:
    """How often each arm is the best response in many draws, which advance the random state."""
    best = np.zeros(len(m.y), np.int64)
    kernels.count_best(DRAWS, best, tuple(m), numbers)
    return np.asarray(best / DRAWS)
