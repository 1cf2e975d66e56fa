"""Storms and newcomers: paths against slow twins, a dominating winner, when who leads."""

import itertools
from decimal import ROUND_HALF_UP, Decimal

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
import world_twins as twins

SEED = 20220717


def rng_at(*key):
    return np.random.default_rng([SEED, *key])


def demand_winners(P, winners, margin):
    """Each beats all others with 1/2 + margin, dominates, and is the best by Borda."""
    for matrix, winner in zip(P, winners, strict=True):
        others = [j for j in range(len(matrix)) if j != winner]
        assert matrix[winner, others] == pytest.approx(0.5 + margin)
        assert winner in twins.dominating(matrix, slack=1e-15)
        scores = twins.borda_scores(matrix)
        assert scores[winner] > max(scores[j] for j in others)


# Storms.


@pytest.mark.parametrize("K", [2, 3, 6])
@pytest.mark.parametrize(
    ("T", "S", "calm"), [(2, 2, 0.5), (10, 6, 0.5), (150, 37, 0.61), (99, 2, 0.99), (400, 40, 0.1)]
)
def test_a_storm_is_calm_first_and_then_a_row_of_fresh_winners(K, T, S, calm):
    """To the last bit; round(calm T) is that of the decimals, halves up."""
    P, hold = twins.matrices(sparring.Storm(K, T, S, calm, margin=0.3), rng_at(K, T))
    np.testing.assert_array_equal(P, twins.fresh_matrices(K, S, 0.3, rng_at(K, T)))
    winners = [twins.condorcet_winner(matrix) for matrix in P]
    assert all(a != b for a, b in itertools.pairwise(winners))
    demand_winners(P, winners, 0.3)
    quiet = int((Decimal(str(calm)) * T).to_integral_value(ROUND_HALF_UP))
    ends = [quiet + twins.boundary(s, T - quiet, S - 1) for s in range(S)]
    assert np.cumsum(hold).tolist() == ends


def test_a_fresh_winner_has_the_matrices_of_a_storm():
    fresh, _ = twins.matrices(sparring.FreshWinner(K=4, T=90, S=20), rng_at(1))
    storm, _ = twins.matrices(sparring.Storm(K=4, T=90, S=20), rng_at(1))
    np.testing.assert_array_equal(fresh, storm)
    np.testing.assert_array_equal(fresh, twins.fresh_matrices(4, 20, 0.2, rng_at(1)))


@hypothesis.given(data=st.data(), T=st.integers(2, 10**18), calm=st.floats(0.001, 0.999))
@hypothesis.example(data=None, T=10**18, calm=0.5)
@hypothesis.example(data=None, T=10**18 - 1, calm=0.1)
def test_the_segments_of_a_storm_are_equal_but_for_a_round(data, T, calm):
    S = 7 if data is None else data.draw(st.integers(2, 100))
    hypothesis.assume(calm * T >= 1 and (1 - calm) * T >= S + 1)
    _, hold = twins.matrices(sparring.Storm(K=2, T=T, S=S, calm=calm), rng_at(0))
    rounds = hold.tolist()
    assert sum(rounds) == T and len(rounds) == S
    assert max(rounds[1:]) - min(rounds[1:]) <= 1
    assert rounds[0] == pytest.approx(calm * T, rel=1e-15, abs=0.5)


def test_half_a_round_of_calm_is_a_whole_one():
    """As for all boundaries. 0.61 is a little less as a double, and 91.5 rounds are meant."""
    assert sparring.Storm(K=2, T=9, S=2).changes == (6,)
    assert sparring.Storm(K=2, T=11, S=2).changes == (7,)
    assert sparring.Storm(K=2, T=150, S=2, calm=0.61).changes == (93,)


# Newcomers.


@pytest.mark.parametrize("margin", [0.02, 0.2, 0.5])
@pytest.mark.parametrize(("K", "S"), [(2, 1), (2, 2), (3, 3), (6, 4), (12, 12)])
def test_newcomers_rise_one_after_the_other_and_stay_in_the_upper_ranks(K, S, margin):
    P, hold = twins.matrices(sparring.Newcomer(K, T=97, S=S, margin=margin), rng_at(K, S))
    order = rng_at(K, S).permutation(K).tolist()
    np.testing.assert_allclose(P, twins.newcomers(K, S, margin, order), rtol=0, atol=2**-53)
    assert np.append(0, np.cumsum(hold)).tolist() == [
        twins.boundary(s, 97, S) for s in range(S + 1)
    ]
    winners = [twins.condorcet_winner(matrix) for matrix in P]
    assert winners == order[:S]
    demand_winners(P, winners, margin)


def test_until_it_rises_a_newcomer_loses_to_those_that_have_and_ties_with_the_rest():
    P, _ = twins.matrices(sparring.Newcomer(K=8, T=100, S=6), rng_at(0))
    order = [twins.condorcet_winner(matrix) for matrix in P]
    unknown = sorted(set(range(8)) - set(order))
    assert len(unknown) == 2
    for s, matrix in enumerate(P):
        risen, weak = order[: s + 1], order[s + 1 :] + unknown
        assert matrix[np.ix_(weak, risen)] == pytest.approx(0.3)
        assert (matrix[np.ix_(weak, weak)] == 0.5).all()


def test_a_rise_moves_only_entries_of_the_one_that_rises_by_twice_the_margin():
    """So that leaders who meet each other only never see it."""
    world = sparring.Newcomer(K=7, T=100, S=7, margin=0.15)
    P, _ = twins.matrices(world, rng_at(0))
    for before, now in itertools.pairwise(P):
        others = np.arange(7) != twins.condorcet_winner(now)
        assert (before[np.ix_(others, others)] == now[np.ix_(others, others)]).all()
    assert twins.variation(P) == pytest.approx(6 * 0.3, rel=1e-12)
