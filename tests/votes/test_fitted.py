"""The fitted world: smoothing against twins with full matrices, V_T, refusals."""

import json

import numpy as np
import pytest

from sparring.votes.world import (
    _by_moments,
    _matrices,
    _variation,
    backwards,
    filtered,
    smoothed,
    world_of,
)


def conditioned(theta, noise, variance):
    """Mean and covariance of one arm's walk, by the precisions of steps and of what is seen."""
    steps = np.diff(np.eye(len(theta)), axis=0)
    C = np.linalg.inv(steps.T @ steps / variance + np.diag(1 / noise))
    return C @ (theta / noise), C


def log_likelihood(theta, noise, variance):
    """Of one arm's steps, which are normal with a covariance known in full."""
    steps = np.diff(np.eye(len(theta)), axis=0)
    law = variance * np.eye(len(theta) - 1) + steps @ np.diag(noise) @ steps.T
    seen = np.diff(theta)
    return -0.5 * (np.linalg.slogdet(law)[1] + seen @ np.linalg.solve(law, seen))


def test_smoothing_against_precisions_in_full(rng):
    theta, noise = rng.normal(size=(7, 2)), rng.uniform(0.1, 1, (7, 2))
    scale = np.sqrt([0.3])
    mean, spread = (part[0] for part in smoothed(theta, noise, scale))
    for arm in range(2):
        m, C = conditioned(theta[:, arm], noise[:, arm], 0.3)
        assert mean[:, arm] == pytest.approx(m, rel=1e-9)
        assert spread[:, arm] == pytest.approx(np.diag(C), rel=1e-9)


def test_the_likelihood_is_that_of_the_steps(rng):
    """Up to a constant that does not depend on the drift."""
    theta, noise = rng.normal(size=(7, 1)), rng.uniform(0.1, 1, (7, 1))
    found = filtered(theta, noise, np.sqrt([0.0, 0.1, 2.0]))[2]
    twin = [log_likelihood(theta[:, 0], noise[:, 0], variance) for variance in (0.0, 0.1, 2.0)]
    assert np.diff(found) == pytest.approx(np.diff(twin), rel=1e-9)


def test_no_drift_gives_the_weighted_mean(rng):
    theta, noise = rng.normal(size=(9, 3)), rng.uniform(0.1, 1, (9, 3))
    mean, spread = (part[0] for part in smoothed(theta, noise, np.zeros(1)))
    weighted = (theta / noise).sum(axis=0) / (1 / noise).sum(axis=0)
    assert mean == pytest.approx(np.tile(weighted, (9, 1)), rel=1e-9)
    assert spread == pytest.approx(np.tile(1 / (1 / noise).sum(axis=0), (9, 1)), rel=1e-9)


def test_paths_have_the_smoothed_law(rng):
    """20,000 draws: means and variances within six standard errors of the smoother's."""
    theta, noise = rng.normal(size=(5, 2)), rng.uniform(0.1, 1, (5, 2))
    mean, spread = (part[0] for part in smoothed(theta, noise, np.array([0.5])))
    drawn = backwards(theta, noise, np.full(20_000, 0.5), rng)
    paths = np.stack([*drawn][::-1], axis=1)
    assert (np.abs(paths.mean(axis=0) - mean) < 6 * np.sqrt(spread / 20_000)).all()
    assert paths.var(axis=0) == pytest.approx(spread, rel=6 * np.sqrt(2 / 20_000))


def walk(drift, rng, periods=60, K=5):
    theta = np.linspace(0.8, -0.8, K) + np.cumsum(drift * rng.normal(size=(periods, K)), axis=0)
    sigma = rng.uniform(0.1, 0.3, (periods, K))
    return theta, theta + sigma * rng.normal(size=theta.shape), sigma


def test_noise_is_not_taken_for_drift(rng):
    _, seen, sigma = walk(0.0, rng)
    found = world_of(seen, sigma, T=1_000)
    assert found.observed > 5
    assert found.smooth < 0.3
    assert found.V_T_low < 0.1
    assert found.drift < 0.02


def test_drift_is_not_taken_for_noise(rng):
    theta, seen, sigma = walk(0.3, rng)
    found = world_of(seen, sigma, T=1_000)
    truth = _variation(_matrices(theta))
    assert pytest.approx(truth, rel=0.25) == found.V_T
    assert found.smooth < found.V_T < found.observed
    assert found.drift == pytest.approx(0.3, rel=0.25)
    assert found.moments == pytest.approx(0.3, rel=0.25)
    assert ((found.strengths - theta) ** 2).mean() < ((seen - theta) ** 2).mean()


def test_the_moments_are_the_formula():
    theta = np.array([[0.0, 0.0], [1.0, -1.0], [1.0, -1.0]])
    noise = np.full((3, 2), 0.1)
    assert _by_moments(theta, noise) == pytest.approx(np.sqrt((2 * 0.8 - 2 * 0.2) / 4))
    assert _by_moments(theta, np.ones((3, 2))) == 0.0
    assert _by_moments(theta[:1], noise[:1]) == 0.0


def test_the_world_is_a_recorded_one(rng):
    _, seen, sigma = walk(0.1, rng, periods=8, K=3)
    found = world_of(seen, sigma, T=400, names=("x", "y", "z"))
    assert found.world.T == 400
    assert found.world.arms == ("x", "y", "z")
    assert pytest.approx(found.smooth) == found.world.V_T
    assert found.world.matrices == pytest.approx(_matrices(found.strengths))
    assert "noise removed" in str(found)
    assert json.loads(json.dumps(found.to_json()))["names"] == ["x", "y", "z"]
    assert len(found.to_table()) == 24


def test_one_period_stands_still():
    found = world_of([[0.5, -0.5]], [[0.1, 0.1]], T=10)
    assert found.V_T == found.observed == found.smooth == found.drift == 0
    assert found.strengths.tolist() == [[0.5, -0.5]]


def test_what_is_refused():
    for strengths, errors, match in [
        ([[0.1, np.nan]], [[1, 1]], "finite"),
        ([[0.1, 0.2]], [[1, 0]], "above 0"),
        ([[0.1, 0.2]], [[1, 1, 1]], "shape"),
        ([[0.1]], [[1.0]], "two arms"),
    ]:
        with pytest.raises(ValueError, match=match):
            world_of(strengths, errors, T=10)
    with pytest.raises(ValueError, match="T"):
        world_of([[0.1, 0.2]], [[1, 1]], T=0)
