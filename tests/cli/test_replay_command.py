"""`sparring replay`: the events of an arena, folded again."""

import hashlib
import json
import re
import sqlite3
import zlib

import pytest

from command import sparring as run
from sparring.arena import Arena


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "prompts.db"
    with Arena(path, ["plain", "polite", "terse"]) as arena:
        for _ in range(50):
            ticket = arena.ask()
            arena.tell(ticket, "polite" if "polite" in (ticket.first, ticket.second) else "tie")
    return path


def test_all_is_well(path):
    done = run("replay", path, "--check", cwd=path.parent)
    assert (done.returncode, done.stderr.count("Error")) == (0, 0)
    assert "101 events, all intact and in order; 50 votes learnt" in done.stdout
    assert "the checkpoint at event 101 agrees with the events" in done.stdout
    assert "favourite: polite" in done.stdout


def test_for_a_program(path):
    found = json.loads(run("replay", path, "--json", cwd=path.parent).stdout)
    assert (found["events"], found["votes"], found["equal"]) == (101, 50, [101])


def test_a_damaged_event_is_named(path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sparring_events SET at = at + 1 WHERE number = 42")
    connection.close()
    done = run("replay", path, cwd=path.parent)
    assert done.returncode == 1
    assert "event 42 is damaged or missing" in done.stderr
    assert done.stdout == ""


def test_a_damaged_checkpoint_fails_the_check_only(path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sparring_checkpoints SET digest = 'x'")
    connection.close()
    assert run("replay", path, cwd=path.parent).returncode == 0
    done = run("replay", path, "--check", cwd=path.parent)
    assert done.returncode == 1
    assert "the checkpoints at 101 differ" in done.stderr
    assert "DELETE FROM sparring_checkpoints" in done.stderr


def test_a_checkpoint_that_is_whole_and_wrong_goes_when_told(path):
    """An arena would start from it, so the check has to say how to be rid of it."""
    with sqlite3.connect(path) as connection:
        (data,) = connection.execute("SELECT state FROM sparring_checkpoints").fetchone()
        state = {**json.loads(zlib.decompress(data)), "votes": 7}
        data = zlib.compress(json.dumps(state).encode())
        digest = hashlib.sha256(data).hexdigest()
        connection.execute("UPDATE sparring_checkpoints SET state = ?, digest = ?", (data, digest))
    connection.close()
    done = run("replay", path, "--check", cwd=path.parent)
    assert done.returncode == 1
    advice = re.search(r"\((DELETE .*?)\)", " ".join(done.stderr.split()))
    with sqlite3.connect(path) as connection:
        connection.execute(advice[1])
    connection.close()
    assert run("replay", path, "--check", cwd=path.parent).returncode == 0
    with Arena(path) as arena:
        assert arena.votes == 50


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["no.db"], "there is no no.db"),
        (["."], ". is a folder"),
        (
            ["prompts.db", "--name", "x"],
            "has no arena 'x'. It has ['arena']: name one of them (name=, --name)",
        ),
    ],
)
def test_bad_input(path, arguments, match):
    done = run("replay", *arguments, cwd=path.parent)
    assert done.returncode == 1
    assert match in done.stderr
