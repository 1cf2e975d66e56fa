"""How `simulate` refuses bad input, and names the world or the entrant that failed."""

import functools
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars
import pytest

import sparring
from entrants import GOOD, LEARNERS, SOME_REGRETS, STRETCH, WORLD, in_threads, tuned
from regret_definitions import (
    Asked,
    Listed,
    Made,
    Played,
)
from sparring import Block, Regret, simulate
from sparring.checks import SimulationError
from sparring.regret import Arms, Mixture
from worlds import ladder, random_matrices


class NoBlocks:
    K, T = 3, 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entrants": "rexx"}, r"'rexx' must be one of .*; got 'rexx'\. Did you mean 'rex3'"),
        ({"entrants": {"ours": "Tracker"}}, r"'ours' .*'Tracker'\. Did you mean 'tracker'"),
        ({"entrants": ["rand", "nobody"]}, r"one of \[.*'tracker'.*'nobody'.*be a function"),
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
        (
            {"regrets": "stretch"},
            "regret 'stretch' must be a sparring.Regret; got 'stretch'. Or",
        ),
        (
            {"regrets": "dynamc"},
            r"got 'dynamc'\. Did you mean 'dynamic' or .*\? Or one of 'static'",
        ),
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
        ("high", "in round 5: ValueError: the duel's col must be at most 2; got 3", ValueError),
        ("negative", "in round 5: ValueError: the duel's col must be a whole number", ValueError),
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
    """Two threads, forty runs of 200 pieces: the first run fails at once, and no other goes on.

    It takes some ten pieces; a machine that lets the main thread wait for 20 s still passes.
    """
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
    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(SimulationError, match=r"'slow' failed .*: at once"):
            simulate(world, {"slow": Slow}, STRETCH, runs=40, executor=executor)
        assert executor.submit(lambda: "alive").result() == "alive"
    assert next(begun) <= 10
    assert next(pieces) < 1000


def test_an_executor_is_not_shut_down_and_serves_again():
    with ThreadPoolExecutor(2) as executor:
        first, second = (
            simulate(WORLD, "rand", STRETCH, runs=3, executor=executor) for _ in range(2)
        )
    assert first.equals(second)
    assert threading.active_count() < 50
