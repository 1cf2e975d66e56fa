"""A compiled learner of your own, to copy: each arm as often as it won lately.

`python compiled_learner.py` runs every check of `sparring.testing` on it.
"""

from typing import NamedTuple

import numpy as np

from sparring import checks
from sparring.learners import Built, Family, draws, inline, kernel, rounds


class Memory(NamedTuple):
    """All that changes: arrays, one of them `words`, the random state."""

    wins: np.ndarray
    words: np.ndarray


class Numbers(NamedTuple):
    """All that tunes it."""

    K: int
    gamma: float
    keep: float


@inline
def mix(wins, gamma, p):
    """p(k) = (1 - gamma) wins(k) / sum + gamma / K."""
    total = 0.0
    for k in range(p.size):
        total += wins[k]
    for k in range(p.size):
        p[k] = (1.0 - gamma) * wins[k] / total + gamma / p.size


@inline
def choose(r, note, m, n):
    """Draw both arms, and leave in the note what `learn` and the log need: p. Learn nothing."""
    mix(m.wins, n.gamma, note)
    return draws.arm(m.words, note, n.K), draws.arm(m.words, note, n.K)


@inline
def learn(o, row, col, note, m, n):
    """Learn the outcome o of a duel that was asked with this note, however long ago."""
    for k in range(n.K):
        m.wins[k] = n.keep * m.wins[k] + (1.0 - n.keep)
    m.wins[row] += o
    m.wins[col] += 1.0 - o


@kernel
def distribution(wins, gamma, p):
    """Fill p, for `learner.p`."""
    mix(wins, gamma, p)


class Lately(Family):
    """Exploration gamma; each answer leaves `keep` of the wins before it."""

    KIND = "lately"  # marks its snapshots: a name of your own
    KERNELS = rounds(choose, learn, Memory, Numbers)

    def __init__(self, K, *, gamma=0.1, keep=0.99, seed=None):
        gamma = checks.real("gamma", gamma, low=1e-6, high=1)
        keep = checks.real("keep", keep, low=0, high=1)
        super().__init__(K, {"gamma": gamma, "keep": keep}, seed)

    def _build(self, gamma, keep):  # one distribution for both arms, and K numbers a note: p
        memory = Memory(wins=np.ones(self.K), words=np.zeros(4, np.uint64))
        return Built(memory, Numbers(self.K, gamma, keep), players=1, note=self.K)

    def _possible(self):  # of a memory from a damaged snapshot, finite and of the right shapes
        return bool((self._memory.wins >= 0).all() and self._memory.wins.any())

    def _distributions(self):
        p = np.empty((1, self.K))
        distribution(self._memory.wins, self._options["gamma"], p[0])
        return p


if __name__ == "__main__":
    import sparring.testing

    print(sparring.testing.check_learner(lambda seed: Lately(5, seed=seed)))
