"""Statistical facts of the estimates and draws, each with its false-alarm rate.

Seeds are fixed, so a test that passes goes on passing; the rate says how likely a right program
was to fail on a seed chosen blindly.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

import sparring
from learner_factories import FACTORIES, coupled
from sparring._jit import JIT_OFF
from sparring.learners import weights as kernels
from sparring.testing.chance import merge_light_cells
from worlds import ladder, random_matrices

ETA, GAMMA, BETA = 0.01, 0.2, 0.05
K = 4


def unequal(estimate):
    """A learner whose distributions are far from uniform, and from each other."""
    tuning = sparring.Tuning(ETA, GAMMA, 0.0 if estimate == "relative" else BETA)
    learner = sparring.learners.ExponentialWeights(K, tuning, estimate=estimate, seed=1)
    players = len(learner.p)
    learner._set_weights(np.array([[1.0, 2.0, 4.0, 8.0], [6.0, 3.0, 2.0, 1.0]])[:players], 0)
    return learner


def estimates(learner, row, col, o):
    """The gain estimates of one duel, read off the growth of the weights: ln(W' / W) / eta."""
    before = learner._memory.W.copy()
    p = np.ones_like(before)
    weights = tuple(learner._memory)
    kernels.distributions(weights, learner._numbers, p)
    tell, clock = learner.KERNELS.tell, learner._state.clock
    tell(clock, weights, learner._numbers, p, 0, float(o), row, col)
    growth = np.log(learner._memory.W[:, :K] / before[:, :K]) / ETA
    learner._set_weights(before[:, :K], 0)
    return growth


def expected_estimate(estimate, P, p, given_row=None, given_col=None):
    """P(k, b) + beta / p for (g-hat) given the opponent b, s(k) + beta / p for s'."""
    if estimate == "win":
        row = P[:, given_col] + BETA / p[0]
        col = P[:, given_row] + BETA / p[1]
        return np.array([row, col])
    if estimate in ("borda", "row borda"):
        return P.mean(axis=1) + BETA / p
    return (2 * P @ p[0] - 1)[None]  # relative: twice the centred gain against its own distribution


@pytest.mark.parametrize("estimate", ["win", "borda", "relative", "row borda"])
def test_the_estimate_is_unbiased_up_to_its_bias_exactly(estimate, rng):
    """E over all arms and outcomes, enumerated: no chance, no false alarms."""
    P = random_matrices(1, K, rng)[0]
    learner = unequal(estimate)
    p = learner.p
    q = p[-1]
    mean = np.zeros_like(p)
    row_mean, col_mean = np.zeros((K, K)), np.zeros((K, K))  # given the opponent's arm
    for row, col in itertools.product(range(K), range(K)):
        for o, chance in ((1, P[row, col]), (0, 1 - P[row, col])):
            found = estimates(learner, row, col, o)
            mean += p[0, row] * q[col] * chance * found
            row_mean[col] += p[0, row] * chance * found[0]
            col_mean[row] += q[col] * chance * found[-1]
    if estimate == "win":
        for arm in range(K):
            theory = expected_estimate(estimate, P, p, given_row=arm, given_col=arm)
            np.testing.assert_allclose(row_mean[arm], theory[0], rtol=1e-10)
            np.testing.assert_allclose(col_mean[arm], theory[1], rtol=1e-10)
    else:
        np.testing.assert_allclose(mean, expected_estimate(estimate, P, p), rtol=1e-10, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("estimate", ["win", "borda", "relative", "row borda"])
def test_the_estimate_is_unbiased_up_to_its_bias_in_draws(estimate, rng):
    """The mean over 10,000 duels asked and played is within z = 5.5 standard errors of theory.

    False alarms: 4e-8 for each of at most 8 means, below 1e-6 in all. The formula itself is tested
    above, exactly; this is for draws that are not those of p.
    """
    P = random_matrices(1, K, rng)[0]
    learner = unequal(estimate)
    p, n = learner.p, 10_000
    gaps = np.empty((n, *p.shape))
    for i in range(n):
        duel = learner.ask()
        o = float(rng.random() < P[duel.row, duel.col])
        theory = expected_estimate(estimate, P, p, given_row=duel.row, given_col=duel.col)
        gaps[i] = estimates(learner, duel.row, duel.col, o) - theory
    z = gaps.mean(axis=0) / (gaps.std(axis=0) / np.sqrt(n))
    assert np.abs(z).max() < 5.5, z


@pytest.mark.parametrize("name", FACTORIES)
def test_draws_follow_p_at_random_moments(name, rng):
    """At five moments of a run, 8,000 pairs follow p x p: chi-square over the pairs at 1e-7.

    Independence of the two arms is tested with it. Pairs that expect less than 50 are merged, so
    that chi-square's tail is right to a small factor. False alarms: below 1e-5 a learner. Power:
    pairs of five arms that come a tenth too often or too seldom are found at each moment with
    probability 0.9.
    """
    learner = FACTORIES[name](8)
    if coupled(learner):
        pytest.skip("it chooses its arms together")
    K = learner.K
    draws = 2_000 if JIT_OFF else 8_000
    for _ in range(5):
        learner.play(sparring.Block(ladder(K, 0.3)[None], np.array([100])), rng.random(100))
        duels = [learner.ask() for _ in range(draws)]
        pairs = np.bincount([duel.row * K + duel.col for duel in duels], minlength=K * K)
        p = learner.p
        expected = np.outer(p[0], p[-1]).ravel() * draws
        pairs, expected = merge_light_cells(pairs, expected)
        assert stats.chisquare(pairs, expected, sum_check=False).pvalue > 1e-7
        learner.forget(before=learner.t + 1)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["rex3", "dex3p", "dex3s", "borda_dex3s", "sym_exp3s", "d_exp3"])
def test_a_learner_finds_the_winner_of_a_fixed_matrix(name):
    """In 40 runs of 200,000 rounds each player plays the winner most in at least 37 last quarters.

    False alarms: if a run succeeds with probability 0.995, 37 of 40 fail to with probability 5e-5
    for each learner (Binomial). RAND, which finds nothing, would pass with probability below 1e-30.
    """
    T, winner = 200_000, 2
    sizes = {} if name in ("rex3", "dex3p", "d_exp3") else {"S": 1}
    P = np.full((K, K), 0.5)
    P[winner], P[:, winner] = 0.8, 0.2
    P[winner, winner] = 0.5
    successes = 0
    for seed in range(40):
        learner = sparring.LEARNERS[name](K, T, **sizes, seed=seed)
        coins = np.random.default_rng([seed, 1]).random(T)
        plays = learner.play(sparring.Block(P[None], np.array([T])), coins)
        late = (np.bincount(arms[-T // 4 :], minlength=K).argmax() for arms in plays)
        successes += all(arm == winner for arm in late)
    assert successes >= 37
