"""What a client does when the way is bad: it tries again, counts once, and never tells its key."""

import asyncio
import json
import logging
import re
import subprocess
import sys
import time

import httpx
import pytest

from sparring.arena import (
    AnswerConflictError,
    ArenaClosedError,
    StorageError,
    Ticket,
    TicketError,
    UndoError,
    tickets,
)
from sparring.arena.tickets import Claims
from sparring.client import AsyncClient, Client

CANARY = "spk_canary-7f3a"
ADDRESS = "http://arena.test:8000"
TOLD = {"number": 3, "learnt": True, "why": "", "reveal": None, "pairs": []}
TICKET = Ticket("plain", "terse", tickets.write(Claims("00" * 12, 0, 1, 5), b"key"))


def problem(status, kind, detail="So it is.", **headers):
    document = {"type": f"urn:sparring:problem:{kind}", "status": status, "detail": detail}
    return httpx.Response(status, json=document, headers=headers)


class Service:
    """Replies in turn; an exception is a connection that is lost."""

    def __init__(self, *replies):
        self.replies, self.requests = list(replies), []

    def __call__(self, request):
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, httpx.Response) else httpx.Response(200, json=reply)


@pytest.fixture
def waits(monkeypatch):
    """Seconds that would have been waited."""
    found = []

    async def sleep(seconds):
        found.append(seconds)

    monkeypatch.setattr(time, "sleep", found.append)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    return found


def client_of(*replies, **options):
    client = Client(ADDRESS, key=CANARY, **options)
    service = Service(*replies)
    client._http = httpx.Client(**client._options(), transport=httpx.MockTransport(service))
    return client, service


@pytest.mark.parametrize("is_async", [False, True])
def test_what_is_lost_is_sent_again(waits, is_async):
    replies = httpx.ReadError("cut"), httpx.ConnectTimeout("slow"), problem(503, "busy"), TOLD
    client, service = client_of(*replies)
    if is_async:
        client = AsyncClient(ADDRESS, key=CANARY)
        transport = httpx.MockTransport(service)
        client._http = httpx.AsyncClient(**client._options(), transport=transport)
        assert asyncio.run(client.tell(TICKET, "terse")) == (3, True, "")
    else:
        assert client.tell(TICKET, "terse") == (3, True, "")
    assert len({request.content for request in service.requests}) == 1
    assert json.loads(service.requests[0].content) == {"ticket": TICKET.text, "answer": "second"}
    assert len(waits) == 3
    assert [0.05 * 2**n <= seconds <= 0.1 * 2**n for n, seconds in enumerate(waits)] == [True] * 3


def test_it_waits_as_long_as_the_service_asks_for(waits):
    busy = {"Retry-After": "7"}
    client, _ = client_of(problem(429, "too-often", **busy), problem(503, "storage", **busy), TOLD)
    client.tell(TICKET, 0.25)
    assert waits == [7, 7]
    client, service = client_of(problem(503, "busy", "Too much.", **{"Retry-After": "60"}))
    with pytest.raises(StorageError, match="Too much"):
        client.tell(TICKET, 0.25)
    assert len(service.requests) == 1


def test_patience_ends(waits):
    client, service = client_of(*[httpx.ConnectError("no")] * 99, patience=2)
    with pytest.raises(StorageError, match=r"no service answers at http://arena\.test:8000.*serve"):
        client.ask()
    assert 0.7 < sum(waits) <= 2  # four pauses at least, of half their length by chance
    assert len(service.requests) == len(waits) + 1


def test_what_has_no_ticket_is_not_sent_twice(waits):
    rows = [("plain", "terse", 1.0)]
    client, service = client_of(httpx.ReadTimeout("slow"), {"imported": 1})
    with pytest.raises(StorageError, match="look before you try again"):
        client.import_votes(rows, source="paper")
    assert len(service.requests) == 1
    client, service = client_of(httpx.ConnectError("no"), {"imported": 1})
    assert client.import_votes(rows, source="paper") == 1


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (problem(409, "answered-otherwise"), AnswerConflictError, "So it is"),
        (problem(409, "too-late-to-undo"), UndoError, "So it is"),
        (problem(404, "no-such-ticket"), TicketError, "So it is"),
        (problem(409, "arena-not-open"), ArenaClosedError, "So it is"),
        (problem(422, "bad-input"), ValueError, "So it is"),
        (problem(413, "too-long"), ValueError, "So it is"),
        (problem(401, "unknown-key"), PermissionError, "SPARRING_KEY"),
        (problem(403, "role-too-low"), PermissionError, "a higher role"),
        (problem(422, "bad-voter"), PermissionError, "SPARRING_KEY"),
        (problem(500, "unexpected"), StorageError, "arena.test"),
        (problem(404, "not-found"), StorageError, "without /a/NAME"),
        (httpx.Response(404, text="<html>nginx</html>"), StorageError, "without /a/NAME"),
        (httpx.Response(302, headers={"Location": "http://evil.test"}), StorageError, "302"),
    ],
)
def test_problems_are_the_exceptions_of_an_arena(reply, kind, words):
    client, service = client_of(reply)
    with pytest.raises(kind, match=words) as found:
        client.ask()
    assert type(found.value) is kind
    assert len(service.requests) == 1


def test_an_unknown_arena_is_told_with_those_that_are_there():
    client, _ = client_of(problem(404, "no-such-arena"), {"arenas": ["one", "two"]}, name="three")
    with pytest.raises(StorageError, match=r"no arena 'three'. It has \['one', 'two'\]"):
        client.serve()


@pytest.mark.parametrize("address", ["arena.test", "ftp://arena.test", "http://", "http://a:b@c"])
def test_addresses_that_are_none(address):
    with pytest.raises(ValueError, match="address must be"):
        Client(address)


def test_nobody_is_told_the_key(caplog, capfd, waits, monkeypatch):
    caplog.set_level(logging.DEBUG)
    client, _ = client_of(httpx.ReadError("cut"), problem(401, "unknown-key"))
    with pytest.raises(PermissionError) as found:
        client.ask()
    told = [repr(client), str(found.value), caplog.text, *capfd.readouterr()]
    for key in (f"{CANARY} and more", f"{CANARY}\n\x00", f"{CANARY}é"):
        with pytest.raises(ValueError, match="key must be") as refused:
            Client(ADDRESS, key=key)
        told.append(str(refused.value))
    assert not any(CANARY in text for text in told)
    monkeypatch.setenv("SPARRING_KEY", CANARY)
    assert Client(ADDRESS)._options()["headers"]["Authorization"] == f"Bearer {CANARY}"


def test_it_is_imported_when_it_is_asked_for():
    program = (
        "import sys; sys.modules['httpx'] = None\n"
        "import sparring; assert 'sparring.client' not in sys.modules\n"
        "try: sparring.Client('http://arena.test')\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert re.match(r"a client needs httpx: pip install .*\[client\]'\n", done.stdout), done.stderr
