"""After a crash: what was acknowledged is there, once, and answers still to come are adopted."""

import json

import numpy as np
import pytest

import sparring
from learner_factories import SIZES

ADOPTING = ["tracker", "steady", "dex3s", "borda_dex3s", "rex3", "double_thompson", "sym_exp3six"]


def make(name):
    return sparring.LEARNERS[name](**SIZES[name], seed=5)


def told(learner):
    """What it knows, without who asked and what is open."""
    fields = learner.snapshot()
    for name in ("t", "open", "notes", "distributions", "lost", "digest", "generator"):
        fields.pop(name, None)
    if isinstance(fields.get("memory"), dict):
        fields["memory"].pop("words", None)
    return fields


@pytest.mark.parametrize("name", ["steady", "dex3s", "borda_dex3s", "rex3", "sym_exp3six"])
@pytest.mark.parametrize("crash", [0, 30, 90])
def test_nothing_is_lost_and_nothing_is_learnt_twice(name, crash):
    """A log of all answers beside a snapshot of some moment; the crash comes at the end."""
    learner, log, asked = make(name), [], []
    rng = np.random.default_rng(3)
    saved = learner.snapshot()
    for step in range(100):
        asked.append(learner.ask())
        if step == crash:
            saved = json.loads(json.dumps(learner.snapshot()))
        if step % 3:
            duel = asked.pop(rng.integers(len(asked)))
            log.append({"duel": duel.to_json(), "outcome": float(rng.random() < 0.6)})
            learner.tell(duel, log[-1]["outcome"])
    lines = [json.dumps(event) for event in log]
    lines.append(lines[-1])  # a retry after a time-out
    again = sparring.replay(saved, map(json.loads, lines))
    assert told(again) == told(learner)
    for duel in asked:  # late answers, to duels that only their tokens remember
        learner.tell(duel, 1.0)
        again.tell(again.adopt(duel), 1.0)
        with pytest.raises(sparring.DuelError, match="already told or forgotten"):
            again.adopt(duel)
    assert told(again) == told(learner)
    after = again.ask()
    assert after.t > 1_000_000
    assert sparring.restore(json.loads(json.dumps(again.snapshot()))).t == after.t


@pytest.mark.parametrize("name", ADOPTING)
@pytest.mark.parametrize("open_duels", [0, 1])
def test_a_learner_that_was_replayed_is_saved_and_restored(name, open_duels):
    """Also when all has been answered, as at night."""
    learner = make(name)
    saved, duel = learner.snapshot(), learner.ask()
    again = sparring.replay(saved, [{"duel": duel.to_json(), "outcome": 1.0}])
    for _ in range(open_duels):
        again.ask()
    restored = sparring.restore(json.loads(json.dumps(again.snapshot())))
    assert restored.snapshot() == again.snapshot()
    late = duel._replace(t=2)
    assert restored.adopt(late)[:3] == late[:3]  # what was lost may still be answered


@pytest.mark.parametrize("name", ADOPTING)
def test_a_watched_pair_teaches(name):
    learner = make(name)
    for number in range(600):
        row, col = number % 5, (number // 5) % 5
        duel = learner.watch(row, col, None if not len(learner.p) else [0.2] * 5)
        learner.tell(duel, 0.5 + 0.5 * ((row == 3) - (col == 3)))
    assert learner.favourite == 3


COUPLED = [name for name in ADOPTING if not len(make(name).p)]


@pytest.mark.parametrize("name", COUPLED)
def test_to_teach_is_to_watch_and_tell_and_to_glimpse_is_to_ask_and_forget(name):
    """What is known is the same to the last bit, and no round passes."""
    quick, slow = make(name), make(name)
    for number in range(200):
        duel = slow.ask()
        slow.forget(duel)
        assert quick.glimpse() == duel[1:3]
        row, col, o = number % 5, (number // 5) % 5, (number % 3) / 2
        slow.tell(slow.watch(row, col), o)
        quick.teach(row, col, o)
    assert (quick.t, slow.t) == (0, 400) and not quick.open
    assert quick.snapshot()["memory"] == slow.snapshot()["memory"]


def test_bad_lessons_are_refused_and_change_nothing():
    learner = make("tracker")
    before = learner.snapshot()
    for row, col, outcome, match in (
        (0, 5, 1.0, "col must be at most 4"),
        (-1, 2, 1.0, "row must be"),
        (0, 1, 1.5, "outcome"),
        (0, 1, None, "outcome"),
    ):
        with pytest.raises(ValueError, match=match):
            learner.teach(row, col, outcome)
    with pytest.raises(ValueError, match="only from the duels it asks"):
        make("btwr").teach(0, 1, 1.0)
    assert learner.snapshot() == before


@pytest.mark.parametrize("name", ["btwr", "anaconda", "periodic_restarts"])
def test_others_learn_only_what_they_ask(name):
    with pytest.raises(ValueError, match="only from the duels it asks"):
        make(name).watch(0, 1, [0.2] * 5)


@pytest.mark.parametrize(
    ("p", "match"),
    [
        (None, "given for this learner"),
        ([0.5, 0.5], "shape"),
        ([0.0, 0.25, 0.25, 0.25, 0.25], "chances from"),
        ([[0.2] * 5] * 3, "rows"),
        ([float("nan")] * 5, "chances from"),
    ],
)
def test_bad_distributions(p, match):
    with pytest.raises(ValueError, match=match):
        make("steady").watch(0, 1, p)


def test_a_forged_duel_is_not_adopted():
    learner = make("steady")
    saved, duel = learner.snapshot(), learner.ask()
    again = sparring.replay(saved, [])
    for forged in (
        duel._replace(learner="other"),
        duel._replace(row=5),
        duel._replace(p=duel.p[:, :4]),
        duel._replace(p=duel.p * 0),
        duel._replace(t=3_000_000),
        duel._replace(t=0),
        "duel",
    ):
        with pytest.raises(sparring.DuelError):
            again.adopt(forged)
    again.tell(again.adopt(duel), 1.0)


def test_a_second_crash_before_a_new_snapshot_loses_nothing():
    """Rounds of the second life lie far beyond the snapshot, and are found all the same."""
    learner = make("steady")
    saved, log = learner.snapshot(), []
    for _ in range(3):  # three lives of ten answers each, and one duel that waits
        for _ in range(10):
            duel = learner.ask()
            log.append({"duel": duel.to_json(), "outcome": 1.0})
            learner.tell(duel, 1.0)
        waiting, before = learner.ask(), learner
        learner = sparring.replay(saved, log)
        assert told(learner) == told(before)
        log.append({"duel": waiting.to_json(), "outcome": 0.0})
        learner.tell(learner.adopt(waiting), 0.0)


@pytest.mark.parametrize("name", ADOPTING)
def test_after_any_number_of_crashes_each_duel_is_accepted_once(name):
    """If what was replayed is saved before it asks: whichever life has asked, and when."""
    learner, rng, log, asked, told_already = make(name), np.random.default_rng(5), [], [], []
    saved = learner.snapshot()
    for _ in range(200):
        match rng.choice(["ask", "tell", "crash", "save"], p=[0.45, 0.4, 0.1, 0.05]):
            case "ask":
                asked.append(json.dumps(learner.ask().to_json()))
            case "tell" if asked:
                token = asked.pop(rng.integers(len(asked)))
                log.append({"duel": json.loads(token), "outcome": 1.0})
                learner.tell(learner.adopt(sparring.Duel.from_json(log[-1]["duel"])), 1.0)
                told_already.append(token)
            case "crash":
                learner = sparring.replay(saved, log)
                saved = json.loads(json.dumps(learner.snapshot()))
            case "save":
                saved, log = json.loads(json.dumps(learner.snapshot())), []
    assert len(told_already) > 40 and learner.t > 5_000_000
    for token in told_already:
        with pytest.raises(sparring.DuelError, match="already told or forgotten"):
            learner.adopt(sparring.Duel.from_json(json.loads(token)))


@pytest.mark.parametrize("event", [3, ("duel", 1.0), {}, {"duel": {}}, None])
def test_what_is_no_event_is_refused(event):
    with pytest.raises(ValueError, match="an event must be a dictionary with duel and outcome"):
        sparring.replay(make("steady").snapshot(), [event])


def test_a_duel_is_not_adopted_on_other_arms():
    learner = sparring.steady(3, seed=1).named(["plain", "polite", "terse"])
    saved, duel = learner.snapshot(), learner.ask(distinct=True)
    again = sparring.replay(saved, [])
    again.withdraw("plain")
    again.add("formal")
    with pytest.raises(sparring.DuelError, match="arms have changed since"):
        again.adopt(duel)


def test_the_log_of_another_learner_is_refused():
    other = make("steady").ask()
    with pytest.raises(sparring.DuelError, match="the log is of another learner"):
        sparring.replay(make("steady").snapshot(), [{"duel": other.to_json(), "outcome": 1.0}])


def test_a_memory_in_time_is_replayed():
    learner = sparring.steady(3, memory="14d", seed=1)
    saved, duel = learner.snapshot(), learner.ask(distinct=True)
    log = [{"duel": duel.to_json(), "outcome": 1.0, "at": 1_794_873_600.0}]
    learner.tell(duel, 1.0, at=log[0]["at"])
    assert told(sparring.replay(saved, log)) == told(learner)
