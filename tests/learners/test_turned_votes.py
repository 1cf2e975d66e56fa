"""What is proved of votes that are turned round, in docs/late-and-spoiled.md."""

import math

import numpy as np
import pytest

import sparring
from worlds import ladder


def test_turned_votes_cost_no_more_than_was_proved():
    """Sum of x(j) - <w, x> <= ln K / eta + eta <w, x^2> + C (K / gamma + 2 / (1 - gamma)).

    x are the estimates of the true votes, w the weights of a learner that is told C of them turned
    round, all that the best arm would win. Without the last term it fails: an adversary that
    sees the arms gets more than a quarter of what the term allows.
    """
    K, T, eta = 4, 3_000, 0.02
    gamma = eta * K / 2
    learner = sparring.learners.ExponentialWeights(
        K, sparring.Tuning(eta, gamma), estimate="relative", seed=3
    )
    rng, P = np.random.default_rng(3), ladder(K, 0.2)
    gains, mixed, squares, turned = np.zeros(K), 0.0, 0.0, 0
    for _ in range(T):
        duel = learner.ask()
        p = duel.p[0]
        w = (p - gamma / K) / (1 - gamma)
        won = float(rng.random() < P[duel.row, duel.col])
        x = np.zeros(K)
        if duel.row != duel.col:
            x[[duel.row, duel.col]] = (2 * won - 1) / (2 * p[[duel.row, duel.col]])
            x[duel.col] *= -1
        bad = 0 in (duel.row, duel.col) and x[0] > 0  # the best arm would win
        learner.tell(duel, 1 - won if bad else won)
        turned += bad
        gains, mixed, squares = gains + x, mixed + w @ x, squares + w @ x**2
    regret, honest = gains[0] - mixed, math.log(K) / eta + eta * squares
    allowed = turned * (K / gamma + 2 / (1 - gamma))
    assert regret <= honest + allowed
    assert regret > honest + allowed / 4


@pytest.mark.parametrize("share", [0.05, 0.2, 0.45])
def test_votes_turned_at_random_shrink_the_regret_of_the_same_duels(share):
    """P' - 1/2 = (1 - 2 s) (P - 1/2): a bound on P' is one on P with the factor 1 / (1 - 2 s)."""
    P, regret = ladder(5, 0.3), sparring.Regret("preference", "stretch")
    worlds = [sparring.Constant(0.5 + scale * (P - 0.5), 500) for scale in (1, 1 - 2 * share)]
    true, seen = (
        sparring.simulate(world, "rand", regret, runs=3)["value"].to_numpy() for world in worlds
    )
    np.testing.assert_allclose(seen, (1 - 2 * share) * true, rtol=1e-12)
