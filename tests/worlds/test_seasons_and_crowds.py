"""Seasons that come back and crowds whose shares move: paths against slow twins, odd sizes."""

import numpy as np
import pytest

import sparring
import world_twins as twins
from sparring.worlds import MovingShares, Seasonal

SEED = 20220717


def rng_at(*key):
    return np.random.default_rng([SEED, *key])


@pytest.mark.parametrize(
    ("K", "T", "period", "seasons"),
    [(2, 1, 2, 2), (3, 50, 7, 2), (5, 100, 33, 4), (4, 30, 4, 4), (4, 9, 1000, 3), (3, 40, 40, 2)],
)
def test_seasons_are_their_twin(K, T, period, seasons):
    """To the last bit; seasons of a period that they do not divide differ by a round."""
    world = Seasonal(K, T, period, seasons, margin=0.3)
    path, winners = twins.seasons(K, T, period, seasons, 0.3, rng_at(K, T))
    found = twins.expand(world, rng_at(K, T))
    np.testing.assert_array_equal(found, path)
    assert world.S == twins.segments(path) == 1 + len(world.changes)
    begun = [t + 1 for t in range(1, T) if (path[t] != path[t - 1]).any()]
    assert list(world.changes) == begun
    assert [twins.condorcet_winner(P) for P in path[[0, *(t - 1 for t in begun)]]] == [
        winners[s % seasons] for s in range(world.S)
    ]


def test_seasons_of_an_astronomical_year():
    """Only the seasons cost memory."""
    world = Seasonal(3, 10**18, period=10**17)
    assert (world.S, len(world.changes)) == (20, 19)
    assert sparring.describe(world).significant_shifts == 19


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"period": 10, "seasons": 5}, "seasons"),
        ({"period": 10, "seasons": 1}, "seasons"),
        ({"period": 2, "seasons": 3}, "period"),
        ({"period": 9.5}, "period"),
        ({"period": 10, "margin": 0}, "margin"),
    ],
)
def test_bad_seasons(options, match):
    with pytest.raises(ValueError, match=match):
        Seasonal(4, 100, **options)


@pytest.mark.parametrize(
    ("K", "T", "options"),
    [
        (2, 1, {}),
        (3, 60, {"groups": 1}),
        (4, 50, {"groups": 5, "spread": 3.0, "swing": 0.5, "memory": 10, "hold": 4}),
        (3, 40, {"swing": 0.0, "hold": 40}),
        (3, 30, {"spread": 0.0}),
    ],
)
def test_a_crowd_is_its_twin(K, T, options):
    given = {"groups": 3, "spread": 1.5, "swing": 2.0, "memory": max(T / 5, 1), "hold": 1}
    path, _ = twins.moving_shares(K, T, **{**given, **options}, rng=rng_at(K, T))
    found = twins.expand(MovingShares(K, T, **options), rng_at(K, T))
    np.testing.assert_allclose(found, path, rtol=0, atol=1e-12)


def test_one_group_never_changes_its_mind():
    assert sparring.describe(MovingShares(4, 200, groups=1)).S <= 2  # rounding may tell two apart


def test_a_crowd_may_have_no_winner_though_each_group_has():
    """Condorcet's paradox; with one group there is none."""
    shares = [sparring.describe(MovingShares(5, 2_000), seed).condorcet_share for seed in range(12)]
    assert min(shares) < 1
    alone = sparring.describe(MovingShares(5, 2_000, groups=1))
    assert alone.condorcet_share == 1


def test_even_the_widest_crowd_makes_probabilities():
    P, _ = twins.matrices(MovingShares(4, 500, spread=100, swing=100), rng_at(0))
    assert 0 <= P.min() <= P.max() <= 1
    np.testing.assert_array_equal(P + np.swapaxes(P, 1, 2), 1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"groups": 0}, "groups"),
        ({"spread": -1}, "spread"),
        ({"swing": 101}, "swing"),
        ({"memory": 0}, "memory"),
        ({"hold": 0}, "hold"),
    ],
)
def test_bad_crowds(options, match):
    with pytest.raises(ValueError, match=match):
        MovingShares(4, 100, **options)
