"""Choices in simulations: a set of m arms takes m rounds of a world, one for each arm shown."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring.choices import models
from sparring.choices.showing import Showing
from sparring.learners import Learner
from sparring.problem import Block, Duel, Plays, Problem
from sparring.simulation.entrants import Entrant

ANSWERS = ("winner", "ranking")


@dataclass(frozen=True)
class ShowingEntrant:
    """A learner that shows m arms at once, to enter `simulate` with.

    A set takes m rounds of the world, and each arm is shown twice in them. So a world of T rounds
    has T / m answers, and the regret of the sets is the regret of the rounds divided by m. The
    regret of a set is the mean over its arms i of P(best, i) - 1/2. One coin decides each answer,
    by the preferences of the set's first round. `favourites` are those of the learner inside.

    Parameters
    ----------
    learner
        A name, an `Entrant`, or a function (Problem, Generator) -> Learner. Its T is the number of
        answers.
    m
        How many arms are shown.
    answer
        "winner" or "ranking".
    model
        How people choose: "plackett-luce", "pairs", or a function of the preferences shown.
    learn
        "pair", "all" or None, as in `Showing`.

    Examples
    --------
    >>> import sparring
    >>> world = sparring.worlds.UtilitySwitches(K=8, T=4000, S=1)
    >>> four = ShowingEntrant(sparring.Entrant("tracker", differ=True), m=4)
    >>> table = sparring.simulate(world, {"four": four, "rand": "rand"}, "dynamic", runs=3)
    >>> four_arms, rand = table.group_by("entrant", maintain_order=True).agg("value").iter_rows()
    >>> sum(four_arms[1]) < sum(rand[1])
    True
    """

    learner: Any
    m: int
    answer: str = "winner"
    model: Any = "plackett-luce"
    learn: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.answer, str) or self.answer not in ANSWERS:
            raise checks.unknown("answer", self.answer, ANSWERS)
        models.model_of(self.model)

    def demand_world(self, world: Any) -> None:
        """Refuse a world of late, missing or spoiled answers: it knows only duels."""
        if getattr(world, "answers", ()):
            rule = "one whose answers just come, where several arms are shown"
            raise checks.refuse("world", rule, checks.Shown(checks.short(world, 200)))

    def __call__(self, problem: Problem, rng: Generator) -> Learner:
        """The learner for a world's problem."""
        inside = self.learner if callable(self.learner) else Entrant(self.learner)
        answers = -(-problem.T // checks.whole("m", self.m, low=2, high=problem.K))
        S = None if problem.S is None else min(problem.S, answers)
        V_T = None if problem.V_T is None else min(problem.V_T, answers)
        learner = inside(Problem(problem.K, answers, S, V_T), rng)
        seed = int(rng.integers(2**63))  # apart: what the learner draws depends on what it is
        showing = Showing(learner, self.m, learn=self.learn, seed=seed)
        most = 1 if self.answer == "winner" else showing.m
        return _Player(showing, models.model_of(self.model), most)


class _Player:
    """A Showing as `simulate` plays it: by blocks of rounds, with one coin for each answer."""

    def __init__(self, showing: Showing, model: models.Model, most: int) -> None:
        self._showing, self._model, self._most = showing, model, most
        self._shown: list[tuple[int, int]] = []  # rounds of the present set that are to come
        self._P, self._strengths = np.empty(0), list[float]()  # by the latest preferences
        self.K, self.t = showing.K, 0

    @property
    def p(self) -> NDArray[np.float64]:
        """Empty: more than two arms are shown."""
        return np.empty((0, self.K))

    @property
    def favourite(self) -> int:
        """That of the learner inside."""
        return self._showing.favourite

    def ask(self) -> Duel:
        """Refuse: `play` shows sets."""
        raise TypeError("several arms are shown: use sparring.choices.Showing to ask and tell")

    def tell(self, duel: Duel, outcome: float) -> None:
        """Refuse: `play` shows sets."""
        raise TypeError("several arms are shown: use sparring.choices.Showing to ask and tell")

    def play(self, block: Block, coins: NDArray[np.float64]) -> Plays:
        """Play a whole block; a set that does not end in it continues in the next."""
        plays = Plays(np.empty(len(coins), np.int64), np.empty(len(coins), np.int64))
        t = 0
        for P, hold in zip(block.P, block.hold.tolist(), strict=True):
            for _ in range(hold):
                if not self._shown:
                    self._shown = self._answered(P, float(coins[t]))
                plays.rows[t], plays.cols[t] = self._shown.pop()
                t += 1
        self.t += t
        return plays

    def _answered(self, P: NDArray[np.float64], coin: float) -> list[tuple[int, int]]:
        """Ask, tell, and arrange the arms in a circle, so that each is shown twice."""
        choice = self._showing.ask()
        arms = choice.arms
        order = [arms[place] for place in self._ranked(P, arms, coin)]
        self._showing.tell(choice, order if self._most > 1 else order[0])
        return list(zip(arms, arms[1:] + arms[:1], strict=True))

    def _ranked(self, P: NDArray[np.float64], arms: tuple[int, ...], coin: float) -> list[int]:
        """The places of the arms shown, best first."""
        if self._model is not models.plackett_luce:
            return models.ranked(models.among(P, arms), self._model, coin, self._most)
        if P is not self._P:  # strengths are those of all arms, so they are found once for all sets
            self._P, self._strengths = P, models.plackett_luce(P).tolist()
        strengths = [self._strengths[arm] for arm in arms]
        return models.ordered(
            lambda left: [strengths[place] for place in left], len(arms), coin, self._most
        )
