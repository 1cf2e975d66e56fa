"""The rounds in which a world changes are those in which its blocks do."""

import itertools

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
import world_twins as twins
from worlds import random_matrices

SEED = 20220717
ODD_SIZES = [(1, 1), (2, 2), (100, 1), (100, 7), (97, 13), (60, 60)]
ALWAYS_NEW = [sparring.SwitchingWalk, sparring.FreshWinner]
OTHERS = [sparring.Storm(K=4, T=90, S=S, calm=calm) for S, calm in ((2, 0.9), (30, 0.5))]
OTHERS += [sparring.Newcomer(K=5, T=88, S=S) for S in (1, 2, 5)]


def rng_at(*key):
    return np.random.default_rng([SEED, *key])


def changing_rounds(path):
    """The t in 2, ..., T with P_t != P_{t-1}."""
    pairs = enumerate(itertools.pairwise(path), start=2)
    return tuple(t for t, (before, now) in pairs if (before != now).any())


@pytest.mark.parametrize(("T", "S"), ODD_SIZES)
@pytest.mark.parametrize("kind", ALWAYS_NEW)
def test_changes_are_the_rounds_in_which_the_matrix_is_another(kind, T, S):
    world = kind(K=4, T=T, S=S)
    assert len(world.changes) == S - 1
    assert world.changes == changing_rounds(twins.expand(world, rng_at(T, S)))


@pytest.mark.parametrize("world", OTHERS, ids=repr)
def test_other_worlds_change_when_they_say_too(world):
    assert len(world.changes) == world.S - 1
    assert world.changes == changing_rounds(twins.expand(world, rng_at(3)))


@pytest.mark.parametrize("sizes", [{"S": 1}, {"S": 13}, {"V_T": 9.0}, {"V_T": 0}])
def test_hard_instances_change_at_the_ends_of_segments_and_there_only(sizes):
    """Neighbours may have the same winner; over twenty paths every end is a change."""
    world = sparring.CondorcetSwitches(K=4, T=150, **sizes)
    assert len(world.changes) == world.segments - 1
    paths = (twins.expand(world, rng_at(run)) for run in range(20))
    assert {t for path in paths for t in changing_rounds(path)} == set(world.changes)


@hypothesis.given(data=st.data(), T=st.integers(1, 10**9))
def test_changes_are_where_the_holds_of_the_blocks_end(data, T):
    S = data.draw(st.integers(1, min(T, 300)))
    for kind in (*ALWAYS_NEW, sparring.CondorcetSwitches):
        world = kind(K=2, T=T, S=S)
        _, hold = twins.matrices(world, rng_at(0))
        assert world.changes == tuple(itertools.accumulate(hold.tolist()[:-1], initial=1))[1:]
        assert all(type(t) is int for t in world.changes)


def test_what_stays_never_changes():
    (P,) = random_matrices(1, 3, rng_at(1))
    assert sparring.Constant(P, T=50).changes == sparring.Cyclic(K=3, T=50).changes == ()


@pytest.mark.parametrize("T", [1, 3, 6, 7, 50])
def test_a_history_changes_where_a_period_brings_another_matrix(T):
    """Two equal periods are one segment, and with T = 3 not every period is shown."""
    a, b, c = random_matrices(3, 3, rng_at(2))
    world = sparring.worlds.Recorded([a, b, b, c, c, a], T)
    assert world.changes == changing_rounds(twins.expand(world, rng_at(0)))
    assert len(world.changes) == world.S - 1


def test_worlds_that_move_all_the_time_have_no_changes_to_tell():
    for world in (
        sparring.GaussianWalk(K=3, T=9),
        sparring.BudgetedDrift(K=3, T=9, V_T=1),
        sparring.RotatingWinner(K=3, T=9, V_T=1),
        sparring.UtilityWalk(K=3, T=9),
        sparring.worlds.LinearUtilities(K=3, T=9, d=2),
    ):
        assert not hasattr(world, "changes")
    given = random_matrices(3, 3, rng_at(2))
    assert sparring.worlds.Recorded(given, T=9, interpolate=True).changes is None
