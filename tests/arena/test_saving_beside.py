"""A checkpoint is made beside whoever votes: nobody waits, and it is right or is not there."""

import sqlite3
import threading

import pytest

from sparring.arena import Arena, check, live

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ARMS = ["a", "b", "c", "d"]


def vote(arena, number, voter=None):
    for _ in range(number):
        ticket = arena.ask(voter)
        arena.tell(ticket, min(ticket.first, ticket.second))


def numbers(path):
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT number FROM sparring_checkpoints ORDER BY number")
        rows = [number for (number,) in found]
    connection.close()
    return rows


class Held:
    """The making of a checkpoint, which waits until it is let go on."""

    def __init__(self, pack):
        self._pack = pack
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, fields):
        if threading.current_thread().name == "sparring-saver":
            self.begun.set()
            assert self.go_on.wait(300)
        return self._pack(fields)

    def let_go(self, arena):
        self.go_on.set()
        arena._saver.join()


@pytest.fixture
def held(monkeypatch):
    monkeypatch.setattr(live, "REST", 0.0)
    monkeypatch.setattr(live, "CHECKPOINT", 20)
    found = Held(live.pack)
    monkeypatch.setattr(live, "pack", found)
    yield found
    found.go_on.set()


@pytest.fixture(params=["tracker", "steady"])
def arena(request, tmp_path, held):
    with Arena(tmp_path / "arena.db", ARMS, learner=request.param) as found:
        yield found
        held.go_on.set()


def test_votes_go_on_while_it_is_made_and_it_has_none_of_them(arena, held):
    arena.set(grace=60.0)
    for number in range(300):
        arena.ask(f"asker {number}")
    assert held.begun.wait(300)
    saver = arena._saver
    vote(arena, 50)
    vote(arena, 10, "ann")  # the latest can still be taken back
    assert arena._saver is saver  # one at a time
    assert max(numbers(arena.address), default=0) < 50  # of the start alone
    held.let_go(arena)
    found = max(numbers(arena.address))
    assert 20 <= found < 400
    checked = check(arena.address)
    assert found in checked.equal and not checked.other


@pytest.mark.parametrize("change", ["add", "withdraw", "ban"])
def test_it_is_dropped_if_what_it_was_made_from_has_changed(arena, held, change):
    vote(arena, 20, "ann")
    assert held.begun.wait(300)
    if change == "ban":
        arena.judge(arena.pseudonym("ann"), "banned")
    else:
        getattr(arena, change)("e" if change == "add" else "d")
    before = numbers(arena.address)
    held.let_go(arena)
    assert numbers(arena.address) == before
    assert not check(arena.address).other


def test_closing_waits_for_it(tmp_path, held):
    arena = Arena(tmp_path / "arena.db", ARMS)
    vote(arena, 20)
    assert held.begun.wait(300)
    closing = threading.Thread(target=arena.close)
    closing.start()
    held.go_on.set()
    closing.join(300)
    assert not closing.is_alive() and not arena._saver.is_alive()
    checked = check(tmp_path / "arena.db")
    assert checked.events in checked.equal and not checked.other


def test_closing_within_another_call_is_an_error_and_no_hang(tmp_path, held):
    with Arena(tmp_path / "arena.db", ARMS) as arena:
        vote(arena, 20)
        assert held.begun.wait(300)
        with pytest.raises(RuntimeError, match="in the midst of another call"):
            arena._group.alone(arena.close)
        held.go_on.set()


def test_one_that_cannot_be_made_is_tried_again(tmp_path, held, monkeypatch):
    held.go_on.set()
    pack, failed = live.pack, threading.Event()

    def fails_once(fields):
        if not failed.is_set():
            failed.set()
            raise MemoryError
        return pack(fields)

    monkeypatch.setattr(live, "pack", fails_once)
    with Arena(tmp_path / "arena.db", ARMS) as arena:
        vote(arena, 20)
        assert failed.wait(300)
        arena._saver.join()
        vote(arena, 1)
        arena._saver.join()
        assert max(numbers(arena.address), default=0) >= 20
    assert not check(tmp_path / "arena.db").other
