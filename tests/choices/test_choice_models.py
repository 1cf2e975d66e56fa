"""Models of choice: they agree with P for two arms, and are what their definitions say."""

from itertools import combinations, permutations

import numpy as np
import pytest

from sparring import choices
from worlds import random_matrices

U = np.array([0.3, -1.0, 0.9, 0.1, -0.4])
BRADLEY_TERRY = 1 / (1 + np.exp(U[None, :] - U[:, None]))
ANY = random_matrices(1, 5, np.random.default_rng(3))[0]
CASES = [(BRADLEY_TERRY, "plackett-luce"), (BRADLEY_TERRY, "pairs"), (ANY, "pairs")]


@pytest.mark.parametrize(("P", "model"), CASES)
def test_of_two_arms_the_first_wins_as_often_as_it_is_preferred(P, model):
    for i, j in permutations(range(5), 2):
        np.testing.assert_allclose(choices.chances(P, [i, j], model), [P[i, j], P[j, i]])


def test_strengths_decide_whoever_is_beside():
    for m in range(2, 6):
        for arms in combinations(range(5), m):
            wanted = np.exp(U[list(arms)]) / np.exp(U[list(arms)]).sum()
            np.testing.assert_allclose(choices.chances(BRADLEY_TERRY, arms), wanted)


def test_a_pair_drawn_uniformly_decides():
    for m in range(2, 6):
        for arms in combinations(range(5), m):
            wanted = dict.fromkeys(arms, 0.0)
            decided = list(permutations(arms, 2))
            for i, j in decided:  # each unordered pair twice, once for each winner
                wanted[i] += ANY[i, j] * 2 / len(decided)
            found = choices.chances(ANY, arms, "pairs")
            np.testing.assert_allclose(found, list(wanted.values()))
            assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize(("P", "model"), CASES)
@pytest.mark.parametrize("m", [2, 3, 4])
def test_one_coin_decides_a_whole_ranking(P, model, m):
    """Of N coins on a grid, an order gets its chance to within an interval of the grid each."""
    N = 4_000
    shown = P[:m, :m]
    function = choices.MODELS[model]
    found = dict.fromkeys(permutations(range(m)), 0)
    for coin in (np.arange(N) + 0.5) / N:
        order = choices.ranked(shown, function, coin, m)
        found[tuple(order)] += 1
        assert choices.ranked(shown, function, coin, 1) == order[:1]
    for order, count in found.items():
        chance, left = 1.0, list(range(m))
        for place in order:
            chance *= function(shown[np.ix_(left, left)])[left.index(place)] if len(left) > 1 else 1
            left.remove(place)
        assert abs(count - N * chance) <= 1 + 1e-6


def test_preferences_without_strengths_are_refused():
    with pytest.raises(ValueError, match=r"odds multiply.*UtilityWalk"):
        choices.chances(ANY, [0, 1, 2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0],), "arms must be two or more different ones"),
        (([0],), "arms must be two or more different ones"),
        (([0, 5],), "at most 4"),
        (([0, 1], "plackett"), "Did you mean 'plackett-luce'"),
        (([0, 1], 7), "model must be one of"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        choices.chances(BRADLEY_TERRY, *arguments)
