"""Worlds with late, silent or spoiled answers: values, what they state, laws of delay, refusals."""

import json
from fractions import Fraction

import numpy as np
import pytest

import answer_twins as twins
import sparring
from regret_definitions import Listed
from sparring.checks import SimulationError
from sparring.lab.experiments import given
from sparring.worlds import Late, Rigged, Silent, Spoiled, world_from_json
from sparring.worlds.answers import LAWS
from world_twins import expand
from worlds import ladder

INSIDE = sparring.FreshWinner(4, 60, S=3)
DRIFT = sparring.BudgetedDrift(3, 50, V_T=2)
EXAMPLES = [
    Late(INSIDE, 7),
    Late(INSIDE, 7, law="fixed"),
    Late(DRIFT, 2.5, law="heavy"),
    Late(INSIDE, (0, 3, 9.5, 1)),
    Silent(INSIDE, 0.3),
    Silent(INSIDE, 0.3, of="majority"),
    Silent(DRIFT, 0.3, of=2),
    Spoiled(INSIDE, 0.1),
    Spoiled(INSIDE, 0.1, aim="leader"),
    Rigged(INSIDE, 0.1),
    Rigged(INSIDE, 0.1, plan="newcomers"),
    Rigged(DRIFT, 0.1, plan=2),
    Spoiled(Late(Silent(DRIFT, 0.5), mean=4, law="heavy"), share=0.25, aim=1),
]
every_example = pytest.mark.parametrize("world", EXAMPLES, ids=lambda world: world.name)


@every_example
def test_json_brings_them_back(world):
    text = json.dumps(world.to_json())
    assert world_from_json(json.loads(text)) == world == given.from_json(json.loads(text))
    assert hash(world) == hash(world_from_json(json.loads(text)))


def test_all_are_different_and_so_are_their_names():
    assert len(set(EXAMPLES)) == len({world.name for world in EXAMPLES}) == len(EXAMPLES)


def test_the_name_has_all_but_the_sizes():
    assert EXAMPLES[-1].name == (
        "Spoiled(Late(Silent(BudgetedDrift(V_T=2.0, direction='random'), share=0.5, of='anyone'), "
        "mean=4.0, law='heavy'), share=0.25, aim=1)"
    )


@every_example
def test_path_and_what_is_known_are_those_of_the_world_inside(world):
    inside = DRIFT if world.K == DRIFT.K else INSIDE
    assert (world.K, world.T) == (inside.K, inside.T)
    for name in ("S", "V_T", "changes"):
        assert getattr(world, name) == getattr(inside, name, None)
    one, other = (expand(it, np.random.default_rng(1)) for it in (world, inside))
    np.testing.assert_array_equal(one, other)
    assert sparring.describe(world, 5).S == sparring.describe(inside, 5).S


# The laws of delays. With equality for each uniform number, the law is exact.


@pytest.mark.parametrize("law", ["geometric", "heavy"])
@pytest.mark.parametrize("mean", [0, 0.25, 1, 7.5, 40])
def test_delays_are_those_of_the_law(law, mean):
    """1 - u is a multiple of 1 / 1009, which no P(delay >= n) is, but for the mean 0."""
    for k in range(0, 1009, 7):
        u = k / 1009
        assert LAWS[law](mean, u) == getattr(twins, law)(mean, u), (mean, k)


def test_the_heavy_law_has_its_mean_and_no_variance():
    """The sum of P(delay >= n) to N is m - m (m + 1) / (m + N + 1); that of n P has no end."""
    m, N = Fraction(7, 2), 400
    tail = [m * (m + 1) / ((m + n) * (m + n + 1)) for n in range(1, N + 1)]
    assert sum(tail) == m - m * (m + 1) / (m + N + 1)
    weighed = [sum(n * tail[n - 1] for n in range(k + 1, 2 * k + 1)) for k in (50, 100, 200)]
    assert weighed[0] < weighed[1] < weighed[2], "each doubling adds as much as the one before"


@pytest.mark.parametrize("law", LAWS)
def test_no_delay_where_the_mean_is_0_and_none_below(law):
    for u in (0.0, 0.5, 1 - 2**-53):
        assert LAWS[law](0, u) == 0
        assert LAWS[law](1e-9, u) >= 0
        assert LAWS[law](1e15, u) >= 0


def test_two_laws_may_have_the_same_mean_and_other_tails():
    u = np.random.default_rng(1).random(50_000)
    rare = 1 - 1e-5
    assert LAWS["heavy"](100, rare) > 10 * LAWS["geometric"](100, rare)
    delays = np.array([LAWS["geometric"](100, x) for x in u])
    # The deviation of a mean of 50,000 is 100.5 / 224; 5.5 of them, false alarms 4e-8.
    assert abs(delays.mean() - 100) < 5.5 * np.sqrt(100 * 101 / len(u))


# Bad input.


REFUSED = [
    (Late, (INSIDE, -1), "mean must be a number .*; got -1"),
    (Late, (INSIDE, "7"), "mean must be a number .*; got '7'"),
    (Late, (INSIDE, float("inf")), "mean must be a number .*; got inf"),
    (Late, (INSIDE, (1, 2)), "mean must be a number, or one for each of 4 arms; got 2 numbers"),
    (Late, (INSIDE, 2.5, "fixed"), r"mean must be a whole number if the delay is fixed; got 2\.5"),
    (Late, (INSIDE, 2, "normal"), "law must be one of .*'geometric'.*; got 'normal'"),
    (Late, (INSIDE, 2, 7), "law must be one of"),
    (Late, (sparring.FreshWinner, 2), "inside must be a world"),
    (Late, (7, 2), "inside must be a world .*; got 7"),
    (Silent, (INSIDE, 1.5), r"share must be a number in \[0, 1\]; got 1\.5"),
    (
        Silent,
        (INSIDE, 0.5, "losers"),
        "of must be one of .*majority.*arm from 0 to 3; got 'losers'",
    ),
    (Silent, (INSIDE, 0.5, 4), "of must be one of .*; got 4"),
    (Silent, (INSIDE, 0.5, True), "of must be one of .*; got True"),
    (Spoiled, (INSIDE, -0.1), r"share must be a number in \[0, 1\]; got -0\.1"),
    (Spoiled, (INSIDE, 0.1, "favourite"), "aim must be one of .*leader.*; got 'favourite'"),
    (Spoiled, (INSIDE, 0.1, -1), "aim must be one of .*; got -1"),
    (Rigged, (INSIDE, 2), r"share must be a number in \[0, 1\]; got 2"),
    (Rigged, (INSIDE, 0.1, "greed"), "plan must be one of .*bursts.*arm from 0 to 3; got 'greed'"),
    (Rigged, (INSIDE, 0.1, 4), "plan must be one of .*; got 4"),
]


@pytest.mark.parametrize(("kind", "arguments", "message"), REFUSED)
def test_bad_arguments_are_refused(kind, arguments, message):
    with pytest.raises(ValueError, match=message):
        kind(*arguments)


def test_a_world_of_ones_own_inside_is_checked_as_it_is_alone():
    P = ladder(3)
    P[0, 1] = 0.9
    with pytest.raises(SimulationError, match=r"block\.P\[0, 1, 0\] must be 1 - "):
        sparring.simulate(Silent(Listed((P[None], [9])), 0.5), "rand", runs=1)


def test_json_of_a_world_that_has_none_is_refused():
    with pytest.raises(ValueError, match="inside must be a world with a to_json"):
        Late(Listed((ladder(3)[None], [9])), 1).to_json()
    with pytest.raises(ValueError, match="must be the dictionary of a world's to_json"):
        world_from_json({"world": "Late", "inside": {"world": "Nowhere"}, "mean": 1})
