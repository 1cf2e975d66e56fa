"""`simulate`: what it returns, what it does not depend on, and how it refuses and fails."""

import functools
import itertools
import multiprocessing
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import polars
import pytest

import sparring
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
from sparring import Arms, Block, Mixture, Regret, SimulationError, simulate
from sparring.sequences import protocol
from worlds import ladder, random_matrices

STRETCH = Regret("preference", "stretch")
SOME_REGRETS = [
    Regret("preference", "horizon"),
    STRETCH,
    Regret("preference", "round", "row"),
    Regret("borda", "stretch", "column"),
    Regret("preference", "condorcet", "weak"),
    Regret("preference", "von neumann"),
]
MOVING = [
    sparring.GaussianWalk(3, 80, sigma=0.1),
    sparring.SwitchingWalk(4, 90, S=5, sigma=0.3),
    sparring.BudgetedDrift(3, 70, V_T=4),
    sparring.BudgetedDrift(3, 70, V_T=4, direction="persistent"),
    sparring.CondorcetSwitches(3, 90, S=12, epsilon=0.2),
    sparring.FreshWinner(4, 80, S=9),
    sparring.RotatingWinner(4, 75, V_T=3),
    sparring.Recorded(random_matrices(6, 3, np.random.default_rng(1)), 70),
    sparring.Recorded(random_matrices(6, 3, np.random.default_rng(1)), 70, interpolate=True),
]
moving = pytest.mark.parametrize("world", MOVING, ids=lambda world: type(world).__name__)


def tuned(problem, rng):
    """Algorithm 2 with numbers that suit the few rounds of a test."""
    return sparring.ExponentialWeights(problem.K, sparring.Tuning(0.1, 0.3, 0.05, 1e-3), seed=rng)


def relative(problem, rng):
    """REX3 with such numbers."""
    tuning = sparring.Tuning(0.1, 0.3)
    return sparring.ExponentialWeights(problem.K, tuning, estimate="relative", seed=rng)


LEARNERS = {"tuned": tuned, "relative": relative, "asked": Asked}


def kinds(**wanted):
    """Entrants that keep the learners they make."""
    return {label: Made(kind) for label, kind in wanted.items()}


# --- What it returns ----------------------------------------------------------------------------


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


def test_far_more_checkpoints_than_rounds_are_all_rounds_at_no_cost():
    world = sparring.Constant(ladder(2), 5)
    start = time.monotonic()
    table = simulate(world, "rand", STRETCH, runs=1, checkpoints=20_000_000)
    assert table["t"].to_list() == [1, 2, 3, 4, 5]
    assert time.monotonic() - start < 1


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


# --- What it does not depend on -----------------------------------------------------------------


def test_all_entrants_of_a_run_meet_the_same_path_and_coins(monkeypatch):
    """And outcomes are what the coin says: row wins if it is below P(row, col)."""
    monkeypatch.setattr("sparring.simulation.path.PIECE", 13)
    world = sparring.GaussianWalk(3, 50, sigma=0.1)
    entrants = kinds(first=Played, asked=Asked, second=Played)
    simulate(world, entrants | {"tuned": tuned}, STRETCH, runs=2)
    for run in range(2):
        first, asked, second = (entrants[label].learners[run] for label in entrants)
        np.testing.assert_array_equal(first.P, second.P)
        assert first.coins == second.coins
        assert len(set(first.coins)) == 50 and 0 <= min(first.coins) <= max(first.coins) < 1
        assert first.rows != second.rows, "each has its own luck in choosing"
        duels = zip(first.coins, first.P, asked.rows, asked.cols, strict=True)
        assert asked.outcomes == [float(coin < P[row, col]) for coin, P, row, col in duels]


def recorded(**options):
    """What a learner of one run met, and what it drew: matrices, coins, arms."""
    label = options.pop("label", "played")
    entrants = {label: Made(Played)}
    world = options.pop("world", sparring.GaussianWalk(3, 30, sigma=0.1))
    simulate(world, entrants, STRETCH, **{"runs": 1, "seed": 1, **options})
    (learner,) = entrants[label].learners
    return np.array(learner.P), learner.coins, learner.rows


@pytest.mark.parametrize(
    "change",
    [{"seed": 2}, {"runs": [1]}, {"experiment": "b"}, {"seed": 2**70}],
    ids=str,
)
def test_another_seed_run_or_experiment_has_other_luck_in_everything(change):
    P, coins, rows = recorded()
    other_P, other_coins, other_rows = recorded(**change)
    assert not np.isclose(P[0, 0, 1:], other_P[0, 0, 1:]).any()
    assert not set(coins) & set(other_coins)
    assert rows != other_rows


def test_another_label_changes_what_is_drawn_and_not_what_is_met():
    P, coins, rows = recorded()
    other_P, other_coins, other_rows = recorded(label="other")
    np.testing.assert_array_equal(P, other_P)
    assert coins == other_coins
    assert rows != other_rows


def test_other_sizes_have_other_luck():
    """The first coins of a longer run are not those of a shorter one."""
    _, coins, _ = recorded()
    for world in (sparring.GaussianWalk(3, 31), sparring.GaussianWalk(4, 30)):
        assert not set(coins) & set(recorded(world=world)[1])


def test_path_coins_and_choices_are_independent_streams():
    """No two of the three begin alike: uniforms of the path, coins, uniforms of the learner."""

    class Drawing(Played):
        def __init__(self, problem, rng):
            super().__init__(problem, rng)
            self.uniforms = rng.random(30).tolist()

    class Showing(Listed):
        def blocks(self, rng):
            self.uniforms = rng.random(30).tolist()
            yield from super().blocks(rng)

    world, entrants = Showing((ladder(3)[None], [30])), kinds(a=Drawing, b=Drawing)
    simulate(world, entrants, STRETCH, runs=1)
    first, second = (entrants[label].learners[0] for label in "ab")
    streams = [world.uniforms, first.coins, first.uniforms, second.uniforms]
    assert len(set(itertools.chain(*streams))) == 4 * 30


def in_threads(*arguments, **options):
    with ThreadPoolExecutor(2) as executor:
        return simulate(*arguments, **options, executor=executor)


def in_processes(*arguments, **options):
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        return simulate(*arguments, **options, executor=executor)


@moving
def test_threads_change_no_bit(world):
    options = {"runs": 5, "seed": 4, "checkpoints": 3, "plays": True}
    alone = simulate(world, LEARNERS, SOME_REGRETS, **options)
    assert in_threads(world, LEARNERS, SOME_REGRETS, **options).equals(alone)


@pytest.mark.compiled
def test_processes_change_no_bit_and_their_errors_arrive():
    world = sparring.SwitchingWalk(3, 20_000, S=3)
    options = {"runs": 4, "seed": 4, "checkpoints": 3, "plays": True}
    entrants = ["rex3", "dex3s", "borda_dex3s"]
    alone = simulate(world, entrants, SOME_REGRETS, **options)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        options["executor"] = executor
        assert simulate(world, entrants, SOME_REGRETS, **options).equals(alone)
        with pytest.raises(SimulationError, match=r"'borda_dex3s' failed on .* in run \d"):
            simulate(sparring.GaussianWalk(3, 20_000), "borda_dex3s", STRETCH, executor=executor)


@moving
@pytest.mark.parametrize("piece", [1, 17])
def test_the_length_of_pieces_changes_no_bit(world, piece, monkeypatch):
    options = {"runs": 1, "seed": 4, "checkpoints": [40, world.T], "plays": True}
    long = simulate(world, LEARNERS, SOME_REGRETS, **options)
    monkeypatch.setattr("sparring.simulation.path.PIECE", piece)
    assert simulate(world, LEARNERS, SOME_REGRETS, **options).equals(long)


@moving
@pytest.mark.parametrize(("size", "longest"), [(1, 4096), (500, 4096), (10**7, 3), (10**7, 1)])
def test_the_length_of_blocks_changes_no_bit(world, size, longest, monkeypatch):
    options = {"runs": 1, "seed": 4, "checkpoints": [40, world.T], "plays": True}
    usual = simulate(world, LEARNERS, SOME_REGRETS, **options)
    monkeypatch.setattr(protocol, "BLOCK_BYTES", size)
    monkeypatch.setattr(protocol, "LONGEST_BLOCK", longest)
    assert simulate(world, LEARNERS, SOME_REGRETS, **options).equals(usual)


def test_who_else_plays_and_in_which_order_changes_no_bit():
    world = sparring.SwitchingWalk(3, 90, S=4)
    everybody = simulate(world, LEARNERS, SOME_REGRETS, runs=2, checkpoints=2, plays=True)
    backwards = dict(reversed(LEARNERS.items()))
    turned = simulate(world, backwards, SOME_REGRETS, runs=2, checkpoints=2, plays=True)
    for label, entrant in LEARNERS.items():
        mine = everybody.filter(polars.col("entrant") == label)
        assert mine.equals(turned.filter(polars.col("entrant") == label))
        alone = simulate(world, {label: entrant}, SOME_REGRETS, runs=2, checkpoints=2, plays=True)
        assert mine.equals(alone)


@pytest.mark.parametrize(
    "world", [sparring.SwitchingWalk(3, 60, S=3), sparring.GaussianWalk(3, 40)], ids=repr
)
def test_which_other_regrets_are_charged_changes_no_bit(world, rng):
    """Each of all regrets comes to the same alone as in the company of all the others."""
    regrets = every_regret(world.K, world.T, rng)
    together = simulate(world, tuned, regrets, runs=1, checkpoints=2)
    turned = simulate(world, tuned, dict(reversed(regrets.items())), runs=1, checkpoints=2)
    assert turned.sort("regret", "t").equals(together.sort("regret", "t"))
    for label, regret in regrets.items():
        alone = simulate(world, tuned, {label: regret}, runs=1, checkpoints=2)
        assert alone.equals(together.filter(polars.col("regret") == label)), label


@moving
def test_reading_on_the_way_changes_no_bit_of_the_end(world, rng):
    regrets = every_regret(world.K, world.T, rng)
    end = simulate(world, LEARNERS, regrets, runs=1)
    often = simulate(world, LEARNERS, regrets, runs=1, checkpoints=5)
    assert often.filter(polars.col("t") == world.T).equals(end)
    without = {label: r for label, r in regrets.items() if r.benchmark != "von neumann"}
    always = simulate(world, LEARNERS, without, runs=1, checkpoints=world.T)
    last = end.filter(polars.col("regret").is_in(list(without)))
    assert always.filter(polars.col("t") == world.T).equals(last)


def test_runs_may_be_added_later():
    world = sparring.FreshWinner(3, 60, S=3)
    five = simulate(world, LEARNERS, SOME_REGRETS, runs=5)
    later = simulate(world, LEARNERS, SOME_REGRETS, runs=range(3, 5))
    assert later.equals(five.filter(polars.col("run") >= 3))
    assert simulate(world, LEARNERS, SOME_REGRETS, runs=[4, 3])["run"].unique(
        maintain_order=True
    ).to_list() == [4, 3]
    assert five["value"].n_unique() > 5, "runs differ"


# --- How it refuses -----------------------------------------------------------------------------

WORLD = sparring.SwitchingWalk(3, 20, S=2)


class NoBlocks:
    K, T = 3, 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entrants": "rexx"}, "entrant 'rexx' must be one of .*'rex3'.*got 'rexx'"),
        ({"entrants": ["rand", "rand"]}, "labels of the entrants must be different.*dictionary"),
        ({"entrants": [lambda p, r: None, lambda p, r: None]}, "must be different.*dictionary"),
        ({"entrants": []}, "entrants must be one or more"),
        ({"entrants": {}}, "entrants must be one or more"),
        ({"entrants": {3: "rand"}}, "a label of the entrants must be a text; got 3"),
        ({"entrants": [sparring.rand(3)]}, "function with a name; got <Expon.*dictionary"),
        ({"entrants": {"a": sparring.rand(3)}}, r"\(Problem, Generator\) -> Learner; got <Expon"),
        ({"entrants": functools.partial(tuned)}, "function with a name; got functools"),
        ({"entrants": {"a": 7}}, "entrant 'a' must be"),
        ({"entrants": 7}, "entrants? .*must be"),
        ({"regrets": []}, "regrets must be one or more"),
        ({"regrets": [STRETCH, STRETCH]}, "labels of the regrets must be different.*dictionary"),
        ({"regrets": ["stretch"]}, r"regret 'stretch' must be a sparring.Regret; got 'stretch'"),
        ({"regrets": "stretch"}, "regrets must be .*got 'stretch'"),
        ({"regrets": 7}, "regrets? .*must be"),
        ({"regrets": {1: STRETCH, "1": Regret()}}, "a label of the regrets must be a text"),
        ({"regrets": Regret("borda", Arms([0], [19]))}, "Arms.rounds must be the world's T = 20"),
        ({"regrets": Regret("borda", Arms([3], [20]))}, "Arms.arms must be below the world's K"),
        ({"regrets": Regret(benchmark=Mixture([0.5, 0.5]))}, "Mixture.pi must be .* 3 arms; got 2"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"seed": None}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"runs": 0}, "runs must be a whole number of at least 1; got 0"),
        ({"runs": []}, "runs must be one or more different numbers"),
        ({"runs": [1, 1]}, "runs must be one or more different numbers"),
        ({"runs": [-1]}, "runs must be a whole number of at least 0"),
        ({"runs": "ten"}, "runs must be"),
        ({"runs": 2.5}, "runs must be"),
        ({"checkpoints": 0}, "checkpoints must be a whole number of at least 1; got 0"),
        ({"checkpoints": -3}, "checkpoints must be"),
        ({"checkpoints": []}, "checkpoints must be one or more rounds up to T = 20"),
        ({"checkpoints": [0, 5]}, "checkpoints must be a whole number of at least 1; got 0"),
        ({"checkpoints": [5, 21]}, r"checkpoints must be .* up to T = 20; got \[21\]"),
        ({"checkpoints": [2.5]}, "checkpoints must be"),
        ({"checkpoints": "all"}, "checkpoints must be"),
        ({"plays": 1}, "plays must be True or False"),
        ({"progress": "yes"}, "progress must be True or False"),
        ({"executor": 2}, r"executor must be a concurrent.futures.Executor or None; got 2"),
        ({"world": sparring.SwitchingWalk}, r"world must be a world \(K, T, blocks\)"),
        ({"world": NoBlocks()}, r"world must be a world \(K, T, blocks\)"),
        ({"world": "GaussianWalk"}, "world must be a world"),
        ({"world": ladder(3)}, "world must be a world"),
        ({"world": Listed((ladder(3)[None], [5]), T=0)}, "T must be a whole number of at least 1"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else next(iter(value)),
)
def test_bad_arguments_are_refused_before_anything_is_played(change, message):
    asked = Made(Asked)
    arguments = {"world": WORLD, "entrants": {"asked": asked}, "regrets": STRETCH, **change}
    with pytest.raises(ValueError, match=message):
        simulate(**arguments)
    assert not asked.learners


class OneArm(Listed):
    K = 1

    def __init__(self):
        self.T, self.given = 5, []


def test_a_world_of_one_arm_is_refused():
    with pytest.raises(ValueError, match="K must be a whole number of at least 2; got 1"):
        simulate(OneArm(), "rand", STRETCH)


def bent(i, j, value):
    """A matrix with one bad entry."""
    P = ladder(3, 0.2)
    P[i, j] = value
    return P


GOOD = (ladder(3, 0.2)[None], [6])


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([([bent(0, 1, 1.2)], [6])], r"after round 0: .*block.P\[0, 0, 1\] must be .*got 1.2"),
        ([GOOD, ([bent(2, 2, 0.4)], [4])], r"after round 6: .*block.P\[0, 2, 2\] must be 0.5"),
        (
            [GOOD, ([ladder(3, 0.1), bent(2, 0, 0.4)], [2, 2])],
            r"after round 6: .*block.P\[1, 2, 0\] must be 1 - block.P\[1, 0, 2\] = 0.3; got 0.4",
        ),
        ([([bent(1, 0, float("nan"))], [6])], r"block.P\[0, 1, 0\] must be .*got nan"),
        ([(ladder(4)[None], [6])], r"block.P must be .*\(any, 3, 3\); got shape \(1, 4, 4\)"),
        ([(ladder(3)[None], [6.0])], "block.hold must be an array of whole numbers"),
        ([(ladder(3)[None], [2, 4])], r"block.hold must be .*shape \(1\); got shape \(2,\)"),
        ([([ladder(3), ladder(3)], [10, 0])], "block.hold must be at least 1 everywhere"),
        ([([ladder(3), ladder(3)], [11, -1])], "block.hold must be at least 1 everywhere"),
        ([(np.empty((0, 3, 3)), np.empty(0, np.int64))], "one matrix or more"),
        ([], "holds of the blocks must be T = 10 in all; got 0 in all"),
        ([GOOD], "after round 6: .*holds of the blocks must be T = 10 in all; got 6 in all"),
        ([GOOD, (ladder(3)[None], [5])], "after round 6: .*at most the 4 rounds that are left"),
        ([GOOD, (ladder(3)[None], [4]), GOOD], "after round 10: .*at most the 0 rounds"),
        ([([ladder(3)] * 2, [2**62, 2**62])], "at most the 10 rounds that are left"),
    ],
    ids=lambda value: str(value)[-50:] if isinstance(value, str) else "",
)
def test_a_world_that_breaks_the_rules_is_named_with_run_and_round(blocks, message):
    world = Listed(GOOD, T=10)
    world.given = [Block(np.array(P), np.array(hold)) for P, hold in blocks]
    with pytest.raises(SimulationError, match=message) as caught:
        simulate(world, Asked, STRETCH, runs=[7])
    assert str(caught.value).startswith("Listed(K=3, T=10) failed in run 7, after round ")
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((ladder(3)[None], np.array([10])), "must be a sparring.Block"),
        (None, "must be a sparring.Block"),
        (ZeroDivisionError("broken"), "broken"),
    ],
    ids=["tuple", "None", "raises"],
)
def test_a_world_that_yields_something_else_or_fails_is_named(given, message):
    class Odd(Listed):
        def blocks(self, rng):
            yield from self.given
            if isinstance(given, Exception):
                raise given
            yield given

    world = Odd(GOOD, T=10)
    with pytest.raises(SimulationError, match=f"failed in run 0, after round 6: .*{message}"):
        simulate(world, Asked, STRETCH, runs=1)
    with pytest.raises((ValueError, ArithmeticError, SimulationError), match=message):
        sparring.describe(world)


def test_a_world_may_use_one_array_for_all_its_blocks():
    """What a generator overwrites after it has gone on must not change what was."""

    class Thrifty(Listed):
        def blocks(self, rng):
            room = Block(np.empty((1, 3, 3)), np.empty(1, np.int64))
            for P, hold in self.given:
                for m in range(len(P)):
                    room.P[0], room.hold[0] = P[m], hold[m]
                    yield room

    blocks = (random_matrices(4, 3, np.random.default_rng(1)), [9, 1, 7, 3])
    thrifty, plain = Thrifty(blocks), Listed(blocks)
    tables = [
        simulate(world, LEARNERS, SOME_REGRETS, runs=1, checkpoints=4).drop("world")
        for world in (thrifty, plain)
    ]
    assert tables[0].equals(tables[1])


# --- How entrants fail --------------------------------------------------------------------------


class Faulty(Asked):
    """Fails in one way, in round 5 where there are rounds."""

    def __init__(self, flaw, problem, rng):
        super().__init__(problem, rng)
        self.flaw = flaw
        if flaw == "construction":
            raise KeyError("no luck")

    def ask(self):
        duel = super().ask()
        if duel.t != 5:
            return duel
        if self.flaw == "ask":
            raise ZeroDivisionError("in ask")
        arms = {"high": self.K, "negative": -1, "not a number": float("nan")}
        return duel._replace(col=arms.get(self.flaw, duel.col))

    def tell(self, duel, outcome):
        super().tell(duel, outcome) if self.flaw != "high" else None
        if self.flaw == "tell" and duel.t == 5:
            raise ZeroDivisionError("in tell")


@pytest.mark.parametrize(
    ("flaw", "message", "cause"),
    [
        ("construction", "when it was made: KeyError: 'no luck'", KeyError),
        ("ask", "in round 5: ZeroDivisionError: in ask", ZeroDivisionError),
        ("tell", "in round 5: ZeroDivisionError: in tell", ZeroDivisionError),
        ("high", "in round 5: ValueError: the duel's arms must be from 0 to 2", ValueError),
        ("negative", "in round 5: ValueError: the duel's arms must be from 0 to 2", ValueError),
        ("not a number", "in round 5: ValueError", ValueError),
    ],
)
@pytest.mark.parametrize("piece", [3, 16_384])
def test_an_entrant_that_fails_is_named_with_world_run_and_round(
    flaw, message, cause, piece, monkeypatch
):
    monkeypatch.setattr("sparring.simulation.path.PIECE", piece)
    entrants = {"fine": "rand", "bad": functools.partial(Faulty, flaw)}
    with pytest.raises(SimulationError) as caught:
        simulate(WORLD, entrants, STRETCH, runs=[3])
    start = "entrant 'bad' failed on SwitchingWalk(K=3, T=20, S=2, sigma=0.05) in run 3, "
    assert str(caught.value).startswith(start + message)
    assert isinstance(caught.value.__cause__, cause)


def returning(made):
    class Returning(Asked):
        def play(self, block, coins):
            return made(self.K, len(coins))

    return Returning


ZEROS = functools.partial(np.zeros, dtype=np.int64)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda K, n: 1 / 0, "ZeroDivisionError"),
        (lambda K, n: sparring.Plays(ZEROS(n), np.full(n, K)), r"plays.cols must be from 0 to 2"),
        (lambda K, n: sparring.Plays(np.full(n, -1), ZEROS(n)), r"plays.rows must be from 0 to 2"),
        (lambda K, n: sparring.Plays(ZEROS(n), ZEROS(n - 1)), r"plays.cols .*shape \(12\)"),
        (lambda K, n: sparring.Plays(ZEROS(n + 1), ZEROS(n)), r"plays.rows .*shape \(12\)"),
        (lambda K, n: sparring.Plays(np.zeros(n), ZEROS(n)), "whole numbers.*float64"),
        (lambda K, n: (ZEROS(n), ZEROS(n)), "what play returned must be a sparring.Plays"),
        (lambda K, n: None, "what play returned must be a sparring.Plays"),
    ],
    ids=["raises", "high", "negative", "short", "long", "floats", "tuple", "None"],
)
def test_what_play_returns_is_looked_at(made, message, monkeypatch):
    """The kernels do not look: an arm that is none would be read from anywhere in memory."""
    monkeypatch.setattr("sparring.simulation.path.PIECE", 12)
    match = f"entrant 'bad' failed on .* in run 2, in rounds 1 to 12: .*{message}"
    with pytest.raises(SimulationError, match=match) as caught:
        simulate(WORLD, {"bad": returning(made)}, STRETCH, runs=[2])
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda problem, rng: None, r"what it made must be a learner \(K, p, ask, tell\)"),
        (lambda problem, rng: Listed(GOOD), "what it made must be a learner"),
        (lambda problem, rng: sparring.rand(4, seed=rng), "its learner's K must be the world's, 3"),
        (lambda problem: sparring.rand(3), "TypeError"),
    ],
    ids=["None", "world", "other K", "other arguments"],
)
def test_what_an_entrant_makes_is_looked_at(made, message):
    match = f"entrant 'odd' failed on .* in run 0, when it was made: .*{message}"
    with pytest.raises(SimulationError, match=match):
        simulate(WORLD, {"odd": made}, STRETCH, runs=1)


@pytest.mark.parametrize("target", ["P", "hold", "coins"])
def test_an_entrant_cannot_write_into_what_the_others_get(target):
    """Neither by a bare assignment, which fails, nor by one whose failure it swallows."""

    class Vandal(Played):
        def play(self, block, coins):
            array = {"P": block.P, "hold": block.hold, "coins": coins}[target]
            try:
                array[...] = 0
            except ValueError:
                self.stopped = True
            return super().play(block, coins)

    vandal = Made(Vandal)
    alone = simulate(WORLD, {"tuned": tuned}, SOME_REGRETS, runs=1)
    together = simulate(WORLD, {"vandal": vandal, "tuned": tuned}, SOME_REGRETS, runs=1)
    assert vandal.learners[0].stopped
    assert together.filter(polars.col("entrant") == "tuned").equals(alone)


@pytest.mark.parametrize("threads", [False, True])
def test_an_interrupt_passes_through(threads):
    class Interrupted(Asked):
        def ask(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        (in_threads if threads else simulate)(WORLD, {"it": Interrupted}, STRETCH, runs=3)


def test_in_threads_a_failing_run_ends_all_the_others_soon(monkeypatch):
    """Two threads, forty runs of some 4 s: the first fails after 0.1 s, and no run goes on."""
    monkeypatch.setattr("sparring.simulation.path.PIECE", 10)
    begun, pieces = itertools.count(1), itertools.count()

    class Slow(Asked):
        def __init__(self, problem, rng):
            super().__init__(problem, rng)
            self.number = next(begun)

        def play(self, block, coins):
            next(pieces)
            time.sleep(0.1 if self.number == 1 else 0.02)
            if self.number == 1:
                raise ZeroDivisionError("at once")
            return sparring.Plays(ZEROS(len(coins)), ZEROS(len(coins)))

    world = sparring.Constant(ladder(2), 2_000)
    start = time.monotonic()
    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(SimulationError, match=r"'slow' failed .*: at once"):
            simulate(world, {"slow": Slow}, STRETCH, runs=40, executor=executor)
        assert executor.submit(lambda: "alive").result() == "alive"
    assert time.monotonic() - start < 10
    assert next(begun) <= 10
    assert next(pieces) < 150


def test_an_executor_is_not_shut_down_and_serves_again():
    with ThreadPoolExecutor(2) as executor:
        first, second = (
            simulate(WORLD, "rand", STRETCH, runs=3, executor=executor) for _ in range(2)
        )
    assert first.equals(second)
    assert threading.active_count() < 50


# --- Around it ----------------------------------------------------------------------------------


def test_without_polars_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    asked = Made(Asked)
    with pytest.raises(ImportError, match=r"pip install 'sparring\[lab\]'"):
        simulate(WORLD, {"asked": asked}, STRETCH)
    assert not asked.learners


@pytest.mark.parametrize("threads", [False, True])
def test_a_bar_shows_how_far_it_is_and_changes_nothing(threads, capsys):
    how = in_threads if threads else simulate
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


@pytest.mark.compiled
def test_checkpoints_cost_little_even_with_given_arms():
    """Five hundred readings of 100,000 rounds, j^T changing all the time, within two seconds."""
    T = 100_000
    world = sparring.Constant(ladder(2), T)
    regret = Regret("preference", Arms(np.arange(T) % 2))
    start = time.monotonic()
    simulate(world, "rand", regret, runs=1, checkpoints=500)
    assert time.monotonic() - start < 2
