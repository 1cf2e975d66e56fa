"""A world of the league: what is charged there, and what learners are told about it."""

from dataclasses import dataclass, replace
from typing import Any

from sparring.problem import Problem
from sparring.regret import Regret
from sparring.simulation.entrants import known


@dataclass(frozen=True)
class Fixture:
    """A world of the league, and what is charged there."""

    name: str
    title: str
    world: Any
    benchmark: str
    """That of the regret: "horizon", "stretch" or "round"."""
    winner: bool
    """Whether in each round one arm does best against every other."""
    few: bool = False
    """Whether it is of few votes: a field of its own plays there, and favourites are noted."""

    @property
    def regret(self) -> Regret:
        """What decides the match."""
        return Regret("preference", self.benchmark)

    @property
    def borda(self) -> Regret:
        """What is noted for learners that aim at Borda scores."""
        return Regret("borda", self.benchmark)

    @property
    def changes(self) -> tuple[int, ...] | None:
        """The rounds, from 1, in which there is something to notice; None if it has none."""
        return changes_of(self.world)

    @property
    def told(self) -> Problem:
        """What learners may be told: what the world states.

        For a recorded history S counts the stretches in which one arm stays the best. Its periods
        all differ, many only by noise, and it does not pay to forget at each (ADR 0048).
        """
        stated, turns = known(self.world), _turns(self.world)
        return stated if turns is None else replace(stated, S=1 + len(turns))


def changes_of(world: Any) -> tuple[int, ...] | None:
    """The rounds in which a recorded history changes its best arm, or another world its matrix.

    None if the world does not say.
    """
    turns = _turns(world)
    return getattr(world, "changes", None) if turns is None else turns


def _turns(world: Any) -> tuple[int, ...] | None:
    """Where the best arm of a recorded history changes; None for any other world."""
    found: tuple[int, ...] | None = getattr(world, "winner_changes", None)
    return found
