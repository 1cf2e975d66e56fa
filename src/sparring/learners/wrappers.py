"""A learner that starts again by the clock, by name."""

import math
from typing import Any

from sparring import checks
from sparring.learners.registry import register_unplanned
from sparring.learners.restarts import Restarting
from sparring.problem import Problem, demand_one
from sparring.streams import Seed


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
