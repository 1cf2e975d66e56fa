"""Floors of nonnegative numbers: the inequality behind them, exactly, and against a slow twin."""

import math

import numpy as np
import pytest

from sparring.votes.borda_scores import PRICES, RATES, floor, slack, squares


def test_the_inequality_of_the_proof():
    """exp(l x - psi(l) x^2) <= 1 + l x for x >= -1; with 0.99 of psi it fails at x = -1."""
    x = np.concatenate([np.linspace(-1, 1, 2001), np.geomspace(1, 1e6, 500)])
    for rate, price in zip(RATES, PRICES, strict=True):
        room = np.log1p(rate * x) - (rate * x - price * x**2)
        assert room.min() > -1e-9
        assert math.log1p(-rate) < -rate - 0.99 * price


def test_one_step_is_a_supermartingale(rng):
    """Exactly, over random laws of X with large values, means drifting away from the guess."""
    closest = -math.inf
    for _ in range(2000):
        values = np.concatenate([[0.0], rng.random(3) * 10 ** rng.uniform(-1, 3, 3)])
        chances = rng.dirichlet(10 ** rng.uniform(-2, 1, 4))
        m = chances @ values
        if m > 1:
            values, m = values / m, 1.0
        guess = rng.random()
        rate = RATES[rng.integers(8)]
        price = -math.log1p(-rate) - rate
        power = rate * (values - m) - price * (values - guess) ** 2
        factor = chances @ np.exp(power)
        assert factor <= 1 + 1e-12
        closest = max(closest, math.log(factor))
    assert closest > -1e-3


def test_the_slack_solves_its_equation():
    for v in (0.0, 1.0, 37.0, 1e4, 1e8):
        for delta in (0.3, 0.05, 1e-9):
            s = float(slack(v, delta))
            reached = np.mean(np.exp(RATES * s - PRICES * v))
            assert reached == pytest.approx(1 / delta, rel=1e-5)
            less = np.mean(np.exp(RATES * s * 0.99 - PRICES * v))
            assert less < 1 / delta


def test_against_a_twin_that_goes_step_by_step(rng):
    X = rng.random(500) * (rng.random(500) < 0.2) * 7
    total = wrong = 0.0
    for t, x in enumerate(X):
        guess = min(1.0, (0.5 + total) / (t + 1))
        wrong += (x - guess) ** 2
        total += x
    assert squares(X) == pytest.approx(wrong, rel=1e-12)
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        with np.errstate(over="ignore"):
            enough = np.mean(np.exp(RATES * middle - PRICES * wrong)) >= 1 / 0.01
        low, high = (low, middle) if enough else (middle, high)
    assert floor(X, 0.01) == pytest.approx(max(0, (total - high) / 500), rel=1e-6)


def test_nothing_is_known_of_nothing():
    assert floor([], 0.05) == 0.0
    assert floor([0.0] * 100, 0.05) == 0.0
