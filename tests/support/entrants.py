"""Entrants, worlds and regrets that the tests of `simulate` share."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sparring
from regret_definitions import Asked, Made
from sparring import Regret, simulate
from worlds import ladder, random_matrices

WORLD = sparring.SwitchingWalk(3, 20, S=2)
GOOD = (ladder(3, 0.2)[None], [6])  # a block

STRETCH = Regret("preference", "stretch")
SOME_REGRETS = [
    Regret("preference", "horizon"),
    STRETCH,
    Regret("preference", "round", "row"),
    Regret("borda", "stretch", "column"),
    Regret("preference", "condorcet", "weak"),
    Regret("preference", "von neumann"),
]
MOVING = [
    sparring.GaussianWalk(3, 80, sigma=0.1),
    sparring.SwitchingWalk(4, 90, S=5, sigma=0.3),
    sparring.BudgetedDrift(3, 70, V_T=4),
    sparring.BudgetedDrift(3, 70, V_T=4, direction="persistent"),
    sparring.CondorcetSwitches(3, 90, S=12, epsilon=0.2),
    sparring.FreshWinner(4, 80, S=9),
    sparring.RotatingWinner(4, 75, V_T=3),
    sparring.worlds.Recorded(random_matrices(6, 3, np.random.default_rng(1)), 70),
    sparring.worlds.Recorded(random_matrices(6, 3, np.random.default_rng(1)), 70, interpolate=True),
]
moving = pytest.mark.parametrize("world", MOVING, ids=lambda world: type(world).__name__)


def tuned(problem, rng):
    """Algorithm 2 with numbers that suit the few rounds of a test."""
    return sparring.learners.ExponentialWeights(
        problem.K, sparring.Tuning(0.1, 0.3, 0.05, 1e-3), seed=rng
    )


def relative(problem, rng):
    """REX3 with such numbers."""
    tuning = sparring.Tuning(0.1, 0.3)
    return sparring.learners.ExponentialWeights(problem.K, tuning, estimate="relative", seed=rng)


LEARNERS = {"tuned": tuned, "relative": relative, "asked": Asked}


def kinds(**wanted):
    """Entrants that keep the learners they make."""
    return {label: Made(kind) for label, kind in wanted.items()}


def in_threads(*arguments, **options):
    with ThreadPoolExecutor(2) as executor:
        return simulate(*arguments, **options, executor=executor)
