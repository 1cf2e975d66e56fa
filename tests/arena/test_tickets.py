"""No ticket is accepted that this arena did not write, or that was changed by a bit."""

import base64
import hmac
import random
import string

import pytest

from sparring.arena import Arena, TicketError, tickets
from sparring.arena.tickets import Claims

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
ALPHABET = string.ascii_letters + string.digits + "-_+/=. \n"


def ticket(luck, key=KEY):
    name = luck.randbytes(12).hex()
    return tickets.write(Claims(name, luck.randrange(9), luck.randrange(9), 10**15), key)


def refused(text, key=KEY):
    try:
        tickets.read(text, key)
    except TicketError:
        return True
    return False


def test_says_what_was_written():
    claims = Claims("ab" * 12, 3, 2**32 - 1, 2**60)
    assert tickets.read(tickets.write(claims, KEY), KEY) == claims


@pytest.mark.parametrize("key", [KEY, OTHER, b"", bytes(64)])
def test_signatures_are_those_of_hmac(key):
    """Which are put together here from digests that were begun before."""
    for _ in range(2):
        data = base64.urlsafe_b64decode(ticket(random.Random(3), key))
        content, signature = data[:-16], data[-16:]
        assert signature == hmac.digest(key, b"ticket " + content, "sha256")[:16]


def test_no_forgery_is_accepted():
    """100,000 of them: bits flipped, cut, grown, of another arena, of another alphabet, made up."""
    luck, accepted = random.Random(1), 0
    for number in range(100_000):
        text = ticket(luck)
        match number % 6:
            case 0:
                place, bit = luck.randrange(len(text)), 1 << luck.randrange(8)
                forged = text[:place] + chr(ord(text[place]) ^ bit) + text[place + 1 :]
            case 1:
                forged = text[: luck.randrange(len(text))]
            case 2:
                place = luck.randrange(len(text) + 1)
                forged = text[:place] + luck.choice(ALPHABET) + text[place:]
            case 3:
                forged = ticket(luck, OTHER)
            case 4:
                forged = text.replace("-", "+").replace("_", "/") + luck.choice(["", "=", "\n"])
                forged += "" if forged != text else "="
            case _:
                forged = "".join(luck.choices(ALPHABET, k=len(text)))
        accepted += not refused(forged)
    assert accepted == 0


@pytest.mark.parametrize("text", [None, 7, b"x", "", "é" * 60, "A" * 10**6, ["a"], "\ud800"])
def test_what_is_no_text_is_refused(text):
    assert refused(text)


def test_an_expired_ticket_is_kept_and_not_learnt(tmp_path, monkeypatch):
    arena = Arena(tmp_path / "arena.db", ["a", "b", "c"], lifetime="10min")
    early, late = arena.ask(), arena.ask()
    now = arena._clock()
    monkeypatch.setattr("sparring.arena.making.now", lambda: now + 599_000_000)
    assert arena.tell(early, "tie").learnt
    monkeypatch.setattr("sparring.arena.making.now", lambda: now + 601_000_000)
    answer = arena.tell(late, late.first)
    assert (answer.learnt, answer.why) == (False, "it came too late")
    assert arena.tell(late, late.first) == answer
    assert arena.votes == 1
    arena.close()


def test_another_arenas_ticket_is_refused(tmp_path):
    with (
        Arena(tmp_path / "one.db", ["a", "b"]) as one,
        Arena(tmp_path / "two.db", ["a", "b"]) as two,
    ):
        with pytest.raises(TicketError, match="not a ticket of this arena"):
            two.tell(one.ask(), "a")
        assert two.votes == 0


def test_a_database_brought_back_does_not_mistake_later_tickets(tmp_path):
    """Answers to questions that the copy does not know are kept, and never learnt on other arms."""
    here, copy = tmp_path / "arena.db", tmp_path / "copy.db"
    with Arena(here, ["a", "b", "c", "d"]) as arena:
        arena.tell(arena.ask(), "tie")
    copy.write_bytes(here.read_bytes())
    with Arena(here) as arena:
        lost = [arena.ask() for _ in range(20)]
    with Arena(copy) as arena:
        for _ in range(20):
            arena.ask()  # the same numbers, other tickets
        answers = [arena.tell(ticket, ticket.first) for ticket in lost]
        assert not any(answer.learnt for answer in answers)
        assert "older copy" in answers[0].why
        assert arena.votes == 1
        assert arena.tell(lost[0], lost[0].first) == answers[0]
