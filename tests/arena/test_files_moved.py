"""One of the three files of an arena is taken away while it is open: nothing is lost."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

import arena_log
from sparring.arena import Arena, StorageError, arenas, tickets

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ARMS = ["a", "b", "c"]
TAKEN_AWAY = "-wal or -shm file was deleted or replaced"


def vote(arena, number):
    """Vote, trying again what is refused; the tickets of what was acknowledged."""
    told, refused = [], []
    while len(told) < number and len(refused) < 10:
        try:
            ticket = arena.ask()
            arena.tell(ticket, "tie")
        except StorageError as error:
            refused.append(str(error))
        else:
            told.append(ticket)
    assert len(told) == number
    assert all(TAKEN_AWAY in error for error in refused)
    return told


def demand_stored(path, key, told):
    found, _ = arena_log.answers(path)
    assert {tickets.read(ticket.text, key).name for ticket in told} <= found.keys()
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def deleted(place):
    place.unlink()


def moved(place):
    place.rename(place.with_suffix(".elsewhere"))


def replaced(place):
    place.unlink()
    place.touch()


def killed(path, folder):
    """The database as it would be found had the process been killed now."""
    folder.mkdir()
    for place in path.parent.glob("arena.db*"):
        shutil.copy(place, folder)
    return folder / path.name


@pytest.mark.parametrize("end", ["-wal", "-shm"])
@pytest.mark.parametrize("how", [deleted, moved, replaced])
def test_a_file_beside_the_database_that_is_taken_away(tmp_path, end, how):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        told = vote(arena, 20)
        how(tmp_path / f"arena.db{end}")
        with pytest.raises(StorageError, match=TAKEN_AWAY):
            arena.ask()
        if (how, end) != (replaced, "-shm"):  # somebody else may have written by other locks
            told += vote(arena, 20)  # it goes on by itself
        key = arena._key
        demand_stored(killed(path, tmp_path / "copy"), key, told)
    demand_stored(path, key, told)


def test_it_is_noticed_by_looking_as_well(tmp_path):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        told = vote(arena, 5)
        deleted(tmp_path / "arena.db-wal")
        with pytest.raises(StorageError, match=TAKEN_AWAY):
            arena.votes  # noqa: B018
        demand_stored(killed(path, tmp_path / "copy"), arena._key, told)


def test_what_is_written_as_the_file_is_taken_away_is_stored_or_refused(tmp_path, monkeypatch):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        told, ticket, write = vote(arena, 5), arena.ask(), arena._log.write

        def write_and_lose():
            write()
            deleted(tmp_path / "arena.db-wal")

        with monkeypatch.context() as patched:
            patched.setattr(arena._log, "write", write_and_lose)
            assert arena.tell(ticket, "tie").learnt
        told.append(ticket)
        demand_stored(killed(path, tmp_path / "copy"), arena._key, told)


def test_no_second_one_is_begun_beside_it(tmp_path):
    """Another connection of the process that has not noticed yet still writes to the old one."""
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena, Arena(path) as other:
        told = vote(arena, 5) + vote(other, 5)
        deleted(tmp_path / "arena.db-wal")
        for look in (lambda: arenas(path), lambda: list(arena.records())):
            with pytest.raises(StorageError, match=TAKEN_AWAY):
                look()
        assert not (tmp_path / "arena.db-wal").exists()
        with pytest.raises(StorageError, match=TAKEN_AWAY):
            arena.ask()
        with pytest.raises(StorageError, match=TAKEN_AWAY):  # nor now: the other still has it open
            arena.ask()
        told += vote(other, 5) + vote(arena, 5)
        demand_stored(killed(path, tmp_path / "copy"), arena._key, told)


def test_a_database_that_is_cut_short_acknowledges_nothing_more(tmp_path):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        vote(arena, 100)
        arena._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        ticket = arena.ask()
        os.truncate(path, path.stat().st_size // 2)
        for _ in range(3):
            with pytest.raises(StorageError, match=r"cut short|deleted or replaced"):
                arena.tell(ticket, "tie")


def test_a_database_that_was_vacuumed_goes_on(tmp_path):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        told = vote(arena, 200)
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE big (x)")
            other.execute("INSERT INTO big VALUES (zeroblob(1000000))")
            other.commit()
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            told += vote(arena, 1)
            long = path.stat().st_size
            other.execute("DROP TABLE big")
            other.execute("VACUUM")
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert path.stat().st_size < long
        told += vote(arena, 5)
        key = arena._key
    demand_stored(path, key, told)
