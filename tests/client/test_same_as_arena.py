"""The same script against an arena and against a service: everything it sees is the same."""

import asyncio
import inspect

import pytest

import sparring
from client_service import served
from sparring.arena import (
    AnswerConflictError,
    Arena,
    ArenaClosedError,
    TicketError,
    UndoError,
    check,
)
from sparring.checks import UnknownNameError
from sparring.client import AsyncClient, Client

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ARMS = {
    "plain": {"kind": "text", "text": "Answer."},
    "polite": {"kind": "markdown", "text": "Answer *kindly*."},
    "terse": {"kind": "text", "text": "Answer in a word."},
    "tie/bow & co": {"kind": "text", "text": "Answer in style."},
}
SEED = 5


def pairs_of(tickets):
    """What tickets show; which side is first is a coin of each arena's own."""
    return [{it.first, it.second} for it in tickets]


def refused(kind, call, *given):
    with pytest.raises(kind) as found:
        call(*given)
    # A name that is unknown comes over HTTP as what is wrong with it, in the same words.
    assert type(found.value) is kind or (kind, type(found.value)) == (ValueError, UnknownNameError)
    return str(found.value)


def script(arena):
    """All that one can do with an arena; what was seen, without times, tickets and sides."""
    seen = [arena.arms, arena.settings, arena.serve(), arena.votes, arena.verdicts()]
    first = arena.ask(voter="ann")
    assert arena.ask("ann") == first
    assert arena.ask_many("ann", 2)[0] == first
    seen.append(pairs_of(arena.ask_many("ann", 3)))
    assert arena.seen(first) is None
    told = arena.tell(first.text, min(first.first, first.second))
    assert arena.tell(first, min(first.first, first.second)) == told
    seen += [told, refused(AnswerConflictError, arena.tell, first, "tie")[:30]]
    for answer in ("tie", "both good", "both bad", "skip"):
        seen.append(arena.tell(arena.ask("bob"), answer))
    seen += [refused(TicketError, arena.tell, text, "tie") and 0 for text in ("", "x" * 60)]
    seen += [refused(TicketError, arena.undo, "x" * 60) and 0]
    open_one = arena.ask("bob")
    refused(ValueError, arena.tell, open_one, "first")
    refused(ValueError, arena.tell, open_one.text, "nobody")
    refused(ValueError, arena.tell, open_one, 1.5)
    seen.append(arena.tell(open_one, 0.5))
    seen.append(refused(UndoError, arena.undo, open_one))

    seen.append(arena.set(grace=60, uniform=0.2, cap=1000, page={"title": "Prompts"}))
    for _ in range(60):
        ticket = arena.ask("cat")
        arena.tell(ticket.text, min(ticket.first, ticket.second))
    again = arena.undo(ticket)
    assert {again.first, again.second} == {ticket.first, ticket.second}
    refused(AnswerConflictError, arena.tell, ticket, ticket.first)
    arena.tell(again, "both bad")
    arena.set(grace=0)

    arena.add("formal", boost=2.0, content={"kind": "text", "text": "Sir,"})
    arena.add("formal")
    more = {"brief": None, "warm": {"kind": "text", "text": "Dear"}, "formal": None}
    arena.add_all(more)
    arena.add_all(more)  # what is there stays as it is
    arena.add_all({})
    refused(ValueError, arena.add_all, {"cold": None, "": None})
    refused(ValueError, arena.add_all, {"cold": None, "skip": None})
    assert "cold" not in arena.arms
    arena.edit("plain", {"kind": "text", "text": "Reply."})
    arena.withdraw("terse")
    arena.withdraw("terse")
    for call in (arena.withdraw, lambda name: arena.edit(name, {"kind": "text", "text": "?"})):
        refused(ValueError, call, "nobody")
    refused(ValueError, arena.add, "")
    seen += [pairs_of(arena.ask_many(None, 20)), arena.arms]
    seen.append(arena.import_votes([("plain", "polite", 1.0, 1e9)], source="paper"))
    refused(ValueError, lambda: arena.import_votes([("plain", "nobody", 1.0)], source="paper"))
    assert arena.import_votes([], source="paper") == 0

    cat = next(record.voter for record in reversed(list(arena.records())) if record.voter)
    assert arena.pseudonym("cat") == cat
    arena.judge(cat, "held")
    seen.append(arena.tell(arena.ask("cat"), "tie"))
    arena.judge(cat, "banned")
    assert arena.verdicts() == {cat: "banned"}
    seen.append(arena.votes)
    arena.judge(cat, "free")
    refused(ValueError, arena.judge, cat, "shot")
    refused(ValueError, lambda: arena.set(mode="sleepy"))

    arena.set(status="paused")
    seen.append(refused(ArenaClosedError, arena.ask))
    arena.set(status="open")
    tallies = arena.tallies()
    assert tallies.first_won + tallies.second_won == 60  # Cat's; Ann's was taken back
    tallies.first_won = tallies.second_won = 0
    standing = arena.standing()
    seen += [tallies, standing.favourite, standing.confidence, arena.favourite, arena.votes]
    seen += [arm._replace(since=None) for arm in standing.arms]
    seen += [item._replace(since=None, withdrawn=None) for item in arena.items()]
    seen += [
        (one.number, {one.first, one.second}, one.counted, one.why, one.uniform, one.source)
        for one in arena.records()
    ]
    return seen


def weights(path):
    """All that the learner has become, but for its random name."""
    with Arena(path) as arena:
        snapshot, number = arena._look(lambda state: (state.learner.snapshot(), state.number))
    return {**snapshot, "id": None, "digest": None}, number


@pytest.mark.parametrize("learner", ["tracker", "steady"])
def test_a_script_sees_the_same_and_leaves_the_same_weights(tmp_path, learner):
    made = {"learner": learner, "seed": SEED}
    if learner == "steady":
        made["options"] = {"memory": 5000}
    with Arena(tmp_path / "here.db", ARMS, **made) as arena:
        here = script(arena)
    with (
        served(tmp_path / "there.db", ARMS, **made) as service,
        sparring.Client(service.address, key=service.admin) as client,
    ):
        there = script(client)
    assert len(here) == len(there)
    for one, other in zip(here, there, strict=True):
        assert one == other
    assert weights(tmp_path / "here.db") == weights(tmp_path / "there.db")
    found = check(tmp_path / "there.db")  # the library folds the service's log to the same
    assert (found.redrawn, found.other) == (0, ())
    assert found.equal


def test_tickets_carry_the_contents(tmp_path):
    with (
        served(tmp_path / "arena.db", ARMS) as service,
        sparring.Client(service.address, key=service.writer) as client,
    ):
        for ticket in client.ask_many(None, 10):
            assert ticket.contents == (ARMS[ticket.first], ARMS[ticket.second])


def test_a_coroutine_can_do_the_same(tmp_path):
    async def vote(service):
        async with sparring.AsyncClient(service.address, key=service.admin) as arena:
            tickets = await asyncio.gather(*(arena.ask(f"voter {n}") for n in range(20)))
            told = await asyncio.gather(*(arena.tell(it.text, it.first) for it in tickets))
            with pytest.raises(AnswerConflictError):
                await arena.tell(tickets[0], tickets[0].second)
            assert await arena.tell(tickets[0], tickets[0].first) == told[0]
            assert await arena.votes() == (await arena.standing()).votes == 20
            assert await arena.favourite() == await arena.serve()
            assert [one.counted async for one in arena.records()] == [True] * 20
            assert (await arena.set(dwell=1)).dwell == (await arena.settings()).dwell == 1
            return {one.number for one in told}

    with served(tmp_path / "arena.db", ARMS) as service:
        assert len(asyncio.run(vote(service))) == 20


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_signatures_are_those_of_the_arena(kind):
    left_out = {
        "asking",
        "telling",
        "perform",
        "history",
        "checkpoint",
        "open_tickets",
    }  # own process
    left_out |= {
        "address",
        "duplicates",
        "learner",
        "name",
    }  # of the database, or known
    for name, method in inspect.getmembers(Arena):
        if name.startswith("_") or name in left_out:
            continue
        mine = getattr(kind, name)
        if callable(method):
            assert inspect.signature(mine).parameters == inspect.signature(method).parameters, name
        elif kind is Client:
            assert isinstance(mine, property)
