"""A database that was made to do harm: one sentence says where it is damaged, and that is all."""

import hashlib
import json
import sqlite3
import zlib
from contextlib import closing

import pytest

import arena_log
from sparring.arena import Arena, History, StorageError, check, checkpoints
from sparring.arena.events import linked
from sparring.arena.saving import to_json

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


@pytest.fixture
def path(tmp_path):
    """An arena with events of all kinds: 1 made, 2 asked, 3 told, 4 asked and so on."""
    path = tmp_path / "arena.db"
    with Arena(path, ["a", "b", "c"], seed=1) as arena:
        arena.tell(arena.ask("ann"), "tie")
        arena.tell(arena.ask("bob"), "skip")
        arena.set(grace=60.0)
        ticket = arena.ask("ann")
        arena.tell(ticket, 1.0)
        arena.undo(ticket)
        arena.add("d", content={"text": "d"})
        arena.edit("a", {"text": "a"})
        arena.withdraw("b")
        arena.seen(arena.ask("eve"))
        arena.import_votes([("a", "c", 1.0)], source="elsewhere")
        arena.judge(arena.pseudonym("bob"), "held")
        arena.tell(arena.ask(), "tie")
        arena.ask()
    rewrite(path, lambda row: row)  # without a checkpoint
    return path


def rewrite(path, change):
    """Change the rows of events, as whoever knows how they are chained can; no digest tells."""
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute(
            "SELECT number, at, kind, ticket, body FROM sparring_events ORDER BY number"
        ).fetchall()
        connection.execute("DELETE FROM sparring_events")
        connection.execute("DELETE FROM sparring_checkpoints")
        chain = ""
        for number, at, kind, ticket, body in map(change, rows):
            chain = linked(chain, number, at, kind, ticket, body)
            connection.execute(
                "INSERT INTO sparring_events VALUES (1, ?, ?, ?, ?, ?, ?)",
                (number, at, kind, ticket, body, chain),
            )


def forge(path, kind, **changes):
    """Change the first event of a kind: fields of its row in capitals, or of its body."""
    done = []

    def change(row):
        number, at, found, ticket, body = row
        if found != kind or done:
            return row
        done.append(number)
        row_changes = {name: changes.pop(name) for name in list(changes) if name.isupper()}
        text = json.dumps({**json.loads(body), **changes})
        return (
            number,
            row_changes.get("AT", at),
            row_changes.get("KIND", found),
            row_changes.get("TICKET", ticket),
            row_changes.get("BODY", text),
        )

    rewrite(path, change)
    return done[0]


def looks(path):
    """What each way to read an arena says: an error, or None if it is content."""
    found = {}
    for name, look in {
        "check": lambda: check(path),
        "history": lambda: list(History(path)),
        "open": lambda: Arena(path).close(),
    }.items():
        try:
            look()
        except StorageError as error:
            found[name] = str(error)
        else:
            found[name] = None
    return found


def nested(levels):
    found = {}
    for _ in range(levels - 1):
        found = {"a": found}
    return found


HARM = [
    *[("seen", {"KIND": kind}) for kind in ("apply", "_told", "__init__", "draw", "", "made")],
    *[("made", {"arms": arms}) for arms in (7, [], None, "ab", ["a"], [["a"], ["b"]], [1, 2])],
    *[("made", {"learner": learner}) for learner in (3, None, ["tracker"])],
    *[("made", {"options": options}) for options in ([], None, "x")],
    *[("made", {"lifetime": lifetime}) for lifetime in ("7d", -1, None, 1.5, 10**30, True)],
    *[("made", {"arms": ["a", name, "c"]}) for name in ("a", "", "x" * 201, "\ud800", "\0", "tie")],
    ("made", {"seed": 5}),
    ("made", {"contents": {"a": "text"}}),
    ("made", {"KIND": "told", "TICKET": "ab"}),
    *[("told", {"outcome": outcome}) for outcome in ("1", -1, 2, [], {}, True, None)],
    ("told", {"why": None}),
    ("told", {"verdict": "guilty"}),
    ("told", {"TICKET": None}),
    *[("told", {"BODY": body}) for body in ("[]", "3", "null", "{", "", "[" * 100_000)],
    ("told", {"BODY": '{"outcome":NaN,"why":""}'}),
    ("told", {"BODY": '{"why":""}'}),
    ("told", {"AT": 2**62}),
    ("told", {"AT": -1}),
    *[("asked", {"row": row}) for row in ("a", -1, 1.5, None, True, [0])],
    ("asked", {"selves": 3}),
    ("asked", {"voter": 5}),
    ("asked", {"swapped": 1}),
    *[("asked", {"p": p}) for p in (3, [], [0.5, 0.5], [["a", "b"]], [[2.0, 3.0]])],
    ("asked", {"versions": [1]}),
    ("undone", {"again": None}),
    ("added", {"boost": "1"}),
    *[("added", {"name": name}) for name in (None, "", "x" * 201, "\ud800")],
    ("added", {"content": nested(101)}),
    ("edited", {"content": nested(700)}),
    ("edited", {"content": {"kind": "text", "text": "\udfff"}}),
    ("set", {"page": nested(101)}),
    ("set", {"page": nested(900)}),
    ("set", {"page": {"title": "\ud800"}}),
    ("added", {"content": "d"}),
    ("edited", {"arm": "a"}),
    ("edited", {"content": []}),
    ("withdrawn", {"arm": -1}),
    ("judged", {"verdict": "guilty"}),
    ("judged", {"voter": 3}),
    ("asked", {"row": 1, "col": 1}),
    ("imported", {"first": 0, "second": 0}),
    ("imported", {"first": "a"}),
    ("imported", {"outcome": 3}),
    ("imported", {"source": 3}),
    ("imported", {"at": "now"}),
]


@pytest.mark.parametrize(("kind", "changes"), HARM)
def test_an_event_that_no_release_has_written(path, kind, changes):
    number = forge(path, kind, **changes)
    for error in looks(path).values():
        assert f"event {number} is damaged" in error


UNFIT = [  # well formed, and impossible after the events before
    *[("made", {"options": options}) for options in ({"K": 5}, {"seed": 1}, {"huh": 1})],
    ("made", {"learner": "double_thompson", "options": {}}),
    *[("made", {"learner": learner}) for learner in ("os:system", "system", "")],
    ("made", {"seed": "seed"}),
    ("asked", {"row": 9}),
    ("asked", {"p": [[0.5, 0.5]]}),
    ("seen", {"TICKET": "ab"}),
    ("undone", {"TICKET": "ab"}),
    ("added", {"boost": -1}),
    ("added", {"name": "a"}),
    ("edited", {"arm": 9}),
    ("withdrawn", {"arm": 9}),
    ("set", {"mode": "huh"}),
    ("set", {"huh": 1}),
]


@pytest.mark.parametrize(("kind", "changes"), UNFIT)
def test_an_event_that_does_not_fit_those_before_it(path, kind, changes):
    number = forge(path, kind, **changes)
    found = looks(path)
    for way in ("check", "open"):
        assert f"event {number} ({kind}) is damaged" in found[way]
    # It does not need everything, and reads the rest.
    assert found["history"] is None or f"event {number} ({kind})" in found["history"]


def test_what_an_earlier_release_has_taken_is_read(path):
    forge(path, "set", page={"title": "\U0001f600"}, answers=["tie"])
    forge(path, "edited", content=nested(100))
    assert looks(path) == {"check": None, "history": None, "open": None}


def test_an_arena_that_was_not_forged_is_content(path):
    assert looks(path) == {"check": None, "history": None, "open": None}
    rewrite(path, lambda row: row)
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
FOREIGN = {
    "an endless view of events": f"""
        DROP TABLE sparring_events;
        CREATE VIEW sparring_events AS {ENDLESS} 1 AS arena, x AS number, 1 AS at, 'seen' AS kind,
            'ab' AS ticket, '{{}}' AS body, '' AS chain FROM n""",
    "an endless view of arenas": f"""
        PRAGMA foreign_keys = OFF; DROP TABLE sparring_arenas;
        CREATE VIEW sparring_arenas AS {ENDLESS} x AS id, 'x' AS name, 'x' AS key, 0 AS duplicates
            FROM n""",
    "an endless version": f"""
        DROP TABLE sparring_schema; CREATE VIEW sparring_schema AS {ENDLESS} x AS version FROM n""",
    "a trigger": f"""
        CREATE TRIGGER t AFTER INSERT ON sparring_events BEGIN
            DELETE FROM sparring_events WHERE number IN ({ENDLESS} x FROM n); END""",
    "another type": """
        DROP TABLE sparring_checkpoints;
        CREATE TABLE sparring_checkpoints (arena, number, state, digest)""",
    "a column that is computed": """
        DROP TABLE sparring_checkpoints;
        CREATE TABLE sparring_checkpoints (arena, number, state AS (zeroblob(1000000000)), digest)
        """,
    "a missing table": "DROP TABLE sparring_checkpoints",
    "another index": """
        DROP INDEX sparring_events_of_ticket;
        CREATE INDEX sparring_events_of_ticket ON sparring_events (arena, ticket)""",
}


@pytest.mark.parametrize("harm", FOREIGN)
def test_tables_that_are_not_ours(path, harm):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FOREIGN[harm])
    for error in looks(path).values():
        assert "is not as sparring makes it" in error


def with_checkpoint(path, text):
    """Put a checkpoint of this text at the end, with all its marks."""
    data = zlib.compress(text.encode(), 9)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM sparring_checkpoints")
        (last,) = connection.execute("SELECT max(number) FROM sparring_events").fetchone()
        digest = hashlib.sha256(data).hexdigest()
        connection.execute(
            "INSERT INTO sparring_checkpoints VALUES (1, ?, ?, ?)", (last, data, digest)
        )


def test_a_checkpoint_that_would_fill_memory(path, monkeypatch):
    """At a smaller limit, but with the ratio of what would: no piece of it becomes a state."""
    parsed = []
    monkeypatch.setattr(checkpoints, "ALWAYS_FIT", 10_000)
    monkeypatch.setattr(checkpoints, "from_json", parsed.append)
    with_checkpoint(path, " " * 5_000_000 + "{}")
    assert len(check(path).other) == 1
    with Arena(path) as arena:
        assert arena.votes > 0
    assert parsed == []


@pytest.fixture
def saved(path):
    with Arena(path) as arena:
        return json.loads(json.dumps(arena._look(to_json)))


FORGED = {
    "text": lambda saved: "state",
    "list": lambda saved: [saved],
    "number": lambda saved: 5,
    **{
        f"{name} {value!r}": lambda saved, name=name, value=value: {**saved, name: value}
        for name, values in {
            "at": ["now", -1, 2**62],
            "lifetime": ["7d", None],
            "votes": ["3", -1],
            "leader": [9, "a"],
            "present": [[], [0], [0, 0, 2], [0, 2, 99], "023", [0, 2, 3, 1]],
            "arms": [[], None, [{}], [{"name": "a"}] * 3],
            "open": [[["ab", []]], [["ab", [99, 0, 2, False, 0, None, 0, False]]], 3],
            "fresh": [[["ab", [], []]], 3],
            "fresh_of": [{"ann": "ab"}, [], None],
            "settings": [{}, {"mode": "huh"}, {"page": 3}, []],
            "tallies": [{}, {"asked": 1}, None],
            "voters": [{}, {"verdicts": {"ann": "held"}, "day": 1, "today": {}, "last": {}}],
            "learner": [{}, None, {"kind": "os:system"}],
        }.items()
        for value in values
    },
    "another learner": lambda saved: {**saved, "learner": other_learner()},
}


def other_learner():
    from sparring.learners import LEARNERS

    return LEARNERS["tracker"](7, differ=True, seed=1).snapshot()


@pytest.mark.parametrize("harm", FORGED)
def test_a_checkpoint_that_no_release_has_written_costs_time_only(path, saved, harm):
    with Arena(path) as arena:
        votes = arena.votes
    rewrite(path, lambda row: row)
    forged = FORGED[harm](saved)
    if isinstance(forged, dict):
        forged = {**forged, "chain": chain_of(path), "number": check(path).events}
    with_checkpoint(path, json.dumps(forged))
    if harm != "settings {}":  # which stands for the settings of a new arena
        assert len(check(path).other) == 1
    with Arena(path) as arena:
        assert arena.votes == votes
        ticket = arena.ask("zoe")
        assert arena.tell(ticket, "tie").number


def chain_of(path):
    with closing(sqlite3.connect(path)) as connection:
        (chain,) = connection.execute(
            "SELECT chain FROM sparring_events ORDER BY number DESC"
        ).fetchone()
    return chain


def test_a_checkpoint_that_an_arena_has_written_is_read(path, saved):
    with_checkpoint(path, json.dumps(saved))
    assert check(path).equal == (saved["number"],)
