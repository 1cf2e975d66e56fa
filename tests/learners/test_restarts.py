"""Learners that begin anew: the plan by a naive count, each epoch a fresh learner made by hand."""

import json
import math
import threading

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
from restarted import ByHand, naive_epochs, reseal, through_json, without_id
from sparring.learners.restarts import Restarting
from worlds import random_matrices

pytestmark = pytest.mark.compiled  # with the JIT off, others cross every line of the kernels

INNER = {"dex3p": 2, "sym_exp3s": 1, "double_thompson": 0}  # and how many distributions it shows
PLANS = {
    "every": {"every": 40},
    "changes": {"changes": (41, 79, 120), "T": 170},
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
every_inner = pytest.mark.parametrize("inner", INNER)


@hypothesis.given(
    plan=st.one_of(
        st.builds(lambda n: {"every": n}, st.integers(1, 50)),
        st.builds(
            lambda changes: {"changes": sorted(changes), "T": 120},
            st.sets(st.integers(2, 120), max_size=20),
        ),
    )
)
@hypothesis.settings(max_examples=60)
def test_epochs_begin_when_a_naive_count_says(plan):
    learner = Restarting(2, "rand", **plan, seed=1)
    starts = [start for start, _ in naive_epochs(plan, 151)]
    for told in range(150):
        assert learner.epoch == sum(start <= told + 1 for start in starts) - 1
        learner.tell(learner.ask(), 1.0)


@every_plan
@every_inner
def test_each_epoch_is_a_fresh_learner_made_by_hand(inner, plan):
    K, rounds = 4, 230
    learner, twin = Restarting(K, inner, **plan, seed=9), ByHand(K, inner, plan, 9, rounds)
    for t in range(rounds):
        np.testing.assert_array_equal(learner.p, twin.now.p)
        assert learner.p.shape == (INNER[inner], K)
        duel, other = learner.ask(), twin.ask()
        assert (duel.t, duel.row, duel.col) == (t + 1, other.row, other.col)
        np.testing.assert_array_equal(duel.p, other.p)
        outcome = (7 * t + duel.row) % 5 / 4
        learner.tell(duel, outcome)
        twin.tell(other, outcome)
        assert repr(learner.inner) == repr(twin.now)  # tuned for the epoch's length


def test_rounds_are_counted_as_they_are_told():
    learner = Restarting(3, "dex3p", every=40, seed=1)
    duels = [learner.ask() for _ in range(100)]
    assert learner.t == 100 and learner.epoch == 0
    for duel in duels[:39]:
        learner.tell(duel, 1.0)
    assert learner.epoch == 0
    learner.tell(duels[70], 1.0)
    assert learner.epoch == 1 and len(learner.open) == 60


@every_inner
def test_an_answer_of_an_epoch_that_is_over_teaches_nothing_and_closes_its_duel(inner):
    learner = Restarting(3, inner, every=40, seed=1)
    late = [learner.ask() for _ in range(3)]
    for _ in range(45):
        learner.tell(learner.ask(), 1.0)
    before = learner.inner.snapshot()
    for number, duel in enumerate(late, start=1):
        learner.tell(duel, 0.0)
        assert learner.inner.snapshot() == before
        assert learner.snapshot()["told"] == 45 + number
        with pytest.raises(sparring.DuelError, match="already told or forgotten"):
            learner.tell(duel, 0.0)
    assert not learner.open


@every_plan
@every_inner
def test_a_block_across_epochs_is_what_asking_and_telling_does(inner, plan, rng):
    K, hold = 4, np.array([1, 33, 2, 70, 94])
    P, coins = random_matrices(len(hold), K, rng), rng.random(hold.sum())
    blockwise = Restarting(K, inner, **plan, seed=5)
    single = Restarting(K, inner, **plan, seed=5)
    rows, cols = blockwise.play(sparring.Block(P, hold), coins)
    for t, matrix in enumerate(np.repeat(P, hold, axis=0)):
        duel = single.ask()
        assert (duel.row, duel.col) == (rows[t], cols[t])
        single.tell(duel, float(coins[t] < matrix[duel.row, duel.col]))
    assert blockwise.epoch == single.epoch > 1
    assert without_id(blockwise) == without_id(single)


@every_plan
@pytest.mark.parametrize("bad", [1.5, -0.1, np.nan])
@pytest.mark.parametrize("rounds", [10, 200], ids=["one epoch", "several"])
def test_of_a_block_with_bad_chances_nothing_is_played(plan, bad, rounds):
    learner = Restarting(3, "rand", **plan, seed=5)
    learner.tell(learner.ask(), 1.0)
    pending, before = learner.ask(), learner.snapshot()
    P = np.full((2, 3, 3), 0.5)
    P[1] = bad  # at the end, where other epochs are
    block = sparring.Block(P, np.array([rounds - 1, 1]))
    with pytest.raises(ValueError, match=r"block.P\[1, \d, \d\] must be a probability in \[0, 1\]"):
        learner.play(block, np.full(rounds, 0.5))
    assert learner.snapshot() == before
    learner.tell(pending, 1.0)


@every_plan
@every_inner
def test_any_order_of_calls_is_what_learners_kept_by_hand_do(inner, plan, rng):
    """Asked, told late or never, forgotten, played in blocks, saved: 400 calls as they come."""
    K = 3
    learner, twin = Restarting(K, inner, **plan, seed=6), ByHand(K, inner, plan, 6, 10_000)
    open_duels, late = {}, 0
    for _ in range(400):
        call = rng.choice(["ask", "ask", "ask", "tell", "tell", "forget", "play", "save"])
        if call == "ask":
            duel, other = learner.ask(), twin.ask()
            assert (duel.row, duel.col) == (other.row, other.col)
            open_duels[duel.t] = duel, other, twin.now
        elif call in ("tell", "forget") and open_duels:
            duel, other, asked = open_duels.pop(int(rng.choice(list(open_duels))))
            outcome = float(rng.random())
            if call == "forget":
                assert learner.forget(duel) == asked.forget(other) == 1
                continue
            learner.tell(duel, outcome)
            asked.tell(other, outcome)  # if its epoch is over, nobody asks it any more
            late += asked is not twin.now
            twin.passed()
        elif call == "play":
            hold = rng.integers(1, 9, size=2)
            P, coins = random_matrices(2, K, rng), rng.random(hold.sum())
            rows, cols = learner.play(sparring.Block(P, hold), coins)
            for t, matrix in enumerate(np.repeat(P, hold, axis=0)):
                other = twin.ask()
                assert (other.row, other.col) == (rows[t], cols[t])
                twin.tell(other, float(coins[t] < matrix[other.row, other.col]))
        elif call == "save":
            learner = through_json(learner)
        assert set(learner.open) == set(open_duels)
        np.testing.assert_array_equal(learner.p, twin.now.p)
    assert learner.epoch > 2 and late > 5


def test_what_is_forgotten_is_forgotten_inside_too():
    learner = Restarting(3, "double_thompson", every=10, seed=1)
    past = [learner.ask() for _ in range(4)]
    for _ in range(10):
        learner.tell(learner.ask(), 1.0)
    now = [learner.ask() for _ in range(4)]
    assert learner.forget(past[0]) == learner.forget(now[0]) == 1
    assert len(learner.open) == 6 and len(learner.inner.open) == 3
    assert len(through_json(learner).open) == 6
    assert learner.forget(before=now[2].t) == 4  # three of the past, one of now
    assert len(learner.open) == len(learner.inner.open) == 2
    for duel in (past[0], past[1], now[0], now[1]):
        with pytest.raises(sparring.DuelError, match="told or forgotten"):
            learner.tell(duel, 1.0)
    learner.tell(now[2], 1.0)
    assert learner.snapshot()["told"] == 11  # a forgotten duel is no round


def test_what_only_the_learner_inside_knows_is_made_up_for():
    """As an interrupt in the midst of `tell` leaves it, and one in the midst of `forget`."""
    learner = Restarting(3, "double_thompson", every=10, seed=1)
    told, forgotten, waiting = learner.ask(), learner.ask(), learner.ask()
    learner._under_way = True
    learner.inner.tell(learner.inner.open[told.t], 1.0)
    del learner._book.duels[forgotten.t]
    assert list(learner.open) == list(learner.inner.open) == [waiting.t]
    assert list(through_json(learner).open) == [waiting.t]
    assert through_json(learner).snapshot()["told"] == 1


@pytest.mark.compiled
def test_threads_do_not_disturb_each_other():
    """Six threads, one of which forgets, one that saves: no duel is lost, no epoch left out."""
    learner, stop = Restarting(5, "sym_exp3s", every=50, seed=1), threading.Event()
    restored = []

    def work():
        for i in range(1_000):
            learner.tell(learner.ask(), i % 2)

    def drop():
        while not stop.is_set():
            learner.forget(learner.ask())

    workers = [threading.Thread(target=work) for _ in range(4)]
    dropper = threading.Thread(target=drop)
    for thread in (*workers, dropper):
        thread.start()
    try:
        while any(thread.is_alive() for thread in workers):
            restored.append(sparring.restore(learner.snapshot()).epoch)
    finally:
        for thread in workers:
            thread.join()
        stop.set()
        dropper.join()
    assert learner.epoch == 4_000 // 50 and learner.snapshot()["told"] == 4_000
    assert not learner.open and not learner.inner.open
    assert restored == sorted(restored)


@every_plan
@every_inner
def test_a_snapshot_with_open_duels_of_past_epochs_goes_on_alike(inner, plan):
    learner = Restarting(3, inner, **plan, seed=4)
    late = []
    for t in range(130):
        duel = learner.ask()
        if t % 13 == 5:
            late.append(duel)
        else:
            learner.tell(duel, t % 3 / 2)
    late.append(learner.ask())
    epochs = {epoch for epoch, _ in learner.snapshot()["inside"]}
    assert len(epochs) > 2 and learner.epoch in epochs
    again = through_json(through_json(learner))
    assert again.snapshot() == learner.snapshot() and repr(again) == repr(learner)
    for t in range(60):
        for one in (learner, again):
            if t < len(late):
                one.tell(sparring.Duel.from_json(late[t].to_json()), 0.5)
        duel, other = learner.ask(), again.ask()
        assert duel == other
        learner.tell(duel, t % 2)
        again.tell(other, t % 2)
    assert without_id(again) == without_id(learner)


def saved(inner="dex3p"):
    """With open duels of two epochs."""
    learner = Restarting(3, inner, every=40, seed=3)
    learner.ask()
    for t in range(45):
        learner.tell(learner.ask(), t % 2)
    learner.ask()
    learner.ask()
    return json.loads(json.dumps(learner.snapshot()))


@pytest.mark.parametrize("field", sorted(saved().keys() - {"release"}))
@pytest.mark.parametrize("value", [None, [], {}, -1, "x", 10**30, ...], ids=str)
def test_every_field_missing_or_replaced_is_noticed(field, value):
    damaged = {name: part for name, part in saved().items() if name != field}
    if value is not ...:
        damaged[field] = value
    with pytest.raises(sparring.SnapshotError, match="snapshot"):
        sparring.restore(damaged)


@pytest.mark.parametrize("field", sorted(saved()["inner"].keys() - {"release"}))
def test_damage_of_the_learner_inside_is_noticed(field):
    """Also if whoever did it knows how to seal the outer one."""
    for value in (None, [], -1, "x"):
        whole = saved()
        whole["inner"][field] = value
        with pytest.raises(sparring.SnapshotError, match="'inner' is damaged"):
            sparring.restore(reseal(whole))


def change(s, **changes):
    return {**s, **changes}


IMPOSSIBLE = {
    "another kind inside": lambda s: change(s, inner=sparring.learners.rucb(3, seed=1).snapshot()),
    "other arms inside": lambda s: change(s, inner=sparring.dex3p(4, 99, seed=1).snapshot()),
    "itself inside": lambda s: change(s, inner=s),
    "more told than asked": lambda s: change(s, told=s["t"]),
    "another epoch": lambda s: change(s, told=39),
    "a round to come": lambda s: change(s, open=[[999, 0, 1], *s["open"][1:]]),
    "no such arm": lambda s: change(s, open=[[1, 0, 3], *s["open"][1:]]),
    "other arms than inside": lambda s: change(
        s, open=[*s["open"][:2], [s["open"][2][0], *((arm + 1) % 3 for arm in s["open"][2][1:])]]
    ),
    "one round twice": lambda s: change(s, open=[s["open"][0], s["open"][0], s["open"][2]]),
    "an epoch to come": lambda s: change(s, inside=[[5, 1], *s["inside"][1:]]),
    "an epoch below 0": lambda s: change(s, inside=[[-1, 1], *s["inside"][1:]]),
    "one duel inside for two": lambda s: change(s, inside=[s["inside"][0], *[s["inside"][1]] * 2]),
    "no duel inside": lambda s: change(s, inside=[*s["inside"][:2], [1, 99]]),
    "too few inside": lambda s: change(s, inside=s["inside"][:2]),
    "too few distributions": lambda s: change(s, distributions=s["distributions"][:2]),
    "ragged": lambda s: change(s, distributions=[[[0.5]], *s["distributions"][1:]]),
    "three players": lambda s: change(s, distributions=[[[0.5] * 3] * 3, *s["distributions"][1:]]),
    "NaN": lambda s: change(s, distributions=[[[math.nan] * 3], *s["distributions"][1:]]),
    "two plans": lambda s: change(s, plan={**s["plan"], "changes": [], "T": 90}),
    "no plan": lambda s: change(s, plan={**s["plan"], "every": None}),
    "a plan without a tuning": lambda s: change(s, plan={**s["plan"], "every": 2}),
    "nobody inside": lambda s: change(s, plan={**s["plan"], "learner": "nobody"}),
    "an option that is none": lambda s: change(s, plan={**s["plan"], "options": {"luck": 1}}),
    "a plan of more": lambda s: change(s, plan={**s["plan"], "seed": 1}),
}


@pytest.mark.parametrize("damage", IMPOSSIBLE)
def test_impossible_values_are_refused_even_with_a_digest_that_fits(damage):
    sparring.restore(reseal(saved()))
    with pytest.raises(sparring.SnapshotError, match="snapshot"):
        sparring.restore(reseal(IMPOSSIBLE[damage](saved())))


def test_another_learner_inside_is_refused_even_if_no_duel_is_open():
    """Else another learner would play until the next epoch."""
    still = Restarting(3, "dex3p", every=40, seed=3).snapshot()
    for other in (sparring.learners.rucb(3, seed=1), Restarting(3, "dex3p", every=40, seed=3)):
        with pytest.raises(sparring.SnapshotError, match="'inner' is damaged"):
            sparring.restore(reseal({**still, "inner": other.snapshot()}))


def test_a_snapshot_is_not_a_way_into_the_learner():
    learner = Restarting(3, "rucb", options={"alpha": 0.7}, every=5, seed=1)
    learner.snapshot()["plan"]["options"]["alpha"] = -1
    for _ in range(10):
        learner.tell(learner.ask(), 1.0)
    assert learner.snapshot()["plan"]["options"] == {"alpha": 0.7}
