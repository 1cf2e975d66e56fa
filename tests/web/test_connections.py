"""Connections: a request that does not arrive, and one connection too many, are told so."""

import json
import socket
import sys
import time
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec

import httpx
import pytest

import live_service
from sparring.arena import Arena
from sparring.web import connections
from sparring.web.connections import Connections, fitting
from web_process import served
from web_service import API, ARMS, assert_problem, made_keys

pytestmark = pytest.mark.compiled  # no kernel is tested here


class Clock:
    """The time of all connections, moved by hand: a busy machine changes nothing."""

    def __init__(self, monkeypatch, parser):
        self.parser = parser
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

        class Clocked(Connections):
            def __call__(self, **options):
                found = super().__call__(**options)
                found._loop = Loop(found._loop)
                received, end = found.data_received, found._end

                def data_received(data):
                    received(data)
                    clock.arrived += len(data)

                def ended(exc):
                    end(exc)
                    clock.lost += 1

                found.data_received, found._end = data_received, ended
                return found

        return Clocked(2000, by_address=True, parser=self.parser)


# Only there has every loopback network addresses to spare.
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="has one loopback address")
PARSERS = ["h11", *(["httptools"] if find_spec("httptools") else [])]


@pytest.fixture(params=PARSERS)
def clock(monkeypatch, request):
    return Clock(monkeypatch, request.param)


@contextmanager
def listening(path, http, **config):
    """The port of a service with such connections."""
    Arena(path, ARMS).close()
    with live_service.listening(path, http=http, **config) as live:
        yield int(live.url.rpartition(":")[2])


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


def test_who_reads_nothing_of_a_reply_is_given_up(tmp_path, clock):
    """As the system says it: what it may keep for a caller is full."""
    http = clock.protocol()
    follow = f"GET {API}/board/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with listening(tmp_path / "arena.db", http, open_board=True) as port, connected(port) as slow:
        slow.sendall(follow)
        assert slow.recv(100).startswith(b"HTTP/1.1 200 ")
        ((found,),) = http._of.values()
        clock.move(1e6)
        assert not clock.lost  # a reply may take long
        found._loop.call_soon_threadsafe(found.pause_writing)
        while found._due == float("inf"):
            time.sleep(0.001)
        clock.move(59)
        assert not clock.lost
        clock.move(2)
        assert clock.lost


BUSY = f"{HEAD}Content-Length: 10\r\n\r\n{{".encode()


def connected(port, sent=b"", source="127.0.0.1"):
    """A connection from an address of this machine."""
    found = socket.create_connection(("127.0.0.1", port), timeout=300, source_address=(source, 0))
    found.sendall(sent)
    return found


def held(http, many):
    """Wait until so many connections have a request that is not answered."""
    while sum(len(same) for same in http._of.values()) - len(http.idle) < many:
        time.sleep(0.001)


@pytest.mark.parametrize("parser", PARSERS)
def test_one_connection_too_many_gets_a_problem(tmp_path, parser):
    http = Connections(3, by_address=False, parser=parser)
    with listening(tmp_path / "arena.db", http) as port:
        busy = [connected(port, BUSY) for _ in range(3)]
        held(http, 3)
        reply = httpx.get(f"http://127.0.0.1:{port}/health")
        assert_problem(reply, 503, "busy")
        assert reply.headers["retry-after"] == "1"
        assert reply.headers["connection"] == "close"
        for one in busy:
            one.close()
        while httpx.get(f"http://127.0.0.1:{port}/health").status_code != 200:
            time.sleep(0.01)


def test_idle_connections_are_closed_first(tmp_path):
    http = Connections(3, by_address=False)
    with listening(tmp_path / "arena.db", http) as port:
        oldest = connected(port)
        while len(http.idle) < 1:
            time.sleep(0.001)
        busy, half = connected(port, BUSY), connected(port, HEAD.encode())
        held(http, 1)
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        assert everything(oldest) == b""
        oldest.close()
        with socket.create_connection(("127.0.0.1", port), timeout=300):
            for _ in range(20):  # whoever is served or was idle gives way, but no request does
                assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        busy.sendall(b'"n": 1  }')
        assert busy.recv(100).startswith(b"HTTP/1.1 200 ")
        busy.close()
        half.close()


@LINUX
def test_one_neighbourhood_has_a_part_of_all(tmp_path):
    http = Connections(8, by_address=True)
    with listening(tmp_path / "arena.db", http) as port:
        busy = [connected(port, BUSY, f"127.0.1.{number}") for number in (1, 2)]
        held(http, 2)
        with connected(port, b"GET /health HTTP/1.1\r\n\r\n", "127.0.1.3") as third:
            assert everything(third).startswith(b"HTTP/1.1 503 ")
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        for one in busy:
            one.close()


def test_behind_a_proxy_all_come_from_one_address(tmp_path):
    http = Connections(8, by_address=False)
    with listening(tmp_path / "arena.db", http) as port:
        busy = [connected(port, BUSY) for _ in range(7)]
        held(http, 7)
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        for one in busy:
            one.close()


@pytest.mark.parametrize("parser", PARSERS)
def test_requests_that_come_together_are_answered_in_order(tmp_path, parser):
    http = Connections(8, by_address=False, parser=parser)
    body = b'{"n": 1}'
    ask = f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body
    with listening(tmp_path / "arena.db", http) as port, connected(port) as together:
        last = b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        together.sendall(ask * 2000 + last)
        replies = everything(together)
    assert replies.count(b"HTTP/1.1 200 ") == 2000
    assert replies.count(b'{"pairs":') == 2000 and b"HTTP/1.1 404 " in replies.split(b"pairs")[-1]


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    ("head", "more"),
    [
        (f"{HEAD}A: ".encode(), b"a" * 1000),
        (HEAD.encode(), b"a: b\r\n" * 100),
        (f"{HEAD}Transfer-Encoding: chunked\r\n\r\n1;".encode(), b"a" * 1000),
        (f"{HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\nA: ".encode(), b"a" * 1000),
    ],
    ids=["header", "headers", "extension", "trailer"],
)
def test_too_long_headers_end_the_connection_at_once(tmp_path, parser, head, more):
    """Once they are too long, whatever comes after."""
    http = Connections(8, by_address=False, parser=parser)
    with listening(tmp_path / "arena.db", http) as port, connected(port, head) as endless:
        endless.sendall(more * (1 + 66_000 // len(more)))
        head, _, body = everything(endless).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ") and b"connection: close" in head
    assert json.loads(body)["type"] == "urn:sparring:problem:headers-too-long"
    assert http._of == {}


@pytest.mark.parametrize("parser", PARSERS)
def test_a_trailer_is_no_header(tmp_path, parser):
    """From this machine metrics need no key; with X-Forwarded-For it would seem to be another."""
    http = Connections(8, by_address=False, parser=parser)
    head = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    forwarded = b"X-Forwarded-For: 10.1.2.3\r\n"
    with listening(tmp_path / "arena.db", http) as port:
        for sent, status in (
            (b"\r\n", b"200"),
            (forwarded + b"\r\n", b"401"),
            (b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + forwarded + b"\r\n", b"200"),
        ):
            with connected(port, head + sent) as asking:
                assert everything(asking).startswith(b"HTTP/1.1 " + status)


@LINUX
def test_more_idle_connections_than_files(tmp_path):
    """They give way, and there is always a file for a database or a board."""
    path = tmp_path / "arena.db"
    Arena(path, ARMS).close()
    key = {"Authorization": f"Bearer {made_keys(path)['admin']}"}
    with served(path, files=256) as url, ExitStack() as idle:
        port = int(url.rpartition(":")[2])
        for number in range(400):
            idle.enter_context(connected(port, source=f"127.0.{number % 8}.1"))
        with httpx.Client(base_url=url, headers=key, timeout=300) as client:
            for look in ("board", "export?format=parquet", "items"):
                assert client.get(f"{API}/{look}").status_code == 200
            assert client.get("/api/v1/backup").status_code == 200
            assert client.get("/ready").status_code == 200


def test_nothing_of_uvicorn_is_subclassed():
    """Its protocols are private: any release may change what a subclass relies on."""
    for kind in (Connections, connections.Connection, connections.Outlet):
        assert not [base for base in kind.__mro__ if base.__module__.startswith("uvicorn")]


def test_files_are_kept_for_other_things():
    assert [fitting(2000, files) for files in (1 << 20, 1024, 256, 2)] == [2000, 768, 128, 1]
