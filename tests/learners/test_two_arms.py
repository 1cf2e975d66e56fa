"""Exponential weights that show two different arms: estimate, law, tunings, refusals, changes."""

import itertools
import json

import numpy as np
import pytest

import sparring
from sparring import _math as vectors
from sparring import tunings
from sparring.learners import ExponentialWeights
from sparring.learners import weights as kernels
from sparring.testing.chance import chi_square_limit, merge_light_cells
from worlds import random_matrices

ETA = 1e-4


def learner_of(p, seed=1):
    """A learner that draws from p, with next to no mixing."""
    tuning = sparring.Tuning(ETA, 1e-5)
    learner = ExponentialWeights(len(p), tuning, estimate="differ", seed=seed)
    learner._set_weights(np.asarray(p)[None], np.zeros((1, len(p)), np.int64))
    return learner


def gains(learner, row, col, o):
    """The gains of a duel, as the kernel has them."""
    p = learner.p[0]
    found = np.zeros(learner.K)
    numbers = kernels.WeightsNumbers(*learner._numbers)
    found[row], found[col] = kernels.gain(float(o), row, col, p, p, numbers)
    return found


@pytest.mark.parametrize("K", [2, 3, 4, 5, 6])
def test_the_estimate_is_unbiased_and_its_second_moment_is_d_times_rex3_s(K, rng):
    """E over all pairs and outcomes, enumerated, for 20 p and P each: to 1e-12."""
    for _ in range(20):
        learner = learner_of(rng.dirichlet(np.full(K, rng.choice([0.5, 5.0]))) + 0.01)
        p, P = learner.p[0], random_matrices(1, K, rng)[0]
        D = (p * (1 - p)).sum()
        mean, square, total = np.zeros(K), np.zeros(K), 0.0
        for row, col in itertools.permutations(range(K), 2):
            for o, chance in ((1, P[row, col]), (0, 1 - P[row, col])):
                chance *= p[row] * p[col] / D
                x = np.sqrt(D) * gains(learner, row, col, o)  # its rate is eta / sqrt(D)
                mean, square, total = mean + chance * x, square + chance * x**2, total + chance
        assert total == pytest.approx(1, rel=1e-12)
        np.testing.assert_allclose(mean, 2 * P @ p - 1, rtol=1e-12, atol=1e-12)
        assert p @ square == pytest.approx(D * (K - 1) / 2, rel=1e-12)


def test_telling_moves_the_weights_by_the_gains(rng):
    learner = learner_of(rng.dirichlet(np.ones(5)) + 0.01)
    duel = learner.ask()
    before, found = learner._memory.W[0, :5].copy(), gains(learner, duel.row, duel.col, 0.3)
    learner.tell(duel, 0.3)
    growth = np.log(learner._memory.W[0, :5] / before)
    np.testing.assert_allclose(growth, ETA * found, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("p", [(0.9, 0.1), (0.6, 0.25, 0.15), (0.97, 0.01, 0.01, 0.005, 0.005)])
def test_pairs_have_their_law(p):
    """20,000 pairs: chi-square of p(i) p(j) / D over all ordered pairs, at 1e-7 each."""
    learner, K = learner_of(p, seed=7), len(p)
    counts = np.zeros((K, K))
    for _ in range(20_000):
        duel = learner.ask()
        learner.forget(duel)
        counts[duel.row, duel.col] += 1
    assert not counts.diagonal().any()
    chances = np.outer(learner.p, learner.p)
    np.fill_diagonal(chances, 0)
    expected = 20_000 * chances / chances.sum()
    counts, expected = merge_light_cells(counts.ravel(), expected.ravel())
    assert ((counts - expected) ** 2 / expected).sum() < chi_square_limit(len(expected) - 1)


@pytest.mark.parametrize("K", [2, 3, 17])
def test_the_ends_of_the_uniforms_are_two_different_arms_too(K, rng):
    for p in (np.full(K, 1 / K), rng.dirichlet(np.full(K, 0.05)) + 1e-9):
        for u, v in itertools.product((0.0, 0.5, 1 - 2**-53), repeat=2):
            row, col = vectors.draw_apart(p / p.sum(), K, u, v)
            assert 0 <= row < K and 0 <= col < K and row != col


def test_tunings():
    """Twice eta and a quarter of gamma, unless somebody gave a tuning."""
    assert sparring.steady(5, differ=True).tuning == tunings.apart(tunings.steady(5))
    planned = sparring.sym_exp3s(5, 2_000, S=4, differ=True)
    assert planned.tuning == tunings.apart(sparring.sym_exp3s(5, 2_000, S=4).tuning)
    own = sparring.Tuning(0.01, 0.2, alpha=1e-3)
    assert sparring.sym_exp3s(5, tuning=own, differ=True).tuning == own
    doubled = tunings.apart(own)
    assert (doubled.eta, doubled.gamma, doubled.alpha) == (0.02, 0.05, 1e-3)


def test_duels_say_so_and_so_do_their_copies():
    learner = sparring.steady(3, differ=True, seed=1)
    assert learner.differ and not sparring.steady(3).differ
    duel = learner.ask()
    fields = json.loads(json.dumps(duel.to_json()))
    assert duel.differ and fields["differ"] is True
    again = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    assert again.differ and again.open[duel.t].differ and again.ask().differ
    learner.tell(sparring.Duel.from_json(fields), 1.0)
    learner.ask()
    learner.add()
    assert all(duel.differ for duel in learner.open.values()) and learner.ask().differ
    with pytest.raises(sparring.DuelError, match="differ must be True or False"):
        sparring.Duel.from_json({**fields, "differ": 1})


def test_open_duels_are_learnt_when_arms_have_come_and_gone():
    """A newcomer leaves D as it was; with an arm less it is smaller, so a duel teaches less."""
    learner = sparring.steady(4, differ=True, seed=3)
    waiting = [learner.ask() for _ in range(40)]
    learner.add()
    learner.withdraw(3)
    for duel in waiting:
        if 3 not in (duel.row, duel.col):
            learner.tell(duel, float(duel.row == 0))
    assert learner.favourite == 0 and not learner.open
    assert learner.p.sum() == pytest.approx(1)


def test_refusals():
    with pytest.raises(ValueError, match="differ must be True or False"):
        sparring.steady(3, differ=1)
    with pytest.raises(ValueError, match="beta must be 0 for the differ estimate"):
        sparring.sym_exp3s(3, tuning=sparring.Tuning(0.01, 0.1, beta=0.1), differ=True)
    with pytest.raises(ValueError, match="gamma must be at least 1e-06 where arms differ"):
        sparring.sym_exp3s(3, tuning=sparring.Tuning(1e-9, 1e-7), differ=True)
    learner = sparring.steady(3, differ=True, seed=1)
    with pytest.raises(ValueError, match="col must be another arm than row"):
        learner.watch(1, 1, [1 / 3] * 3)
    learner.tell(learner.watch(0, 1, [1 / 3] * 3), 1.0)
    assert learner.favourite == 0
