"""What a learner is: it asks, and you tell it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.durations import Moment
from sparring.problem import Duel


@runtime_checkable
class Learner(Protocol):
    """Two players that choose an arm each and learn from who won.

    A learner never sees a preference matrix, a regret or a loop. Two more methods are useful:
    `play(block, coins) -> Plays`, which plays a whole block at once, for speed, and `snapshot() ->
    dict`, for restarts. `ExponentialWeights` has both. `sparring.testing.check_learner` checks
    whether a class keeps the protocol, and these two if it has them.
    """

    @property
    def K(self) -> int:
        """Number of arms."""
        ...

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K): what the next `ask` draws the two arms from, independently of each other.

        A learner that draws both from one row, given that they differ, says so in its duels. A
        learner that chooses in another way has no players: p is (0, K).
        """
        ...

    def ask(self) -> Duel:
        """Choose the next pair."""
        ...

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn the outcome of a duel: 1 row won, 0 column won, 0.5 a tie."""
        ...


@runtime_checkable
class OnlineLearner(Learner, Protocol):
    """All that a service needs from a learner: what `sparring.restore` returns.

    Every learner of this package is one.
    """

    @property
    def t(self) -> int:
        """Rounds asked so far."""
        ...

    @property
    def differ(self) -> bool:
        """Whether every duel it asks has two different arms."""
        ...

    @property
    def arms(self) -> tuple[str, ...] | tuple[int, ...]:
        """The names of the arms by position; numbers if they have none."""
        ...

    @property
    def favourite(self) -> int:
        """The position of the arm it thinks best at present."""
        ...

    @property
    def open(self) -> Mapping[int, Duel]:
        """The duels asked and not yet told, by round."""
        ...

    def ask(self, *, distinct: bool = False) -> Duel:
        """Choose the next pair, of two different arms if asked for."""
        ...

    def tell(self, duel: Duel, outcome: float | str, *, at: Moment | None = None) -> None:
        """Learn the outcome of a duel: a number from 0 to 1, or the winner's name."""
        ...

    def named(self, names: Sequence[str]) -> Self:
        """Give the arms names, by position."""
        ...

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all asked before a round; returns how many."""
        ...

    def watch(self, row: int, col: int, p: Any = None) -> Duel:
        """Enter a duel that someone else chose."""
        ...

    def adopt(self, duel: Duel) -> Duel:
        """Accept a duel that was lost in a crash."""
        ...

    def add(self, name: str | None = None, *, boost: float = 1.0) -> None:
        """Add an arm."""
        ...

    def withdraw(self, arm: int | str) -> None:
        """Remove an arm."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """Everything it knows, for `json.dumps`."""
        ...
