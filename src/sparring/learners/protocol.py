"""What a learner is: it asks and is told."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.problem import Duel


@runtime_checkable
class Learner(Protocol):
    """Two players that choose an arm each and learn from who won.

    A learner never sees a preference matrix, a regret or a loop. Two more methods are welcome:
    `play(block, coins) -> Plays`, a whole block at once, for speed, and `snapshot() -> dict`, for
    restarts; `ExponentialWeights` has both. `sparring.testing.check_learner` tells whether a class
    keeps the protocol, and checks the two where they are.
    """

    @property
    def K(self) -> int:
        """Number of arms."""
        ...

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K): what the next `ask` draws the two arms from, independently of each other.

        A learner that does not draw them independently has no players: p is (0, K).
        """
        ...

    def ask(self) -> Duel:
        """Choose the next pair."""
        ...

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn the outcome of a duel: 1 row won, 0 column won, 0.5 a tie."""
        ...
