"""What the log comes to, read once as it grows, beside the slow way: all of it each time."""

import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest

from sparring.arena import Arena, StorageError
from sparring.arena.following import Following
from sparring.certificates import Certificate
from sparring.web import reading as module
from sparring.web.reading import Reading

pytestmark = pytest.mark.compiled  # no kernel is tested here

ARMS = ["ash", "birch", "cedar"]


def vote(arena, many, seed=1, voters=9):
    rng = np.random.default_rng(seed)
    for _ in range(many):
        ticket = arena.ask(f"voter {rng.integers(voters)}")
        best, other = sorted((ticket.first, ticket.second))
        arena.tell(ticket, best if rng.random() < 0.85 else other)


def seen(reading, arena):
    standing = arena.standing()
    return reading.see(standing.favourite, standing.since.timestamp())


def assert_as_read_at_once(reading, arena):
    """Against the export and the history, which read the whole log."""
    found, votes = seen(reading, arena), arena.history()
    records = list(arena.records())
    assert (found.total, found.votes.names) == (len(votes), votes.names)
    for name in ("first", "second", "outcome", "time"):
        np.testing.assert_array_equal(getattr(found.votes, name), getattr(votes, name))
    shown = [name for one in records if one.counted for name in (one.first, one.second)]
    assert {name: n for name, n in found.on.items() if n} == {n: shown.count(n) for n in shown}
    standing = arena.standing()
    mine = [
        one.outcome if one.first == standing.favourite else 1 - one.outcome
        for one in records
        if one.uniform and one.counted and one.at >= standing.since.timestamp()
        if standing.favourite in (one.first, one.second)
    ]
    assert found.uniform == (pytest.approx(sum(mine)), len(mine))
    told = [one for one in records if one.voter is not None]
    counted = [(one.voter, one.first, one.second, one.counted) for one in told]
    heard = [(one.voter, one.first, one.second, one.counted) for one in reading.told()]
    assert heard == counted
    waits = [one.at - one.asked_at for one in told]
    assert [one.wait for one in reading.told()] == pytest.approx(waits, abs=1e-5)


@pytest.fixture
def arena(tmp_path):
    with Arena(tmp_path / "arena.db", ARMS, learner="steady", seed=1) as arena:
        arena.set(uniform=0.3, grace=60.0)
        yield arena


def test_it_follows_whatever_happens(arena):
    reading = Reading(str(arena.address), arena.name)
    assert seen(reading, arena).total == 0
    banned, held = arena.pseudonym("voter 1"), arena.pseudonym("voter 2")
    steps = [
        lambda: vote(arena, 40),
        lambda: arena.undo(undoable(arena)),
        lambda: arena.judge(held, "held"),
        lambda: vote(arena, 40, seed=2),
        lambda: arena.judge(banned, "banned"),
        lambda: vote(arena, 20, seed=3),
        lambda: arena.import_votes([("ash", "cedar", 1, 5.0), ("ash", "birch", 0)], source="x"),
        lambda: arena.add("elm"),
        lambda: vote(arena, 40, seed=4),
        lambda: arena.withdraw("birch"),
        lambda: arena.judge(banned, "free"),
        lambda: arena.judge(held, "free"),
        lambda: arena.set(grace=0),
        lambda: vote(arena, 20, seed=5),
    ]
    for step in steps:
        step()
        assert_as_read_at_once(reading, arena)
    assert_as_read_at_once(Reading(str(arena.address), arena.name), arena)
    assert reading.begun == 4  # once for each verdict that changed what became of earlier answers


def undoable(arena):
    ticket = arena.ask("somebody")
    arena.tell(ticket, "tie")
    return ticket


def test_an_event_is_read_once(arena, monkeypatch):
    read = []
    take_in = Reading._take_in
    monkeypatch.setattr(
        Reading, "_take_in", lambda self, it: (read.append(it.number), take_in(self, it))
    )
    reading = Reading(str(arena.address), arena.name)
    for _ in range(3):
        vote(arena, 10)
        seen(reading, arena), reading.told(), reading.alarms()
    assert read == list(range(1, arena._look(lambda state: state.number) + 1))


def test_memory_does_not_grow_with_the_votes(arena, monkeypatch):
    monkeypatch.setattr(module, "MOST", 20)
    reading = Reading(str(arena.address), arena.name)
    for seed in range(6):
        vote(arena, 15, seed=seed, voters=1000)
        found, votes = seen(reading, arena), arena.history()
        assert found.total == len(votes)
        np.testing.assert_array_equal(found.votes.outcome, votes.outcome[-20:])
        told = [one.voter for one in arena.records()][-20:]
        assert [one.voter for one in reading.told()] == told
    assert len(reading._window._voters) <= 40


def test_an_undo_that_was_not_expected_begins_it_again(arena, monkeypatch):
    reading = Reading(str(arena.address), arena.name)
    vote(arena, 5)
    ticket = undoable(arena)
    monkeypatch.setattr(module, "MARGIN", -1e9)  # as if the clock of the reader were ahead
    seen(reading, arena)
    arena.undo(ticket)
    assert_as_read_at_once(reading, arena)
    assert reading.begun == 2


def test_another_copy_of_the_database_is_read_from_its_beginning(tmp_path):
    for name, many in (("one", 30), ("other", 10)):
        with Arena(tmp_path / f"{name}.db", ARMS, seed=1) as arena:
            vote(arena, many)
    reading = Reading(str(tmp_path / "one.db"), "arena")
    with Arena(tmp_path / "one.db") as arena:
        assert seen(reading, arena).total == 30
    (tmp_path / "other.db").replace(tmp_path / "one.db")
    with Arena(tmp_path / "one.db") as arena:
        assert seen(reading, arena).total == 10


def certificate_of(reading, arena):
    return seen(reading, arena).certificate


def test_a_learner_that_draws_by_chance_has_a_certificate(arena):
    """It counts the answers that stand by the latest verdicts, once nobody can take them back."""
    reading = Reading(str(arena.address), arena.name)
    vote(arena, 50)
    fresh = arena._look(lambda state: len(state.fresh))
    assert f" {50 + fresh} more answers" in certificate_of(reading, arena)["text"]
    arena.undo(undoable(arena))
    vote(arena, 400)
    found = certificate_of(reading, arena)
    fresh = arena._look(lambda state: len(state.fresh))
    assert found["rounds"] == 450 - fresh and 0 <= found["bound"] <= found["rounds"] / 2
    assert "It holds if" in found["text"]
    arena.judge(arena.pseudonym("voter 3"), "banned")
    assert certificate_of(reading, arena) == twin(arena)
    arena.judge(arena.pseudonym("voter 3"), "free")
    assert certificate_of(reading, arena)["rounds"] == found["rounds"]
    arena.add("elm")
    assert " 100 more answers" in certificate_of(reading, arena)["text"]


def twin(arena):
    """The rounds and the bound by all settled answers at once, from the whole log."""
    banned = {who for who, verdict in arena.verdicts().items() if verdict == "banned"}
    fresh = arena._look(lambda state: set(state.fresh))
    asked, rows = {}, []
    for event, _ in arena._log.after(0, ""):
        if event.kind == "asked":
            asked[event.ticket] = event.body
        elif event.kind == "undone":
            asked[event.body["again"]] = asked.pop(event.ticket)
            rows = [row for row in rows if row[0] != event.ticket]
        elif event.kind == "told" and asked[event.ticket]["voter"] not in banned:
            rows.append((event.ticket, asked[event.ticket], event.body["outcome"]))
    rows = [(body, outcome) for ticket, body, outcome in rows if ticket not in fresh]
    K = len(ARMS)
    p = [[[1 / K] * K] if body.get("uniform") else body["p"] for body, _ in rows]
    players = max(map(len, p))
    certificate = Certificate(K, 0.05, only_answered=True)
    certificate.add_many(
        np.array([body["row"] for body, _ in rows]),
        np.array([body["col"] for body, _ in rows]),
        np.array([1 - o if body["swapped"] else o for body, o in rows]),
        np.array([one * (players // len(one)) for one in p]),
        np.ones(len(rows), bool),
    )
    text = pytest.approx(certificate.static)
    return {"text": AnyText(), "rounds": len(rows), "bound": text, "delta": 0.05}


class AnyText:
    def __eq__(self, other):
        return isinstance(other, str)


def test_a_learner_that_does_not_has_none(tmp_path):
    with Arena(tmp_path / "arena.db", ARMS) as arena:
        vote(arena, 1)
        found = certificate_of(Reading(str(arena.address), arena.name), arena)
    assert found["text"].startswith("None")


def test_an_alarm_rings_once_for_a_change_and_begins_again_with_other_items(tmp_path):
    with Arena(tmp_path / "arena.db", ["ash", "birch"], seed=1) as arena:
        reading = Reading(str(arena.address), arena.name)
        calm = tell_all(arena, reading, "ash", 150)
        assert calm == (1, {})
        which, rung = tell_all(arena, reading, "birch", 150)
        assert which == 1 and rung["leader"] >= 1
        assert Reading(str(arena.address), arena.name).alarms()[1] == rung
        arena.add("elm")
        assert reading.alarms()[0] == 2


def tell_all(arena, reading, winner, many):
    for _ in range(many):
        arena.tell(arena.ask(), winner)
    return reading.alarms()


@pytest.mark.parametrize("how", ["withdrawn", "expired"])
def test_an_answer_to_a_pair_that_is_gone_leaves_the_one_before_to_be_taken_back(
    tmp_path, monkeypatch, how
):
    moment = [time.time_ns() // 1000]
    monkeypatch.setattr("sparring.arena.making.now", lambda: moment[0])
    with Arena(tmp_path / "arena.db", [*ARMS, "elm"], lifetime=100, seed=1) as arena:
        arena.set(grace=60.0, uniform=1.0)
        late, *more = arena.ask_many("ann", 10)
        if how == "withdrawn":
            current = next(one for one in more if late.first not in (one.first, one.second))
            arena.withdraw(late.first)
            arena.tell(current, "tie")
        else:
            moment[0] += 50_000_000
            current = arena.ask_many("ann", 11)[-1]
            moment[0] += 50_000_000
            arena.tell(current, "tie")
            moment[0] += 1_000_000
        reading = Reading(str(arena.address), arena.name)
        assert not arena.tell(late, "tie").learnt
        assert seen(reading, arena).total == 1
        again = arena.undo(current)
        assert (seen(reading, arena).total, reading.begun) == (0, 1)
        arena.tell(again, "tie")
        assert (seen(reading, arena).total, reading.begun) == (1, 1)
        assert seen(Reading(str(arena.address), arena.name), arena).total == 1


def test_a_log_that_cannot_be_understood_is_not_said_to_change_too_fast(arena, monkeypatch):
    reading = Reading(str(arena.address), arena.name)
    arena.undo(undoable(arena))
    monkeypatch.setattr(Reading, "_answered", lambda self, event, question: None)
    with pytest.raises(RuntimeError, match=r"'arena' was begun 3 times.*stands.*--check"):
        reading.told()


@pytest.mark.parametrize("why", ["verdict", "copy"])
def test_a_database_that_fails_when_all_is_to_be_read_again_counts_nothing_twice(
    arena, tmp_path, monkeypatch, why
):
    reading = Reading(str(arena.address), arena.name)
    vote(arena, 30)
    assert seen(reading, arena).total == 30
    if why == "verdict":
        arena.judge(arena.pseudonym("voter 1"), "banned")
    else:
        with Arena(tmp_path / "other.db", ARMS, seed=1) as other:
            vote(other, 10)
        with (
            closing(sqlite3.connect(other.address)) as source,
            closing(sqlite3.connect(arena.address)) as target,
        ):
            source.backup(target)

    def fail(self):
        raise StorageError("no answer")

    with monkeypatch.context() as broken:
        broken.setattr(Following, "last_verdicts", fail)
        with pytest.raises(StorageError):
            reading.told()
    assert_as_read_at_once(reading, arena)
    assert reading.begun == 2
