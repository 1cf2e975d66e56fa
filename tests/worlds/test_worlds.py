"""Worlds: paths against slow twins, S and V_T against Sec. 2, matrices at odd sizes, values."""

import copy
import itertools
import json
import math
import pickle

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
import world_twins as twins
from sparring import streams
from sparring._jit import JIT_OFF
from sparring.worlds import _walks as kernels
from sparring.worlds import protocol
from worlds import random_matrices

pytestmark = pytest.mark.core

SEED = 20220717
HUGE = 1e300 if JIT_OFF else 1.7e308  # steps beyond all doubles: without the JIT a warning


def given_matrices(periods, K=3):
    return random_matrices(periods, K, np.random.default_rng([SEED, periods, K]))


EXAMPLES = [
    sparring.GaussianWalk(K=4, T=150, sigma=0.1),
    sparring.SwitchingWalk(K=4, T=150, S=37, sigma=0.2),
    sparring.BudgetedDrift(K=4, T=150, V_T=12.5),
    sparring.BudgetedDrift(K=4, T=150, V_T=12.5, direction="persistent"),
    sparring.CondorcetSwitches(K=4, T=150, S=37),
    sparring.CondorcetSwitches(K=4, T=150, S=37, family="paper", epsilon=0.2),
    sparring.CondorcetSwitches(K=4, T=150, V_T=9.0),
    sparring.FreshWinner(K=4, T=150, S=37),
    sparring.Storm(K=4, T=150, S=37, calm=0.61),
    sparring.Newcomer(K=9, T=150, S=8),
    sparring.RotatingWinner(K=4, T=150, V_T=3.3),
    sparring.UtilityWalk(K=4, T=150),
    sparring.UtilityWalk(K=4, T=150, spread=2.5, memory=90, hold=4),
    sparring.UtilityWalk(K=4, T=150, moving=2),
    sparring.worlds.MovingShares(K=4, T=150, groups=2, hold=7),
    sparring.worlds.Seasonal(K=4, T=150, period=40, seasons=3, margin=0.5),
    sparring.worlds.UtilitySwitches(K=4, T=150, S=37, spread=2.5),
    sparring.worlds.LinearUtilities(K=4, T=150, d=3, segments=5),
    sparring.worlds.LinearUtilities(K=4, T=150, d=3, segments=5, walk=True),
    sparring.Cyclic(K=5, T=150, gap=0.7),
    sparring.Constant(given_matrices(1)[0], T=150),
    sparring.worlds.Recorded(given_matrices(7), T=150),
    sparring.worlds.Recorded(
        given_matrices(7), T=150, interpolate=True, arms=("tea", "milk", "rum")
    ),
    sparring.worlds.Late(sparring.FreshWinner(K=4, T=150, S=37), mean=(1, 2, 3, 4)),
    sparring.worlds.Silent(sparring.UtilityWalk(K=4, T=150), share=0.5, of="majority"),
    sparring.worlds.Spoiled(sparring.worlds.Recorded(given_matrices(7), T=3), share=0.1, aim=1),
    sparring.worlds.Rigged(sparring.worlds.Recorded(given_matrices(7), T=3), share=0.1, plan=1),
    sparring.worlds.Recorded(given_matrices(7), T=3),
]

every_world = pytest.mark.parametrize("world", EXAMPLES, ids=lambda world: repr(world)[:60])


def rng_at(*key):
    return np.random.default_rng([SEED, *key])


def test_every_kind_of_world_has_an_example():
    assert {type(world) for world in EXAMPLES} == set(sparring.WORLDS.values())
    assert all(sparring.WORLDS[name].__name__ == name for name in sparring.WORLDS)


# Walks against twins.


@pytest.mark.parametrize(
    ("K", "T", "sigma"), [(2, 1, 0.1), (2, 5000, 0.002), (5, 400, 0.15), (50, 4, 0.3), (3, 9, 0.0)]
)
def test_the_gaussian_walk_is_the_papers_step_by_step(K, T, sigma):
    """To the last bit, over chunks of normals and blocks: K = 50 needs two chunks for a step."""
    path = twins.expand(sparring.GaussianWalk(K, T, sigma), rng_at(K, T))
    np.testing.assert_array_equal(path, twins.gaussian_walk(K, T, sigma, rng_at(K, T)))
    if sigma > 0.1 and T > 1:
        assert path.min() == 0 and path.max() == 1, "nothing was clipped"


@pytest.mark.parametrize(("K", "T", "S"), [(2, 1, 1), (3, 10, 10), (4, 1000, 7), (6, 997, 200)])
def test_the_switching_walk_steps_between_segments_only(K, T, S):
    P, hold = twins.matrices(sparring.SwitchingWalk(K, T, S, sigma=0.1), rng_at(K, T))
    np.testing.assert_array_equal(P, twins.gaussian_walk(K, S, 0.1, rng_at(K, T)))
    ends = [twins.boundary(s, T, S) for s in range(S + 1)]
    np.testing.assert_array_equal(np.append(0, np.cumsum(hold)), ends)


def test_walks_as_printed_have_the_papers_deviations():
    """Sec. 7: 0.002 in each round, 0.05 where P changes seldom."""
    assert sparring.GaussianWalk(K=2, T=1).sigma == 0.002
    assert sparring.SwitchingWalk(K=2, T=1, S=1).sigma == 0.05


@pytest.mark.parametrize("direction", ["random", "persistent"])
@pytest.mark.parametrize(
    ("K", "T", "V_T"),
    [
        (2, 1, 0.0),
        (2, 2, 0.4),
        (3, 150, 10.0),
        (12, 40, 5.0),  # 66 pairs: two words of signs a step
        (2, 300, 130.0),  # the cap of 1/2 binds often
        (3, 50, 24.5),  # and here always
    ],
)
def test_the_budgeted_drift_is_its_twin(K, T, V_T, direction):
    """Within 1e-13: sizes are rounded once more than in the twin, which has them to 40 digits."""
    path = twins.expand(sparring.BudgetedDrift(K, T, V_T, direction), rng_at(K, T))
    twin, _ = twins.budgeted_drift(K, T, V_T, direction, rng_at(K, T))
    np.testing.assert_allclose(path, twin, rtol=0, atol=1e-13)


@hypothesis.given(
    u=st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=40),
    share=st.floats(0, 1),
)
@hypothesis.example(u=[0.0, 0.0, 0.0], share=1.0)
@hypothesis.example(u=[1 - 2.0**-53] * 5, share=0.3)
def test_a_budget_is_shared_out_to_the_last_bits_and_spent(u, share):
    """Parts are the twin's to 1e-15 of the budget each, at most 1/2, and nothing is left."""
    V_T = share * len(u) / 2
    sizes = np.empty(len(u))
    left = kernels.share_out(np.array(u), V_T, len(u), 0.5, sizes)
    assert abs(left) <= 1e-15 * max(V_T, 1) * len(u)
    assert sizes.min() >= 0 and sizes.max() <= 0.5
    assert math.fsum(sizes) == pytest.approx(V_T, abs=1e-14 * max(V_T, 1))
    np.testing.assert_allclose(sizes, twins.budget(V_T, u), rtol=0, atol=3e-15 * max(V_T, 1))


@pytest.mark.parametrize("direction", ["random", "persistent"])
@pytest.mark.parametrize("K", [2, 7, 12])
def test_every_pair_of_a_drift_moves_by_the_size_of_the_step(K, direction):
    """Decision 7: none by more than mu_t V_T; here all of them by just that."""
    T, V_T = 200, 30.0
    path = twins.expand(sparring.BudgetedDrift(K, T, V_T, direction), rng_at(K))
    _, sizes = twins.budgeted_drift(K, T, V_T, direction, rng_at(K))
    moves = np.abs(np.diff(path, axis=0))[:, ~np.eye(K, dtype=bool)]
    np.testing.assert_allclose(moves, np.repeat([sizes], K * K - K, axis=0).T, atol=1e-14)


def test_a_persistent_direction_is_kept_until_the_entry_would_leave():
    path = twins.expand(
        sparring.BudgetedDrift(K=4, T=300, V_T=40.0, direction="persistent"), rng_at(4)
    )
    turns = 0
    for i, j in itertools.combinations(range(4), 2):
        steps = np.diff(path[:, i, j])
        for t in range(1, len(steps)):
            if steps[t] * steps[t - 1] < 0:
                turns += 1
                outside = path[t, i, j] + math.copysign(abs(steps[t]), steps[t - 1])
                assert not 0 <= outside <= 1, "turned without need"
    assert turns > 50


# The cut into blocks.


@every_world
@pytest.mark.parametrize(
    ("size", "longest"), [(1, 4096), (8 * 25 * 3, 4096), (1_500_000, 7), (1_500_000, 64)]
)
def test_a_path_does_not_depend_on_how_it_is_cut_into_blocks(world, size, longest, monkeypatch):
    """Bit for bit; and the blocks are no longer than they may be."""
    whole = twins.expand(world, rng_at(1))
    monkeypatch.setattr(protocol, "BLOCK_BYTES", size)
    monkeypatch.setattr(protocol, "LONGEST_BLOCK", longest)
    most = min(max(size // (8 * world.K**2), 1), longest)
    blocks = list(world.blocks(rng_at(1)))
    assert all(len(P) <= most for P, _ in blocks)
    np.testing.assert_array_equal(twins.expand(world, rng_at(1)), whole)


@every_world
def test_a_path_is_decided_by_its_generator_alone(world):
    """Two paths side by side, a block of each in turn, are the path of one."""
    both = zip(world.blocks(rng_at(2)), world.blocks(rng_at(2)), strict=True)
    for one, other in both:
        np.testing.assert_array_equal(one.P, other.P)
        one.P[:] = 0.25  # a block belongs to whoever asked for it
    np.testing.assert_array_equal(
        twins.expand(world, rng_at(2)), twins.expand(copy.copy(world), rng_at(2))
    )


RANDOM = (
    sparring.GaussianWalk,
    sparring.SwitchingWalk,
    sparring.BudgetedDrift,
    sparring.CondorcetSwitches,
    sparring.FreshWinner,
    sparring.Storm,
    sparring.Newcomer,
    sparring.UtilityWalk,
    sparring.worlds.UtilitySwitches,
    sparring.worlds.LinearUtilities,
)


@pytest.mark.parametrize("world", [w for w in EXAMPLES if isinstance(w, RANDOM)], ids=repr)
def test_another_generator_gives_another_path(world):
    assert (twins.expand(world, rng_at(1)) != twins.expand(world, rng_at(2))).any()


# S, V_T and what else describe tells.


def described_path(world, seed, run=0, experiment=""):
    rng = streams.keyed(seed, "path", experiment=experiment, K=world.K, T=world.T, run=run)
    return twins.expand(world, rng)


@every_world
def test_describe_tells_what_the_definitions_say(world):
    """Sec. 2 and 6 and errata E5, by brute force over P_1, ..., P_T."""
    found = sparring.describe(world, 3, run=2, experiment="twins")
    path = described_path(world, 3, run=2, experiment="twins")
    winners = [twins.condorcet_winner(P) for P in path]
    assert (found.K, found.T) == (world.K, world.T) == (path.shape[1], len(path))
    assert found.world.startswith(f"{type(world).__name__}(")
    assert "T=" not in found.world.replace("V_T=", "") and "K=" not in found.world
    assert twins.segments(path) == found.S
    np.testing.assert_allclose(found.V_T, twins.variation(path), rtol=1e-12)
    assert found.condorcet_changes == twins.changes(winners)
    assert found.condorcet_share == sum(w is not None for w in winners) / world.T
    assert found.borda_changes == twins.borda_changes(path)
    assert found.significant_shifts == len(twins.significant_shifts(path))
    forced = math.fsum(twins.gap(P) for P in path)
    assert found.irreducible == pytest.approx(forced, rel=1e-12, abs=1e-12 * world.T)
    assert json.loads(json.dumps(found.to_json()))["S"] == found.S


def test_describe_counts_on_over_pieces_and_blocks(monkeypatch):
    """A matrix that goes on into the next piece or block is no new one, and loses no round."""
    worlds = [world for world in EXAMPLES if world.T > 100]
    whole = [sparring.describe(world, 5) for world in worlds]
    monkeypatch.setattr("sparring.simulation.path.PIECE", 11)
    monkeypatch.setattr(protocol, "LONGEST_BLOCK", 6)
    for world, expected in zip(worlds, whole, strict=True):
        found = sparring.describe(world, 5)
        assert found.irreducible == expected.irreducible
        assert {**found.to_json(), "irreducible": 0} == {**expected.to_json(), "irreducible": 0}


@every_world
def test_what_a_world_promises_it_keeps(world):
    """S and V_T, where a world has them, go to the learners: the path has no more of either."""
    path = described_path(world, 0)
    if getattr(world, "S", None) is not None:
        assert twins.segments(path) <= world.S
    if getattr(world, "V_T", None) is not None:
        assert twins.variation(path) <= world.V_T + 1e-9
    sparring.Problem(
        K=world.K, T=world.T, S=getattr(world, "S", None), V_T=getattr(world, "V_T", None)
    )


def test_holds_of_very_long_segments_are_whole_and_exact():
    T = 10**18
    for world in (
        sparring.SwitchingWalk(K=2, T=T, S=7),
        sparring.CondorcetSwitches(K=3, T=T, S=7),
        sparring.FreshWinner(K=2, T=T, S=7),
        sparring.Newcomer(K=7, T=T, S=7),
        sparring.worlds.Recorded(given_matrices(7), T=T),
        sparring.Cyclic(K=3, T=T),
        sparring.Constant(given_matrices(1)[0], T=T),
    ):
        _, hold = twins.matrices(world, rng_at(0))
        assert sum(hold.tolist()) == T and hold.dtype == np.int64
        assert hold.max() - hold.min() <= 1


@hypothesis.given(data=st.data(), T=st.integers(1, 10**6))
def test_segments_begin_at_s_times_t_over_s_to_the_nearest_round(data, T):
    S = data.draw(st.integers(1, min(T, 300)))
    world = data.draw(st.sampled_from([sparring.FreshWinner, sparring.CondorcetSwitches]))
    _, hold = twins.matrices(world(K=2, T=T, S=S), rng_at(0))
    ends = np.append(0, np.cumsum(hold))
    assert ends.tolist() == [twins.boundary(s, T, S) for s in range(S + 1)]
    exact = np.arange(S + 1) * (T / S)
    assert np.abs(ends - exact).max() <= 0.5 + 1e-6


@pytest.mark.parametrize(("T", "S"), [(1, 1), (5, 1), (5, 5), (100, 7), (100, 99), (97, 13)])
def test_switching_worlds_have_exactly_s_segments(T, S):
    """Walks that are not at a border and fresh matrices change at every boundary."""
    for world in (
        sparring.SwitchingWalk(K=5, T=T, S=S, sigma=0.01),
        sparring.FreshWinner(K=2, T=T, S=S),
        sparring.FreshWinner(K=4, T=T, S=S),
    ):
        path = twins.expand(world, rng_at(T, S))
        assert len(path) == T
        assert twins.segments(path) == S == world.S


@hypothesis.given(
    K=st.integers(2, 5),
    T=st.integers(1, 60),
    share=st.floats(0, 1),
    direction=st.sampled_from(["random", "persistent"]),
)
@hypothesis.example(K=2, T=60, share=1.0, direction="random")
@hypothesis.example(K=2, T=2, share=0.0, direction="random")
def test_the_drift_spends_its_variation_exactly(K, T, share, direction):
    V_T = share * (T - 1) / 2
    path = twins.expand(sparring.BudgetedDrift(K, T, V_T, direction), rng_at(K, T))
    assert twins.variation(path) == pytest.approx(V_T, rel=0, abs=1e-9)
    assert np.abs(np.diff(path, axis=0)).max(initial=0) <= 0.5 + 1e-12


@pytest.mark.compiled
def test_the_drift_spends_its_variation_over_many_rounds():
    """Half a million steps, through the meter of describe."""
    for V_T in (0.001, 10.0, 200_000.0):
        world = sparring.BudgetedDrift(K=3, T=500_000, V_T=V_T, direction="persistent")
        np.testing.assert_allclose(sparring.describe(world).V_T, V_T, rtol=1e-12, atol=1e-9)


@hypothesis.given(
    K=st.integers(2, 6), T=st.integers(1, 80), share=st.floats(0, 1), margin=st.floats(0.01, 0.5)
)
@hypothesis.example(K=2, T=2, share=1.0, margin=0.5)
@hypothesis.example(K=3, T=80, share=1.0, margin=0.1)
def test_the_rotation_spends_its_variation_and_somebody_dominates(K, T, share, margin):
    """V_T to 1e-9, though 1% was asked; in every round an arm does best against all."""
    V_T = share * 2 * margin * (T - 1)
    world = sparring.RotatingWinner(K, T, V_T, margin)
    path = twins.expand(world, rng_at(K, T))
    assert twins.variation(path) == pytest.approx(V_T, rel=1e-9, abs=1e-9)
    assert all(twins.dominating(P, slack=1e-15) for P in path)
    assert path.max() <= 0.5 + margin + 1e-12


def test_the_rotation_hands_the_crown_to_another_arm_each_time():
    """V_T = 3 at a margin of 1/4 is 6 handovers of 1/2; each has an end with a clear winner."""
    world = sparring.RotatingWinner(K=4, T=601, V_T=3, largest_margin=0.25)
    assert world.handovers == 6
    path = twins.expand(world, rng_at(0))
    crowned = [twins.condorcet_winner(P) for P in path[::100]]
    assert all(P.max() == pytest.approx(0.75) for P in path[::100])
    assert all(a != b for a, b in itertools.pairwise(crowned))
    assert set(crowned) == set(range(4))
    assert twins.changes([twins.condorcet_winner(P) for P in path]) == 6
    assert np.abs(np.diff(path, axis=0)).max() < 1.1 * np.pi / 2 * 0.5 / 100, "not smooth"


def test_a_handover_takes_the_largest_margin_that_makes_a_whole_number_of_them():
    assert sparring.RotatingWinner(K=2, T=100, V_T=0.6, largest_margin=0.1).handovers == 3
    # 1.1 / 0.1 is above 11 in floating point; a twelfth handover would lower the margin.
    assert sparring.RotatingWinner(K=2, T=100, V_T=1.1, largest_margin=0.05).handovers == 11
    assert sparring.RotatingWinner(K=2, T=100, V_T=0.7, largest_margin=0.1).handovers == 4
    assert sparring.RotatingWinner(K=2, T=100, V_T=1e-6, largest_margin=0.1).handovers == 1
    still = sparring.RotatingWinner(K=2, T=100, V_T=0, largest_margin=0.1)
    assert still.handovers == 0
    path = twins.expand(still, rng_at(0))
    assert twins.segments(path) == 1 and path.max() == pytest.approx(0.6)
    assert still.margin == 0.1
    assert sparring.RotatingWinner(K=2, T=100, V_T=0.7).margin == pytest.approx(0.35)


# Valid matrices at odd sizes.


def demand_valid(world, rng):
    """Blocks of preference matrices, each held for a round or more, T rounds in all."""
    rounds = 0
    for P, hold in world.blocks(rng):
        assert P.dtype == np.float64 and hold.dtype == np.int64
        assert P.flags.c_contiguous and P.flags.writeable and hold.flags.c_contiguous
        assert P.shape == (len(hold), world.K, world.K) and len(hold) > 0
        assert np.isfinite(P).all() and P.min() >= 0 and P.max() <= 1
        assert (np.diagonal(P, axis1=1, axis2=2) == 0.5).all()
        assert np.abs(P + np.swapaxes(P, 1, 2) - 1).max() <= 2.0**-52
        assert hold.min() >= 1
        rounds += int(hold.sum())
    assert rounds == world.T


@st.composite
def odd_worlds(draw):
    """Any world, at odd sizes."""
    kind = draw(st.sampled_from(sorted(sparring.WORLDS)))
    T = draw(st.one_of(st.just(1), st.integers(1, 50)))
    K = draw(st.one_of(st.just(2), st.integers(2, 7)))
    S = draw(st.one_of(st.just(1), st.just(T), st.integers(1, T)))
    share = draw(st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1)))
    margin = draw(st.one_of(st.just(0.5), st.floats(0.001, 0.5)))
    sigma = draw(st.one_of(st.just(0.0), st.just(HUGE), st.floats(0, 2)))
    if kind == "GaussianWalk":
        return sparring.GaussianWalk(K, T, sigma)
    if kind == "SwitchingWalk":
        return sparring.SwitchingWalk(K, T, S, sigma)
    if kind == "BudgetedDrift":
        direction = draw(st.sampled_from(["random", "persistent"]))
        return sparring.BudgetedDrift(K, T, share * (T - 1) / 2, direction)
    if kind == "CondorcetSwitches":
        family = draw(st.sampled_from(["simple", "paper"])) if K > 2 else "simple"
        sizes = draw(st.sampled_from([{"S": S}, {"V_T": share * T}]))
        epsilon = draw(st.sampled_from([None, margin]))
        return sparring.CondorcetSwitches(K, T, **sizes, family=family, epsilon=epsilon)
    if kind == "FreshWinner":
        return sparring.FreshWinner(K, T, S, margin)
    if kind == "Storm":
        T += 1
        S = draw(st.one_of(st.just(2), st.just(T), st.integers(2, T)))
        calm = draw(st.integers(1, T - S + 1)) / T
        return sparring.Storm(K, T, S, calm, margin)
    if kind == "Newcomer":
        return sparring.Newcomer(K, T, min(S, K), margin)
    if kind == "RotatingWinner":
        return sparring.RotatingWinner(K, T, share * 2 * margin * (T - 1), margin)
    if kind == "UtilityWalk":
        memory = draw(st.sampled_from([None, 1.0, 7.5, 1e300]))
        hold = draw(st.sampled_from([None, 1, 3, T, 10**18]))
        return sparring.UtilityWalk(K, T, 100 * share, memory, hold)
    if kind == "UtilitySwitches":
        return sparring.worlds.UtilitySwitches(K, T, S, 100 * share)
    if kind == "LinearUtilities":
        return sparring.worlds.LinearUtilities(K, T, 2, S, draw(st.booleans()), 100 * share)
    if kind == "Cyclic":
        return sparring.Cyclic(max(K, 3), T, share)
    if kind == "Constant":
        return sparring.Constant(given_matrices(1, K)[0], T)
    return sparring.worlds.Recorded(given_matrices(S, K), T, interpolate=draw(st.booleans()))


@hypothesis.settings(max_examples=300)
@hypothesis.given(world=odd_worlds(), seed=st.integers(0, 1000))
def test_every_matrix_of_every_world_is_a_preference_matrix(world, seed):
    demand_valid(world, rng_at(seed))


@pytest.mark.parametrize(
    "world",
    [
        sparring.GaussianWalk(K=150, T=3),
        sparring.SwitchingWalk(K=100, T=10**9, S=2),
        sparring.BudgetedDrift(K=150, T=3, V_T=1),
        sparring.CondorcetSwitches(K=450, T=9, S=9),  # a block has a matrix
        sparring.CondorcetSwitches(K=450, T=9, V_T=2),
        sparring.FreshWinner(K=450, T=3, S=3),
        sparring.Storm(K=450, T=4, S=3),
        sparring.Newcomer(K=450, T=4, S=3),
        sparring.RotatingWinner(K=450, T=3, V_T=1),
        sparring.UtilityWalk(K=450, T=4, hold=1),
        sparring.Cyclic(K=300, T=2),
    ],
    ids=repr,
)
def test_many_arms_and_few_rounds(world):
    demand_valid(world, rng_at(0))


# The hard instances of Sec. 5.


@pytest.mark.parametrize("family", ["simple", "paper"])
@pytest.mark.parametrize("K", [3, 4, 10])
@pytest.mark.parametrize(("T", "S"), [(1, 1), (10, 10), (100, 7), (10**4, 10), (10**6, 999)])
def test_epsilon_is_that_of_the_lower_bound_for_switches(family, K, T, S):
    """Errata 3.6 and 6, with S segments of at most ceil(T / S) rounds."""
    world = sparring.CondorcetSwitches(K, T, S=S, family=family)
    _, epsilon = twins.lower_switching(family, K, T, S)
    assert world.margin == pytest.approx(epsilon, rel=1e-12)
    assert world.segments == S


def test_the_simple_family_has_room_for_two_arms():
    world = sparring.CondorcetSwitches(K=2, T=10**4, S=10)
    assert world.margin == pytest.approx(twins.lower_switching("simple", 2, 10**4, 10)[1])
    with pytest.raises(ValueError, match=r"K must be at least 3 .*; got 2"):
        sparring.CondorcetSwitches(K=2, T=10, S=2, family="paper")


@pytest.mark.parametrize(("T", "bound"), [(10**4, 133), (10**5, 422), (10**6, 1335)])
def test_the_twins_bound_is_that_of_the_errata(T, bound):
    """Errata, section 5: "lower, switching, simple instance" at K = S = 10, to a unit."""
    assert twins.lower_switching("simple", 10, T, 10)[0] == pytest.approx(bound, abs=1)


@pytest.mark.parametrize("family", ["simple", "paper"])
@pytest.mark.parametrize(
    ("K", "T", "V_T"),
    [
        *itertools.product((3, 10), (1, 2, 30, 333), (0.0, 0.01, 0.5, 1.0)),
        (4, 1000, 20.0),
        (50, 500, 500.0),
        (3, 2500, 0.3),
        (
            8,
            9262,
            61.575796349619,
        ),  # here the bound has teeth: neighbours of the best are far below
        (3, 6760, 16.918104123529535),
        (34, 8447, 243.8887623671342),
    ],
)
def test_segments_and_epsilon_are_those_of_the_highest_bound_for_variation(family, K, T, V_T):
    """Brute force over every length D of a segment; consecutive matrices differ by 2 epsilon."""
    world = sparring.CondorcetSwitches(K, T, V_T=V_T, family=family)
    epsilon, N = world.margin, world.segments
    assert 0 < epsilon <= 0.25 and 1 <= N <= T
    assert 2 * epsilon * (N - 1) <= V_T * (1 + 1e-12)
    bound = twins.lower_bound(family, K, T, math.ceil(T / N), epsilon)
    assert bound == pytest.approx(twins.lower_continuous(family, K, T, V_T), rel=1e-9)


@pytest.mark.parametrize("T", [2, 3, 6, 8, 15, 24, 63, 120, 399])
def test_no_number_of_segments_is_overlooked(T):
    """Also where T is just below a square, for V_T of all sizes."""
    for family, K, V_T in itertools.product(
        ("simple", "paper"), (3, 40), np.geomspace(0.03, T, 10).tolist()
    ):
        world = sparring.CondorcetSwitches(K, T, V_T=min(V_T, T), family=family)
        longest = math.ceil(T / world.segments)
        bound = twins.lower_bound(family, K, T, longest, world.margin)
        best = twins.lower_continuous(family, K, T, V_T)
        assert bound == pytest.approx(best, rel=1e-9), f"{family}, K = {K}, V_T = {V_T}"


@pytest.mark.parametrize("family", ["simple", "paper"])
@pytest.mark.parametrize(
    ("V_T", "epsilon", "N"),
    [(1.0, 0.1, 6), (0.6, 0.1, 4), (0.59, 0.1, 3), (0.0, 0.3, 1), (50, 0.05, 90)],
)
def test_a_given_epsilon_buys_as_many_segments_as_the_variation_pays_for(family, V_T, epsilon, N):
    world = sparring.CondorcetSwitches(K=5, T=90, V_T=V_T, family=family, epsilon=epsilon)
    assert (world.margin, world.segments) == (epsilon, N)
    assert twins.variation(twins.expand(world, rng_at(0))) <= V_T + 1e-12


@pytest.mark.parametrize("family", ["simple", "paper"])
@pytest.mark.parametrize("K", [3, 4, 6])
def test_hard_matrices_are_as_printed(family, K):
    """Sec. 5: the winner beats all with 1/2 + epsilon; in the paper's, arm 0 the rest likewise."""
    world = sparring.CondorcetSwitches(K, T=200, S=100, family=family, epsilon=0.125)
    P, _ = twins.matrices(world, rng_at(K))
    winners = [twins.condorcet_winner(matrix) for matrix in P]
    for matrix, winner in zip(P, winners, strict=True):
        np.testing.assert_array_equal(matrix, twins.hard_matrix(K, winner, 0.125, family))
        assert winner in twins.dominating(matrix)
    assert set(winners) == set(range(1 if family == "paper" else 0, K))
    assert twins.variation(P) == 0.25 * twins.changes(winners)


# Other worlds with, or without, a winner.


@pytest.mark.parametrize("K", [2, 3, 6])
@pytest.mark.parametrize("margin", [0.02, 0.2, 0.5])
def test_a_fresh_winner_is_new_dominates_and_leads_by_borda(K, margin):
    P, _ = twins.matrices(sparring.FreshWinner(K, T=90, S=60, margin=margin), rng_at(K))
    winners = [twins.condorcet_winner(matrix) for matrix in P]
    assert all(a != b for a, b in itertools.pairwise(winners))
    for matrix, winner in zip(P, winners, strict=True):
        others = [j for j in range(K) if j != winner]
        assert matrix[winner, others] == pytest.approx(0.5 + margin)
        assert np.abs(matrix - 0.5).max() <= margin + 1e-15
        assert winner in twins.dominating(matrix, slack=1e-15)
        scores = twins.borda_scores(matrix)
        assert max(scores) == scores[winner] > max(scores[j] for j in others)
    assert len({matrix.tobytes() for matrix in P}) == (2 if K == 2 else 60)
    assert len(set(winners)) == K


@pytest.mark.parametrize("K", range(3, 13))
@pytest.mark.parametrize("gap", [1.0, 0.3])
def test_the_cycle_has_no_winner_and_forces_a_quarter_of_its_gap(K, gap):
    """Errata E5, by brute force over all pairs, for odd and even K."""
    world = sparring.Cyclic(K, T=40, gap=gap)
    (P,) = np.unique(twins.expand(world, rng_at(0)), axis=0)
    assert twins.condorcet_winner(P) is None
    assert twins.gap(P) == pytest.approx(gap / 4, rel=1e-12)
    found = sparring.describe(world)
    assert found.irreducible == pytest.approx(40 * gap / 4, rel=1e-12)
    assert "irreducible" in str(found)
    circle = P[:K, :K] if K % 2 else P[:-1, :-1]
    beaten = (circle > 0.5).sum(axis=1)
    assert (beaten == len(circle) // 2).all(), "somebody on the circle beats more than half"
    if K % 2 == 0:
        assert (P[-1, :-1] < 0.5).all()


# Worlds are values.


@every_world
def test_worlds_are_values(world):
    """Equal and of one hash when made again: from repr, JSON text, a pickle, a copy."""
    again = sparring.worlds.world_from_json(json.loads(json.dumps(world.to_json())))
    twin_worlds = [again, pickle.loads(pickle.dumps(world)), copy.copy(world), copy.deepcopy(world)]
    for twin in twin_worlds:
        assert twin == world and hash(twin) == hash(world) and twin is not world
        assert repr(twin) == repr(world)
        np.testing.assert_array_equal(twins.expand(twin, rng_at(3)), twins.expand(world, rng_at(3)))
    assert len({world, *twin_worlds}) == 1
    shown = repr(getattr(world, "inside", world))  # whoever has one inside shows its sizes there
    assert f"(K={world.K}, T={world.T}" in shown and shown in repr(world)
    assert repr(world).startswith(f"{type(world).__name__}(")
    assert world.to_json()["world"] == type(world).__name__
    assert isinstance(world, sparring.worlds.PreferenceSequence)


def test_different_worlds_differ():
    assert len(set(EXAMPLES)) == len(EXAMPLES)
    for one, other in itertools.combinations(EXAMPLES, 2):
        assert one != other
    assert sparring.Cyclic(3, 10) != "Cyclic(K=3, T=10, gap=1.0)"
    assert EXAMPLES[-1] != EXAMPLES[-1].matrices.tobytes()


@every_world
def test_a_world_cannot_be_changed(world):
    with pytest.raises(AttributeError):
        world.T = 5


@pytest.mark.parametrize(
    "world",
    [w for w in EXAMPLES if isinstance(w, (sparring.Constant, sparring.worlds.Recorded))],
    ids=repr,
)
def test_the_matrices_of_a_world_cannot_be_written_in_copies_either(world):
    """A hash is a promise: also what comes out of a pickle or deep copy keeps it."""
    for one in (world, pickle.loads(pickle.dumps(world)), copy.copy(world), copy.deepcopy(world)):
        array = one.P if isinstance(one, sparring.Constant) else one.matrices
        assert not array.flags.writeable


def test_numbers_of_any_kind_make_the_same_world():
    one = sparring.BudgetedDrift(K=np.int64(3), T=1e3, V_T=np.float32(2))
    assert one == sparring.BudgetedDrift(3, 1000, 2.0)
    assert json.loads(json.dumps(one.to_json())) == {
        "world": "BudgetedDrift",
        "K": 3,
        "T": 1000,
        "V_T": 2.0,
        "direction": "random",
    }


BAD = [
    (sparring.GaussianWalk, {"K": 1}, "K must be .*; got 1"),
    (sparring.GaussianWalk, {"K": 2.5}, r"K must be .*; got 2\.5"),
    (sparring.GaussianWalk, {"T": 0}, "T must be .*; got 0"),
    (sparring.GaussianWalk, {"T": 10**19}, "T must be .*; got 10000"),
    (sparring.GaussianWalk, {"T": True}, "T must be .*; got True"),
    (sparring.GaussianWalk, {"sigma": -0.1}, r"sigma must be .*; got -0\.1"),
    (sparring.GaussianWalk, {"sigma": math.nan}, "sigma must be .*; got nan"),
    (sparring.GaussianWalk, {"sigma": math.inf}, "sigma must be .*; got inf"),
    (sparring.GaussianWalk, {"sigma": "0.1"}, r"sigma must be .*; got '0\.1'"),
    (sparring.SwitchingWalk, {"S": 0}, "S must be .*; got 0.*S counts segments"),
    (sparring.SwitchingWalk, {"S": 11}, "S must be at most T = 10; got 11"),
    (sparring.SwitchingWalk, {"S": 2, "sigma": None}, "sigma must be .*; got None"),
    (sparring.BudgetedDrift, {"V_T": -1}, "V_T must be .*; got -1"),
    (sparring.BudgetedDrift, {"V_T": 4.6}, r"V_T must be .*4\.5.*; got 4\.6.*larger T"),
    (sparring.BudgetedDrift, {"V_T": 0.1, "T": 1}, r"V_T must be .*; got 0\.1"),
    (sparring.BudgetedDrift, {"V_T": 1, "direction": "up"}, "direction must be .*; got 'up'"),
    (sparring.BudgetedDrift, {"V_T": 1, "direction": None}, "direction must be .*; got None"),
    (sparring.CondorcetSwitches, {}, "S or V_T.*S=None, V_T=None"),
    (sparring.CondorcetSwitches, {"S": 2, "V_T": 1}, "S or V_T.*S=2, V_T=1"),
    (sparring.CondorcetSwitches, {"S": 11}, "S must be at most T = 10; got 11"),
    (sparring.CondorcetSwitches, {"V_T": -1}, "V_T must be .*; got -1"),
    (sparring.CondorcetSwitches, {"V_T": 11}, "V_T must be .*; got 11"),
    (sparring.CondorcetSwitches, {"S": 2, "family": "rich"}, "family must be .*; got 'rich'"),
    (sparring.CondorcetSwitches, {"S": 2, "family": ["paper"]}, "family must be .*; got .*paper"),
    (sparring.CondorcetSwitches, {"S": 2, "epsilon": 0}, "epsilon must be .*; got 0"),
    (sparring.CondorcetSwitches, {"S": 2, "epsilon": 0.6}, r"epsilon must be .*; got 0\.6"),
    (sparring.FreshWinner, {"S": 0}, "S must be .*; got 0"),
    (sparring.FreshWinner, {"S": 2, "margin": 0}, "margin must be .*; got 0"),
    (sparring.FreshWinner, {"S": 2, "margin": 0.51}, r"margin must be .*; got 0\.51"),
    (sparring.Storm, {"S": 1}, "S must be .*at least 2; got 1.*the calm and"),
    (sparring.Storm, {"S": 7}, r"calm must be .*each of the 6 .*; got 0\.5, 5 of T = 10.*larger T"),
    (sparring.Storm, {"S": 2, "calm": 0.04}, r"calm must be .*; got 0\.04, 0 of T = 10 rounds"),
    (sparring.Storm, {"S": 2, "calm": 1}, r"calm must be .*; got 1\.0, 10 of T = 10 rounds"),
    (sparring.Storm, {"S": 2, "calm": 1.5}, r"calm must be .*; got 1\.5"),
    (sparring.Storm, {"S": 2, "margin": 0}, "margin must be .*; got 0"),
    (sparring.Newcomer, {"S": 4}, "S must be at most K = 3; got 4.*once"),
    (sparring.Newcomer, {"S": 3, "T": 2}, "S must be at most T = 2; got 3"),
    (sparring.Newcomer, {"S": 2, "margin": 0.6}, r"margin must be .*; got 0\.6"),
    (
        sparring.RotatingWinner,
        {"V_T": 4.6, "largest_margin": 0.25},
        r"V_T must be .*4\.5.*; got 4\.6",
    ),
    (sparring.RotatingWinner, {"V_T": -1}, "V_T must be .*; got -1"),
    (
        sparring.RotatingWinner,
        {"V_T": 1e9, "T": 1e10},
        r"handovers times T must be .*; got 1000000000",
    ),
    (sparring.RotatingWinner, {"V_T": 1, "largest_margin": 0}, "margin must be .*; got 0"),
    (sparring.UtilityWalk, {"spread": -1}, "spread must be .*; got -1"),
    (sparring.UtilityWalk, {"spread": 101}, r"spread must be .*\[0, 100\]; got 101"),
    (sparring.worlds.UtilitySwitches, {"S": 2, "spread": -1}, "spread must be .*; got -1"),
    (sparring.worlds.LinearUtilities, {"d": 0}, "d must be .*; got 0"),
    (sparring.worlds.LinearUtilities, {"d": 1000, "K": 1000}, "K times d must be at most 20,000"),
    (sparring.worlds.LinearUtilities, {"d": 2, "segments": 0}, "S must be .*; got 0"),
    (sparring.worlds.LinearUtilities, {"d": 2, "walk": 2}, "walk must be .*; got 2"),
    (sparring.UtilityWalk, {"memory": 0.5}, r"memory must be .*at least 1; got 0\.5"),
    (sparring.UtilityWalk, {"memory": math.inf}, "memory must be .*; got inf"),
    (sparring.UtilityWalk, {"hold": 0}, "hold must be .*at least 1; got 0"),
    (sparring.UtilityWalk, {"hold": 1.5}, r"hold must be .*; got 1\.5"),
    (sparring.UtilityWalk, {"hold": 10**19}, r"hold must be at most 1e\+18; got 1000"),
    (sparring.Cyclic, {"K": 2}, "K must be at least 3; got 2"),
    (sparring.Cyclic, {"gap": 1.5}, r"gap must be .*; got 1\.5"),
]


@pytest.mark.parametrize(("kind", "arguments", "message"), BAD)
def test_bad_arguments_are_refused_with_name_and_value(kind, arguments, message):
    with pytest.raises(ValueError, match=message):
        kind(**{"K": 3, "T": 10, **arguments})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, r"fields must be .*; got \{\}"),
        ("GaussianWalk", "fields must be .*; got 'GaussianWalk'"),
        ({"world": "Atlantis"}, "fields must be .*GaussianWalk.*; got .*Atlantis"),
        ({"world": ["Cyclic"]}, "fields must be .*; got .*Cyclic"),
        ({"world": "Cyclic", "K": 3}, "not a Cyclic .*T"),
        ({"world": "Cyclic", "K": 3, "T": 9, "hue": 1}, "not a Cyclic .*hue"),
        ({"world": "Cyclic", "K": 2, "T": 9}, "K must be at least 3; got 2"),
        ({"world": "Constant", "P": [[0.5, 0.7], [0.7, 0.5]], "T": 1}, r"P\[1, 0\] must be"),
    ],
)
def test_json_of_no_world_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        sparring.worlds.world_from_json(fields)
