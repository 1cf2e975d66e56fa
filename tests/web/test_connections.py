"""Connections: a request that does not arrive, and one connection too many, are told so."""

import json
import socket
import threading
import time
from contextlib import contextmanager

import httpx
import pytest

pytest.importorskip("httptools", reason="uvicorn's faster parser is not installed")

import uvicorn

from sparring.arena import Arena
from sparring.web import connections
from sparring.web.app import create_app
from sparring.web.config import ServiceConfig
from web_service import API, ARMS, FREE, assert_problem

pytestmark = pytest.mark.compiled  # no kernel is tested here


class Clock:
    """The time of all connections, moved by hand: a busy machine changes nothing."""

    def __init__(self, monkeypatch):
        self.now, self.looks, self.arrived, self.lost = 0.0, 0, 0, 0
        monkeypatch.setattr(connections, "PATIENCE", 3600.0)
        monkeypatch.setattr(connections, "LOOK", 0.001)

    def wait_for(self, many):
        """Until so many bytes have arrived, of all connections."""
        while self.arrived < many:
            time.sleep(0.001)

    def move(self, seconds):
        """Let time pass, until the one connection there is has noticed or is gone."""
        self.now += seconds
        looks = self.looks
        while self.looks < looks + 2 and not self.lost:
            time.sleep(0.001)

    def protocol(self):
        """The connections whose clock this is."""
        clock = self

        class Loop:
            def __init__(self, loop):
                self._loop = loop

            def __getattr__(self, name):
                return getattr(self._loop, name)

            def time(self):
                clock.looks += 1
                return clock.now

        class Clocked(connections.Connection):
            def __init__(self, *arguments, **options):
                super().__init__(*arguments, **options)
                self.loop = Loop(self.loop)

            def data_received(self, data):
                super().data_received(data)
                clock.arrived += len(data)

            def connection_lost(self, exc):
                super().connection_lost(exc)
                clock.lost += 1

        return Clocked


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@contextmanager
def listening(path, http=connections.Connection, **options):
    """The port of a service that is served as `sparring serve` does."""
    Arena(path, ARMS).close()
    config = uvicorn.Config(
        create_app(ServiceConfig(str(path), limits=FREE)),
        port=0,
        log_level="error",
        http=http,
        timeout_graceful_shutdown=1,
        **options,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def everything(connection):
    """All that comes until the other side closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


HEAD = f"POST {API}/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Voter: voter-one\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /api",
        HEAD.encode(),
        f"{HEAD}Content-Length: 10\r\n\r\n{{".encode(),
        f"{HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n".encode(),
    ],
    ids=["nothing", "half a line", "half a head", "half a body", "half a chunk"],
)
def test_who_sends_slowly_is_told_so(tmp_path, clock, sent):
    with listening(tmp_path / "arena.db", clock.protocol()) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=300) as slow:
            slow.sendall(sent)
            clock.wait_for(len(sent))
            while not clock.looks:  # accepted
                time.sleep(0.001)
            clock.move(3601)
            head, _, body = everything(slow).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in head
        assert json.loads(body)["type"] == "urn:sparring:problem:too-slow"
        with Arena(tmp_path / "arena.db") as arena:
            assert arena.tallies().asked == 0
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=300).status_code == 200


def test_a_steady_upload_may_take_longer(tmp_path, monkeypatch, clock):
    """Time is given for bytes: here each quarter of the body gains as much as the patience."""
    monkeypatch.setattr(connections, "PACE", 250 / 3600)
    head = f"{HEAD}Connection: close\r\nContent-Length: 1000\r\n\r\n".encode()
    body = json.dumps({"n": 1}).ljust(1000).encode()
    with (
        listening(tmp_path / "arena.db", clock.protocol()) as port,
        socket.create_connection(("127.0.0.1", port), timeout=300) as steady,
    ):
        steady.sendall(head)
        for start in range(0, 1000, 250):
            clock.wait_for(len(head) + start)
            clock.move(3000)
            steady.sendall(body[start : start + 250])
        assert everything(steady).startswith(b"HTTP/1.1 200 ")


def test_a_byte_now_and_then_does_not_help(tmp_path, clock):
    head, drops = f"{HEAD}Content-Length: 1000\r\n\r\n".encode(), 0
    with (
        listening(tmp_path / "arena.db", clock.protocol()) as port,
        socket.create_connection(("127.0.0.1", port), timeout=300) as dripping,
    ):
        dripping.sendall(head)
        while not clock.lost:
            dripping.sendall(b" ")
            drops += 1
            clock.wait_for(len(head) + drops)
            clock.move(500)
        assert everything(dripping).startswith(b"HTTP/1.1 408 ")
    assert drops == 8  # 4000 seconds


def test_one_connection_too_many_gets_a_problem(tmp_path):
    with listening(tmp_path / "arena.db", limit_concurrency=3) as port:
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        reply = httpx.get(f"http://127.0.0.1:{port}/health")
        while reply.status_code == 200:  # the others have not been accepted yet
            reply = httpx.get(f"http://127.0.0.1:{port}/health")
        assert_problem(reply, 503, "busy")
        assert reply.headers["retry-after"] == "1"
        assert reply.headers["connection"] == "close"
        for one in idle:
            one.close()
        while httpx.get(f"http://127.0.0.1:{port}/health").status_code != 200:
            time.sleep(0.01)
