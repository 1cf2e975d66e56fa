"""Whoever only looks at an arena leaves its files as they are, wherever they lie."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from places import TESTS
from sparring.arena import Arena, History, StorageError, arenas, check
from sparring.arena.database import open_to_read
from sparring.arena.managing import refolded
from sparring.votes import read
from sparring.votes.reader import from_arena

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

LOOKS = {
    "check": lambda path: check(path).votes,
    "history": lambda path: sum(found.counted for found in History(path)),
    "votes": lambda path: len(from_arena(path)),
    "read": lambda path: len(read(path)),
    "refolded": lambda path: refolded(path, arenas(path)[0], {}).votes,
}
DUMPS = sorted((TESTS / "data").glob("arena-schema-*.sql"))


@pytest.fixture(params=LOOKS)
def look(request):
    return LOOKS[request.param]


def vote(arena, number):
    for _ in range(number):
        ticket = arena.ask()
        arena.tell(ticket, min(ticket.first, ticket.second))


def contents(folder):
    """All files but for the notes that readers and writers leave each other in -shm."""
    return {
        place.name: None if place.name.endswith("-shm") else place.read_bytes()
        for place in folder.iterdir()
    }


@pytest.fixture
def closed(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    with Arena(folder / "arena.db", ["a", "b", "c"]) as arena:
        vote(arena, 5)
    return folder


@pytest.fixture
def killed(tmp_path):
    """What an arena leaves that was killed: nearly all is in the -wal file."""
    folder, copy = tmp_path / "lives", tmp_path / "killed"
    folder.mkdir()
    with Arena(folder / "arena.db", ["a", "b", "c"]) as arena:
        vote(arena, 5)
        shutil.copytree(folder, copy)
    return copy


def test_a_database_that_was_closed(closed, look):
    before = contents(closed)
    assert look(closed / "arena.db") == 5
    assert contents(closed) == before == {"arena.db": before["arena.db"]}


@pytest.mark.parametrize("left", [["-wal", "-shm"], ["-wal"]])
def test_what_a_crash_has_left(killed, left, look):
    for end in {"-wal", "-shm"} - set(left):
        (killed / f"arena.db{end}").unlink()
    before = contents(killed)
    assert look(killed / "arena.db") == 5
    assert contents(killed) == before
    assert len(before) == 1 + len(left)


def test_a_database_in_use(tmp_path, look):
    path = tmp_path / "arena.db"
    with Arena(path, ["a", "b", "c"]) as arena:
        vote(arena, 5)
        before = contents(tmp_path)
        assert look(path) == 5
        assert contents(tmp_path) == before
        vote(arena, 1)
        assert look(path) == 6
    assert contents(tmp_path).keys() == {"arena.db"}


def test_whoever_looks_last_leaves_nothing_beside_a_database_closed_meanwhile(tmp_path):
    path = tmp_path / "arena.db"
    with Arena(path, ["a", "b"]) as arena:
        vote(arena, 5)
        records = arena.records()
        next(records)
    records.close()
    assert contents(tmp_path).keys() == {"arena.db"}


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_database_of_an_earlier_version(tmp_path, dump, look):
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text())
    migrated = shutil.copy(path, tmp_path / "migrated.db")
    Arena(migrated).close()
    before = contents(tmp_path)
    assert look(path) == look(migrated) >= 12
    assert contents(tmp_path) == before


READ = """
import os, sys
sys.path[:] = eval(sys.argv[2])
from sparring.arena import check
if os.geteuid() == 0:  # who may write everywhere: go on as somebody who may not
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(check(sys.argv[1]).votes)
"""


@pytest.mark.parametrize("left", [[], ["-wal"], ["-shm"], ["-wal", "-shm"]])
def test_a_folder_that_cannot_be_written_to(closed, killed, left):
    with tempfile.TemporaryDirectory() as place:  # where anybody may pass: tmp_path is ours alone
        folder = Path(place)
        shutil.copy((killed if "-wal" in left else closed) / "arena.db", folder)
        for end in left:
            shutil.copy(killed / f"arena.db{end}", folder)
        before = contents(folder)
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        try:
            command = [sys.executable, "-c", READ, str(folder / "arena.db"), repr(sys.path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        finally:
            folder.chmod(0o700)
        assert done.stdout == "5\n"
        assert contents(folder) == before


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount")
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_disk_that_cannot_be_written_to(tmp_path, closed, killed, is_killed, look):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "none", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount")
    try:
        for file in (killed if is_killed else closed).iterdir():
            shutil.copy(file, disk)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        before = contents(disk)
        assert look(disk / "arena.db") == 5
        assert contents(disk) == before
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_there_must_be_room_for_a_copy(killed, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    (killed / "arena.db-shm").unlink()
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StorageError, match=r"No space left on device.*TMPDIR"):
        check(killed / "arena.db")


def test_a_copy_is_deleted(killed, tmp_path, monkeypatch):
    (tmp_path / "passing").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    (killed / "arena.db-shm").unlink()
    assert check(killed / "arena.db").votes == 5
    assert not list((tmp_path / "passing").iterdir())


def test_what_is_open_to_be_read_cannot_be_written(address):
    Arena(address, ["a", "b"]).close()
    database = open_to_read(address)
    with pytest.raises(StorageError, match=r"read-?only"):
        database.change("DELETE FROM sparring_events")
    database.close()
    assert check(address).events == 1


def test_nobody_else_may_read_a_new_database(tmp_path):
    path = tmp_path / "arena.db"
    with Arena(path, ["a", "b"]) as arena:
        vote(arena, 1)
        modes = {place.name: place.stat().st_mode & 0o777 for place in tmp_path.iterdir()}
    assert modes == {"arena.db": 0o600, "arena.db-wal": 0o600, "arena.db-shm": 0o600}


def test_the_command_leaves_a_database_as_it_is(closed, tmp_path):
    before = contents(closed)
    path = str(closed / "arena.db")
    for command in (["votes", path, "--no-page", "--json"], ["replay", path, "--check", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "sparring_cli", *command], capture_output=True, check=True
        )
        assert json.loads(done.stdout)
    assert contents(closed) == before
