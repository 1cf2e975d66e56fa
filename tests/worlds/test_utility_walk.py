"""Utilities that walk or switch: against slow twins, Bradley-Terry, how long a matrix is held."""

import numpy as np
import pytest

import sparring
import world_twins as twins

SEED = 20220717


def rng_at(*key):
    return np.random.default_rng([SEED, *key])


@pytest.mark.parametrize(
    ("K", "T", "options"),
    [
        (2, 1, {}),
        (3, 100, {}),
        (5, 77, {"spread": 3.0, "memory": 10, "hold": 4}),
        (4, 30, {"memory": 1, "hold": 30}),
        (4, 30, {"spread": 0.0, "hold": 7}),
        (3, 200, {"memory": 1e6, "hold": 1}),
        (5, 60, {"moving": 2, "hold": 4}),
        (4, 20, {"moving": 0}),
        (4, 20, {"moving": 4}),
    ],
)
def test_the_utility_walk_is_its_twin(K, T, options):
    """To 1e-12: the twin takes the deviation of a step from 1 - keep^2, where digits cancel."""
    given = {"spread": 1.0, "memory": max(T / 5, 1), "hold": 1, **options}  # T / 500 is below 1
    path, history = twins.utility_walk(K, T, **given, rng=rng_at(K, T))
    found = twins.expand(sparring.UtilityWalk(K, T, **options), rng_at(K, T))
    np.testing.assert_allclose(found, path, rtol=0, atol=1e-12)
    if given["spread"] > 0:
        best = history.argmax(axis=1).tolist()
        assert [twins.condorcet_winner(P) for P in found] == best
        assert all(i in twins.dominating(P, slack=1e-15) for i, P in zip(best, found, strict=True))


@pytest.mark.parametrize(("K", "T", "S", "spread"), [(3, 10, 4, 1.0), (5, 7, 7, 3.0), (2, 9, 1, 0)])
def test_utilities_that_switch_are_drawn_again_for_each_segment(K, T, S, spread):
    """P = 1 / (1 + exp(u(j) - u(i))) of S times K normal utilities."""
    u = spread * rng_at(K, T).standard_normal((S, K))
    wanted = 1 / (1 + np.exp(u[:, None, :] - u[:, :, None]))
    world = sparring.worlds.UtilitySwitches(K, T, S, spread)
    found, hold = twins.matrices(world, rng_at(K, T))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-15)
    assert hold.sum() == T
    assert len(world.changes) == S - 1


@pytest.mark.parametrize(
    "world",
    [sparring.UtilityWalk(K=5, T=300), sparring.worlds.UtilitySwitches(K=5, T=300, S=40)],
    ids=repr,
)
def test_odds_multiply(world):
    """Bradley and Terry: odds of i against j times odds of j against k are those of i against k."""
    P, _ = twins.matrices(world, rng_at(1))
    odds = P / (1 - P)
    products = odds[:, :, :, None] * odds[:, None, :, :]
    direct = np.broadcast_to(odds[:, :, None, :], products.shape)
    np.testing.assert_allclose(products, direct, rtol=1e-10)


@pytest.mark.parametrize(
    ("T", "options", "hold", "stretches"),
    [
        (100_000, {}, 200, 500),
        (1_000, {}, 2, 500),
        (999, {}, 1, 999),
        (100_000, {"memory": 1_000}, 10, 10_000),
        (1_000, {"hold": 300}, 300, 4),
        (1_000, {"hold": 1_000}, 1_000, 1),
        (1_000, {"memory": 1e300}, 1_000, 1),
        (10**18, {}, 2 * 10**15, 500),
    ],
)
def test_a_hundredth_of_the_memory_is_a_stretch_and_the_last_is_what_is_left(
    T, options, hold, stretches
):
    _, found = twins.matrices(sparring.UtilityWalk(K=2, T=T, **options), rng_at(0))
    assert found.tolist() == [hold] * (stretches - 1) + [T - hold * (stretches - 1)]
    assert found.dtype == np.int64


def test_even_the_widest_spread_makes_probabilities():
    """Utilities of some hundreds: duels are certain, and nothing overflows."""
    P, _ = twins.matrices(sparring.UtilityWalk(K=6, T=2_000, spread=100), rng_at(0))
    assert P.min() == 0 and P.max() == 1


def test_a_learner_is_told_neither_segments_nor_variation():
    world = sparring.UtilityWalk(K=3, T=50)
    assert not hasattr(world, "S") and not hasattr(world, "V_T")


@pytest.mark.parametrize("moving", [0, 1, 3, 5])
def test_only_so_many_arms_move(moving):
    P, _ = twins.matrices(sparring.UtilityWalk(K=5, T=500, moving=moving), rng_at(moving))
    still = (P[0] == P).all(axis=0)  # of two arms that stay the preference stays
    assert still.sum() == (5 - moving) ** 2 + moving  # and the diagonal


@pytest.mark.parametrize("moving", [-1, 6, 2.5, "all"])
def test_more_arms_than_there_are_cannot_move(moving):
    with pytest.raises(ValueError, match="moving"):
        sparring.UtilityWalk(K=5, T=500, moving=moving)
