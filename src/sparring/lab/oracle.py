"""A yardstick: a learner that is told every change, and starts again there."""

from collections.abc import Iterable
from typing import Any

from numpy.random import Generator

from sparring.learners import Restarting
from sparring.problem import Problem


def restarts(
    problem: Problem,
    rng: Generator,
    *,
    changes: Iterable[int],
    learner: str = "double_thompson",
    **options: Any,
) -> Restarting:
    """No fair competitor: it knows the rounds of change, and has a fresh learner from each on.

    Its text is part of results.

    Parameters
    ----------
    changes
        The rounds, from 1, at whose beginning preferences change, as the worlds of
        `sparring.worlds` report them.
    learner
        The name of the learner inside.
    options
        Options of that learner.

    Examples
    --------
    >>> from sparring import Entrant, FreshWinner
    >>> world = FreshWinner(K=5, T=1000, S=4)
    >>> entrant = Entrant("sparring.lab.oracle:restarts", changes=world.changes)
    """
    T = problem.T
    return Restarting(problem.K, learner, options=options, changes=changes, T=T, seed=rng)
