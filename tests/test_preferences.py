"""Facts about one matrix, each against its definition by brute force."""

import re

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import world_twins as twins
from sparring import _matrices as kernels
from sparring import preferences
from worlds import ladder, random_matrices

pytestmark = pytest.mark.core

ROCK_PAPER_SCISSORS = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]


@st.composite
def preference_matrices(draw, most=7):
    """Matrices of 2 to `most` arms: any entries, 0 and 1 only, or few values, so that many tie."""
    K, seed = draw(st.integers(2, most)), draw(st.integers(0, 2**32))
    kind = draw(st.sampled_from(["any", "extreme", "ties"]))
    rng = np.random.default_rng(seed)
    if kind != "ties":
        return random_matrices(1, K, rng, extreme=kind == "extreme")[0]
    upper = np.triu(rng.integers(0, 5, (K, K)) / 4, 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(K) / 2


@st.composite
def spoilt_stacks(draw):
    """A valid stack in which up to three entries were overwritten."""
    m, K, seed = draw(st.integers(1, 3)), draw(st.integers(2, 5)), draw(st.integers(0, 2**32))
    stack = random_matrices(m, K, np.random.default_rng(seed))
    values = st.sampled_from([np.nan, -np.inf, np.inf, -1e-9, 1 + 1e-9, 0.0, 0.5, 0.25, 1.0])
    for _ in range(draw(st.integers(0, 3))):
        at = tuple(draw(st.integers(0, n - 1)) for n in stack.shape)
        stack[at] = draw(values)
    return stack


def first_bad(stack):
    """The first entry, row by row, that is no probability or does not mirror one before it."""
    for m, P in enumerate(stack):
        for i in range(len(P)):
            for j in range(len(P)):
                if not 0 <= P[i, j] <= 1 or (j <= i and abs(P[i, j] + P[j, i] - 1) > 1e-9):
                    return m, i, j
    return None


@hypothesis.settings(max_examples=300)
@hypothesis.given(stack=spoilt_stacks())
def test_the_first_bad_entry_is_named(stack):
    bad = first_bad(stack)
    if bad is None:
        assert preferences.valid(stack) is stack
        return
    with pytest.raises(ValueError, match=re.escape(f"P{list(bad)} must be")):
        preferences.valid(stack)
    if bad[0] == 0:
        with pytest.raises(ValueError, match=re.escape(f"Q{list(bad[1:])} must be")):
            preferences.valid(stack[0], "Q")


def test_a_valid_matrix_comes_back_as_one_kind_of_array():
    for given in (ROCK_PAPER_SCISSORS, np.array(ROCK_PAPER_SCISSORS, np.float32, order="F")):
        P = preferences.valid(given)
        assert P.dtype == np.float64 and P.flags.c_contiguous
        np.testing.assert_array_equal(P, ROCK_PAPER_SCISSORS)


@hypothesis.given(P=preference_matrices())
def test_borda_scores_are_means_over_the_others(P):
    scores = preferences.borda_scores(P)
    np.testing.assert_allclose(scores, twins.borda_scores(P), rtol=0, atol=1e-15)
    assert scores.mean() == pytest.approx(0.5, abs=1e-15)
    stack = np.array([P, P[::-1, ::-1], 1 - P])
    expected = [twins.borda_scores(matrix) for matrix in stack]
    np.testing.assert_allclose(preferences.borda_scores(stack), expected, rtol=0, atol=1e-15)


@hypothesis.settings(max_examples=300)
@hypothesis.given(P=preference_matrices(), crowned=st.booleans(), data=st.data())
def test_the_condorcet_winner_beats_all_others(P, crowned, data):
    if crowned:
        winner = data.draw(st.integers(0, len(P) - 1))
        chance = data.draw(st.sampled_from([np.nextafter(0.5, 1), 0.51, 1.0]))
        P[winner], P[:, winner] = chance, 1 - chance
        P[winner, winner] = 0.5
        assert twins.condorcet_winner(P) == winner
    assert preferences.condorcet_winner(P) == twins.condorcet_winner(P)


def test_who_only_ties_is_no_condorcet_winner():
    P = ladder(4, 0.3)
    P[0, 3] = P[3, 0] = 0.5
    assert preferences.condorcet_winner(P) is None
    assert preferences.condorcet_winner(np.full((2, 2), 0.5)) is None
    assert type(preferences.condorcet_winner(ladder(4))) is int


@hypothesis.given(P=preference_matrices(most=9))
def test_nobody_beats_the_von_neumann_winner(P):
    """A distribution with sum_i pi(i) P(i, j) >= 1/2 for every j."""
    pi = preferences.von_neumann_winner(P)
    assert pi.shape == (len(P),) and pi.min() >= 0
    assert pi.sum() == pytest.approx(1, abs=1e-12)
    assert (pi @ P).min() >= 0.5 - 1e-9
    winner = twins.condorcet_winner(P)
    if winner is not None:
        assert pi[winner] == pytest.approx(1, abs=1e-9)


def test_the_von_neumann_winner_of_many_arms():
    P = random_matrices(1, 60, np.random.default_rng(60))[0]
    assert (preferences.von_neumann_winner(P) @ P).min() >= 0.5 - 1e-9


@hypothesis.settings(max_examples=300)
@hypothesis.given(P=preference_matrices())
def test_the_gap_is_what_no_pair_avoids(P):
    found = preferences.irreducible(P)
    assert found == pytest.approx(twins.gap(P), abs=1e-15)
    assert 0 <= found <= 0.5
    if twins.condorcet_winner(P) is not None:
        assert found == 0


def test_gaps_known_by_hand():
    assert preferences.irreducible(ROCK_PAPER_SCISSORS) == 0.25
    # Exact ties: nobody wins, and arms 0 and 1 still leave nothing to any response (errata E6).
    ties = np.array([[5, 5, 1, 9], [5, 5, 9, 1], [9, 1, 5, 5], [1, 9, 5, 5]]) / 10
    assert preferences.irreducible(ties) == 0 and preferences.condorcet_winner(ties) is None
    assert preferences.irreducible(ladder(5, 0.1)) == 0
    assert preferences.irreducible(np.full((4, 4), 0.5)) == 0
    assert type(preferences.irreducible(ladder(5, 0.1))) is float


def test_a_gap_may_be_a_half():
    """Paley's tournament: i beats i + 1, i + 2 and i + 4 modulo 7, and any two have a master."""
    i = np.arange(7)
    P = np.isin((i[None] - i[:, None]) % 7, [1, 2, 4]) + np.eye(7) / 2
    assert preferences.irreducible(P) == twins.gap(P) == 0.5


@pytest.mark.parametrize(
    "fact", [preferences.condorcet_winner, preferences.von_neumann_winner, preferences.irreducible]
)
def test_facts_of_one_matrix_refuse_a_stack(fact):
    with pytest.raises(ValueError, match=r"P must be one matrix; got shape \(1, 3, 3\)"):
        fact([ROCK_PAPER_SCISSORS])


@pytest.mark.parametrize(
    "fact",
    [
        preferences.borda_scores,
        preferences.condorcet_winner,
        preferences.von_neumann_winner,
        preferences.irreducible,
    ],
)
def test_facts_refuse_what_is_no_preference_matrix_and_change_nothing(fact):
    with pytest.raises(ValueError, match=r"P\[1, 0\] must be 1 - P\[0, 1\] = 0\.3; got 0\.4"):
        fact([[0.5, 0.7], [0.4, 0.5]])
    P = np.array(ROCK_PAPER_SCISSORS)
    P.flags.writeable = False
    fact(P)


@pytest.mark.parametrize("cut", [1, 2, 5, 40])
def test_stretches_add_up_to_the_sum_over_rounds(cut):
    """Blocks of any length: what has ended, and the age of what goes on, make P_1 + ... + P_t."""
    rng = np.random.default_rng(cut)
    P = random_matrices(40, 3, rng).reshape(40, 9)[rng.integers(0, 3, 40).cumsum() % 40]
    hold = rng.integers(1, 6, 40)
    fresh = np.append(True, (P[1:] != P[:-1]).any(axis=1))
    before, age, total = np.zeros(9), np.zeros(1, np.int64), np.zeros(9)
    for start in range(0, 40, cut):
        part = slice(start, start + cut)
        kernels.add_stretches(P[part], hold[part], fresh[part], before, age, total)
        before = P[part][-1].copy()
        done = np.repeat(P[: part.stop], hold[: part.stop], axis=0).sum(axis=0)
        np.testing.assert_allclose(total + age[0] * before, done, rtol=1e-13)


def test_the_change_of_a_matrix_is_its_largest():
    P = random_matrices(20, 4, np.random.default_rng(0)).reshape(20, 16)
    steps = np.empty(19)
    kernels.changes(P[1:], P[0], steps)
    np.testing.assert_array_equal(steps, np.abs(np.diff(P, axis=0)).max(axis=1))
    kernels.changes(P[:1], P[0], steps[:1])
    assert steps[0] == 0


@hypothesis.given(P=preference_matrices())
def test_the_best_arm_wins_all_duels_or_else_the_most_in_the_mean(P):
    best, K = preferences.best_arms(P), len(P)
    winners = [i for i in range(K) if all(P[i, j] > 0.5 for j in range(K) if j != i)]
    scores = np.array([(P[i].sum() - 0.5) / (K - 1) for i in range(K)])
    expected = winners or np.flatnonzero(scores > scores.max() - 1e-9).tolist()
    assert np.flatnonzero(best).tolist() == expected
    np.testing.assert_array_equal(preferences.best_arms(np.stack([P, P])), [best, best])
