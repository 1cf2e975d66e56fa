"""Open duels: late, out of order, many, forgotten, foreign, and through JSON."""

import json
import time

import numpy as np
import pytest

import sparring
from learner_factories import ALL

pytestmark = [pytest.mark.core, pytest.mark.plain]


def make(seed=1, K=10):
    return sparring.dex3s(K, 100_000, S=3, seed=seed)


def test_a_late_answer_is_weighed_with_the_probabilities_of_its_asking():
    """Told 500 rounds late, the winner's exponent is eta / p with the p of then, not of now."""
    learner = sparring.dex3p(3, tuning=sparring.Tuning(eta=0.05, gamma=0.2), seed=4)
    early = learner.ask()
    for _ in range(500):
        duel = learner.ask()
        learner.tell(duel, float(duel.row == 0))
    then, now = early.p[0, early.row], learner.p[0, early.row]
    assert abs(then - now) > 0.05, "the distributions did not move: nothing to tell apart"
    before = np.array(learner.snapshot()["weights"])
    learner.tell(early, 1.0)
    lift = np.log(np.array(learner.snapshot()["weights"]) / before)
    expected = np.zeros((2, 3))
    expected[0, early.row] = 0.05 / then
    np.testing.assert_allclose(lift, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.compiled
def test_a_hundred_thousand_duels_may_be_open_and_saved():
    learner = make()
    duels = [learner.ask() for _ in range(50_000)]
    for duel in duels[::2]:  # every other tell changes the distributions of what is asked next
        learner.tell(duel, 1.0)
        learner.ask()
        learner.ask()
        learner.ask()
    assert len(learner.open) == 100_000
    begun = time.process_time()
    learner.snapshot_later()  # what others wait for
    assert time.process_time() - begun < 0.05
    again = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    assert again.open.keys() == learner.open.keys()
    for duel in duels[1::2]:
        learner.tell(duel, 0.0)
        again.tell(duel, 0.0)
    np.testing.assert_array_equal(learner.p, again.p)


def test_duels_asked_without_a_tell_between_share_their_distributions():
    """Memory: a batch of open duels costs one array, not one each."""
    learner = make()
    first, second = learner.ask(), learner.ask()
    assert np.shares_memory(first.p, second.p)
    learner.tell(first, 1.0)
    assert not np.shares_memory(learner.ask().p, second.p)


def test_the_distributions_of_a_duel_cannot_be_written():
    duel = make().ask()
    with pytest.raises(ValueError, match="read-only"):
        duel.p[0, 0] = 1.0


def test_a_duel_is_told_once():
    learner = make()
    duel = learner.ask()
    learner.tell(duel, 1.0)
    with pytest.raises(
        sparring.DuelError, match="round 1 is not open: it was already told or forgotten"
    ):
        learner.tell(duel, 1.0)


def test_a_duel_of_another_learner_is_refused_even_if_it_looks_the_same():
    """Two learners of one seed ask equal duels."""
    learner, other = make(seed=1), make(seed=1)
    duel, foreign = learner.ask(), other.ask()
    assert duel[:3] == foreign[:3]
    with pytest.raises(sparring.DuelError, match="asked by another learner"):
        learner.tell(foreign, 1.0)
    learner.tell(duel, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row": 10}, "arms or distributions differ"),
        ({"col": -1}, "arms or distributions differ"),
        ({"p": np.full((2, 10), 0.2)}, "arms or distributions differ"),
        ({"p": np.full(3, 0.2)}, "arms or distributions differ"),
        ({"t": 2}, "no duel was asked in round 2"),
        ({"t": 0}, "no duel was asked in round 0"),
        ({"t": [1]}, "no duel was asked in round"),
        ({"learner": ""}, "asked by another learner"),
    ],
)
def test_a_made_up_duel_is_refused_and_the_true_one_stays_open(change, message):
    learner = make()
    duel = learner.ask()
    before = learner.snapshot()
    assert duel._replace(**change) != duel
    with pytest.raises(sparring.DuelError, match=message):
        learner.tell(duel._replace(**change), 1.0)
    assert learner.snapshot() == before
    learner.tell(duel, 1.0)


def test_duels_are_equal_if_all_of_them_is():
    duel = make().ask()
    again = sparring.Duel.from_json(duel.to_json())
    assert duel == again
    assert len({duel, again}) == 1
    assert duel != again._replace(p=again.p / 2)
    assert duel != (1, 2)


@pytest.mark.parametrize("thing", [None, 1, (1, 0, 1), "duel", {"t": 1}])
def test_what_is_no_duel_is_refused(thing):
    learner = make()
    learner.ask()
    with pytest.raises(sparring.DuelError, match="expected the Duel that ask"):
        learner.tell(thing, 1.0)


def test_forget_one_duel_or_all_before_a_round():
    learner = make()
    duels = [learner.ask() for _ in range(10)]
    assert learner.forget(duels[4]) == 1
    assert learner.forget(before=7) == 5
    assert list(learner.open) == [7, 8, 9, 10]
    with pytest.raises(sparring.DuelError, match="told or forgotten"):
        learner.tell(duels[0], 1.0)
    learner.tell(duels[6], 1.0)
    assert learner.forget(before=1_000) == 3
    assert not learner.open
    for arguments in ({}, {"duel": duels[9], "before": 3}):
        with pytest.raises(ValueError, match="a duel or before=ROUND"):
            learner.forget(**arguments)


def test_memory_stays_bounded_where_answers_never_come():
    learner = make(K=2)
    for t in range(20_000):
        learner.ask()
        if t % 1_000 == 0:
            learner.forget(before=learner.t - 1_000)
    assert len(learner.open) <= 2_001


@pytest.mark.parametrize("name", ALL)
def test_forgetting_one_by_one_is_forgetting_all(name):
    one, all_at_once = ALL[name](3), ALL[name](3)
    duels = [one.ask() for _ in range(30)]
    for duel in duels[::-1]:
        assert one.forget(duel) == 1
    for _ in range(30):
        all_at_once.ask()
    assert all_at_once.forget(before=31) == 30
    saved, other = one.snapshot(), all_at_once.snapshot()
    differ = {name for name in saved if saved[name] != other[name]} - {"inner"}
    assert differ <= {"id", "digest"}


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["dex3s", "btwr", "periodic_restarts"])
def test_forgetting_one_by_one_takes_no_longer_when_many_are_open(name):
    """A pass over all open duels for each would take half a minute."""
    learner = ALL[name](3)
    duels = [learner.ask() for _ in range(10_000)]
    begun = time.process_time()
    for duel in duels:
        learner.forget(duel)
    assert time.process_time() - begun < 5


def test_forgetting_does_not_change_what_is_asked_next():
    learner, twin = make(), make()
    for _ in range(5):
        learner.ask()
        twin.ask()
    learner.forget(before=6)
    assert learner.ask()[:3] == twin.ask()[:3]


def test_a_duel_goes_to_json_and_back_exactly():
    learner = make()
    for _ in range(50):
        learner.tell(learner.ask(), 1.0)
    duel = learner.ask()
    again = sparring.Duel.from_json(json.loads(json.dumps(duel.to_json())))
    assert again[:3] == duel[:3]
    assert again.learner == duel.learner
    np.testing.assert_array_equal(again.p, duel.p)
    assert again == duel
    learner.tell(again._replace(t=np.int64(again.t)), 1.0)


@pytest.mark.parametrize(
    "change",
    [
        {"t": None},
        {"row": 1.5},
        {"p": "x"},
        {"p": [0.5, 0.5]},
        {"p": [[0.5], [1, 2]]},
        {"extra": 1},
    ],
)
def test_a_damaged_duel_from_json_is_refused(change):
    fields = {**make().ask().to_json(), **change}
    with pytest.raises(sparring.DuelError, match=r"not a duel as Duel\.to_json writes it"):
        sparring.Duel.from_json(fields)


def test_a_web_service_needs_only_the_round():
    learner = make()
    t = learner.ask().t
    learner.tell(learner.open[t], 0.5)
    assert t not in learner.open
