"""A guarded learner whose tracker has stopped listening: what audits are there to find."""

import numpy as np

import sparring
from sparring._kernels import guard
from sparring.learners import Guarded
from sparring.learners.adaptive import Adaptive


class Deaf(Guarded):
    """Its tracker learns nothing any more, and goes on showing what it once liked."""

    def tell(self, duel, outcome):
        before = [part.copy() for part in self._memory[guard.FIRST :]]
        super().tell(duel, outcome)
        for part, old in zip(self._memory[guard.FIRST :], before, strict=True):
            if part.dtype != np.uint64:  # its random numbers go on
                part[...] = old

    @classmethod
    def fond_of(cls, arm, K, seed):
        """A tracker that met a crowd which likes this arm, and its guard at the beginning."""
        learner = Adaptive(K, seed=seed)
        P = np.full((K, K), 0.5)
        P[arm], P[:, arm] = 1.0, 0.0
        P[arm, arm] = 0.5
        learner.play(sparring.Block(P[None], np.array([3_000])), np.full(3_000, 0.5))
        deaf = cls(K, seed=seed)
        parts = (*deaf._memory[: guard.FIRST], *learner._memory)
        deaf._adopt(guard.GuardMemory._make(parts))
        return deaf
