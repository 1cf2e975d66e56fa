"""Webhooks: told once, signed, tried again, and never in the way of a vote."""

import asyncio
import hashlib
import hmac
import json
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sparring.web import deliveries, hooks, watcher
from sparring.web.deliveries import Delivery, ForbiddenTargetError, judged_address, post
from sparring.web.watcher import Glimpse, Memory, Turn
from web_service import assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


@contextmanager
def receiver(*statuses):
    """A receiver that answers with these statuses, then with 204; and what it got."""
    got, left = [], list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, dict(self.headers), body))
            self.send_response(left.pop(0) if left else 204)
            if 300 <= (statuses[0] if statuses else 0) < 400:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook?a=b", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def wait_for(got, number):
    until = time.monotonic() + 120
    while len(got) < number and time.monotonic() < until:
        time.sleep(0.01)
    assert len(got) == number


def look(service):
    inner = service.client.app.state.service
    service.client.run(inner.watcher.look("arena"))


def lead(service, name, votes):
    for _ in range(votes):
        (pair,) = service.writer("POST", "ask", {}).json()["pairs"]
        names = [pair["first"]["name"], pair["second"]["name"]]
        answer = "tie" if name not in names else ("first" if names[0] == name else "second")
        service.writer.vote(pair["ticket"], answer)


def test_a_new_leader_is_told_signed_and_tried_again(tmp_path):
    with (
        receiver(500, 302) as (url, got),
        hosted(tmp_path / "arena.db", private_hooks=True) as service,
    ):
        service.client.app.state.service.courier._pauses = (0.01, 0.01, 0.01)
        hook = service.admin("POST", "hooks", {"url": url, "kinds": ["leader changed"]}).json()
        lead(service, "elm", 60)
        look(service)
        lead(service, "ash", 200)
        look(service)
        look(service)
        wait_for(got, 3)
        assert [path for path, *_ in got] == ["/hook?a=b"] * 3  # the redirect is not followed
        _, headers, body = got[-1]
        message = json.loads(body)
        assert (message["kind"], message["leader"], message["before"]) == (
            "leader changed",
            "ash",
            "elm",
        )
        at, _, digest = headers[deliveries.SIGNATURE].partition(",v1=")
        signed = f"{at.removeprefix('t=')}.".encode() + body
        assert hmac.new(hook["secret"].encode(), signed, hashlib.sha256).hexdigest() == digest
        assert abs(int(at.removeprefix("t=")) - time.time()) < 60
        listed = service.admin("GET", "hooks").json()["hooks"]
        assert [one["id"] for one in listed] == [hook["id"]] and "secret" not in listed[0]
        until = time.monotonic() + 120
        while 'result="delivered"} 1.0' not in service.client.get("/metrics").text:
            assert time.monotonic() < until
        for _ in range(2):
            assert service.admin("DELETE", f"hooks/{hook['id']}").status_code == 204
        assert service.admin("GET", "hooks").json() == {"hooks": []}


def hook(number, url):
    return hooks.Hook(number, url, "s", list(hooks.KINDS), 0.0)


def send(service, *to):
    """Send a message to each of these hooks."""
    courier = service.client.app.state.service.courier

    async def all_of_them():
        for one in to:
            courier.send(one, "leader changed", "arena", {})

    service.client.run(all_of_them())


def until_counted(service, result, number):
    """Wait until so many deliveries ended so."""
    wanted = f'sparring_hook_deliveries_total{{result="{result}"}} {number:.1f}'
    until = time.monotonic() + 120
    while wanted not in service.client.get("/metrics").text:
        assert time.monotonic() < until
        time.sleep(0.01)


@contextmanager
def dripping():
    """A receiver that sends a header without an end, a byte now and then."""
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\nA: ")
            with suppress(OSError):
                while not stop.wait(0.02):
                    self.wfile.write(b"a")

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 64

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        stop.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_receiver_that_fails_slows_no_vote(tmp_path, monkeypatch):
    """It never answers: not before the votes are there."""
    monkeypatch.setattr(deliveries, "WAITING", 5)
    monkeypatch.setattr(deliveries, "DEADLINE", 3600.0)
    with hosted(tmp_path / "arena.db", private_hooks=True) as service, dripping() as url:
        send(service, *[hook(1, url)] * 2000)
        for _ in range(10):
            service.voter().vote(service.voter().ask()[0]["ticket"])
        text = service.client.get("/metrics").text
        assert 'sparring_hook_deliveries_total{result="dropped"}' in text


def test_receivers_that_never_end_keep_no_other_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(deliveries, "DEADLINE", 3600.0)
    with (
        hosted(tmp_path / "arena.db", private_hooks=True) as service,
        dripping() as slow,
        receiver() as (url, got),
    ):
        send(service, *[hook(number, slow) for number in range(hooks.MOST)] * 3)
        send(service, *[hook(100, url)] * 3)
        wait_for(got, 3)


def test_a_delivery_that_never_ends_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(deliveries, "DEADLINE", 0.1)
    with hosted(tmp_path / "arena.db", private_hooks=True) as service, dripping() as slow:
        service.client.app.state.service.courier._pauses = (0.01,)
        send(service, hook(1, slow), hook(2, slow))
        until_counted(service, "failed", 2)


def test_what_goes_wrong_in_one_delivery_ends_no_other(tmp_path, monkeypatch):
    """Whatever it is: the next one is tried, and the failure is counted."""
    usual, left = deliveries.post, [RuntimeError("can't start new thread"), KeyError("odd")]

    async def post(*given, **more):
        if left:
            raise left.pop()
        return await usual(*given, **more)

    monkeypatch.setattr(deliveries, "post", post)
    with (
        hosted(tmp_path / "arena.db", private_hooks=True) as service,
        receiver() as (url, got),
    ):
        send(service, *[hook(1, url)] * 3)
        wait_for(got, 1)
        until_counted(service, "failed", 2)
        text = service.client.get("/metrics").text
        assert 'sparring_worker_failures_total{worker="webhooks"} 2.0' in text


def test_a_receiver_hears_one_at_a_time(tmp_path):
    most, now, lock = [0], [0], threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.02)  # long enough for another one, if there were one
            with lock:
                now[0] -= 1
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with hosted(tmp_path / "arena.db", private_hooks=True) as service:
            send(service, *[hook(1, f"http://127.0.0.1:{server.server_port}/")] * 10)
            until_counted(service, "delivered", 10)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert most == [1]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "192.0.0.192",
        "168.63.129.16",
        "192.88.99.1",
        "198.18.0.1",
        "224.0.0.1",
        "0.0.0.0",
        "::1",
        "::8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:0:8.8.8.8",
        "fec0::1",
        "fd00::1",
        "fe80::1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::808:808",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "3fff::1",
        "5f00::1",
        "ff0e::1",
    ],
)
def test_private_targets_are_refused(tmp_path, host):
    with pytest.raises(ForbiddenTargetError):
        judged_address(host, 80, private=False)
    assert judged_address(host, 80, private=True)
    url = f"http://[{host}]/" if ":" in host else f"http://{host}/"
    with ThreadPoolExecutor(1) as names, pytest.raises(ForbiddenTargetError):
        asyncio.run(post(Delivery(hook(1, url), b"{}"), names, private=False))


@pytest.mark.parametrize("host", ["8.8.8.8", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808"])
def test_targets_on_the_internet_may_be_called(host):
    assert judged_address(host, 80, private=False) == host


def test_bad_hooks_are_refused(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        for url in (
            "ftp://x/",
            "file:///etc/passwd",
            "x",
            "http://",
            "http://u:p@x/",
            "http://a b/",
        ):
            assert_problem(service.admin("POST", "hooks", {"url": url}), 422, "bad-input")
        problem = assert_problem(service.admin("POST", "hooks", {"url": "http://127.0.0.1/"}), 422)
        assert "--private-hooks" in problem["detail"]
        for kinds in ([], ["all"], "leader changed"):
            body = {"url": "https://192.0.2.1/", "kinds": kinds}
            assert_problem(service.admin("POST", "hooks", body), 422, "bad-input")
        assert service.admin("GET", "hooks").json() == {"hooks": []}


@pytest.mark.parametrize(
    ("column", "value"),
    [("kinds", kinds) for kinds in ("{", "3", "{}", '"leader changed"', '["x"]', "[" * 100_000)]
    + [("url", url) for url in ("file:///etc/passwd", "http://a\r\nB: c/", "http://[", "")],
)
def test_a_webhook_that_no_release_has_written(tmp_path, caplog, column, value):
    """As in a database from somebody else."""
    path = tmp_path / "arena.db"
    with hosted(path, private_hooks=True) as service:
        assert service.admin("POST", "hooks", {"url": "https://192.0.2.1/"}).status_code == 201
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE sparring_hooks SET {column} = ?", (value,))
        assert_problem(service.admin("GET", "hooks"), 503, "storage")
        assert "row 1 of sparring_hooks is damaged" in caplog.text
        assert service.voter().vote(service.voter().ask()[0]["ticket"]).status_code == 200


CALM = Glimpse("elm", 1000, 1000, 10, 900, frozenset(), 4)


def test_what_is_news():
    memory = Memory(CALM, CALM)
    assert memory.news(CALM._replace(asked=1100, told=1100, excluded=11)) == []
    later = CALM._replace(asked=1300, told=1300, excluded=110)
    ((kind, facts),) = memory.news(later)
    assert kind == "excluded share jumped"
    assert facts == {"share": pytest.approx(1 / 3, abs=1e-4), "before": 0.01}
    thin = later._replace(thin=frozenset({"ash"}))
    assert memory.news(thin) == []
    assert memory.news(thin._replace(asked=1499)) == []
    assert [kind for kind, _ in memory.news(thin._replace(asked=1500))] == ["item starved"]
    assert memory.news(thin._replace(asked=5000)) == []
    assert memory.news(thin._replace(asked=5000, thin=frozenset())) == []


def test_a_change_of_taste_rings(tmp_path, monkeypatch):
    monkeypatch.setattr(watcher, "DRIFT_EVERY", 0.0)
    monkeypatch.setattr(watcher, "DRIFT_PART", 0)
    with (
        receiver() as (url, got),
        hosted(tmp_path / "arena.db", arms=["a", "b"], private_hooks=True) as service,
    ):
        service.admin("POST", "hooks", {"url": url, "kinds": ["drift suspected"]})
        rows = [{"first": "a", "second": "b", "outcome": 1.0}] * 300
        service.writer("POST", "import", {"source": "x", "rows": rows})
        look(service)
        rows = [{"first": "a", "second": "b", "outcome": 0.0}] * 300
        service.writer("POST", "import", {"source": "x", "rows": rows})
        look(service)
        wait_for(got, 1)
        assert json.loads(got[0][2])["alarms"]["leader"] == 1


def test_one_process_looks(tmp_path):
    one, other = Turn(str(tmp_path)), Turn(str(tmp_path))
    assert one.take() and one.take()
    assert not other.take()
    one.give_up()
    assert other.take()
    other.give_up()
