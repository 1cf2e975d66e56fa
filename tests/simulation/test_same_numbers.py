"""What the numbers of `simulate` depend on, and what they do not."""

import itertools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import polars
import pytest

import sparring
from entrants import LEARNERS, SOME_REGRETS, STRETCH, in_threads, kinds, moving, tuned
from regret_definitions import (
    Asked,
    Listed,
    Made,
    Played,
    every_regret,
)
from sparring import simulate
from sparring.checks import SimulationError
from sparring.worlds import protocol
from worlds import ladder

pytestmark = pytest.mark.compiled  # with the JIT off, others cross every line of the kernels


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
    [{"seed": 2}, {"runs": [1]}, {"experiment": "b"}, {"seed": 2**63 - 1}],
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
