"""The kernels of strengths that forget, beside their slow twins."""

import math

import numpy as np
import pytest

import strength_twin
from sparring import _strengths as kernels
from sparring.votes.data import Votes
from sparring.votes.strengths import Follower


def some(rng, n, K, pause=0.0):
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    clock = np.cumsum(rng.exponential(size=n))
    clock[n // 2 :] += pause
    outcome = rng.choice([0.0, 0.5, 1.0], size=n, p=[0.4, 0.1, 0.5])
    return first.astype(np.int32), second.astype(np.int32), outcome, clock


@pytest.mark.core
@pytest.mark.parametrize("half", [5.0, 60.0, math.inf])
@pytest.mark.parametrize("side", [False, True])
def test_a_follower_does_what_its_twin_does(rng, half, side):
    K, n = 4, 150
    first, second, outcome, clock = some(rng, n, K, pause=200.0)
    weight = rng.uniform(0.5, 2, size=n)
    follower = Follower(K, half, ridge=0.7, side=side)
    twin = strength_twin.Follower(K, half, 0.7, follower.side_ridge, follower.block)
    losses, marks = np.zeros(n), np.array([0, 40, 90])
    past, information = np.zeros((3, K)), np.zeros((3, K))
    follower.learn(first, second, outcome, weight, clock, losses, marks, past, information)
    for t in range(n):
        told = (first[t], second[t], outcome[t], weight[t], clock[t])
        assert losses[t] == pytest.approx(twin.vote(*told), rel=1e-9)
        for k in np.flatnonzero(marks == t):
            np.testing.assert_allclose(past[k], twin.noted, atol=1e-9)
    np.testing.assert_allclose(follower.strengths, twin.strength, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(follower.information, twin.information, rtol=1e-9)
    assert follower.state[kernels.SIDE] == pytest.approx(twin.side, rel=1e-9, abs=1e-12)


def test_an_arm_of_no_prior_and_no_votes_stays_where_it_is():
    """Without a prior an arm that nobody met has no curvature to step by."""
    follower = Follower(3, math.inf, ridge=0.0)
    follower.information[:] = 1.0
    n = 20
    pair = (np.zeros(n, np.int32), np.ones(n, np.int32))
    outcome = np.tile([1.0, 0.0], n // 2)
    nothing = np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3))
    follower.learn(*pair, outcome, np.ones(n), np.arange(float(n)), np.zeros(n), *nothing)
    assert follower.strengths[2] == 0.0 and follower.information[2] == 0.0


def test_votes_one_by_one_are_votes_at_once(rng):
    """So standings that run along are those of a file, to the last bit."""
    first, second, outcome, clock = some(rng, 200, 5)
    votes = Votes(tuple("abcde"), first, second, outcome, time=clock * 86_400)
    empty = np.zeros(0, np.int64), np.zeros((0, 5)), np.zeros((0, 5))
    whole, parts = Follower(5, 30.0), Follower(5, 30.0)
    whole.follow(votes, np.ones(200), np.zeros(200), *empty)
    for t in range(200):
        one = slice(t, t + 1)
        vote = (votes.first[one], votes.second[one], outcome[one], np.ones(1), votes.clock[one])
        parts.learn(*vote, np.zeros(1), *empty)
    assert np.array_equal(whole.strengths, parts.strengths)
    assert np.array_equal(whole.met, parts.met)


@pytest.mark.core
@pytest.mark.parametrize("often", [0.1, 1.0, 3.0])
def test_a_mixture_is_what_its_twin_says(rng, often):
    losses, weight = rng.exponential(size=(4, 60)), rng.uniform(0.5, 2, size=60)
    prior, mixed = np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(60)
    beliefs = prior.copy()
    marks, past = np.array([0, 30]), np.zeros((2, 4))
    kernels.blend(losses, weight, often, prior, beliefs, mixed, marks, past)
    wanted, last = strength_twin.mixture(losses, often, weight, prior)
    np.testing.assert_allclose(mixed, wanted, rtol=1e-12)
    np.testing.assert_allclose(beliefs, last, rtol=1e-9)
    _, at_half = strength_twin.mixture(losses[:, :30], often, weight, prior)
    np.testing.assert_allclose(past, [prior, at_half], rtol=1e-9)


def test_a_mixture_is_nearly_as_good_as_the_best(rng):
    """Each predictor has 1/M of the belief at first, and spreads 1/(t + 1): at most ln M + ln n."""
    losses = rng.exponential(size=(5, 400)) * np.array([[1.0], [0.9], [0.5], [1.2], [0.8]])
    mixed = np.zeros(400)
    nowhere = np.zeros(0, np.int64), np.zeros((0, 5))
    prior = np.full(5, 0.2)
    kernels.blend(losses, np.ones(400), 1.0, prior, prior.copy(), mixed, *nowhere)
    assert mixed.sum() <= losses.sum(1).min() + math.log(5) + math.log(401)


def filtered(first, second, outcome, clock, pace, K):
    """The walk's log-losses with full matrices, and covariances between arms put to nought."""
    mean, P, latest, losses = np.zeros(K), np.eye(K) * 0.5, np.zeros(K), []
    for i, j, o, x in zip(first, second, outcome, clock, strict=True):
        for arm in (i, j):
            P[arm, arm] += pace * (x - latest[arm])
            latest[arm] = x
        z = np.zeros(K)
        z[i], z[j] = 1, -1
        v, d = z @ P @ z, z @ mean
        q = strength_twin.logistic(d / math.sqrt(1 + math.pi / 8 * v))
        losses.append(-(o * math.log(q) + (1 - o) * math.log(1 - q)))
        p = strength_twin.logistic(d)
        gain = P @ z / (1 + p * (1 - p) * v)
        mean = mean + gain * (o - p)
        P = np.diag(np.diag(P - p * (1 - p) * np.outer(gain, z @ P)))
    return np.array(losses)


@pytest.mark.core
def test_a_walk_is_a_filter(rng):
    first, second, outcome, clock = some(rng, 80, 4)
    losses, K = np.zeros(80), 4
    arrays = (np.zeros(2), np.zeros(K), np.full(K, 0.5), np.zeros(K), losses)
    marks, past, information = np.array([0, 40]), np.zeros((2, K)), np.zeros((2, K))
    noted = (marks, past, information)
    kernels.walk(first, second, outcome, np.ones(80), clock, 0.03, *arrays, *noted)
    wanted = filtered(first, second, outcome, clock, 0.03, K)
    np.testing.assert_allclose(losses, wanted, rtol=1e-9)
    np.testing.assert_allclose(past[0], 0)
    np.testing.assert_allclose(1 / information[0], 0.5 + 0.03 * clock[0])
    half = (np.zeros(2), np.zeros(K), np.full(K, 0.5), np.zeros(K), np.zeros(40))
    votes = (first[:40], second[:40], outcome[:40], np.ones(40), clock[:40])
    kernels.walk(*votes, 0.03, *half, marks[:0], past[:0], information[:0])
    np.testing.assert_array_equal(past[1], half[1])
    np.testing.assert_allclose(1 / information[1], half[2] + 0.03 * (clock[40] - half[3]))
