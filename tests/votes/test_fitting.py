"""Strengths of votes: the maximum of what they maximise, and groups that votes link."""

import numpy as np
import pytest
from scipy import optimize

from sparring.votes import Votes, fit
from sparring.votes.strengths import chances


def some(rng, n=300, K=4, **more):
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    lead = np.linspace(0.6, -0.6, K)[first] - np.linspace(0.6, -0.6, K)[second]
    outcome = (rng.random(n) < 1 / (1 + np.exp(-lead))).astype(float)
    outcome[::7] = 0.5
    return Votes(tuple("abcdefgh"[:K]), first, second, outcome, **more)


def loss(x, votes, weight, ridge, side):
    """What the strengths minimise; the side is last, if there is one."""
    s, edge = (x[:-1], x[-1]) if side else (x, 0.0)
    p = 1 / (1 + np.exp(-(s[votes.first] - s[votes.second] + edge)))
    o = votes.outcome
    return (
        -(weight * (o * np.log(p) + (1 - o) * np.log(1 - p))).sum()
        + ridge / 2 * (s**2).sum()
        + (4 / 2 * edge**2 if side else 0)
    )


@pytest.mark.core
@pytest.mark.parametrize("half", [40.0, np.inf])
@pytest.mark.parametrize("side", [False, True])
def test_strengths_are_the_maximum(rng, half, side):
    votes = some(rng, weight=rng.uniform(0.5, 2, 300))
    weight = votes.weight * np.exp2(-(299 - np.arange(300)) / half)
    found = fit(votes, half, ridge=0.3, side=side)
    best = optimize.minimize(
        loss, np.zeros(4 + side), args=(votes, weight, 0.3, side), method="BFGS", tol=1e-10
    )
    np.testing.assert_allclose(found.strengths, best.x[:4] - best.x[:4].mean(), atol=2e-5)
    if side:
        assert found.side == pytest.approx(best.x[4], abs=2e-5)
    assert found.votes == pytest.approx(weight.sum())


def test_without_a_prior_a_clean_sweep_is_refused():
    votes = Votes(("a", "b"), [0] * 5, [1] * 5, [1] * 5)
    with pytest.raises(ValueError, match="ridge"):
        fit(votes, ridge=0)


def test_too_many_arms_are_refused():
    votes = Votes(tuple(map(str, range(3000))), [0], [1], [1.0])
    with pytest.raises(ValueError, match=r"at most 2,000 arms.*most=100"):
        fit(votes)


def test_half_a_million_groups_are_found_at_once():
    """Each group was once looked for in all arms: a million arms took hours."""
    K = 1_000_000
    at = np.arange(0, K, 2)
    groups = Votes(tuple(map(str, range(K))), at, at + 1, np.ones(len(at))).groups()
    assert len(groups) == K // 2 and groups[0] == [0, 1] and groups[-1] == [K - 2, K - 1]


def test_groups_are_those_of_a_slow_twin(rng):
    for _ in range(200):
        K, n = int(rng.integers(2, 30)), int(rng.integers(40))
        first = rng.integers(K, size=n)
        second = (first + rng.integers(1, K, size=n)) % K
        label = list(range(K))
        for one, other in zip(first, second, strict=True):
            met = {label[one], label[other]}
            label = [min(met) if mine in met else mine for mine in label]
        slow = [[arm for arm in range(K) if label[arm] == one] for one in sorted(set(label))]
        votes = Votes(tuple(map(str, range(K))), first, second, np.ones(n))
        assert votes.groups() == sorted(slow, key=len, reverse=True)


def test_heavy_votes_settle_up_to_rounding():
    """Sums of 1e4 are known to 1e-12, and a prior of 0.1 lets the strengths move by ten of that."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        K, n = int(rng.integers(2, 9)), 26
        first = rng.integers(K, size=n)
        second = (first + rng.integers(1, K, size=n)) % K
        weight = 10 ** rng.uniform(-4, 4, size=n)
        votes = Votes(tuple(map(str, range(K))), first, second, np.ones(n), weight=weight)
        for side in (False, True):
            found = fit(votes, side=side)
            p = chances(found.strengths, found.side)[first, second]
            gain = np.bincount(first, weight * (1 - p), K) - np.bincount(
                second, weight * (1 - p), K
            )
            assert gain == pytest.approx(0.1 * found.strengths, abs=1e-6)


def test_a_lead_beyond_all_numbers_is_sure():
    assert chances(np.array([2000.0, -2000.0])).tolist() == [[0.5, 1.0], [pytest.approx(0), 0.5]]
