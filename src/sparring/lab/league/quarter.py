"""Double Thompson sampling that remembers a quarter of the rounds; its text is part of results."""

from numpy.random import Generator

from sparring.learners import Counting
from sparring.problem import Problem


def thompson(problem: Problem, rng: Generator) -> Counting:
    """The learner for a world of T rounds: a window of T / 4."""
    window = max(problem.T // 4, 1)
    return Counting(problem.K, rule="thompson", window=window, seed=rng)
