"""Lower bounds, and the instances of `CondorcetSwitches` on which no learner does better."""

import math

from sparring import checks
from sparring.bounds import printed
from sparring.bounds.values import Lower, PrintedLower, over_arrays
from sparring.problem import Problem
from sparring.worlds.hard import FAMILIES, hardest, lower_bound


@over_arrays
def lower_switching(K: int, T: int, S: int, *, family: str = "simple") -> Lower:
    """Theorem 5.1, App. C.1: any learner's expected dynamic regret with S segments.

    Averaged over the instances of `CondorcetSwitches(K, T, S=S, family=family)`, every learner's
    expected regret to the winners is at least T epsilon (rho - b epsilon) (docs/theory.md, Theorem
    8). So each learner has such an instance, but there is no single one for all learners.

    Parameters
    ----------
    K, T, S
        The problem, as numbers or arrays; arrays give arrays.
    family
        "simple": the winner is any arm and the others tie. "paper": arm 0 is second best (K >= 3).

    Examples
    --------
    >>> found = lower_switching(10, 1_000_000, 10)
    >>> round(found.value), found.length
    (1335, 100000)
    """
    problem = _problem(family, K, T, S=S)
    assert problem.S is not None
    return _lower(family, problem, printed.lower_switching(problem.K, problem.T, problem.S))


@over_arrays
def lower_continuous(K: int, T: int, V_T: float, *, family: str = "simple") -> Lower:
    """Theorem 5.2, App. C.2: any learner's expected dynamic regret with variation at most V_T.

    The formula is that of `lower_switching` (docs/theory.md, Theorem 8). The instances are those of
    `CondorcetSwitches(K, T, V_T=V_T, family=family)`: as many segments as V_T pays for.

    Examples
    --------
    >>> found = lower_continuous(10, 1_000_000, 10.0)
    >>> round(found.value), found.printed.refuted
    (7632, True)
    """
    problem = _problem(family, K, T, V_T=V_T)
    if not problem.V_T:
        nothing = (0.0, 0.0, float(problem.T))
        return _lower(family, problem, nothing)
    return _lower(family, problem, printed.lower_continuous(problem.K, problem.T, problem.V_T))


def _problem(family: str, K: int, T: int, **sizes: float) -> Problem:
    problem = Problem(K, T, **sizes)  # type: ignore[arg-type]
    for name, value in sizes.items():
        if value is None:
            raise checks.refuse(name, "given", value)
    if not isinstance(family, str) or family not in FAMILIES:
        raise checks.refuse("family", f"one of {', '.join(map(repr, FAMILIES))}", family)
    if family == "paper" and problem.K < 3:
        raise checks.refuse("K", "at least 3 for the family 'paper'", K, "'simple' takes 2")
    return problem


def _lower(family: str, problem: Problem, as_printed: tuple[float, float, float]) -> Lower:
    K, T = problem.K, problem.T
    epsilon, segments = hardest(family, K, T, problem.S, problem.V_T, None)
    value, margin, length = as_printed
    reached = margin * T * (K - 2) / (K - 1)  # it is not the winner with this probability
    return Lower(
        lower_bound(family, K, T, segments, epsilon),
        epsilon,
        math.ceil(T / segments),
        segments,
        PrintedLower(value, margin, length, reached, K > 2 and value > reached),
    )
