"""What the state of an arena is made of: arms, pairs asked, answers that may be undone."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sparring.problem import Duel


class Pair(NamedTuple):
    """A pair that was asked about and is not answered yet."""

    t: int
    """The learner's round."""
    row: int
    """The id of the learner's row arm."""
    col: int
    """The id of its column arm."""
    swapped: bool
    """Whether the column arm is shown first."""
    at: int
    """When it was asked, in microseconds."""
    voter: str | None
    """Who was asked, by pseudonym."""
    seen: int = 0
    """When it was on the screen, if that was reported."""
    again: bool = False
    """Whether its ticket is from an undo, so that no event but its answer's says whose it is."""

    @property
    def shown(self) -> tuple[int, int]:
        """The ids of the arms in the order in which they are shown."""
        return (self.col, self.row) if self.swapped else (self.row, self.col)


class Fresh(NamedTuple):
    """An answer that its voter may still take back; it is learnt after that."""

    pair: Pair
    outcome: float
    """For the arm that was shown first."""
    until: int
    """When it can no longer be taken back, in microseconds."""
    verdict: str
    """On its voter: whether it will be learnt."""
    word: str
    """For the outcome, where that says more."""


class Drawn(NamedTuple):
    """What a learner chose, or is shown."""

    duel: Duel
    selves: list[int]
    """The ids of the arms that met themselves before."""
    uniform: bool = False
    """Whether it was drawn uniformly, and the learner only watches."""


@dataclass
class Arm:
    """An arm and how it did. Its id is its place in the list of all arms ever added."""

    name: str
    since: int
    """When it came, in microseconds."""
    withdrawn: int | None = None
    """When it went."""
    votes: int = 0
    """Answers on pairs that it was in."""
    wins: float = 0.0
    """Answers for it; a tie counts half."""
    share: float = 0.0
    """Its share of the places in recent pairs."""
    version: int = 0
    """How often its content was edited."""
    content: dict[str, Any] | None = None
    """What people are shown, if that is not its name."""
