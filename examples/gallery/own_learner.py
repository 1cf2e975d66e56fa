"""A learner of your own.

A learner is any class with `K`, `p`, `ask` and `tell`: here Elo ratings, as in chess.
`check_learner` holds it to everything that the learners of the package are held to.
In `simulate` it meets the same crowd with the same luck as the others.
"""

from numbers import Real

import numpy as np

import sparring
from sparring.lab.draw import curves
from sparring.testing import check_learner


class Elo:
    """Ratings move by a fixed step; arms are drawn in proportion to the exponential of theirs."""

    def __init__(self, K, rng, step=0.1, greed=8.0):
        self.K, self.t, self.step, self.greed = K, 0, step, greed
        self.ratings, self.rng = np.zeros(K), np.random.default_rng(rng)
        self.book = sparring.learners.OpenDuels()

    @property
    def p(self):
        weights = np.exp(self.greed * (self.ratings - self.ratings.max()))
        return (0.9 * weights / weights.sum() + 0.1 / self.K)[None]

    def ask(self):
        self.t += 1
        p = self.p
        row, col = self.rng.choice(self.K, size=2, p=p[0])
        return self.book.open(self.t, int(row), int(col), p)

    def tell(self, duel, outcome):
        if not (isinstance(outcome, Real) and 0 <= outcome <= 1):
            raise ValueError(f"outcome must be a number in [0, 1]; got {outcome!r}")
        duel = self.book.take(duel)
        expected = 1 / (1 + np.exp(self.ratings[duel.col] - self.ratings[duel.row]))
        self.ratings[duel.row] += self.step * (outcome - expected)
        self.ratings[duel.col] -= self.step * (outcome - expected)


verdicts = check_learner(lambda seed: Elo(4, seed))
print(list(verdicts.values()).count("passed"), "checks passed")

world = sparring.FreshWinner(K=5, T=10_000, S=4)
learners = {
    "RAND": "rand",
    "Elo": lambda problem, rng: Elo(problem.K, rng),
    "tracker": "tracker",
}
table = sparring.simulate(world, learners, "dynamic", runs=4, checkpoints=50)
figure = curves(table)
figure.savefig("own_learner.svg")
