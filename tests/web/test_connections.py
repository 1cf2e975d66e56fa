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


@contextmanager
def listening(path, **options):
    """The port of a service that is served as `sparring serve` does."""
    Arena(path, ARMS).close()
    config = uvicorn.Config(
        create_app(ServiceConfig(str(path), limits=FREE)),
        port=0,
        log_level="error",
        http=connections.Connection,
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
def test_who_sends_slowly_is_told_so(tmp_path, monkeypatch, sent):
    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    with listening(tmp_path / "arena.db") as port:
        with socket.create_connection(("127.0.0.1", port), timeout=300) as slow:
            slow.sendall(sent)
            head, _, body = everything(slow).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in head
        assert json.loads(body)["type"] == "urn:sparring:problem:too-slow"
        with Arena(tmp_path / "arena.db") as arena:
            assert arena.tallies().asked == 0
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200


def test_a_byte_now_and_then_does_not_help_and_a_steady_upload_may_take_longer(
    tmp_path, monkeypatch
):
    """Time is given for bytes: with a thousand a second one has ten times the patience."""
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    monkeypatch.setattr(connections, "PACE", 10)
    with listening(tmp_path / "arena.db") as port:
        address = ("127.0.0.1", port)
        body = json.dumps({"n": 1}).ljust(1000).encode()
        with socket.create_connection(address, timeout=300) as steady:
            steady.sendall(f"{HEAD}Connection: close\r\nContent-Length: 1000\r\n\r\n".encode())
            for start in range(0, 1000, 250):
                steady.sendall(body[start : start + 250])
                time.sleep(0.3)  # longer than the patience, all together
            assert everything(steady).startswith(b"HTTP/1.1 200 ")
        monkeypatch.setattr(connections, "PACE", 10**9)
        with socket.create_connection(address, timeout=300) as dripping:
            dripping.sendall(f"{HEAD}Content-Length: 1000\r\n\r\n".encode())
            dripping.settimeout(0.05)
            received = b""
            while not received:
                try:
                    dripping.sendall(b" ")
                    received = dripping.recv(65536)
                except TimeoutError:
                    continue
            assert received.startswith(b"HTTP/1.1 408 ")


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
