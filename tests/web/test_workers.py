"""What a service does beside its calls goes on, whatever goes wrong in one of its turns."""

import asyncio
import sys
import threading
import time

import pytest

from sparring.arena import ArenaClosedError
from sparring.web import demo, pages, suspects, watcher
from sparring.web import service as serving
from sparring.web.desk import Desk
from web_service import assert_problem, hosted

pytestmark = pytest.mark.compiled  # no kernel is tested here


def until(find):
    """Wait until something is so."""
    end = time.monotonic() + 120
    while not find():
        assert time.monotonic() < end
        time.sleep(0.01)


def failures(service, worker):
    """How often a turn of a worker failed."""
    for line in service.client.get("/metrics").text.splitlines():
        if line.startswith(f'sparring_worker_failures_total{{worker="{worker}"}}'):
            return float(line.split()[-1])
    return 0


def fails(error):
    """A function that fails."""

    def work(*_, **__):
        raise error

    return work


def test_a_board_that_cannot_be_drawn_is_drawn_later(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PATIENCE", 300.0)
    replies = []
    with hosted(tmp_path / "arena.db") as service:
        look = threading.Thread(target=lambda: replies.append(service.reader("GET", "board")))
        with monkeypatch.context() as broken:
            broken.setitem(sys.modules, "sparring.web.board", None)  # it cannot be loaded
            look.start()
            until(lambda: failures(service, "the board"))
        look.join()
        assert replies[0].status_code == 200
        assert service.client.get("/ready").status_code == 200


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), SystemExit(1)])
def test_a_desk_goes_on(error):
    noted, errors = [], [error]

    def perform(works):
        if errors:
            raise errors.pop()
        return [work() for work in works]

    async def calls():
        desk = Desk(perform, failed=noted.append)
        desk.open()
        try:
            with pytest.raises((OSError, RuntimeError)):
                await desk.do(lambda: 1)
            assert await desk.do(lambda: 2) == 2
            assert desk.is_alive
        finally:
            await desk.close()

    asyncio.run(calls())
    assert len(noted) == isinstance(error, SystemExit)  # of the database it is the caller's


@pytest.mark.parametrize("worker", ["the look at voters", "the look for webhooks"])
def test_looks_go_on(tmp_path, monkeypatch, worker):
    monkeypatch.setattr(suspects, "EVERY", 0.01)
    monkeypatch.setattr(watcher, "EVERY", 0.01)
    monkeypatch.setattr(watcher.Turn, "take", fails(OSError(24, "Too many open files")))
    with hosted(tmp_path / "arena.db", private_hooks=True) as service:
        service.admin("POST", "hooks", {"url": "http://127.0.0.1:9/"})
        until(lambda: failures(service, worker) >= 2)
        assert service.client.get("/ready").status_code == 200


def test_the_look_for_new_arenas_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(serving, "LOOK", 0.01)
    with hosted(tmp_path / "arena.db") as service:
        with monkeypatch.context() as broken:
            broken.setattr(serving, "arenas", fails(OSError(24, "Too many open files")))
            until(lambda: failures(service, "the look for new arenas") >= 2)
        assert service.client.get("/ready").status_code == 200


def test_readiness_says_which_worker_has_ended(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        inner = service.client.app.state.service
        assert service.client.get("/ready").status_code == 200
        service.client.run(inner.watcher.close())  # it is meant to end: nothing is wrong
        assert service.client.get("/ready").status_code == 200
        desk = inner.front("arena").desk
        desk._closing = True  # its thread ends, and nobody has asked for it
        desk._something.set()
        until(lambda: not desk.is_alive)
        problem = assert_problem(service.client.get("/ready"), 503, "not-ready")
        assert "the desk of arena" in problem["detail"]
        assert service.client.get("/health").status_code == 200


def test_simulated_voters_go_on(tmp_path, monkeypatch):
    """Somebody pauses the arena between two of their calls, and opens it again."""
    with demo.prepare(tmp_path / "demo.db") as arena:
        usual, stop, failures = arena.ask, threading.Event(), []

        def ask(voter):
            if not failures:
                failures.append(voter)
                raise ArenaClosedError("paused")
            if arena.votes >= 3:
                stop.set()
            return usual(voter)

        monkeypatch.setattr(arena, "ask", ask)
        demo.run_voters(arena, stop, pace=1e6)
        assert failures and arena.votes >= 3
