"""What a learner is: `ask`, `tell`, and for speed and safety `play` and `snapshot`."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.problem import Block, Duel, Plays


class Learner(Protocol):
    """Two players that choose an arm each and learn from who won.

    A learner never sees a preference matrix, a regret or a loop. `sparring.testing.check_learner`
    tells whether a class keeps this protocol.
    """

    @property
    def K(self) -> int:
        """Number of arms."""
        ...

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K): what the next `ask` draws from."""
        ...

    def ask(self) -> Duel:
        """Choose the next pair."""
        ...

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn the outcome of a duel: 1 row won, 0 column won, 0.5 a tie."""
        ...

    def play(self, block: Block, coins: NDArray[np.float64]) -> Plays:
        """Play a whole block: row wins where the round's coin is below P[row, col]."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; restored, it goes on bit for bit."""
        ...
