"""An interrupt at any moment of any call leaves it done or not done, and nothing between."""

import itertools
import json

import numpy as np
import pytest

import sparring
from interrupting import Interrupter, let_go
from learner_factories import FACTORIES
from sparring.learners import Restarting

OTHERS = {
    "dex3s, own generator": lambda seed: sparring.dex3s(
        3, 2_000, S=2, seed=np.random.Generator(np.random.MT19937(seed))
    ),
    "new epochs, a generator inside": lambda seed: Restarting(3, "rand", every=1, seed=seed),
    "new epochs, a memory inside": lambda seed: Restarting(3, "rucb", every=1, seed=seed),
}
LEARNERS = {**FACTORIES, **OTHERS}
MOMENTS = {"tracker": 200, "dex3s": 200, **dict.fromkeys(OTHERS, 200)}  # of a call, at most
MOMENTS["elo"] = 50  # the first block it plays is much longer than later ones
FEW = 10  # for the rest: their calls are those of the ones above
BLOCK, COINS = sparring.Block(np.full((2, 5, 5), 0.5), np.array([2, 1])), np.array([0.2, 0.7, 0.4])


class Pair:
    """A learner that is interrupted, and its twin, which does what that one has done."""

    def __init__(self, make):
        self.learner, self.twin = make(1), make(1)
        self.both(lambda one: one.tell(one.ask(), 1.0))
        self.have_open_duels()
        self.both(play)  # by now all is compiled: Numba itself is not made for interrupts

    def both(self, call):
        for one in (self.learner, self.twin):
            call(one)

    def have_open_duels(self):
        """Some to tell and to forget, and not more and more."""
        while len(self.learner.open) < 3:
            self.both(lambda one: one.ask())
        if len(self.learner.open) > 6:
            self.both(forget)

    def let_go(self):
        for one in (self.learner, getattr(self.learner, "_inner", self.learner)):
            let_go(one)

    def try_at(self, n, call):
        """Interrupt a call at its n-th moment; whether there was one."""
        cut_off = Interrupter(n).call(call, self.learner)
        self.let_go()
        seen = self.learner.t, list(self.learner.open)
        Interrupter(1 + n * 7 % 60).call(self.learner.snapshot)  # and who comes next, too
        self.let_go()
        found = contents(self.learner)
        assert seen == (found["t"], [t for t, *_ in found["open"]])
        if found != contents(self.twin):
            call(self.twin)
            assert found == contents(self.twin), f"half-done at moment {n}"
        elif not cut_off:
            call(self.twin)
            assert found == contents(self.twin), "not done, although nobody interrupted"
        return cut_off


def contents(learner):
    """All that a snapshot tells of the state, without the marks that make it one of its own."""
    return stripped(json.loads(json.dumps(learner.snapshot())))


def stripped(snapshot):
    known = {name: part for name, part in snapshot.items() if name not in ("id", "digest")}
    return {**known, "inner": stripped(known["inner"])} if "inner" in known else known


def tell(one):
    one.tell(next(iter(one.open.values())), 0.3)


def forget(one):
    one.forget(before=one.t)


def play(one):
    one.play(sparring.Block(BLOCK.P[:, : one.K, : one.K], BLOCK.hold), COINS)


def regroup(one):
    """Add an arm, or take one out."""
    if one.K == 5:
        one.add()
    else:
        one.withdraw(2)


def watch(one):
    one.watch(1, 0, [1 / one.K] * one.K)


def glimpse(one):
    one.glimpse()


def teach(one):
    one.teach(1, 0, 0.3)


CALLS = {
    "ask": sparring.learners.Frame.ask,
    "tell": tell,
    "forget": forget,
    "play": play,
    "snapshot": sparring.learners.Family.snapshot,
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_done_or_not_done(call, name):
    """Interrupted before each of its bytecodes in turn, and so is the call that comes next.

    A call that is not done is tried again at the next moment, one that is done is followed by
    another; long ones, such as to begin an epoch or to write words down, are sampled.
    """
    pair = Pair(LEARNERS[name])
    step = max(1, Interrupter.moments(CALLS[call], pair.learner) // MOMENTS.get(name, FEW))
    CALLS[call](pair.twin)
    for n in itertools.count(1, step):
        pair.have_open_duels()
        if not pair.try_at(n, CALLS[call]):
            break
    assert n > 5 * step, "hardly anything was interrupted"
    sparring.restore(pair.learner.snapshot())


@pytest.mark.parametrize(
    ("call", "name"),
    [
        *itertools.product(
            [regroup, watch], ["tracker", "dex3s", "double_thompson", "sparring_exp3"]
        ),
        *itertools.product([glimpse, teach], ["tracker", "double_thompson", "elo"]),
    ],
)
def test_what_others_choose_is_done_or_not_done(call, name):
    pair = Pair(FACTORIES[name])
    for _ in range(2):
        pair.both(call)  # which compiles
    step = max(1, Interrupter.moments(call, pair.learner) // 100)
    call(pair.twin)
    for n in itertools.count(1, step):
        pair.have_open_duels()
        if not pair.try_at(n, call):
            break
    assert n > 10 * step, "hardly anything was interrupted"
    sparring.restore(pair.learner.snapshot())


@pytest.mark.parametrize("name", ["tracker", "dex3s"])
def test_an_interrupted_forget_leaves_no_notes(name):
    """Nor the earlier numbers of arms: both would stay for good."""
    learner = FACTORIES[name](1)
    for n in itertools.count(1):
        while len(learner.open) < 3:
            learner.ask()
        if learner.K == 5:
            learner.withdraw(0)
        else:
            learner.add()
        while len(learner.open) < 3:
            learner.ask()
        cut_off = Interrupter(n).call(forget, learner)
        while learner._lock._is_owned():
            learner._lock.release()
        learner.glimpse()
        book = learner._book
        assert book.notes.keys() == book.duels.keys()
        assert book.earlier.keys() <= book.duels.keys()
        if not cut_off:
            break
    assert n > 50, "hardly anything was interrupted"
