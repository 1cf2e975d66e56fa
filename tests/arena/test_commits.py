"""A commit that breaks off: the log says whether it was one, and nothing counts twice.

In PostgreSQL its backend is ended, after the commit is on disk or before. The client sees the same:
the connection is gone.
"""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import arena_log
import postgres
from sparring.arena import Arena, StorageError, tickets

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ARMS = ["a", "b", "c"]
LONGEST = 60  # seconds for anything


def demand_whole(address, told):
    """Each answer is in the log once, with the number that was acknowledged, and was learnt."""
    with Arena(address) as arena:
        key, learnt = arena._key, arena.votes
    found, _ = arena_log.answers(address)
    numbers = {
        tickets.read(ticket.text, key).name: answer.number for ticket, answer in told.items()
    }
    assert {name: one.number for name, one in found.items()} == numbers
    assert learnt == len(told)
    opened, folded = arena_log.fold_again(address)
    assert opened == folded


@pytest.fixture
def pool(cluster):
    """A thread for what may wait; whatever it waits for is broken off in the end."""
    with cluster.guarded(), ThreadPoolExecutor(1) as pool:
        yield pool


def test_what_was_committed_is_acknowledged(cluster, database, pool):
    with Arena(database, ARMS) as arena:
        ticket = arena.ask()
        with cluster.unreplicated():
            telling = pool.submit(arena.tell, ticket, "tie")
            cluster.end_a_commit()
        told = telling.result(LONGEST)  # by looking at the log: the caller hears of no error
        assert told.learnt
        assert arena.tell(ticket, "tie") == told
        assert arena.votes == 1
        after = arena.ask()
        demand_whole(database, {ticket: told, after: arena.tell(after, "tie")})


def test_nothing_is_acknowledged_before_the_replica_has_it(cluster, database, pool):
    with Arena(database, ARMS) as arena:
        ticket = arena.ask()
        with cluster.unreplicated():
            telling = pool.submit(arena.tell, ticket, "tie")
            cluster.end_a_commit()
            cluster.wait_for_a_commit()  # that of the look
            assert not telling.done()
        assert telling.result(LONGEST).learnt


def test_what_cannot_be_looked_up_is_said_to_be_unknown(cluster, database, pool):
    with Arena(database, ARMS) as arena:
        ticket = arena.ask()
        with cluster.unreplicated():
            telling = pool.submit(arena.tell, ticket, "tie")
            cluster.end_a_commit()
            cluster.end_a_commit()  # that of the look
            with pytest.raises(StorageError, match="Whether it was stored is not known"):
                telling.result(LONGEST)
        told = arena.tell(ticket, "tie")
        demand_whole(database, {ticket: told})


def test_what_nobody_can_repeat_happens_once(cluster, database, pool):
    """A comparison from outside has no ticket by which a second one would be known."""
    with Arena(database, ARMS) as arena:
        with cluster.unreplicated():
            importing = pool.submit(arena.import_votes, [("a", "b", 1.0)], source="elsewhere")
            cluster.end_a_commit()
        assert importing.result(LONGEST) == 1
        assert arena.tallies().imported == 1


def test_what_was_not_committed_is_said_not_to_be(database):
    with Arena(database, ARMS) as arena:
        ticket = arena.ask()
        postgres.break_commits(database, every=1)
        with pytest.raises(StorageError, match=r"Nothing was stored\. Check that the server is up"):
            arena.tell(ticket, "tie")
        assert arena.votes == 0
        postgres.mend_commits(database)
        told = arena.tell(ticket, "tie")
        demand_whole(database, {ticket: told})


@pytest.mark.usefixtures("pool")
def test_backends_that_are_ended_at_any_moment(cluster, database):
    """Callers who try again what failed; meanwhile the server ends whatever backend is there."""
    told, failed, enough = {}, [], threading.Event()

    def again(call, *arguments):
        until = time.monotonic() + LONGEST
        while True:
            try:
                return call(*arguments)
            except StorageError as error:
                failed.append(str(error))
                assert time.monotonic() < until

    def vote():
        while not enough.is_set():
            ticket = again(arena.ask)
            told[ticket] = again(arena.tell, ticket, "tie")

    end_all = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{database.split('?')[0].split('/')[-1]}'"
    )
    with Arena(database, ARMS) as arena, ThreadPoolExecutor(4) as callers:
        voting = [callers.submit(vote) for _ in range(4)]
        for _ in range(30):
            before = len(told)
            until = time.monotonic() + LONGEST
            while len(told) < before + 5:
                assert time.monotonic() < until
                time.sleep(0.001)
            postgres.execute(cluster.address, end_all)
        enough.set()
        for one in voting:
            one.result(LONGEST)
    assert failed
    assert all("stored" in error for error in failed)
    demand_whole(database, told)


def connect_by(factory, arena, broken):
    """Let the arena connect to its file once more, by a class of connections that fail."""
    connect = sqlite3.connect
    broken.setattr(sqlite3, "connect", lambda *a, **b: connect(*a, factory=factory, **b))
    arena._database.close()


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_file_whose_commit_fails_is_looked_at_as_well(tmp_path, is_stored):
    class Connection(sqlite3.Connection):
        breaks = False

        def execute(self, statement, *values):
            if statement != "COMMIT" or not Connection.breaks:
                return super().execute(statement, *values)
            Connection.breaks = False
            if is_stored:
                super().execute(statement)
            raise sqlite3.OperationalError("disk I/O error")

    with Arena(tmp_path / "arena.db", ARMS) as arena, pytest.MonkeyPatch.context() as broken:
        ticket = arena.ask()
        connect_by(Connection, arena, broken)
        Connection.breaks = True
        if not is_stored:
            with pytest.raises(StorageError, match=r"disk I/O error\. Nothing was stored"):
                arena.tell(ticket, "tie")
            assert arena.votes == 0
        told = arena.tell(ticket, "tie")
        demand_whole(tmp_path / "arena.db", {ticket: told})


def test_a_disk_that_is_full_from_the_commit_on_has_stored_nothing(tmp_path):
    """The log is only read to find that out: a full disk takes no more."""

    class Connection(sqlite3.Connection):
        full = False
        before = 0  # rows changed when the transaction began

        def execute(self, statement, *values):
            if statement.startswith("BEGIN"):
                self.before = self.total_changes
            if statement == "COMMIT" and Connection.full and self.total_changes > self.before:
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(statement, *values)

    with Arena(tmp_path / "arena.db", ARMS) as arena, pytest.MonkeyPatch.context() as broken:
        ticket = arena.ask()
        connect_by(Connection, arena, broken)
        Connection.full = True
        with pytest.raises(StorageError, match=r"full\. Nothing was stored"):
            arena.tell(ticket, "tie")
        Connection.full = False
        told = arena.tell(ticket, "tie")
        demand_whole(tmp_path / "arena.db", {ticket: told})
