"""Databases of every version of the schema open, and go on."""

import re
import sqlite3

import pytest

import arena_log
from places import TESTS
from sparring.arena import Arena, check
from sparring.arena.schema import MIGRATIONS

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

DUMPS = sorted((TESTS / "data").glob("arena-schema-*.sql"))


def test_there_is_a_database_of_every_version():
    """Whoever adds a migration keeps a database of the version before, as `iterdump` writes it."""
    versions = [int(re.search(r"(\d+)\.sql", dump.name)[1]) for dump in DUMPS]
    assert versions == list(range(1, len(MIGRATIONS) + 1))


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_database_of_an_earlier_version_goes_on(dump, tmp_path):
    path = tmp_path / "arena.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(dump.read_text())
    connection.close()
    with Arena(path) as arena:
        assert (arena.votes, sorted(arena.arms)) == (12, ["formal", "plain", "polite"])
        (waiting,) = arena._look(lambda it: it).open
        ticket = arena._ticket(waiting)
        assert arena.tell(ticket, ticket.first).learnt
        arena.tell(arena.ask(), "tie")
        assert arena.votes == 14
    assert check(path).votes == 14
    opened, folded = arena_log.fold_again(path)
    assert opened == folded
