"""Learners that begin anew: the plan by a naive count, each epoch a fresh learner made by hand."""

import itertools
import json
import math
import threading

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
from sparring import streams
from sparring.learners.registry import PLAIN
from sparring.learners.restarts import Restarting
from sparring.learners.snapshots import digest
from sparring.problem import LONGEST
from worlds import random_matrices

pytestmark = pytest.mark.compiled  # with the JIT off, others cross every line of the kernels

INNER = {"dex3p": 2, "sym_exp3s": 1, "double_thompson": 0}  # and how many distributions it shows
PLANS = {
    "every": {"every": 40},
    "changes": {"changes": (41, 79, 120), "T": 170},
    "doubling": {"doubling": 40},
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
every_inner = pytest.mark.parametrize("inner", INNER)


def naive_epochs(plan, rounds):
    """(first round, rounds planned for) of each epoch that begins within so many rounds, from 1."""
    if "every" in plan:
        return [(t, plan["every"]) for t in range(1, rounds + 1) if (t - 1) % plan["every"] == 0]
    if "changes" in plan:
        starts = [1, *plan["changes"]]
        ends = [*plan["changes"], plan["T"] + 1]
        found = [(start, end - start) for start, end in zip(starts, ends, strict=True)]
        return [epoch for epoch in found if epoch[0] <= rounds]
    found, start, length = [], 1, plan["doubling"]
    while start <= rounds:
        found.append((start, length))
        start, length = start + length, 2 * length
    return found


class ByHand:
    """Fresh learners one after the other, from the seeds that the one seed gives."""

    def __init__(self, K, inner, plan, seed, rounds):
        self.epochs = dict(naive_epochs(plan, rounds))
        self.make = lambda T, seed: PLAIN[inner](K, T=T, seed=seed)
        self.rng = streams.generator(seed)
        self.told = 0
        self.begin()

    def begin(self):
        if self.told + 1 in self.epochs:
            self.now = self.make(self.epochs[self.told + 1], int(self.rng.integers(2**63)))

    def ask(self):
        return self.now.ask()

    def tell(self, duel, outcome):
        self.now.tell(duel, outcome)
        self.passed()

    def passed(self):
        self.told += 1
        self.begin()


def reseal(snapshot):
    return {**snapshot, "digest": digest(snapshot)}


def through_json(learner):
    return sparring.restore(json.loads(json.dumps(learner.snapshot())))


def without_id(learner):
    """What it knows, apart from its name and those inside it."""
    saved = learner.snapshot()
    del saved["inner"]["id"], saved["inner"]["digest"], saved["id"], saved["digest"]
    return saved


@hypothesis.given(
    plan=st.one_of(
        st.builds(lambda n: {"every": n}, st.integers(1, 50)),
        st.builds(lambda n: {"doubling": n}, st.integers(1, 50)),
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
        with pytest.raises(sparring.DuelError, match="was told or forgotten"):
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


def test_a_duel_that_only_the_learner_inside_knows_of_can_be_told_and_forgotten():
    """As an interrupt in the midst of `tell` leaves it."""
    learner = Restarting(3, "double_thompson", every=10, seed=1)
    told, forgotten = learner.ask(), learner.ask()
    for duel in list(learner.inner.open.values()):
        learner.inner.tell(duel, 1.0)
    learner.tell(told, 1.0)
    assert learner.forget(forgotten) == 1
    assert not learner.open and len(through_json(learner).open) == 0


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
    "another kind inside": lambda s: change(s, inner=sparring.rucb(3, seed=1).snapshot()),
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
    "two plans": lambda s: change(s, plan={**s["plan"], "doubling": 9}),
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
    for other in (sparring.rucb(3, seed=1), Restarting(3, "dex3p", every=40, seed=3)):
        with pytest.raises(sparring.SnapshotError, match="'inner' is damaged"):
            sparring.restore(reseal({**still, "inner": other.snapshot()}))


def test_a_snapshot_is_not_a_way_into_the_learner():
    learner = Restarting(3, "rucb", options={"alpha": 0.7}, every=5, seed=1)
    learner.snapshot()["plan"]["options"]["alpha"] = -1
    for _ in range(10):
        learner.tell(learner.ask(), 1.0)
    assert learner.snapshot()["plan"]["options"] == {"alpha": 0.7}


@pytest.mark.parametrize("inner", ["periodic_restarts", "oracle_restarts", "doubling"])
def test_what_begins_anew_is_not_inside_of_what_begins_anew(inner):
    """Two plans in one learner would be one plan that nobody could read."""
    with pytest.raises(ValueError, match=f"learner must be one of .*got '{inner}'"):
        Restarting(3, inner, every=100)


BAD = [
    ({"K": 1}, "K must be"),
    ({"learner": "nobody"}, "learner must be one of .*got 'nobody'"),
    ({"learner": None}, "learner must be one of"),
    ({"learner": sparring.dex3p}, "learner must be one of"),
    ({"every": None}, "give one of every, changes and doubling"),
    ({"doubling": 7}, "give one of every, changes and doubling"),
    ({"changes": (), "T": 9}, "give one of every, changes and doubling"),
    ({"every": 0}, "every must be a whole number of at least 1"),
    ({"every": 2.5}, "every must be"),
    ({"every": True}, "every must be"),
    ({"every": 10**19}, "every must be at most"),
    ({"T": 500}, "T must be given only with changes; got 500"),
    ({"every": None, "doubling": 0}, "doubling must be"),
    ({"every": None, "doubling": "x"}, "doubling must be"),
    ({"every": None, "changes": (3,)}, "T must be given with changes"),
    ({"every": None, "changes": (3,), "T": 0}, "T must be"),
    ({"every": None, "changes": (1,), "T": 500}, "changes must be"),
    ({"every": None, "changes": (501,), "T": 500}, "changes must be at most 500"),
    ({"every": None, "changes": (200, 100), "T": 500}, "changes must be ascending"),
    ({"every": None, "changes": (200, 200), "T": 500}, "changes must be ascending"),
    ({"every": None, "changes": 200, "T": 500}, "changes must be ascending"),
    ({"every": None, "changes": "ab", "T": 500}, "changes must be"),
    ({"options": [1]}, "options must be a dictionary"),
    ({"options": {"luck": 1}}, r"options must be among \['S', 'V_T', 'corrected'\] for dex3s"),
    ({"options": {1: 1}}, "options must be among"),
    *(({"options": {name: 9}}, "options must be among") for name in ("K", "T", "seed")),
    ({"options": {"tuning": sparring.Tuning(0.1, 0.2)}}, "options must be among"),
    ({"options": {"S": 0}}, "S must be"),
    ({"seed": "lucky"}, "seed must be"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_arguments_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Restarting(**{"K": 3, "learner": "dex3s", "every": 10_000, **changes})


@pytest.mark.parametrize(
    "plan", [{"every": 5}, {"doubling": 5}, {"changes": (500, 505, 900), "T": 2_000}], ids=str
)
def test_an_epoch_without_a_tuning_is_refused_at_once(plan):
    """Not when the short epoch comes."""
    with pytest.raises(sparring.tunings.NoTuningError, match=r"T=5.*would do"):
        Restarting(5, "dex3p", **plan)


def test_numbers_of_numpy_are_numbers():
    options = {"S": np.int64(2), "corrected": np.bool_(True)}
    learner = Restarting(3, "dex3s", options=options, every=np.int64(10_000), seed=1)
    assert through_json(learner).snapshot()["plan"]["options"] == {"S": 2, "corrected": True}
    changes = np.array([300, 600])
    assert through_json(Restarting(3, "rand", changes=changes, T=900)).epoch == 0


@pytest.mark.parametrize("K", [2, 10])
@pytest.mark.parametrize(("T", "V_T"), [(1_000, 1), (100_000, 10), (10**6, 0.3), (10**9, 999.0)])
def test_the_period_is_that_of_besbes_gur_and_zeevi(K, T, V_T):
    D = math.ceil((K * math.log(K)) ** (1 / 3) * (T / V_T) ** (2 / 3))
    learner = sparring.periodic_restarts(K, T, V_T=V_T)
    assert learner.snapshot()["plan"]["every"] == min(D, T)


def test_the_period_in_other_cases():
    def period(**sizes):
        return sparring.periodic_restarts(4, **sizes).snapshot()["plan"]["every"]

    assert period(T=1_000, S=3) == 334
    assert period(T=1_000) == period(T=1_000, V_T=0) == period(T=1_000, S=1) == 1_000
    assert period(T=1_000, V_T=1e-3) == period(T=1_000, V_T=5e-324) == 1_000  # no more than all
    assert period(every=77) == period(T=1_000, every=77) == 77
    for sizes, message in (
        ({}, "T must be given: .*every=ROUNDS"),
        ({"every": 77, "S": 3}, "give every, or T with S or V_T, not both"),
        ({"T": 1_000, "S": 3, "V_T": 1.0}, "give S or V_T, not both"),
        ({"T": 1_000, "S": 1_001}, "S must be at most T"),
    ):
        with pytest.raises(ValueError, match=message):
            period(**sizes)


CHANGING = [
    sparring.SwitchingWalk(4, 600, S=5),
    sparring.CondorcetSwitches(4, 600, S=6),
    sparring.CondorcetSwitches(4, 600, V_T=3.0),
    sparring.FreshWinner(4, 601, S=4),
    sparring.Storm(4, 600, S=9),
    sparring.Newcomer(4, 600, S=3),
    sparring.Cyclic(4, 600),
    sparring.Recorded(random_matrices(3, 4, np.random.default_rng(2)), 600),
]


@pytest.mark.parametrize("world", CHANGING, ids=repr)
def test_with_the_changes_of_a_world_a_fresh_learner_meets_each_matrix(world, rng):
    """After the last round of each segment the next learner is new, on every world that tells."""
    learner = sparring.oracle_restarts(4, world.T, changes=world.changes, seed=1)
    holds = np.concatenate([block.hold for block in world.blocks(rng)])
    for segment, hold in enumerate(holds.tolist()):
        assert (learner.epoch, learner.inner.t) == (segment, 0)
        P = np.full((1, 4, 4), 0.5)
        learner.play(sparring.Block(P, np.array([hold])), rng.random(hold))
    assert learner.epoch == len(holds) - 1 == len(world.changes)


@pytest.mark.parametrize(("T", "S"), [(100, 1), (100, 7), (97, 13), (60, 60)])
def test_who_is_told_s_and_no_changes_takes_segments_of_equal_length(T, S):
    even = sparring.oracle_restarts(3, T, S=S, seed=1)
    told = sparring.oracle_restarts(
        3, T, changes=sparring.FreshWinner(3, T, S=S).changes, seed=even.seed
    )
    assert without_id(even) == without_id(told)


def test_doubling_costs_a_factor_of_3_42_at_most():
    """Each epoch, also the one that is not over, is charged the root of its planned length."""
    first, worst = 1024, 0.0
    lengths = [length for _, length in naive_epochs({"doubling": first}, 10**12)]
    ends = list(itertools.accumulate(lengths))
    for T in (first, *(end + 1 for end in ends), *ends):
        begun = [length for length, end in zip(lengths, ends, strict=True) if end - length < T]
        worst = max(worst, sum(math.sqrt(length) for length in begun) / math.sqrt(T))
    assert 3.4 < worst < math.sqrt(2) / (math.sqrt(2) - 1) < 3.42


def aged(learner, told):
    """The same learner after so many rounds more."""
    old = learner.snapshot()
    return sparring.restore(reseal({**old, "t": told, "told": told}))


@pytest.mark.parametrize(
    ("plan", "told", "epoch"),
    [
        ({"every": 100}, 10**15 - 3, 10**13),
        ({"doubling": 1024}, 1024 * (2**40 - 1) - 3, 40),
        ({"doubling": LONGEST}, LONGEST - 3, 1),  # the next epoch is longer than any plan
        ({"changes": (100, 10**15 - 2), "T": 2 * 10**15}, 10**15 - 6, 2),
    ],
    ids=str,
)
def test_after_years_it_begins_anew_as_on_the_first_day(plan, told, epoch):
    learner = aged(Restarting(3, "dex3p", **plan, seed=1), told)
    assert learner.epoch == epoch - 1
    for _ in range(3):
        assert learner.epoch == epoch - 1
        learner.tell(learner.ask(), 1.0)
    assert (learner.epoch, learner.t, learner.inner.t) == (epoch, told + 3, 0)
    again = through_json(learner)
    duel = again.ask()
    assert duel.t == told + 4 and duel[:3] == learner.ask()[:3]
    learner.play(sparring.Block(np.full((1, 3, 3), 0.5), np.array([150])), np.full(150, 0.5))
    assert learner.epoch == epoch + ("every" in plan)


@pytest.mark.parametrize("inner", PLAIN)
def test_every_learner_can_be_planned_for_the_longest_epoch(inner):
    """Or doubling would fail some year."""
    PLAIN[inner](3, T=LONGEST, **({"S": 1} if inner == "borda_dex3s" else {}), seed=1)


def test_many_changes_take_no_long_search():
    """Many epochs of a round each: what a change costs does not grow with their number."""
    learner = Restarting(2, "rand", changes=range(2, 10**5), T=10**5, seed=1)
    learner = aged(learner, 50_000)
    for _ in range(200):
        learner.tell(learner.ask(), 1.0)
    assert learner.epoch == 50_200


def test_an_epoch_too_long_to_plan_for_is_played_with_a_shorter_plan(monkeypatch):
    """After years, when nobody would expect an error any more; here windows end early."""
    monkeypatch.setattr("sparring.learners.counters.LARGEST_WINDOW", 5000)
    learner = sparring.doubling(3, learner="rucb", forget="window", seed=1)
    epoch = learner._epoch_of((2**7 - 1) * 1024)
    with pytest.raises(ValueError, match="the window must be at most 5000"):
        learner._planned(epoch.length, 0)
    assert learner._fresh(epoch).K == 3


def test_the_longest_epoch_must_have_a_plan_too(monkeypatch):
    monkeypatch.setattr("sparring.learners.counters.LARGEST_WINDOW", 5000)
    sizes = {"T": 200_000, "changes": (1000,), "learner": "rucb", "forget": "window"}
    with pytest.raises(ValueError, match="the window must be at most 5000"):
        sparring.oracle_restarts(3, **sizes)


@pytest.mark.parametrize("K", [2, 200, 3000])
def test_doubling_begins_with_an_epoch_that_can_be_planned(K):
    assert sparring.doubling(K, seed=1).K == K


def test_more_segments_than_can_be_listed_are_refused_at_once():
    """A list of a billion rounds would fill the memory first."""
    with pytest.raises(ValueError, match="S must be at most 1e"):
        sparring.oracle_restarts(2, 10**9, S=10**9)
