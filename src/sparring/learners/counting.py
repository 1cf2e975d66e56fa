"""Counting: RUCB, RMED1 and double Thompson sampling on wins that may be forgotten."""

from typing import Any, ClassVar, Self

import numpy as np

from sparring import checks
from sparring._kernels import counts as kernels
from sparring.learners.compiled import Built, Compiled, Kernels
from sparring.problem import LONGEST
from sparring.streams import Seed

RULES = {"rucb": kernels.RUCB, "rmed1": kernels.RMED1, "thompson": kernels.THOMPSON}
LARGEST_WINDOW = 10**8
SMALLEST_DISCOUNT = 0.5


class Counting(Compiled):
    """A learner that counts who beat whom, and may forget.

    W(i, j) are the wins of i over j, N = W + W' and mu = W / N. By default nothing is forgotten.
    With a `window` only the latest duels count, their outcomes rounded to 24 binary digits. With a
    `discount` every round multiplies the earlier counts by it. Learners that forget nothing are
    meant for preferences that stay; there is no theorem for those that forget (Garivier and
    Moulines 2011 have one for bandits with rewards).

    Use the named learners (`rucb`, `rmed1`, `double_thompson`) unless you want other numbers.

    Parameters
    ----------
    K
        Number of arms.
    rule
        "rucb", "rmed1" or "thompson": how the counts choose a pair.
    window
        How many rounds are remembered; None for all.
    discount
        By what each round multiplies the earlier counts, in [1/2, 1]; 1 to forget nothing.
    alpha
        The width of the confidence bounds of RUCB and Thompson sampling, above 1/2 in theory.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = Counting(3, rule="thompson", window=1000, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.wins.sum() in (0.0, 1.0)  # 0 if an arm met itself
    True
    """

    KIND = "counts"
    MOST_ARMS = 5_000  # nearly half a gigabyte
    KERNELS: ClassVar[Kernels] = kernels
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {"W": (0, 1), "divergence": (0, 1)}

    def __init__(
        self,
        K: int,
        *,
        rule: str,
        window: int | None = None,
        discount: float = 1.0,
        alpha: float = 0.51,
        seed: Seed = None,
    ) -> None:
        super().__init__(K, checked(rule, window, discount, alpha), seed)

    def _build(self, *_: Any, **options: Any) -> Built:
        return Built(*parts(self.K, **options), players=0, note=0)

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        m = heir._memory
        places = {place: k for k, place in enumerate(before) if place is not None}
        m.favourite[0] = places.get(int(m.favourite[0]), -1)
        for n, pair in enumerate(zip(m.rows.tolist(), m.cols.tolist(), strict=True)):
            stays = all(arm in places for arm in pair)
            m.rows[n], m.cols[n] = (places[arm] for arm in pair) if stays else (-1, -1)
        if len(m.rows):
            m.outcomes[m.rows < 0] = 0.0
            m.mass[0] = (m.rows >= 0).sum()
        if self._options["rule"] == "rmed1":
            m.evidence[:] = m.divergence.sum(axis=1)
            begun = m.place[0] >= self.K * (self.K - 1) // 2
            m.place[:] = (heir.K * (heir.K - 1) // 2 if begun else 0, 0, 0)
        else:
            m.divergence[:] = 0.0  # kept chances; they are found again, as are sure losses

    @classmethod
    def _largest(cls, K: int, *, window: int | None = None, **_: Any) -> int:
        return max(K * K, window or 0)

    def _possible(self) -> bool:
        return possible(self._memory, self.K, self._options["discount"])

    @property
    def wins(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(K, K): wins of i over j that are remembered."""
        with self._turn:
            return np.asarray(self._memory.W / self._memory.unit[0])

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the one that beat the most others, by its counts."""
        return leader(self.wins)


def leader(wins: np.ndarray[Any, np.dtype[np.float64]]) -> int:
    """The arm that beat the most others more often than not; among ties, the one that won most.

    Examples
    --------
    >>> leader(np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 9.0], [4.0, 1.0, 0.0]]))
    1
    """
    met = wins + wins.T
    rate = wins.sum(axis=1) / np.maximum(met.sum(axis=1), 1e-300)
    beaten = (wins > wins.T).sum(axis=1)
    return int(np.lexsort((rate, beaten))[-1]) if met.any() else 0


def checked(rule: str, window: int | None, discount: float, alpha: float) -> dict[str, Any]:
    """The options of a learner that counts."""
    if not isinstance(rule, str) or rule not in RULES:
        raise checks.refuse("rule", f"one of {sorted(RULES)}", rule)
    if window is not None:
        window = checks.whole("window", window, low=1, high=LARGEST_WINDOW)
    discount = checks.real("discount", discount, low=SMALLEST_DISCOUNT, high=1)
    if window is not None and discount < 1:
        raise ValueError(
            f"give window or discount, not both; got window={window}, discount={discount:g}"
        )
    alpha = checks.real("alpha", alpha, low=0, high=1e6)
    return {"rule": rule, "window": window, "discount": discount, "alpha": alpha}


def parts(
    K: int, *, rule: str, window: int | None, discount: float, alpha: float
) -> tuple[kernels.Counts, kernels.CountsNumbers]:
    """New counts, and the numbers of checked options."""
    length = window or 0
    memory = kernels.Counts(
        W=np.zeros((K, K)),
        unit=np.ones(1),
        mass=np.zeros(1),
        rows=np.full(length, -1),
        cols=np.full(length, -1),
        outcomes=np.zeros(length),
        told=np.zeros(1, np.int64),
        favourite=np.full(1, -1),
        divergence=np.zeros((K, K)),
        evidence=np.zeros(K),
        order=np.zeros((2, K), np.int64),
        place=np.zeros(3, np.int64),
        scratch=np.zeros((2, K)),
        words=np.zeros(4, np.uint64),
    )
    numbers = kernels.CountsNumbers(
        K=K,
        rule=RULES[rule],
        alpha=alpha,
        slack=0.3 * K**1.01,
        window=length,
        discount=discount,
    )
    return memory, numbers


def possible(memory: kernels.Counts, K: int, discount: float) -> bool:
    """Whether kernels can work on these counts: all indices exist and all loops end."""
    unit, told, mass = memory.unit[0], memory.told[0], memory.mass[0]
    largest = kernels.BIG if discount < 1 else 1.0
    if not (1 <= unit <= largest and 0 <= told <= LONGEST and 0 <= mass <= told):
        return False
    latest = np.stack([memory.rows, memory.cols])
    fits = [
        (memory.W >= 0) & (unit * (1.0 + told) >= memory.W),
        (latest >= -1) & (latest < K),
        (latest[0] < 0) == (latest[1] < 0),
        (memory.favourite >= -1) & (memory.favourite < K),
        (memory.order[0] >= 0) & (memory.order[0] < K),
        (memory.place >= 0) & (memory.place[2] <= memory.place[1]) & (memory.place[1] <= K),
    ]
    if not all(part.all() for part in fits):
        return False
    return latest.size == 0 or _remembered(memory, latest, K)


def _remembered(memory: kernels.Counts, latest: Any, K: int) -> bool:
    """Whether the counts are those of the duels in the window."""
    rows, cols = latest
    o = memory.outcomes
    if not ((o >= 0) & (o <= 1)).all() or (o / kernels.GRAIN % 1).any():
        return False
    W, met = np.zeros((K, K)), (rows >= 0) & (rows != cols)
    np.add.at(W, (rows[met], cols[met]), o[met])
    np.add.at(W, (cols[met], rows[met]), 1 - o[met])
    return np.array_equal(W, memory.W) and memory.mass[0] == (rows >= 0).sum()
