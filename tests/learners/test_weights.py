"""Kernels: exact arithmetic, a fixed order of sums, the scale of weights, draws at the edges."""

import math
from fractions import Fraction

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
from sparring import _math as arithmetic
from sparring._jit import JIT_OFF, kernel
from sparring.learners import weights as kernels

pytestmark = pytest.mark.core


@kernel
def grow(w, x):
    return arithmetic.grow(w, x)


@kernel
def grow_small(w, x):
    return arithmetic.grow_small(w, x)


@kernel
def sum_lanes(values):
    return arithmetic.sum_lanes(values, 0)


@kernel
def draw(w, total, blocks, n, u):
    return kernels.draw(w, total, blocks, n, u)


def exact_growth(w, x):
    """w e^x as a fraction, by Taylor's series in exact arithmetic."""
    n = round(x / math.log(2))
    ln2 = Fraction("0.69314718055994530941723212145817656807550013436025525412068")
    r = Fraction(x) - n * ln2
    term = total = Fraction(1)
    for i in range(1, 40):
        term = term * r / i
        total += term
    return Fraction(w) * total * Fraction(2) ** n


def relative_error(value, exact):
    return abs(float((Fraction(float(value)) - exact) / exact))


@hypothesis.given(w=st.floats(1e-100, 1e100), x=st.floats(-350, 350))
@hypothesis.example(w=1.0, x=0.0)
@hypothesis.example(w=1.0, x=350.0)
@hypothesis.example(w=1.0, x=-350.0)
@hypothesis.example(w=2.0**256, x=math.log(2) / 2)
def test_growth_is_exact_to_the_last_bits(w, x):
    assert relative_error(grow(w, x), exact_growth(w, x)) < (2e-14 if JIT_OFF else 2.3e-16)


@hypothesis.given(w=st.floats(1e-100, 1e100), x=st.floats(0, arithmetic.SMALL_EXPONENT))
def test_small_growth_is_exact_to_the_last_bits(w, x):
    assert relative_error(grow_small(w, x), exact_growth(w, x)) < 2.3e-16


def test_growth_repeated_does_not_drift():
    """A million equal small steps: a factor rounded before multiplying would be off by 1e-10."""
    steps = 10_000 if JIT_OFF else 1_000_000
    for x in (1.1e-5, 3.7e-4, 1.3e-3, 0.0171):
        for function in (grow, grow_small) if x < arithmetic.SMALL_EXPONENT else (grow,):
            w, halvings = 1.0, 0
            for _ in range(steps):
                w = function(w, x)
                if w > 2.0:
                    w, halvings = w / 2, halvings + 1
            drift = math.log(w) - float(
                Fraction(x) * steps - halvings * Fraction("0.693147180559945309417232121458")
            )
            assert abs(drift) < 3e-12, f"{function.__name__}, {x}"


def test_lanes_are_added_by_halves(rng):
    values = rng.random(16) * 10.0 ** rng.integers(-8, 8, 16)
    halves = values.copy()
    while halves.size > 1:
        halves = halves[: halves.size // 2] + halves[halves.size // 2 :]
    assert sum_lanes(values) == halves[0]


def numbers(K, gamma):
    return kernels.WeightsNumbers(
        K, kernels.WIN, 0.01, 0.0, gamma, np.zeros(-(-K // 16) * 16), True, False
    )


@pytest.mark.parametrize("K", [2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 48, 100])
def test_draws_at_the_edges_of_the_unit_interval(K, rng):
    """u = 0 and the largest double below 1 give arms; each arm owns its interval.

    Rounding may give the last arm although it sleeps: its probability is gamma / K all the same.
    """
    w = np.zeros(-(-K // 16) * 16)
    w[:K] = rng.random(K)
    w[K - 1] = 0.0  # asleep
    blocks = w.reshape(-1, 16).sum(axis=1)
    total, gamma = blocks.sum(), 0.25
    n = numbers(K, gamma)
    assert draw(w, total, blocks, n, 0.0) == 0
    assert draw(w, total, blocks, n, np.nextafter(gamma, 0)) == K - 1
    assert draw(w, total, blocks, n, gamma) == 0
    assert draw(w, total, blocks, n, np.nextafter(1, 0)) >= K - 2
    ends = np.cumsum(w[:K])[: K - 1]
    for k, (low, high) in enumerate(zip([0.0, *ends[:-1]], ends, strict=True)):
        u = gamma + (1 - gamma) * (low + high) / 2 / total
        assert draw(w, total, blocks, n, u) == k


@pytest.mark.parametrize("K", [2, 3, 10, 33])
@pytest.mark.parametrize("alpha", [0.0, 1e-4])
@pytest.mark.parametrize("estimate", ["win", "borda", "relative", "row borda", "differ", "capped"])
def test_the_scale_of_the_weights_never_matters(K, estimate, alpha, rng):
    """Weights 2^255 times as large, rescaled at once, give the same arms and probabilities."""
    rounds = 200 if JIT_OFF else 5_000
    bias = 0.0 if estimate in ("relative", "differ", "capped") else 0.01
    tuning = sparring.Tuning(0.02, 0.3, bias, alpha)
    learner, scaled = (
        sparring.learners.ExponentialWeights(K, tuning, estimate=estimate, seed=1) for _ in range(2)
    )
    scaled._set_weights(2.0**255, 0)
    P, coins = np.full((1, K, K), 0.5), rng.random(rounds)
    P[0, 0, 1:], P[0, 1:, 0] = 0.9, 0.1
    plays = [one.play(sparring.Block(P, np.array([rounds])), coins) for one in (learner, scaled)]
    np.testing.assert_array_equal(*plays)
    np.testing.assert_array_equal(learner.p, scaled.p)


@pytest.mark.parametrize("beta", [0.0, 1e-4, 0.01])
def test_the_scale_does_not_matter_to_sleepers_either(beta, rng):
    """An arm that falls asleep earlier or later, as the scale has it, has the same weight."""
    tuning = sparring.Tuning(0.7, 0.3, beta)
    learner, scaled = (sparring.learners.ExponentialWeights(6, tuning, seed=1) for _ in range(2))
    scaled._set_weights(2.0**200, 0)
    P = np.full((6, 6), 0.5)
    P[np.triu_indices(6, 1)], P[np.tril_indices(6, -1)] = 1.0, 0.0
    slept = 0
    for matrix in (P, P.T):
        for _ in range(20):
            coins = rng.random(60)
            for one in (learner, scaled):
                one.play(sparring.Block(matrix[None], np.array([60])), coins)
            slept += (learner._memory.depth > 0).sum()
            np.testing.assert_array_equal(learner.p, scaled.p)
    assert slept > 10, "nobody slept"


@pytest.mark.parametrize("estimate", ["win", "borda", "relative", "differ", "capped"])
def test_invariants_of_sleepers(estimate, rng):
    """After every block: sums in range, sleepers in normal form and out of the fast arrays."""
    tuning = sparring.Tuning(0.5, 0.4)
    learner = sparring.learners.ExponentialWeights(6, tuning, estimate=estimate, seed=2)
    down, slept, woke = np.full((6, 6), 0.5), 0, 0
    down[np.triu_indices(6, 1)], down[np.tril_indices(6, -1)] = 1.0, 0.0
    for P in (down, down.T, down):
        for _ in range(20):
            before = learner._memory.depth > 0
            learner.play(sparring.Block(P[None], np.array([100])), rng.random(100))
            now = learner._memory
            asleep = now.depth > 0
            slept, woke = slept + (asleep & ~before).sum(), woke + (before & ~asleep).sum()
            assert ((now.total >= 1) & (now.total <= kernels.BIG)).all()
            np.testing.assert_array_equal(now.asleep, asleep.sum(axis=1))
            assert (now.W[asleep] == 0).all()
            assert ((now.Z[asleep] >= 1) & (now.Z[asleep] < kernels.BIG)).all()
            assert (now.depth[asleep] > 1).all()
            assert (now.Z[~asleep] == 0).all()
            assert (now.W[:, :6][~asleep[:, :6]] >= kernels.SLEEP).all()
            assert (now.W[:, 6:] == 0).all(), "the padding caught weight"
    assert slept > 3
    assert woke > 3
