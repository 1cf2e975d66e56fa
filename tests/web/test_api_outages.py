"""The database stands still, is restarted or breaks off: a 503 that says so, no vote is lost.

It breaks off in mid-commit, too.

SPARRING_PAUSE=30 lets it stand still for that many seconds.
"""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

import arena_log
import postgres
from sparring.arena import Arena, tickets
from web_process import served
from web_service import API, ARMS, assert_problem, hosted, made_keys

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

PAUSE = float(os.environ.get("SPARRING_PAUSE", "1"))
CALLERS = 4
LONGEST = 300  # seconds for anything
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=300)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """An address of a new arena, and how to pause its database for the time of a block."""
    if request.param == "sqlite":
        path = str(tmp_path / "arena.db")
        return path, lambda: held(path)
    cluster = request.getfixturevalue("cluster")
    return request.getfixturevalue("database"), cluster.paused


@contextmanager
def held(path):
    """Another process has the file's write lock while the block runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout.readline() == b"held\n"
        yield
    finally:
        process.communicate()


class Voters:
    """People who ask and vote until they are told to stop, and again what was refused."""

    def __init__(self, base, keys):
        self.heard, self.problems, self._stop = {}, [], threading.Event()
        self._pool = ThreadPoolExecutor(CALLERS)
        self._base = base
        self._headers = {"Authorization": f"Bearer {keys['writer']}"}  # whose calls nobody counts

    def __enter__(self):
        self._all = [self._pool.submit(self._vote, number) for number in range(CALLERS)]
        return self

    def __exit__(self, *_):
        self._stop.set()
        for one in self._all:
            one.result(300)
        self._pool.shutdown()

    def wait_for(self, more):
        """Wait until so many more votes are acknowledged."""
        enough = len(self.heard) + more
        until = time.monotonic() + LONGEST
        while len(self.heard) < enough:
            assert time.monotonic() < until, "no votes are acknowledged any more"
            assert not any(one.done() for one in self._all), [one.exception() for one in self._all]
            time.sleep(0.01)

    def _vote(self, number):
        voter = {"voter": f"voter-{number:04d}"}
        with httpx.Client(base_url=self._base + API, headers=self._headers, timeout=300) as client:
            while not self._stop.is_set():
                (pair,) = self._patiently(client, "/ask", {"n": 1, **voter})["pairs"]
                body = {"ticket": pair["ticket"], "answer": 1.0, **voter}
                self.heard[pair["ticket"]] = self._patiently(client, "/vote", body)

    def _patiently(self, client, path, body):
        until = time.monotonic() + LONGEST
        while True:
            assert time.monotonic() < until, "it is refused again and again"
            reply = client.post(path, json=body)
            if reply.status_code == 200:
                return reply.json()
            self.problems.append(reply)
            time.sleep(0.1)


def demand_once(address, voters):
    """Each acknowledged vote is in the log as it was acknowledged, and nothing is there twice."""
    with Arena(address) as arena:
        key, learnt = arena._key, arena.votes
    found, _ = arena_log.answers(address)
    for ticket, reply in voters.heard.items():
        told = found[tickets.read(ticket, key).name]
        assert (told.number, told.learnt) == (reply["number"], reply["learnt"])
    assert learnt == len(found) == len(voters.heard)
    for reply in voters.problems:
        assert_problem(reply, 503)
        assert int(reply.headers["retry-after"]) >= 1
    opened, folded = arena_log.fold_again(address)
    assert opened == folded


def test_a_database_that_stands_still(place):
    address, paused = place
    Arena(address, ARMS).close()
    keys = made_keys(address)
    with served(address) as base, Voters(base, keys) as voters:
        voters.wait_for(20)
        with paused():
            time.sleep(PAUSE)
            assert httpx.get(f"{base}/health", timeout=300).status_code == 200
            assert_problem(httpx.get(f"{base}/ready", timeout=300), 503, "not-ready")
        voters.wait_for(20)
    demand_once(address, voters)


def test_who_waits_too_long_is_told_so_and_counts_once(tmp_path, monkeypatch):
    path = tmp_path / "arena.db"
    with hosted(path) as service:
        ann = service.voter("voter-ann")
        (pair,) = ann.ask()
        with held(str(path)), monkeypatch.context() as impatient:
            impatient.setattr("sparring.web.desk.PATIENCE", 0.5)
            reply = ann.vote(pair["ticket"])
            assert_problem(reply, 503, "storage")
            assert reply.headers["retry-after"] == "1"
        again = ann.vote(pair["ticket"])
        assert again.json()["learnt"]
        assert ann.vote(pair["ticket"]).json() == again.json()
        assert service.arena().tallies().told == 1


def test_a_server_that_is_restarted(cluster, database):
    address = database
    Arena(address, ARMS).close()
    keys = made_keys(address)
    with served(address) as base, Voters(base, keys) as voters:
        for _ in range(2):
            voters.wait_for(10)
            cluster.stop()
            while not voters.problems:
                time.sleep(0.01)
            cluster.start()
        voters.wait_for(10)
    demand_once(address, voters)


def test_a_backend_that_is_ended_after_its_commit_and_before_it_says_so(cluster, database):
    Arena(database, ARMS).close()
    keys = made_keys(database)
    with cluster.guarded(), served(database) as base, Voters(base, keys) as voters:
        for ended in (1, 2, 3):  # the second is that of the look whether it was stored
            voters.wait_for(10)
            with cluster.unreplicated():
                for _ in range(ended):
                    cluster.end_a_commit()
            voters.wait_for(10)
    demand_once(database, voters)


def test_a_backend_that_is_ended_before_its_commit(cluster, database):
    Arena(database, ARMS).close()
    keys = made_keys(database)
    with cluster.guarded(), served(database) as base, Voters(base, keys) as voters:
        voters.wait_for(10)
        postgres.break_commits(database, every=30)
        while len(voters.problems) < 2 * CALLERS:
            voters.wait_for(1)
        postgres.mend_commits(database)
        voters.wait_for(10)
    demand_once(database, voters)
