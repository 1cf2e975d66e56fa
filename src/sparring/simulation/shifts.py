"""How many significant shifts a path has, counted piece by piece."""

import numpy as np

from sparring.simulation import _shifts as kernels
from sparring.simulation.path import Piece

FIRST_ROOM = 64


class Shifts:
    """Counts the significant shifts of a path of K arms, given its pieces in order.

    The definition is that of Suk and Agarwal (2023) and of Kleine Buening and Saha (2023), who
    compare arms with the Condorcet winner. If there is none, we take the arm that loses least
    instead (docs/adr/0081).
    """

    def __init__(self, K: int) -> None:
        self._gaps, self._total = np.zeros(K), np.zeros(K)
        self._bad, self._size = np.zeros(K, np.int64), np.zeros(K, np.int64)
        self._start = np.zeros((K, FIRST_ROOM), np.int64)
        self._base = np.zeros((K, FIRST_ROOM))
        self._counter = np.zeros(3, np.int64)

    def follow(self, piece: Piece) -> None:
        """Take the next piece."""
        (P, hold), done = piece.block, 0
        while True:
            known = (self._gaps, self._total, self._bad, self._size, self._start, self._base)
            done = kernels.count_shifts(P, hold, piece.fresh, done, *known, self._counter)
            if done == len(P):
                return
            self._start = np.concatenate([self._start, np.zeros_like(self._start)], axis=1)
            self._base = np.concatenate([self._base, np.zeros_like(self._base)], axis=1)

    @property
    def count(self) -> int:
        """Shifts so far."""
        return int(self._counter[kernels.SHIFTS])
