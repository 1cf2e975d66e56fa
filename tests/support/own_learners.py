"""Learners as somebody outside would write them, for --learner: ten lines, and some that fail."""

import numpy as np

from sparring import Duel


class Stubborn:
    """Always the first two arms."""

    def __init__(self, problem, rng):
        self.K, self.p, self.t = problem.K, np.empty((0, problem.K)), 0

    def ask(self):
        self.t += 1
        return Duel(self.t, 0, 1, self.p)

    def tell(self, duel, outcome):
        pass


class Fragile(Stubborn):
    """Fails in round 100."""

    def tell(self, duel, outcome):
        if duel.t == 100:
            raise RuntimeError("I broke")


class Guess(Stubborn):
    """Names an arm, always the same."""

    favourite = 1
