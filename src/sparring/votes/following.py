"""A memory at work: strengths that follow votes one by one."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import _strengths as kernels
from sparring.votes.fitting import SIDE_RIDGE
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

RIDGE = 1.0  # strengths are about 1 apart, which predicts best where memory is short


class Follower:
    """Strengths with one memory, vote by vote.

    Parameters
    ----------
    K
        Number of arms.
    half_life
        On the clock of the votes.
    ridge
        The precision of the prior on strengths.
    side
        Whether to estimate how much it helps to be shown first.
    votes
        About how many will come; with many, strengths are refitted to all counts less often.
    run
        The kernel: `follow`, or `follow_online`, which never compiles by itself.
    """

    def __init__(
        self,
        K: int,
        half_life: float,
        *,
        ridge: float = RIDGE,
        side: bool = False,
        votes: int = 0,
        run: Callable[..., Any] = kernels.follow,
    ) -> None:
        self.half_life, self.ridge = half_life, ridge
        self.side_ridge = SIDE_RIDGE if side else np.inf
        # So that settling, which looks at all pairs, takes about as long as the votes themselves.
        self.block = float(max(kernels.FIRST, K * K // 16, votes // 20_000))
        self.strengths = np.zeros(K)
        self.information = np.full(K, ridge)
        self.met, self.won = np.zeros((K, K)), np.zeros((K, K))
        self.state = np.zeros(kernels.SIZE)
        self.state[kernels.SIDE_INFORMATION] = self.side_ridge
        self._run = run

    def follow(
        self,
        votes: Votes,
        weight: Floats,
        losses: NDArray[Any],
        marks: NDArray[np.int64],
        past: Floats,
        information: Floats,
    ) -> None:
        """Predict and learn votes, and note strengths before some of them, and at the end."""
        pairs = (votes.first, votes.second, votes.outcome, weight, votes.clock)
        self.learn(*pairs, losses, marks, past, information)
        past[marks >= len(votes)] = self.strengths
        information[marks >= len(votes)] = self.information

    def learn(self, *votes: NDArray[Any]) -> None:
        """Predict and learn votes given as arrays, from `first` to `information` of the kernel."""
        self._run(*self.arguments(*votes))

    def arguments(
        self,
        first: NDArray[np.int32],
        second: NDArray[np.int32],
        outcome: Floats,
        weight: Floats,
        clock: Floats,
        losses: NDArray[Any],
        marks: NDArray[np.int64],
        past: Floats,
        information: Floats,
    ) -> tuple[Any, ...]:
        """What the kernel takes."""
        return (
            *(first, second, outcome, weight, clock),
            *(self.half_life, self.ridge, self.side_ridge, self.block),
            *(self.state, self.strengths, self.information, self.met, self.won),
            *(losses, marks, past, information),
        )

    def beside(self) -> "Follower":
        """A twin to learn with: it has its own strengths and shares the counts."""
        found = copy(self)
        found.state, found.strengths = self.state.copy(), self.strengths.copy()
        found.information = self.information.copy()
        return found

    def written(self, first: int, second: int, now: float) -> Any:
        """Which counts the next vote changes: those of its pair, or all of them."""
        due = getattr(kernels.is_due, "py_func", kernels.is_due)
        return ... if due(self.state, self.half_life, self.block, now) else (first, second)


class Walker:
    """Strengths that walk at random, followed vote by vote.

    Parameters
    ----------
    K
        Number of arms.
    pace
        The variance that a strength gains in a unit of the clock of the votes.
    prior
        The variance of a strength at the first vote.
    side
        Whether to estimate how much it helps to be shown first.
    """

    def __init__(self, K: int, pace: float, *, prior: float, side: bool = False) -> None:
        self.pace = pace
        self.state = np.array([0.0, 1 / SIDE_RIDGE if side else 0.0])
        self.strengths, self.variance = np.zeros(K), np.full(K, prior)
        self.latest = np.zeros(K)

    def follow(
        self,
        votes: Votes,
        weight: Floats,
        losses: NDArray[Any],
        marks: NDArray[np.int64],
        past: Floats,
        information: Floats,
    ) -> None:
        """Predict and learn votes, and note strengths before some of them, and at the end."""
        kernels.walk(
            votes.first,
            votes.second,
            votes.outcome,
            weight,
            votes.clock,
            self.pace,
            self.state,
            self.strengths,
            self.variance,
            self.latest,
            losses,
            marks,
            past,
            information,
        )
        end = votes.clock[-1] if len(votes) else 0.0
        past[marks >= len(votes)] = self.strengths
        information[marks >= len(votes)] = 1 / (self.variance + self.pace * (end - self.latest))
