"""docs/compiled_learner.py, which others copy, passes every check, is restored and simulated."""

import json

import numpy as np
import pytest
from compiled_learner import Lately

import sparring
from sparring.testing import LEARNER_CHECKS, check_learner


def test_the_template_passes_every_check():
    verdicts = check_learner(lambda seed: Lately(5, seed=seed))
    assert verdicts == dict.fromkeys((check.__name__ for check in LEARNER_CHECKS), "passed")


@pytest.mark.compiled
def test_the_template_finds_the_winner_and_follows_it():
    """After 20,000 rounds in each of which arm 2, then arm 0, wins with 0.9."""
    learner = Lately(4, gamma=0.2, keep=0.999, seed=1)
    for best in (2, 0):
        P = np.full((1, 4, 4), 0.5)
        P[0, best], P[0, :, best] = 0.9, 0.1
        P[0, best, best] = 0.5
        block = sparring.Block(P, np.array([20_000]))
        learner.play(block, np.random.default_rng(best).random(20_000))
        learner = sparring.restore(json.loads(json.dumps(learner.snapshot())))
        assert learner.favourite == best


def test_a_damaged_memory_of_the_template_is_refused():
    saved = Lately(3, seed=1).snapshot()
    saved["memory"]["wins"] = [0.0, 0.0, 0.0]
    with pytest.raises(sparring.SnapshotError, match="'memory' is damaged"):
        sparring.restore(saved)


@pytest.mark.compiled
def test_the_template_can_be_simulated():
    world = sparring.FreshWinner(4, 500, S=2)
    table = sparring.simulate(
        world,
        {"lately": lambda problem, rng: Lately(problem.K, seed=rng)},
        sparring.Regret("preference", "condorcet"),
        runs=2,
    )
    assert len(table) == 2
