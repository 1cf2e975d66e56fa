"""`simulate`: what it returns."""

import itertools
import sys

import numpy as np
import polars
import pytest

import sparring
from entrants import (
    GOOD,
    LEARNERS,
    SOME_REGRETS,
    STRETCH,
    WORLD,
    in_threads,
    kinds,
    moving,
    relative,
    tuned,
)
from regret_definitions import (
    Asked,
    Listed,
    Made,
    Played,
    definition,
    every_regret,
    gap,
    segments,
    variation,
    winner,
)
from sparring import Regret, simulate
from worlds import ladder

pytestmark = pytest.mark.core


def test_the_table_has_a_row_for_each_run_entrant_checkpoint_and_regret_in_this_order():
    world = sparring.SwitchingWalk(3, 40, S=4)
    regrets = {"a": STRETCH, "b": Regret("borda")}
    table = simulate(world, LEARNERS, regrets, runs=2, checkpoints=[40, 10], plays=True)
    expected = list(itertools.product(range(2), LEARNERS, (10, 40), regrets))
    assert table.select("run", "entrant", "t", "regret").rows() == expected
    assert dict(table.schema) == {
        "world": polars.String,
        "entrant": polars.String,
        "K": polars.Int64,
        "T": polars.Int64,
        "S": polars.Int64,
        "V_T": polars.Float64,
        "run": polars.Int64,
        "regret": polars.String,
        "t": polars.Int64,
        "value": polars.Float64,
        "undefined": polars.Int64,
        "seed": polars.Int64,
        "plays": polars.List(polars.Int64),
    }
    assert set(table["world"]) == {"SwitchingWalk(S=4, sigma=0.05)"}
    assert set(table["seed"]) == {0}
    assert set(table["K"]) == {3} and set(table["T"]) == {40}


def test_without_further_wishes_there_are_ten_runs_read_at_the_end():
    table = simulate(sparring.Constant(ladder(3), 20), "rand", STRETCH)
    assert table["run"].to_list() == list(range(10))
    assert set(table["t"]) == {20}
    assert table["regret"][0] == "preference/stretch"
    assert "plays" not in table.columns


def test_play_counts_are_those_of_the_plays_and_sum_to_two_a_round():
    world, entrants = sparring.FreshWinner(4, 60, S=3), kinds(asked=Asked, played=Played)
    table = simulate(world, entrants, STRETCH, runs=2, plays=True, checkpoints=[1, 25, 60])
    for label, run, t, counts in table.select("entrant", "run", "t", "plays").rows():
        learner = entrants[label].learners[run]
        shown = learner.rows[:t] + learner.cols[:t]
        assert counts == np.bincount(shown, minlength=4).tolist()
        assert sum(counts) == 2 * t
    trusted = simulate(world, tuned, STRETCH, runs=1, plays=True, checkpoints=[25, 60])
    assert [sum(counts) for counts in trusted["plays"]] == [50, 120]


@pytest.mark.parametrize(
    ("checkpoints", "T", "stops"),
    [
        (None, 30, [30]),
        (1, 30, [30]),
        (3, 30, [10, 20, 30]),
        (4, 30, [8, 15, 23, 30]),
        (7, 3, [1, 2, 3]),
        ([30], 30, [30]),
        ([20, 5, 20], 30, [5, 20]),
        (range(10, 31, 10), 30, [10, 20, 30]),
        (np.array([1.0, 2.0]), 30, [1, 2]),
        ({5, 20}, 30, [5, 20]),
        (iter([5, 20]), 30, [5, 20]),
        (2e1, 20, list(range(1, 21))),
    ],
)
def test_checkpoints_are_a_number_or_rounds(checkpoints, T, stops):
    """Evenly spaced ones are ceil(i T / n); any iterable of rounds will do, in any order."""
    world = sparring.Constant(ladder(2), T)
    table = simulate(world, "rand", STRETCH, runs=1, checkpoints=checkpoints)
    assert table["t"].to_list() == stops


def test_far_more_checkpoints_than_rounds_are_all_rounds():
    world = sparring.Constant(ladder(2), 5)
    table = simulate(world, "rand", STRETCH, runs=1, checkpoints=10**15)
    assert table["t"].to_list() == [1, 2, 3, 4, 5]


def test_a_curve_is_the_definition_at_each_checkpoint(rng):
    world, entrants = sparring.SwitchingWalk(3, 45, S=4, sigma=0.3), kinds(played=Played)
    regrets = every_regret(3, 45, rng)
    table = simulate(world, entrants, regrets, runs=1, checkpoints=5)
    (learner,) = entrants["played"].learners
    for label, t, value in table.select("regret", "t", "value").rows():
        expected, _ = definition(regrets[label], learner.P[:t], learner.rows[:t], learner.cols[:t])
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-9, err_msg=label)


def test_names_functions_classes_lists_and_mappings_are_entrants():
    world = sparring.SwitchingWalk(3, 2000, S=2)

    def own(problem, rng):
        return sparring.rand(problem.K, seed=rng)

    def labels(entrants):
        return simulate(world, entrants, STRETCH, runs=1)["entrant"].to_list()

    assert labels("rex3") == ["rex3"]
    assert labels(own) == ["own"]
    assert labels(["rex3", own, "dex3s"]) == ["rex3", "own", "dex3s"]
    assert labels(("rand",)) == ["rand"]
    assert labels({"one": "rand", "two": lambda problem, rng: own(problem, rng)}) == ["one", "two"]
    assert labels([Asked]) == ["Asked"]


@pytest.mark.compiled
def test_a_name_is_the_learner_tuned_by_what_the_world_states():
    """The same table as that of the function called by hand, under the same label."""
    by_hand = {
        sparring.SwitchingWalk(3, 2000, S=2): {
            "rand": lambda problem, rng: sparring.rand(3, seed=rng),
            "rex3": lambda problem, rng: sparring.rex3(3, 2000, seed=rng),
            "dex3p": lambda problem, rng: sparring.dex3p(3, 2000, seed=rng),
            "dex3s": lambda problem, rng: sparring.dex3s(3, 2000, S=2, seed=rng),
            "borda_dex3s": lambda problem, rng: sparring.borda_dex3s(3, 2000, S=2, seed=rng),
        },
        sparring.RotatingWinner(3, 2000, V_T=2): {
            "dex3s": lambda problem, rng: sparring.dex3s(3, 2000, V_T=2.0, seed=rng),
        },
        sparring.GaussianWalk(3, 2000): {
            "dex3s": lambda problem, rng: sparring.dex3s(3, 2000, seed=rng),
        },
    }
    for world, entrants in by_hand.items():
        named = simulate(world, list(entrants), STRETCH, runs=1)
        assert named.equals(simulate(world, entrants, STRETCH, runs=1)), world


def test_a_function_is_told_what_the_world_states_and_no_more():
    entrants = kinds(asked=Asked)
    for world, problem in (
        (sparring.SwitchingWalk(3, 20, S=4), sparring.Problem(3, 20, S=4)),
        (sparring.RotatingWinner(3, 20, V_T=1), sparring.Problem(3, 20, V_T=1.0)),
        (Listed((ladder(3)[None], [20])), sparring.Problem(3, 20)),
    ):
        simulate(world, entrants, STRETCH, runs=1)
        assert entrants["asked"].learners[-1].problem == problem


class Wrapped:
    """A learner of the package that shows only ask and tell."""

    def __init__(self, learner):
        self._learner, self.K = learner, learner.K
        self.ask, self.tell = learner.ask, learner.tell

    @property
    def p(self):
        return self._learner.p


class WrappedWithPlay(Wrapped):
    """The same with play, as a stranger: it gets arrays that it cannot write."""

    def play(self, block, coins):
        return self._learner.play(block, coins)


@pytest.mark.parametrize("wrapper", [Wrapped, WrappedWithPlay])
@pytest.mark.parametrize("make", [tuned, relative])
def test_a_learner_with_only_ask_and_tell_comes_to_the_same(wrapper, make, monkeypatch):
    """As the learner's own play, to the last bit: on held and on moving matrices."""
    monkeypatch.setattr("sparring.simulation.path.PIECE", 32)

    def wrapped(problem, rng):
        return wrapper(make(problem, rng))

    for world in (sparring.SwitchingWalk(4, 150, S=3, sigma=0.3), sparring.GaussianWalk(3, 60)):
        options = {"runs": 2, "checkpoints": 3, "plays": True}
        own = simulate(world, {"x": make}, SOME_REGRETS, **options)
        assert own.equals(simulate(world, {"x": wrapped}, SOME_REGRETS, **options))


@moving
def test_describe_speaks_of_the_very_path_of_a_run(world):
    """S and V_T of the table, and all else of the matrices that the learner was shown."""
    entrants = kinds(played=Played)
    table = simulate(world, entrants, STRETCH, runs=[0, 3], seed=11, experiment="a")
    for row, learner in zip(table.iter_rows(named=True), entrants["played"].learners, strict=True):
        said = sparring.describe(world, 11, run=row["run"], experiment="a")
        P, T = learner.P, world.T
        assert (said.world, said.K, said.T) == (row["world"], row["K"], row["T"])
        assert said.S == row["S"] == segments(P)
        assert said.V_T == row["V_T"] == pytest.approx(variation(P), abs=1e-9)
        winners = [winner(matrix) for matrix in P]
        assert said.condorcet_share == pytest.approx(sum(w is not None for w in winners) / T)
        known = [w for w in winners if w is not None]
        assert said.condorcet_changes == sum(a != b for a, b in itertools.pairwise(known))
        assert said.irreducible == pytest.approx(sum(gap(matrix) for matrix in P), abs=1e-9)
    if isinstance(world, sparring.GaussianWalk):
        assert table["V_T"].n_unique() == 2, "runs have paths of their own"


def test_without_polars_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    asked = Made(Asked)
    with pytest.raises(ImportError, match=r"pip install .*\[lab\]'"):
        simulate(WORLD, {"asked": asked}, STRETCH)
    assert not asked.learners


@pytest.mark.parametrize("threads", [False, True])
def test_a_bar_shows_how_far_it_is_and_changes_nothing(threads, capsys, monkeypatch):
    how = in_threads if threads else simulate
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    quiet = how(WORLD, "rand", STRETCH, runs=4)
    assert capsys.readouterr() == ("", "")
    shown = how(WORLD, "rand", STRETCH, runs=4, progress=True)
    printed = "".join(capsys.readouterr())
    assert "80 rounds" in printed and "100%" in printed
    assert shown.equals(quiet)


def test_a_world_with_a_name_is_called_by_it():
    world = Listed(GOOD)
    world.name = "tea and coffee"
    table = simulate(world, Asked, STRETCH, runs=1)
    assert table["world"][0] == sparring.describe(world).world == "tea and coffee"
