"""Features in simulations: a learner that is handed the features of a world's rounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels import linear as kernels
from sparring.contexts.features import Features, scratch
from sparring.learners import Learner
from sparring.learners.blocks import refused_chance
from sparring.problem import Block, Duel, Plays, Problem


@dataclass(frozen=True)
class FeaturesEntrant:
    """A `Features` learner, to enter `simulate` with on a world that has features.

    Parameters
    ----------
    world
        A world with `d` and `features(start, stop)`, such as `LinearUtilities`: the one simulated.
    rule, memory, width
        As in `Features`.

    Examples
    --------
    >>> import sparring
    >>> world = sparring.worlds.LinearUtilities(K=5, T=2000, d=3)
    >>> entrants = {"colstim": FeaturesEntrant(world), "rand": "rand"}
    >>> table = sparring.simulate(world, entrants, sparring.Regret("preference", "round"), runs=2)
    >>> colstim, rand = table.group_by("entrant", maintain_order=True).agg("value").iter_rows()
    >>> sum(colstim[1]) < sum(rand[1]) / 4
    True
    """

    world: Any
    rule: str = "colstim"
    memory: float | tuple[float, ...] | None = None
    width: float | None = None

    def __post_init__(self) -> None:
        if not callable(getattr(self.world, "features", None)):
            remedy = "sparring.worlds.LinearUtilities is one"
            raise checks.refuse("world", "one with features(start, stop)", self.world, remedy)

    def __call__(self, problem: Problem, rng: Generator) -> Learner:
        """The learner for a world's problem."""
        if (problem.K, problem.T) != (self.world.K, self.world.T):
            found = checks.Shown(f"K = {problem.K}, T = {problem.T}")
            raise checks.refuse("the world simulated", f"the entrant's, {self.world}", found)
        learner = Features(
            self.world.d, rule=self.rule, memory=self.memory, width=self.width, seed=rng
        )
        return _Player(learner, self.world)


class _Player:
    """A Features learner as `simulate` plays it: by blocks, in compiled rounds."""

    def __init__(self, learner: Features, world: Any) -> None:
        self._learner, self._world = learner, world
        self._room = scratch(world.K, world.d)
        self.K, self.t = world.K, 0

    @property
    def p(self) -> NDArray[np.float64]:
        """No row: the arms are chosen together."""
        return np.empty((0, self.K))

    @property
    def favourite(self) -> int:
        """The arm it thinks best in the round to come."""
        t = min(self.t, self._world.T - 1)
        return self._learner.favourite(self._world.features(t, t + 1)[0])

    def ask(self) -> Duel:
        """Refuse: without features there is nothing to ask."""
        raise TypeError("features are needed: use sparring.contexts.Features to ask and tell")

    def tell(self, duel: Duel, outcome: float) -> None:
        """Refuse: without features there is nothing to learn."""
        raise TypeError("features are needed: use sparring.contexts.Features to ask and tell")

    def play(self, block: Block, coins: NDArray[np.float64]) -> Plays:
        """Play a whole block with the features of its rounds."""
        n, learner = len(coins), self._learner
        plays = Plays(np.empty(n, np.int64), np.empty(n, np.int64))
        X = np.ascontiguousarray(self._world.features(self.t, self.t + n))
        memory, y = tuple(learner._memory), np.empty(learner.d)
        played = kernels.play(
            block.P, block.hold, X, coins, *plays, memory, self._room, y, learner._numbers
        )
        if played < n:
            raise refused_chance(block, plays, played)
        self.t += n
        return plays
