"""Real signals at random moments, whose handler raises: each call is done or not done."""

import json
import random
import signal
import threading

import numpy as np
import pytest

import sparring
from learner_factories import FACTORIES
from sparring.learners import Restarting

pytestmark = pytest.mark.compiled  # a kernel that is interpreted is tried in test_interrupts.py

OTHERS = {
    "dex3s, 100 arms, a generator": lambda seed: sparring.dex3s(
        100, 10**6, S=10, seed=np.random.default_rng(seed)
    ),
    "steady, 14d": lambda seed: sparring.steady(10, memory="14d", seed=seed),
    "tracker, 30 arms": lambda seed: sparring.tracker(30, seed=seed),
    "new epochs": lambda seed: Restarting(3, "rucb", every=7, seed=seed),
}
LEARNERS = {**FACTORIES, **OTHERS}
FEW, MANY = 100, 700  # interrupts of a learner
FIRST = 220  # calls before, by which all is compiled: Numba itself is not made for interrupts


def step(learner, i):
    """The i-th call: asks, answers in and out of order, a duel forgotten, one watched, a block."""
    kind, K = i % 11, learner.K
    timed = {"at": 1e9 + i} if getattr(learner, "memory", "") == "14d" else {}
    if kind in (0, 1, 3, 5, 8):
        learner.ask()
    elif kind == 9:
        learner.forget(before=learner.t - 6)
    elif kind == 10 and i % 55 == 10 and not timed:
        P = np.full((1, K, K), 0.5)
        learner.play(sparring.Block(P, np.array([20])), np.linspace(0, 0.99, 20))
    elif kind == 7 and type(learner).WATCHES:
        learner.watch(0, 1, [1 / K] * K)
    elif learner.open:
        duel = list(learner.open.values())[i % len(learner.open)]
        learner.tell(duel, (i % 3) / 2, **timed)


def contents(learner):
    """All that a snapshot has, but for the marks that make it one of its own."""
    return json.dumps(unmarked(learner.snapshot()), sort_keys=True)


def unmarked(part):
    if isinstance(part, dict):
        return {name: unmarked(it) for name, it in part.items() if name not in ("id", "digest")}
    return part


def interrupt(*_):
    raise KeyboardInterrupt


def interrupted(make, number):
    """Each of so many interrupts leaves its call undone or done."""
    learner, twin, luck = make(1), make(1), random.Random(1)
    for one in (learner, twin):
        for i in range(FIRST):
            step(one, i)
    behind = done = FIRST
    cut_off = 0
    while cut_off < number:
        try:
            longest = 200e-6 if luck.random() < 0.9 else 5e-3
            signal.setitimer(signal.ITIMER_REAL, luck.uniform(20e-6, longest))
            while True:
                step(learner, done)
                done += 1
        except KeyboardInterrupt:
            cut_off += 1
        assert not learner._lock._is_owned()
        found = contents(learner)
        while behind < done:
            step(twin, behind)
            behind += 1
        if found == contents(twin):
            continue
        step(twin, behind)  # the call was done, or the signal came between it and the counter
        behind += 1
        done = behind
        assert found == contents(twin), f"half-done after {done} calls"


def demand_all_or_nothing(name, number):
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        interrupted(LEARNERS[name], number)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ["tracker", "dex3s, 100 arms, a generator", "new epochs"])
def test_a_signal_leaves_a_call_done_or_not_done(name):
    demand_all_or_nothing(name, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_thousands_of_signals_leave_every_call_done_or_not_done(name):
    demand_all_or_nothing(name, MANY)


def test_after_signals_another_thread_can_ask():
    learner = sparring.tracker(4, seed=1)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 50e-6)
                while True:
                    learner.tell(learner.ask(), 1.0)
            except KeyboardInterrupt:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    thread = threading.Thread(target=learner.ask, daemon=True)
    thread.start()
    thread.join(timeout=300)
    assert not thread.is_alive(), "the lock was left taken"
