"""Databases of every version of the schema open, and go on."""

import itertools
import re
import sqlite3

import pytest

import arena_log
from places import TESTS
from sparring.arena import Arena, check, making
from sparring.arena.database import PostgreSQL
from sparring.arena.schema import MIGRATIONS

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

DUMPS = sorted((TESTS / "data").glob("arena-schema-*.sql"))


def test_there_is_a_database_of_every_version():
    """Whoever adds a migration keeps a database of the version before, as `iterdump` writes it."""
    versions = [int(re.search(r"(\d+)\.sql", dump.name)[1]) for dump in DUMPS]
    assert versions == list(range(1, len(MIGRATIONS) + 1))


@pytest.fixture(params=DUMPS, ids=lambda dump: dump.stem)
def old(request, tmp_path, monkeypatch):
    """A database of an earlier version, on the day it was written: tickets do not last for ever."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(request.param.read_text())
        (latest,) = connection.execute("SELECT max(at) FROM sparring_events").fetchone()
    connection.close()
    monkeypatch.setattr(making, "now", lambda: latest + 3_600_000_000)
    return path


def moved(path, address):
    """The same database on a server, with the tables of its version."""
    with sqlite3.connect(path) as connection:
        (version,) = connection.execute("SELECT version FROM sparring_schema").fetchone()
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sparring_schema'"
        contents = {
            name: connection.execute(f"SELECT * FROM {name}").fetchall()
            for (name,) in connection.execute(tables).fetchall()
        }
    connection.close()
    server = PostgreSQL(address)
    with server.writing():
        server.change("CREATE TABLE sparring_schema (version BIGINT)")
        server.change("INSERT INTO sparring_schema VALUES (?)", [(version,)])
        for statement in itertools.chain.from_iterable(MIGRATIONS[:version]):
            server.change(statement.format(**server.WORDS))
        for name in sorted(contents):  # arenas come first, to which the others refer
            for row in contents[name]:
                server.change(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", [row])
    server.close()


def test_a_database_of_an_earlier_version_goes_on(old, address):
    if address.startswith("postgresql"):
        moved(old, address)
    else:
        old.rename(address)
    with Arena(address) as arena:
        assert (arena.votes, sorted(arena.arms)) == (12, ["formal", "plain", "polite"])
        (waiting,) = arena._look(lambda it: it).open
        ticket = arena._ticket(waiting)
        assert arena.tell(ticket, ticket.first).learnt
        assert arena.tell(ticket, ticket.first).learnt  # the same answer again
        assert arena.duplicates() == 1
        arena.tell(arena.ask(), "tie")
        assert arena.votes == 14
    assert check(address).votes == 14
    opened, folded = arena_log.fold_again(address)
    assert opened == folded
