"""Many calls that one thread has performed at once: each is itself, and all are on disk or none."""

import itertools

import pytest

from interrupting import Interrupter
from sparring.arena import AnswerConflictError, Arena, StorageError, TicketError

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ARMS = ["a", "b", "c"]


def test_calls_are_performed_in_one_transaction(tmp_path):
    """Each has an outcome of its own, and they are in the log in the order in which they came."""
    with Arena(tmp_path / "arena.db", ARMS) as arena:
        asks = [arena.asking("ann"), arena.asking(), arena.asking("ann")]
        arena.perform(asks)
        ann, somebody, again = (ask.outcome()[0] for ask in asks)
        assert ann == again != somebody
        told = [arena.telling(ann, "tie"), arena.telling(ann.text, "tie"), arena.telling(ann, 1)]
        told += [arena.telling(somebody, "nobody"), arena.telling(somebody, somebody.first)]
        arena.perform(told)
        assert told[0].outcome() == told[1].outcome() == (4, True, "")
        for call, error in ((told[2], AnswerConflictError), (told[3], ValueError)):
            with pytest.raises(error):
                call.outcome()
        assert told[4].outcome().number == 5
        with pytest.raises(TicketError):
            arena.telling("no ticket", "tie")
        assert arena.votes == 2


def test_calls_that_cannot_be_stored_all_fail(tmp_path, monkeypatch):
    with Arena(tmp_path / "arena.db", ARMS) as arena:
        ticket = arena.ask()
        monkeypatch.setattr(arena._log, "write", lambda: arena._database.rows("no statement"))
        calls = [arena.asking(), arena.telling(ticket, "tie")]
        arena.perform(calls)
        for call in calls:
            with pytest.raises(StorageError, match="Nothing was stored"):
                call.outcome()
        monkeypatch.undo()
        assert arena.votes == 0
        assert arena.tell(ticket, "tie").learnt


def test_interrupts_while_calls_are_performed(tmp_path):
    """All of them are done or none is, and what is told again is there once."""
    with Arena(tmp_path / "arena.db", ARMS) as arena:
        for n in itertools.count(1, 61):
            tickets, before = [arena.ask(), arena.ask()], arena.votes
            calls = [arena.telling(ticket, "tie") for ticket in tickets]
            cut_off = Interrupter(n).call(arena.perform, calls)
            assert arena.votes - before in (0, 2)
            assert all(arena.tell(ticket, "tie").learnt for ticket in tickets)
            assert arena.votes - before == 2
            if not cut_off:
                break
        assert n > 500
