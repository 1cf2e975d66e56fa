"""A compiled learner of your own, to copy: each arm as often as it won lately.

`python compiled_learner.py` runs every check of `sparring.testing` on it.
"""

from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np

from sparring import checks
from sparring.learners import Built, Compiled
from sparring.learners.draws import arm

kernel = numba.njit(nogil=True, error_model="numpy")  # and no fastmath: every bit counts


class Memory(NamedTuple):
    """All that changes: arrays, one of them `words`, the random state."""

    wins: np.ndarray
    words: np.ndarray


class Numbers(NamedTuple):
    """All that tunes it."""

    gamma: float
    keep: float


@kernel
def mix(wins, gamma, p):
    """p(k) = (1 - gamma) wins(k) / sum + gamma / K."""
    p[:] = (1.0 - gamma) * wins / wins.sum() + gamma / len(wins)


@kernel
def ask(memory, note, numbers):
    """Draw both arms, and leave in the note what `tell` and the log need: p. Learn nothing."""
    m, n = Memory(*memory), Numbers(*numbers)
    mix(m.wins, n.gamma, note)
    return arm(m.words, note, len(note)), arm(m.words, note, len(note))


@kernel
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o of a duel that was asked with this note, however long ago."""
    m, n = Memory(*memory), Numbers(*numbers)
    m.wins[:] = n.keep * m.wins + (1.0 - n.keep)
    m.wins[row] += o
    m.wins[col] += 1.0 - o


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin: the same text for every learner."""
    t = 0
    for part in range(len(hold)):
        for _ in range(hold[part]):
            row, col = ask(memory, note, numbers)
            rows[t], cols[t] = row, col
            if not 0.0 <= P[part, row, col] <= 1.0:
                return t
            o = 1.0 if coins[t] < P[part, row, col] else 0.0
            tell(o, row, col, note, memory, numbers)
            t += 1
    return t


class Lately(Compiled):
    """Exploration gamma; each answer leaves `keep` of the wins before it."""

    KIND = "lately"  # marks its snapshots: a name of your own
    KERNELS = SimpleNamespace(ask=ask, tell=tell, play=play)

    def __init__(self, K, *, gamma=0.1, keep=0.99, seed=None):
        gamma = checks.real("gamma", gamma, low=1e-6, high=1)
        keep = checks.real("keep", keep, low=0, high=1)
        super().__init__(K, {"gamma": gamma, "keep": keep}, seed)

    def _build(self, gamma, keep):  # one distribution for both arms, and K numbers a note: p
        memory = Memory(wins=np.ones(self.K), words=np.zeros(4, np.uint64))
        return Built(memory, Numbers(gamma, keep), players=1, note=self.K)

    def _possible(self):  # of a memory from a damaged snapshot, finite and of the right shapes
        return bool((self._memory.wins >= 0).all() and self._memory.wins.any())

    def _distributions(self):
        p = np.empty((1, self.K))
        mix(self._memory.wins, self._options["gamma"], p[0])
        return p


if __name__ == "__main__":
    import sparring.testing

    print(sparring.testing.check_learner(lambda seed: Lately(5, seed=seed)))
