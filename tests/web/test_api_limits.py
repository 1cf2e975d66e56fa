"""What is too much, too often or from elsewhere is refused, and nothing is lost."""

import asyncio
import threading

import httpx
import pytest

from sparring.web.config import Limits, ServiceConfig
from sparring.web.limits import Allowance, Throttle, caller_address, neighbourhood
from web_service import API, FREE, assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


def test_an_allowance_fills_again():
    allowance = Allowance(3, 60.0)
    assert [allowance.wait(b"ann", 0.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert allowance.wait(b"ann", 0.0) == pytest.approx(20.0)
    assert allowance.wait(b"bob", 0.0) == 0.0
    assert allowance.wait(b"ann", 10.0) == pytest.approx(10.0)
    assert allowance.wait(b"ann", 20.0) == 0.0
    assert allowance.wait(b"ann", 20.0) > 0.0


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr("sparring.web.limits.REMEMBERED", 100)
    allowance = Allowance(1, 60.0)
    for number in range(1000):
        assert allowance.wait(str(number).encode(), float(number)) == 0.0
    assert len(allowance._buckets) == 100


def test_a_day_later_all_is_forgotten():
    now = [0.0]
    throttle = Throttle(Limits(voter_day=2, voter_minute=0, address_minute=0), lambda: now[0])
    waits = [throttle.wait("ann", "192.0.2.1", is_vote=True) for _ in range(3)]
    assert waits[:2] == [0.0, 0.0] and waits[2] == pytest.approx(43200)
    assert throttle.wait("ann", "192.0.2.1", is_vote=False) == 0.0
    now[0] = 90_000.0
    assert throttle.wait("ann", "192.0.2.1", is_vote=True) == 0.0
    assert not any(b"192.0.2" in key for key in throttle._day[1]._buckets)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.254", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("::ffff:192.0.2.1", "192.0.2.9", True),
        ("2001:db8:0:1200::1", "2001:db8:0:12ff:1::", True),
        ("2001:db8:0:1200::1", "2001:db8:0:1300::1", False),
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
    ],
)
def test_only_our_own_proxies_are_believed(hops, forwarded, found):
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "client": ("192.0.2.1", 1), "headers": headers}
    assert caller_address(scope, hops) == found


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


def test_bodies_that_are_too_long(tmp_path):
    limits = Limits(**{**FREE.__dict__, "body": 1000, "bulk": 5000})
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        before = service.arena()._look(lambda state: state.number)

        async def pieces():
            for _ in range(100):
                yield b"x" * 100

        for content in (b"x" * 1001, pieces()):
            reply = service.voter()("POST", "ask", content=content)
            assert_problem(reply, 413, "too-long")
        reply = service.writer("POST", "items/bulk", content=b"name\n" + b"x" * 4000)
        assert_problem(reply, 422)
        reply = service.writer("POST", "items/bulk", content=b"x" * 5001)
        assert_problem(reply, 413)
        for length in ("-1", "1e3", "9" * 30):
            reply = service.voter()("POST", "ask", content=b"", headers={"Content-Length": length})
            assert_problem(reply, 413)
        assert service.arena()._look(lambda state: state.number) == before


def test_overload_is_refused_at_once_and_loses_nothing(tmp_path):
    """Four times as many calls as may wait, while the database stands still."""
    limits = Limits(**{**FREE.__dict__, "waiting": 25})
    with hosted(tmp_path / "arena.db", limits=limits) as service:
        pairs = [service.voter(f"voter-{number:04d}").ask()[0] for number in range(100)]
        arena, go_on = service.arena(), threading.Event()
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
                votes = [asyncio.create_task(vote(client, number)) for number in range(100)]
                refused, before = set(), -1
                while len(refused) != before:  # until all that can be refused are
                    before = len(refused)
                    refused, _ = await asyncio.wait(votes, timeout=0.5)
                go_on.set()
                return [done.result() for done in refused], await asyncio.gather(*votes)

        try:
            refused, replies = service.client.run(storm())
        finally:
            go_on.set()
            blocked.join()
        assert refused
        for reply in refused:  # while nothing could be stored
            assert_problem(reply, 503, "busy")
            assert reply.headers["retry-after"] == "1"
        accepted = [reply for reply in replies if reply.status_code == 200]
        assert len(accepted) >= 25
        assert all(reply.status_code in (200, 503) for reply in replies)
        assert arena.votes == len(accepted)
        for number, reply in enumerate(replies):
            again = service.voter(f"voter-{number:04d}").vote(pairs[number]["ticket"])
            assert again.status_code == 200
            if reply.status_code == 200:
                assert again.json() == reply.json()
        assert arena.votes == 100


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
        behind = {"X-Forwarded-For": "203.0.113.9"}
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
