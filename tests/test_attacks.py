"""Hostile and clumsy entrants, worlds, executors and signals: nothing crashes, hangs or is lost."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import sparring
from entrants import GOOD, STRETCH, WORLD, tuned
from regret_definitions import Asked, Listed, Played
from sparring import Block, Regret, describe, simulate
from sparring.checks import SimulationError
from sparring.regret import Arms
from sparring.testing import check_world
from worlds import ladder

INTERRUPTED = r"""
import os, signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
import sparring

class Slow:
    K, p = 3, sparring.rand(3).p
    def __init__(self, problem, rng):
        os.write(1, b"begun\n")  # at once: two threads may begin together
    def ask(self):
        time.sleep(0.01)
        return sparring.Duel(1, 0, 1, self.p)
    def tell(self, duel, outcome):
        pass

with ThreadPoolExecutor(2) as pool:
    executor = pool if sys.argv[1] == "threads" else None
    world, regret = sparring.Constant(sparring.Cyclic(3, 1).matrix, 10**9), sparring.Regret()
    sparring.simulate(world, Slow, regret, runs=4, executor=executor)
"""


@pytest.mark.parametrize("how", ["threads", "alone"])
def test_an_interrupt_from_outside_ends_it_soon(how):
    """The run would take months; polars makes an interrupt wait for a wait without an end."""
    command = [sys.executable, "-c", INTERRUPTED, how]
    # Whoever starts the tests in the background may have them and their children ignore SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            assert process.stdout.readline() == b"begun\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, printed = process.communicate(timeout=300)
        finally:
            process.kill()  # otherwise a failure would wait for months
    assert b"KeyboardInterrupt" in printed


def one_process():
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(1), one_process])
def test_an_executor_that_is_shut_down_is_no_reason_to_wait_for_ever(make):
    executor = make()
    timer = threading.Timer(0.5, executor.shutdown, kwargs={"wait": False, "cancel_futures": True})
    timer.start()
    with pytest.raises(RuntimeError, match="shut down"):
        simulate(sparring.GaussianWalk(3, 30_000), Asked, STRETCH, runs=200, executor=executor)
    timer.join()


class DyingWorld(Listed):
    def blocks(self, rng):
        os._exit(1)
        yield


def test_a_worker_that_dies_is_an_error_and_no_hang():
    with one_process() as executor, pytest.raises(Exception, match="terminated abruptly"):
        simulate(DyingWorld(GOOD), Asked, STRETCH, runs=2, executor=executor)


class Exhausted(Played):
    """A learner with a script that ends too soon."""

    def play(self, block, coins):
        return next(iter([]))


def test_stop_iteration_is_an_error_like_any_other():
    """In a generator or a map it would end the loop without a word."""
    with pytest.raises(SimulationError, match="in rounds 1 to 20: StopIteration"):
        simulate(WORLD, Exhausted, STRETCH, runs=1)
    with pytest.raises(SimulationError, match="when it was made: StopIteration"):
        simulate(WORLD, {"it": lambda problem, rng: next(iter([]))}, STRETCH, runs=1)


class Unlocks(Played):
    """Writes into what was locked, by the base of the view or by the flag."""

    def play(self, block, coins):
        plays = super().play(block, coins)
        for array in (block.hold, coins):
            if array.base is not None:
                array.base[:] = 10**6
            array.flags.writeable = True
            array[:] = 10**6
        return plays


class Fakes(Asked):
    """An arm that is everybody's equal."""

    class Arm:
        def __eq__(self, other):
            return True

        def __hash__(self):
            return 0

        def __index__(self):
            return 10**9

    def ask(self):
        return super().ask()._replace(row=Fakes.Arm())


def outside(problem, rng):
    """One of ours, with another `play` hung on it."""
    learner = tuned(problem, rng)

    def play(block, coins, out=None):
        return sparring.Plays(*np.full((2, len(coins)), 10**7))

    learner.play = play
    return learner


def test_a_learner_that_unlocks_its_arrays_harms_nobody():
    alone = simulate(WORLD, {"tuned": tuned}, STRETCH, runs=2)
    beside = simulate(WORLD, {"bad": Unlocks, "tuned": tuned}, STRETCH, runs=2)
    assert beside.filter(entrant="tuned").equals(alone)


@pytest.mark.parametrize(
    ("entrant", "message"),
    [
        (Fakes, "the duel's row must be at most 2"),
        (outside, "plays.rows must be from 0 to 2; got 10000000"),
    ],
)
def test_arms_that_do_not_exist_never_reach_the_kernels(entrant, message):
    with pytest.raises(SimulationError, match=message):
        simulate(WORLD, {"bad": entrant}, STRETCH, runs=1)


def test_the_registry_of_worlds_cannot_be_written():
    """Its worlds' blocks are not checked."""
    with pytest.raises(TypeError):
        sparring.WORLDS["Listed"] = Listed
    world = sparring.SwitchingWalk(3, 20, S=2)
    object.__setattr__(world, "blocks", Listed((ladder(4)[None], [20])).blocks)
    with pytest.raises(SimulationError, match=r"block.P must be .* \(any, 3, 3\)"):
        simulate(world, Asked, STRETCH, runs=1)


def test_a_world_that_overshoots_by_little_is_refused_too():
    T = 2_000_000_000
    world = Listed((np.stack([ladder(2)] * 2), [T - 1, 3]), T=T)
    with pytest.raises(SimulationError, match=r"block\.hold must be at most"):
        simulate(world, Played, Regret("preference", Arms([0], [T])), runs=1)
    with pytest.raises(ValueError, match="rounds must be"):
        Arms([0, 1], [10**18, 1])


def test_what_a_matrix_becomes_does_not_depend_on_its_block():
    """0.9 + 0.1 is 1 and stays, 0.7 + 0.3000000001 is not; S is 2 however they are cut."""
    A, B = [[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.7], [0.3000000001, 0.5]]
    one = Listed(([A, A, B], [5, 5, 5]))
    two = Listed(([A], [5]), ([A, B], [5, 5]))
    assert describe(one).S == describe(two).S == 2


def test_in_threads_a_slow_learner_is_given_up_within_a_piece():
    """A run of 20,000 rounds of 5 ms, all in one piece: it ends when the other one fails."""
    rounds = []

    class Slow(Asked):
        def __init__(self, problem, rng):
            super().__init__(problem, rng)
            self.fails = not rounds
            rounds.append(0)

        def ask(self):
            rounds[0] += 1
            time.sleep(0.005)
            if self.fails:
                raise ZeroDivisionError
            return super().ask()

    with ThreadPoolExecutor(2) as executor, pytest.raises(SimulationError):
        simulate(sparring.Constant(ladder(3), 20_000), Slow, STRETCH, runs=2, executor=executor)
    assert rounds[0] < 2_000


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2**63},
        {"regrets": {"\udc80": STRETCH}},
        {"entrants": {"\udc80": Asked}},
        {"runs": 10**12},
        {"checkpoints": 10**12, "world": sparring.Constant(ladder(3), 10**18)},
    ],
    ids=["a seed too large", "half a character", "another", "runs", "checkpoints"],
)
def test_what_a_table_cannot_hold_is_refused_before_anything_is_played(change):
    with pytest.raises(ValueError, match=r"must be"):
        simulate(**{"world": WORLD, "entrants": Asked, "regrets": STRETCH, **change})


def test_a_world_whose_name_is_no_text_is_refused():
    world = Listed(GOOD)
    world.name = "\udc80"
    with pytest.raises(ValueError, match="the world's name must be a text"):
        simulate(world, Asked, STRETCH)


def test_check_world_does_not_wait_for_a_generator_that_never_ends():
    class Endless(Listed):
        def blocks(self, rng):
            while True:
                yield Block(*map(np.array, GOOD))

    with pytest.raises(AssertionError, match="does the generator end"):
        check_world(Endless(GOOD, T=100))


def test_two_entrants_cannot_share_a_learner():
    shared = []

    def entrant(problem, rng):
        shared.append(Asked(problem, rng))
        return shared[0]

    with pytest.raises(ValueError, match="makers of a learner each"):
        simulate(WORLD, {"a": entrant, "b": entrant}, STRETCH, runs=1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sparring.FreshWinner(3, 100, 2, margin=1e-20),
        lambda: sparring.CondorcetSwitches(3, 10, V_T=1, epsilon=5e-324),
        lambda: sparring.RotatingWinner(3, 100, V_T=0, largest_margin=1e-20),
    ],
)
def test_margins_that_vanish_beside_one_half_are_refused(make):
    with pytest.raises(ValueError, match="above 0, and not lost beside 1/2"):
        make()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"period,i,j,p,p\n1,a,b,0.3,0.9\n", "must have no column twice"),
        ("period,i,j,p\n1,a,b,0.3\n".encode("utf-16"), "must be text in UTF-8"),
        (b"period,i,j,p\n1,a," + b"b" * 5_000_000 + b",0.3\n", "must be comma-separated text"),
    ],
)
def test_files_of_another_kind_are_refused_by_name(content, message, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"table.csv.*: {message}"):
        sparring.worlds.Recorded.from_csv(path, 10)


class Unprintable(Listed):
    def __repr__(self):
        raise ZeroDivisionError


def test_a_world_that_cannot_be_printed_does_not_hide_what_happened():
    message = r"a Unprintable without a repr failed in run 0, after round 6: .*T = 7"
    with pytest.raises(SimulationError, match=message):
        simulate(Unprintable(GOOD, T=7), Asked, STRETCH)


def test_an_entrant_that_cannot_be_hashed_is_refused_too():
    with pytest.raises(ValueError, match="entrant 'a' must be"):
        simulate(WORLD, {"a": (1, [2])}, STRETCH)
