"""What is too much, too often or from elsewhere is refused, and nothing is lost."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import httpx
import pytest

from arena_log import fold_again
from sparring.web.buckets import Buckets, Memory, size
from sparring.web.config import Limits, ServiceConfig
from sparring.web.limits import (
    Allowance,
    Outstanding,
    Throttle,
    caller_address,
    hashed,
    neighbourhood,
)
from web_service import API, FREE, assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


def who(name):
    return hashed(name, b"a key")


def allowance(most, period, callers=100):
    return Allowance(most, period, Buckets(Memory(size(callers)), 0, callers))


def test_an_allowance_fills_again():
    found = allowance(3, 60.0)
    ann, bob = who("ann"), who("bob")
    assert [found.wait(ann, 1000.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert found.wait(ann, 1000.0) == pytest.approx(20.0)
    assert found.wait(bob, 1000.0) == 0.0
    assert found.wait(ann, 1010.0) == pytest.approx(10.0)
    assert found.wait(ann, 1020.0) == 0.0
    assert found.wait(ann, 1020.0) > 0.0


def test_memory_is_bounded_and_forgets_whom_it_has_not_seen_for_longest():
    found = allowance(1, 1e9)
    for number in range(1000):
        assert found.wait(who(str(number)), 1000.0 + number) == 0.0
    remembered = [found.wait(who(str(number)), 3000.0) > 0 for number in range(999, -1, -1)]
    assert all(remembered[:20])
    assert 100 <= sum(remembered) <= 200


def test_a_day_later_all_is_forgotten():
    now = [1000.0]
    limits = Limits(voter_day=2, voter_minute=0, address_minute=0)
    throttle = Throttle(limits, clock=lambda: now[0])
    waits = [throttle.wait("ann", "192.0.2.1", is_vote=True) for _ in range(3)]
    assert waits[:2] == [0.0, 0.0] and waits[2] == pytest.approx(43200)
    assert throttle.wait("ann", "192.0.2.1", is_vote=False) == 0.0
    key, _ = throttle._memory.key
    now[0] += 90_000.0
    assert throttle.wait("ann", "192.0.2.1", is_vote=True) == 0.0
    assert throttle._memory.key[0] != key
    written = bytes(throttle._memory.bytes)
    assert b"192.0.2" not in written and b"ann" not in written


COUNT = """
import sys
from sparring.web.config import Limits
from sparring.web.limits import Throttle
throttle = Throttle(Limits(voter_minute=0, address_minute=500, voter_day=0), sys.argv[1])
calls = [throttle.wait(f"voter {sys.argv[2]}", "192.0.2.1", is_vote=False) for _ in range(400)]
print(sum(seconds == 0 for seconds in calls))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes share no socket there")
def test_processes_count_together(tmp_path):
    """Four processes at once, 400 calls each: 500 are allowed, and what came back meanwhile."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    began = time.monotonic()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", COUNT, str(tmp_path / "allowances"), str(number)],
            env=environment,
            stdout=subprocess.PIPE,
        )
        for number in range(4)
    ]
    allowed = [int(process.communicate()[0]) for process in processes]
    most = 500 + 500 * (time.monotonic() - began) / 60
    assert 500 <= sum(allowed) <= most


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.254", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("::ffff:192.0.2.1", "192.0.2.9", True),
        ("2001:db8:0:12::1", "2001:db8:0:12:ffff::", True),
        ("2001:db8:0:12::1", "2001:db8:0:13::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("local", "other", False),
    ],
)
def test_neighbours(one, other, same):
    assert (neighbourhood(one) == neighbourhood(other)) == same


@pytest.mark.parametrize(
    ("hops", "forwarded", "found"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "8.8.8.8, 203.0.113.9", "203.0.113.9"),
        (2, "8.8.8.8, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "203.0.113.7:51234", "203.0.113.7"),
        (1, "[2001:db8::7]:443", "2001:db8::7"),
        (1, "[2001:db8::7]", "2001:db8::7"),
        (1, "2001:DB8:0::7", "2001:db8::7"),
        (1, "8.8.8.8, unknown", "192.0.2.1"),
        (1, "8.8.8.8, [::1", "::1"),
        (2, "8.8.8.8, 203.0.113.9:80, [2001:db8::7]:443", "203.0.113.9"),
    ],
)
def test_only_our_own_proxies_are_believed(hops, forwarded, found):
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "client": ("192.0.2.1", 1), "headers": headers}
    assert caller_address(scope, hops) == found


@pytest.mark.parametrize(
    ("hops", "forwarded", "found"),
    [
        (1, "for=203.0.113.7:51234", "203.0.113.7"),
        (1, 'for=8.8.8.8, For="[2001:db8::7]:443";proto=https;by=10.0.0.1', "2001:db8::7"),
        (2, "for=8.8.8.8, for=203.0.113.9;host=a, for=10.0.0.1", "203.0.113.9"),
        (1, "for=_hidden", "192.0.2.1"),
        (1, "proto=https", "192.0.2.1"),
        (0, "for=203.0.113.7", "192.0.2.1"),
    ],
)
def test_forwarded_is_read_and_no_other_header_gainsays_it(hops, forwarded, found):
    headers = [(b"forwarded", forwarded.encode())]
    scope = {"type": "http", "client": ("192.0.2.1", 1), "headers": headers}
    assert caller_address(scope, hops) == found
    # Which of the two the proxy has written, and which a caller, nobody knows.
    for other in ("198.51.100.1", "198.51.100.1, 198.51.100.2", "unknown", ","):
        scope["headers"] = [*headers, (b"x-forwarded-for", other.encode())]
        assert caller_address(scope, hops) == "192.0.2.1"
    scope["headers"] = [*headers, (b"x-forwarded-for", f"{found}:1, {found}".encode())]
    assert caller_address(scope, hops) == ("192.0.2.1" if hops == 0 else found)


def test_a_port_of_a_caller_makes_no_other_caller(tmp_path):
    """As some gateways write it; each connection has another."""
    limits = Limits(voter_minute=0, voter_day=0, address_minute=0, address_day=5)
    with hosted(tmp_path / "arena.db", limits=limits, proxy_hops=1) as service:
        for address in ("203.0.113.7:{}", "[2001:db8::7]:{}"):
            statuses = []
            for number in range(8):
                headers = {
                    "X-Forwarded-For": address.format(50_000 + number),
                    "X-Voter": f"voter-{number:04d}",
                }
                body = {"ticket": "none", "answer": "first"}
                reply = service.client.post(f"{API}/vote", json=body, headers=headers)
                statuses.append(reply.status_code)
            assert statuses == [404] * 5 + [429] * 3


def test_too_often_is_429_whatever_a_header_says(tmp_path):
    limits = Limits(voter_minute=0, voter_day=0, address_minute=5, address_day=0)
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        statuses = []
        for number in range(12):
            headers = {"X-Forwarded-For": f"198.51.{number}.1", "X-Voter": f"voter-{number:04d}"}
            reply = service.client.post(f"{API}/ask", json={}, headers=headers)
            statuses.append(reply.status_code)
        assert statuses == [200] * 5 + [429] * 7
        assert_problem(reply, 429, "too-often")
        assert 1 <= int(reply.headers["retry-after"]) <= 12
        assert service.writer("POST", "ask", {}).status_code == 200  # a key is trusted
        assert "sparring_rate_limited_total 7.0" in service.client.get("/metrics").text


def test_too_often_by_voter(tmp_path):
    limits = Limits(voter_minute=3, voter_day=0, address_minute=0, address_day=0)
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        ann = service.voter("voter-ann")
        assert [ann("POST", "ask", {}).status_code for _ in range(5)] == [200] * 3 + [429] * 2
        assert service.voter("voter-bob").ask()


async def pieces(length):
    """A body whose length is not announced."""
    for _ in range(length // 100):
        yield b"x" * 100


def test_bodies_that_are_too_long(tmp_path):
    limits = Limits(**{**FREE.__dict__, "small": 1000, "body": 3000, "bulk": 5000})
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        before = service.arena()._look(lambda state: state.number)
        for content in (b"x" * 1001, pieces(10_000)):
            reply = service.voter()("POST", "ask", content=content)
            assert_problem(reply, 413, "too-long")
            assert reply.headers["connection"] == "close"
        for path in ("ask", "vote", "undo", "seen"):  # a key changes nothing there
            assert_problem(service.writer("POST", path, content=b"x" * 1001), 413)
        reply = service.writer("POST", "items/bulk", content=b"name\n" + b"x" * 4000)
        assert_problem(reply, 422)
        reply = service.writer("POST", "items/bulk", content=b"x" * 5001)
        assert_problem(reply, 413)
        assert_problem(service.writer("POST", "items", content=b"x" * 3001), 413)
        for length in ("-1", "1e3", "9" * 30):
            reply = service.voter()("POST", "ask", content=b"", headers={"Content-Length": length})
            assert_problem(reply, 413)
        assert service.arena()._look(lambda state: state.number) == before


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "items"),
        ("PUT", "items/ash"),
        ("POST", "items/bulk"),
        ("POST", "import"),
        ("PATCH", "settings"),
        ("POST", "/api/v1/keys"),
    ],
)
def test_without_a_key_a_body_is_short_everywhere(tmp_path, method, path):
    limits = Limits(**{**FREE.__dict__, "small": 1000})
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        assert_problem(service.voter()(method, path, content=b"x" * 1001), 413, "too-long")
        reply = service.voter()(method, path, content=pieces(10_000))
        if path in ("items/bulk", "import"):  # there nothing is read without a key
            assert_problem(reply, 401, "key-needed")
        else:
            assert_problem(reply, 413, "too-long")
        for content in (lambda: b"x" * 1001, lambda: pieces(10_000)):
            bad = {"Authorization": "Bearer spk_guessed"}
            reply = service.voter()(method, path, content=content(), headers=bad)
            assert_problem(reply, 401, "unknown-key")
            assert service.admin(method, path, content=content()).status_code in (400, 422)


def test_a_call_is_counted_before_its_body_is_looked_at(tmp_path):
    limits = Limits(voter_minute=0, voter_day=0, address_minute=0, address_day=5)
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        ann = service.voter()
        assert [ann("POST", "vote", content=b"{").status_code for _ in range(8)] == (
            [422] * 5 + [429] * 3
        )


def test_pairs_cost_as_many_calls_and_no_more(tmp_path):
    limits = Limits(voter_minute=5, voter_day=0, address_minute=0, address_day=0)
    for n, most in ((1, 5), (2, 2), (5, 1)):
        with hosted(tmp_path / f"{n}.db", limits=limits) as service:
            ann = service.voter()
            found = [ann("POST", "ask", {"n": n}).status_code for _ in range(most + 1)]
            assert found == [200] * most + [429]


def open_pairs(service):
    """How many there are, in the arena and in its learner."""
    found = service.arena()._look(lambda state: (len(state.open), len(state.learner.open)))
    assert found[0] == found[1]
    return found[0]


def test_a_neighbourhood_has_so_many_open_pairs_and_the_oldest_lapse(tmp_path):
    limits = Limits(**{**FREE.__dict__, "address_ahead": 4})
    with hosted(tmp_path / "arena.db", limits=limits, proxy_hops=1) as service:

        def ask(name, address, n=2):
            headers = {"X-Forwarded-For": address}
            return service.voter(name)("POST", "ask", {"n": n}, headers=headers).json()["pairs"]

        ann = ask("voter-ann", "198.51.100.1")
        bob = ask("voter-bob", "198.51.100.2")
        other = ask("voter-far", "203.0.113.1")
        assert ask("voter-ann", "198.51.100.1") == ann  # now bob's are the oldest
        assert open_pairs(service) == 6
        cat = ask("voter-cat", "198.51.100.3")
        assert open_pairs(service) == 6
        late = service.voter("voter-bob").vote(bob[0]["ticket"]).json()
        assert (late["learnt"], late["why"]) == (False, "it came too late")
        for name, pairs in (("voter-ann", ann), ("voter-cat", cat), ("voter-far", other)):
            assert all(service.voter(name).vote(pair["ticket"]).json()["learnt"] for pair in pairs)
        assert open_pairs(service) == 0
        assert ask("voter-bob", "198.51.100.2")[0]["ticket"] not in {p["ticket"] for p in bob}
        (row,) = [
            one
            for one in service.reader("GET", "export?format=csv").text.splitlines()
            if "too late" in one
        ]
        assert "false" in row.lower()
    opened, folded = fold_again(tmp_path / "arena.db")
    assert opened == folded


def test_an_arena_has_so_many_open_pairs_and_the_oldest_lapse(tmp_path):
    limits = Limits(**{**FREE.__dict__, "open": 5})
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        pairs = [service.voter(f"voter-{number:04d}").ask()[0] for number in range(12)]
        assert open_pairs(service) == 5
        learnt = [
            service.voter(f"voter-{number:04d}").vote(pair["ticket"]).json()["learnt"]
            for number, pair in enumerate(pairs)
        ]
        assert learnt == [False] * 7 + [True] * 5
    opened, folded = fold_again(tmp_path / "arena.db")
    assert opened == folded


def test_whose_pairs_are_open_is_forgotten_with_them(monkeypatch):
    monkeypatch.setattr("sparring.web.limits.REMEMBERED", 10)
    outstanding, open_ = Outstanding(3), set()
    for number in range(100):
        open_ = {f"ticket {number}"}
        assert outstanding.note(f"198.51.{number}.1", [f"ticket {number}"], open_) == []
    assert sum(map(len, outstanding._of.values())) <= 11


def test_unknown_fields_are_named_up_to_three(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        for many, more in ((3, False), (1000, True)):
            body = {"n": "x"} | {f"field-{number}": 1 for number in range(many)}
            document = assert_problem(service.voter()("POST", "ask", body), 422, "bad-input")
            assert [one["where"] for one in document["errors"]] == ["n"] + [
                f"field-{number}" for number in range(3)
            ]
            assert ("997 more" in document["detail"]) == more


def test_overload_is_refused_at_once_and_loses_nothing(tmp_path, monkeypatch):
    """Four times as many calls as may wait, while the database stands still."""
    monkeypatch.setattr("sparring.web.desk.PATIENCE", 3600.0)  # who is taken waits for as long
    monkeypatch.setattr("sparring.web.gate.FRESH", 3600.0)  # and nobody asks for the settings
    limits = Limits(**{**FREE.__dict__, "waiting": 25})
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        pairs = [service.voter(f"voter-{number:04d}").ask()[0] for number in range(101)]
        arena, go_on = service.arena(), threading.Event()
        desk = service.client.app.state.service.front("arena").desk
        blocked = threading.Thread(target=arena._group.alone, args=(go_on.wait,))
        blocked.start()

        async def vote(client, number):
            body = {"ticket": pairs[number]["ticket"], "answer": "first"}
            headers = {"X-Voter": f"voter-{number:04d}"}
            return await client.post(f"{API}/vote", json=body, headers=headers)

        async def storm():
            transport = httpx.ASGITransport(service.client.app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1"
            ) as client:
                first = asyncio.create_task(vote(client, 100))
                while not desk._taken:  # from now on the desk can take no other call
                    await asyncio.sleep(0.001)
                votes = [asyncio.create_task(vote(client, number)) for number in range(100)]
                refused = set()
                while len(refused) < 75:
                    waiting = [task for task in votes if task not in refused]
                    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    refused |= done
                assert len(desk) == 25
                go_on.set()
                replies = await asyncio.gather(*votes, first)
                return [done.result() for done in refused], replies

        try:
            refused, replies = service.client.run(storm())
        finally:
            go_on.set()
            blocked.join()
        assert len(refused) == 75
        for reply in refused:  # while nothing could be stored
            assert_problem(reply, 503, "busy")
            assert reply.headers["retry-after"] == "1"
        assert sum(reply.status_code == 200 for reply in replies) == arena.votes == 26
        for number, reply in enumerate(replies):
            again = service.voter(f"voter-{number:04d}").vote(pairs[number]["ticket"])
            assert again.status_code == 200
            if reply.status_code == 200:
                assert again.json() == reply.json()
        assert arena.votes == 101


def test_names_of_the_host(tmp_path):
    with hosted(tmp_path / "arena.db", public_url="https://votes.example.org") as service:
        for host, status in (
            ("votes.example.org", 200),
            ("127.0.0.1:8000", 200),
            ("localhost", 200),
            ("[::1]:8000", 200),
            ("evil.example", 421),
            ("", 421),
        ):
            reply = service.client.get("/health", headers={"Host": host})
            assert reply.status_code == status, host


def test_every_response_is_dressed(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        for reply in (
            service.client.get("/health"),
            service.client.get("/nothing/here"),
            service.client.request("PUT", "/health"),
            service.voter()("POST", "ask", {}),
            service.voter()("POST", "ask", {"n": 0}),
        ):
            assert reply.headers["content-security-policy"].startswith("default-src 'none'")
            assert reply.headers["x-content-type-options"] == "nosniff"
            assert reply.headers["referrer-policy"] == "no-referrer"
            assert reply.headers["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in reply.headers
        page = service.client.get("/a/arena").headers["content-security-policy"]
        assert "frame-ancestors 'self'" in page and "unsafe" not in page


def test_only_listed_sites_may_call(tmp_path):
    site = "https://blog.example.org"
    with hosted(tmp_path / "arena.db", origins=(site,)) as service:
        for origin, allowed in ((site, True), ("https://evil.example", False), ("null", False)):
            headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            preflight = service.client.request("OPTIONS", f"{API}/vote", headers=headers)
            reply = service.voter()("POST", "ask", {}, headers={"Origin": origin})
            for found in (preflight, reply):
                assert (found.headers.get("access-control-allow-origin") == origin) == allowed
        reply = service.admin("GET", "items", headers={"Origin": site})
        assert "access-control-allow-origin" not in reply.headers
        assert site in service.client.get("/a/arena").headers["content-security-policy"]


def test_metrics_from_elsewhere_need_a_key(tmp_path):
    with hosted(tmp_path / "arena.db", peer="192.0.2.7") as service:
        assert_problem(service.client.get("/metrics"), 401, "key-needed")
        assert service.reader("GET", "/metrics").status_code == 200
    with hosted(tmp_path / "arena.db") as service:
        assert service.client.get("/metrics").status_code == 200
        for name in ("X-Forwarded-For", "Forwarded", "Via"):
            behind = {name: "203.0.113.9"}
            assert_problem(service.client.get("/metrics", headers=behind), 401)


@pytest.mark.parametrize(
    "bad",
    [
        {"port": 70_000},
        {"proxy_hops": -1},
        {"workers": 0},
        {"public_url": "votes.example.org"},
        {"public_url": "https://votes.example.org/sub"},
        {"origins": ("*",)},
        {"origins": ("https://blog.example.org/",)},
    ],
)
def test_bad_configuration(bad):
    with pytest.raises(ValueError, match="must be"):
        ServiceConfig("arena.db", **bad)


def test_configuration_survives_the_environment():
    config = ServiceConfig("arena.db", origins=("https://a.example",), limits=Limits(items=7))
    assert ServiceConfig.from_json(config.to_json()) == config
