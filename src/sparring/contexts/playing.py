"""Features in simulations: a learner that gets the features of a world's rounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring.contexts import _linear as kernels
from sparring.contexts.features import Features, scratch
from sparring.learners import Learner
from sparring.learners.blocks import cut, refused_chance
from sparring.problem import Block, Duel, Plays, Problem

MOST_NUMBERS = 4_000_000  # features that are there at once: 32 MB


@dataclass(frozen=True)
class FeaturesEntrant:
    """A `Features` learner, to enter `simulate` with on a world that has features.

    Parameters
    ----------
    world
        The world to simulate: one with `d` and `features(start, stop)`, such as `LinearUtilities`.
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

    def demand_world(self, world: Any) -> None:
        """Refuse to play on another world: the features would be wrong."""
        if world != self.world:
            rule = f"the entrant's, {checks.short(self.world, 200)}"
            raise checks.refuse("the world simulated", rule, checks.Shown(checks.short(world, 200)))

    def __call__(self, problem: Problem, rng: Generator) -> Learner:
        """The learner for a world's problem."""
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
        """Empty: the arms are chosen together."""
        return np.empty((0, self.K))

    @property
    def favourite(self) -> int:
        """The arm it thinks best in the coming round."""
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
        memory, y = tuple(learner._memory), np.empty(learner.d)
        rounds = max(MOST_NUMBERS // (self.K * learner.d), 1)  # whose features are there at once
        for start in range(0, n, rounds):
            stop = min(start + rounds, n)
            part = cut(block, start, stop) if stop - start < n else block
            X = np.ascontiguousarray(self._world.features(self.t, self.t + stop - start))
            room = Plays(plays.rows[start:stop], plays.cols[start:stop])
            played = kernels.play(
                *part, X, coins[start:stop], *room, memory, self._room, y, learner._numbers
            )
            if played < stop - start:
                raise refused_chance(part, room, played)
            self.t += stop - start
        return plays
