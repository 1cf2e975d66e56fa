"""Bookkeeping: what all our learners keep: the seed, the rounds, the duels that are open."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.learners.duels import OpenDuels
from sparring.learners.turns import Turns
from sparring.problem import Duel, arms


class Bookkeeping(ABC):
    """A learner's seed, rounds and open duels; one caller at a time."""

    KIND: str

    def __init__(self, K: int, seed: streams.Seed) -> None:
        self._K = arms(K)
        self._seed = streams.seed_sequence(seed)
        self._rng = streams.generator(seed if self._seed is None else self._seed)
        self._turn = Turns()
        self._book = OpenDuels()
        self._t = 0

    @property
    def K(self) -> int:
        """Number of arms."""
        return self._K

    @property
    def t(self) -> int:
        """Rounds asked so far; 0 before the first."""
        return self._t

    @property
    def seed(self) -> SeedSequence | None:
        """The seed, also when none was given: it repeats the run. None if a Generator was."""
        return self._seed

    @property
    @abstractmethod
    def p(self) -> NDArray[np.float64]:
        """(players, K): what the next `ask` draws from; no row if arms are coupled."""

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the one it draws most often."""
        return int(self.p.mean(axis=0).argmax())

    @property
    def open(self) -> Mapping[int, Duel]:
        """The duels asked and not yet told, by round; a live view, so loop over a list of it."""
        return self._book.duels

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all asked before a round; returns how many were dropped.

        Call it now and then where answers may never come, and memory stays bounded.
        """
        with self._turn:
            return self._book.forget(duel, before=before)

    @abstractmethod
    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; `sparring.restore` goes on from it."""

    @classmethod
    @abstractmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The learner a snapshot was taken of; `sparring.restore` calls this."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by snapshot: a copy answers for the same open duels."""
        return type(self).from_snapshot, (self.snapshot(),)


def told(outcome: Any) -> float:
    """The outcome of a duel, checked."""
    remedy = "1 is a win of the row arm, 0 of the column arm, 0.5 a tie"
    return checks.real("outcome", outcome, low=0, high=1, remedy=remedy)


def refused_chance(P: Any, hold: Any, rows: Any, cols: Any, played: int) -> ValueError:
    """The error of a block whose chance of round `played`, from 0, is none."""
    m = int(np.searchsorted(np.cumsum(hold), played, side="right"))
    at = (m, int(rows[played]), int(cols[played]))
    return checks.refuse(f"block.P{list(at)}", "a probability in [0, 1]", float(P[at]))
