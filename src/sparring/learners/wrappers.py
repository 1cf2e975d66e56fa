"""Learners that start again, by name: periodically, at the true changes, or for an unknown T."""

import math
from typing import Any

from sparring import checks
from sparring.learners.plans import MOST
from sparring.learners.registry import register_unplanned
from sparring.learners.restarts import Restarting
from sparring.problem import Problem, arms, demand_one
from sparring.segments import equal_cuts
from sparring.streams import Seed

FIRST, EACH = 1024, 64  # rounds of the first epoch at least, and for each arm: fewer allow no plan


@register_unplanned
def periodic_restarts(
    K: int,
    T: int | None = None,
    *,
    learner: str = "sym_exp3s",
    every: int | None = None,
    S: int | None = None,
    V_T: float | None = None,
    seed: Seed = None,
    **options: Any,
) -> Restarting:
    """A static learner that starts again every D rounds (Besbes, Gur and Zeevi 2014).

    D = ceil((K ln K)^(1/3) (T / V_T)^(2/3)) for a variation V_T, ceil(T / S) for S segments, unless
    `every` says otherwise. With neither S nor V_T there is one segment, D = T, and it never starts
    again within T rounds. It is trivial, and a strong baseline.

    Parameters
    ----------
    learner
        The name of the learner inside; by default SYM-EXP3.S for one segment.
    options
        Options of that learner; S and V_T belong to the plan.

    Examples
    --------
    >>> periodic_restarts(10, 100_000, V_T=10, seed=1)
    <Restarting K=10, learner='sym_exp3s', options={'S': 1}, every=1321; t=0, 0 open, epoch 0>
    """
    if every is None:
        every = _period(K, T, S, V_T)
    elif not (S is V_T is None):
        raise ValueError("give every, or T with S or V_T, not both")
    if learner == "sym_exp3s":
        options = {"S": 1, **options}
    return Restarting(K, learner, options=options, every=every, seed=seed)


@register_unplanned
def oracle_restarts(
    K: int,
    T: int,
    *,
    changes: Any = None,
    S: int | None = None,
    learner: str = "double_thompson",
    seed: Seed = None,
    **options: Any,
) -> Restarting:
    """A yardstick, not a fair competitor: it knows the change points and starts again there.

    `changes` are the rounds, from 1, at whose beginning preferences change, as the worlds of
    `sparring.worlds` report them; if None, those of S segments of equal length. `learner` is the
    learner inside and `options` are its options.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> world = FreshWinner(K=5, T=1000, S=4)
    >>> oracle_restarts(5, 1000, changes=world.changes, seed=1).epoch
    0
    """
    if changes is None:
        problem = Problem(K, T, S or 1)
        segments = checks.whole("S", problem.S, low=1, high=MOST)
        changes = [cut + 1 for cut in equal_cuts(problem.T, segments)]
    return Restarting(K, learner, options=options, changes=changes, T=T, seed=seed)


@register_unplanned
def doubling(
    K: int,
    T: int | None = None,
    *,
    learner: str = "sym_exp3s",
    first: int | None = None,
    seed: Seed = None,
    **options: Any,
) -> Restarting:
    """A learner for an unknown T: epochs of `first` rounds, then twice as many, and so on.

    If the learner's regret is at most c sqrt(T), that of all epochs together is at most sqrt(2) /
    (sqrt(2) - 1) < 3.42 times c sqrt(T) for every T from `first` on. T is not used; it is accepted
    because the other learners take it.

    Examples
    --------
    >>> doubling(10, seed=1)
    <Restarting K=10, learner='sym_exp3s', doubling=1024; t=0, 0 open, epoch 0>
    """
    if first is None:
        first = max(FIRST, EACH * arms(K))
    return Restarting(K, learner, options=options, doubling=first, seed=seed)


def _period(K: int, T: int | None, S: int | None, V_T: float | None) -> int:
    if T is None:
        remedy = "Or say how often with every=ROUNDS"
        raise checks.refuse("T", "given: the number of rounds", None, remedy)
    problem = Problem(K, T, S, V_T)
    demand_one(S, V_T)
    if not problem.V_T:
        return math.ceil(problem.T / (problem.S or 1))
    K_ln_K = problem.K * math.log(problem.K)
    rounds = math.cbrt(K_ln_K) * math.cbrt(problem.T / problem.V_T) ** 2
    return math.ceil(min(rounds, problem.T))
