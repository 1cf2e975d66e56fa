"""Sparring: two bandit learners that play against each other, or one against itself."""

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels import players as kernels
from sparring.learners.compiled import Built, Compiled, Kernels, Note
from sparring.problem import LONGEST
from sparring.streams import Seed
from sparring.tunings import bases
from sparring.tunings.bases import Base, Exp3, Exp3SIX, TsallisINF

ROUNDING = 1e-9  # by which a distribution may miss the sum 1
FARTHEST = 1e200  # that a sum of estimates can be from 0


class Sparring(Compiled):
    """Bandit learners as a learner for duels (Ailon, Karnin and Joachims 2014).

    Two copies of a `base` play against each other: one chooses the row arm and is paid o, the other
    the column arm and is paid 1 - o. The strong regret is the mean of their two regrets, so a bound
    on one player's regret against an adaptive adversary also bounds the strong regret. With
    `players=1` there is one copy, both arms are drawn from its distribution, and it learns from the
    mean of the two slots' estimates: for a loss, for instance, (1{row = k} (1 - o) + 1{col = k} o)
    / (2 (p(k) + gamma)).

    A late answer counts with the probabilities that its arms were drawn with.

    Use the named learners (`versatile_db`, `sym_exp3six` and others) unless you want other numbers.

    Parameters
    ----------
    K
        Number of arms.
    base
        `Exp3`, `Exp3SIX` or `TsallisINF`.
    players
        2, or 1 for one player in both slots.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = Sparring(3, TsallisINF(), players=1, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p.shape
    (1, 3)
    """

    KIND = "sparring"
    KERNELS: ClassVar[Kernels] = kernels
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = dict.fromkeys(("p", "high", "low"), (1,))

    def __init__(
        self, K: int, base: Base | dict[str, Any], *, players: int = 2, seed: Seed = None
    ) -> None:
        base = bases.from_json(base) if isinstance(base, dict) else base
        if not isinstance(base, Base):
            raise checks.refuse("base", f"one of sparring's {', '.join(bases.BASES)}", base)
        players = checks.whole("players", players, low=1, high=2)
        self._base = base
        super().__init__(K, {"base": bases.to_json(base), "players": players}, seed)

    @property
    def base(self) -> Base:
        """The learner of the players."""
        return self._base

    def _build(self, *, base: dict[str, Any], players: int) -> Built:
        K = self.K
        shape = (players, K)
        memory = kernels.Players(
            p=np.full(shape, 1 / K),
            high=np.zeros(shape),
            low=np.zeros(shape),
            told=np.zeros(1, np.int64),
            words=np.zeros(4, np.uint64),
        )
        return Built(memory, numbers_of(K, players, self._base), players, note=players * K)

    def _possible(self) -> bool:
        m = self._memory
        fits = bool(0 <= m.told[0] <= LONGEST)
        fits &= bool((abs(m.high) <= FARTHEST).all() and (abs(m.low) <= abs(m.high)).all())
        return fits and distributions(m.p, self._least())

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        m, new = heir._memory, [k for k, place in enumerate(before) if place is None]
        for player, p in enumerate(self._memory.p):
            if isinstance(self._base, TsallisINF):
                apart = math.sqrt(self.K / boost) - 1 / math.sqrt(p.max())
                least = self._memory.high[player].min()
                m.high[player, new] = least + max(apart, 0.0) * math.sqrt(m.told[0] + 1.0)
            else:
                top = self._memory.high[player].max()
                mean = np.exp(self._memory.high[player] - top).mean()
                m.high[player, new] = top + math.log(boost * mean)
            m.low[player, new] = 0.0
            m.p[player, new] = boost / self.K
        kernels.refresh_all(tuple(m), heir._numbers)

    def _renoted(self, note: Note, before: list[int | None]) -> Note:
        renoted, players = super()._renoted(note, before), self._players * len(before)
        mixing = self._base.gamma if isinstance(self._base, Exp3) else 0.0
        renoted[:players] = np.maximum(renoted[:players], mixing / len(before))
        return renoted

    def _least(self) -> float:
        """The least chance that mixing leaves each arm, rounded down."""
        mixing = self._base.gamma if isinstance(self._base, Exp3) else 0.0
        return 0.99 * mixing / self.K

    def _distributions(self) -> NDArray[np.float64]:
        p: NDArray[np.float64] = self._memory.p
        return p

    def _fits(self, row: int, col: int, note: NDArray[np.float64]) -> bool:
        p, least = self._shown(note), self._least()
        most = 1.0 + self.K * least + ROUNDING  # less if arms are gone, more if that raised some
        fits = bool((p >= 0).all() and (p.sum(axis=1) <= most).all())
        return fits and bool(min(p[0, row], p[-1, col]) >= max(least, 1 / FARTHEST))


def numbers_of(K: int, players: int, base: Base) -> kernels.PlayersNumbers:
    """What tunes the kernels."""
    match base:
        case Exp3():
            return kernels.PlayersNumbers(K, players, kernels.EXP3, 0.0, base.gamma, 0.0)
        case Exp3SIX():
            rates = base.eta, base.gamma, base.alpha
            return kernels.PlayersNumbers(K, players, kernels.IMPLICIT, *rates)
        case TsallisINF():
            return kernels.PlayersNumbers(K, players, kernels.TSALLIS, 0.0, 0.0, 0.0)


def distributions(p: NDArray[np.float64], least: float) -> bool:
    """Whether each row is a distribution with no entry below the least."""
    return bool((p >= least).all() and (abs(p.sum(axis=1) - 1) <= ROUNDING).all())
