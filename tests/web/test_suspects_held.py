"""The warden of a service: it looks in the background, and holds whoever plants votes."""

import asyncio
import logging

import pytest

from sparring.arena import Arena
from sparring.web import suspects
from sparring.web.suspects import Warden
from sparring.web.workers import Workers

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


class OneArena:
    """A service of one arena."""

    def __init__(self, arena):
        self._arena, self.workers = arena, Workers()

    def names(self):
        return ["prompts"]

    def arena(self, name):
        return self._arena


def plant(arena):
    """Forty people prefer a to c, one does not."""
    for _ in range(5):
        for voter in [*(f"v{number}" for number in range(40)), *["robot"] * 20]:
            ticket = arena.ask(voter)
            pair = (ticket.first, ticket.second)
            arena.tell(ticket, max(pair) if voter == "robot" else min(pair))


def test_whoever_plants_votes_is_held(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(suspects, "EVERY", 0.01)
    caplog.set_level(logging.WARNING, "sparring.web")

    async def serve(arena, turns):
        warden = Warden(OneArena(arena), lambda: next(turns, True))
        warden.open()
        while not caplog.records:
            await asyncio.sleep(0.01)
        await warden.close()

    with Arena(tmp_path / "arena.db", ["a", "b", "c"], seed=1) as arena:
        arena.set(uniform=1.0, hold=True)
        plant(arena)
        learnt = arena.votes
        asyncio.run(serve(arena, iter([False])))
        assert arena.verdicts() == {arena.pseudonym("robot"): "held"}
        assert arena.votes == learnt  # nothing is taken away
        assert not arena.tell(arena.ask("robot"), "tie").learnt
    assert "answers are for" in caplog.text


def test_a_look_that_fails_does_not_end_all_looking(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(suspects, "EVERY", 0.001)

    class Broken(OneArena):
        looks = 0

        def arena(self, name):
            self.looks += 1
            raise OSError("no such thing")

    async def serve(service):
        warden = Warden(service)
        warden.open()
        while service.looks < 3:
            await asyncio.sleep(0.001)
        await warden.close()

    asyncio.run(serve(Broken(None)))
    assert "OSError" in caplog.text
