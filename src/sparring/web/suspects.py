"""Warden: while a service runs, holds voters whose answers do not look honest."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from sparring.arena import Arena
from sparring.arena.holding import Holding
from sparring.arena.suspects import Suspicion
from sparring.web.workers import Workers

EVERY = 5.0  # seconds between two looks
NAME = "the look at voters"  # among the workers

log = logging.getLogger("sparring.web")


class Guarded(Protocol):
    """What the warden needs from a service."""

    workers: Workers

    def names(self) -> list[str]:
        """The names of the arenas."""

    def arena(self, name: str) -> Arena:
        """The arena of a name, for threads."""


class Warden:
    """One task that looks at what is new, in a thread, so that no vote waits for it.

    Parameters
    ----------
    service
        The arenas.
    is_my_turn
        Asked before each look: of several processes one is enough.
    """

    def __init__(self, service: Guarded, is_my_turn: Callable[[], bool] = lambda: True) -> None:
        self._service, self._is_my_turn = service, is_my_turn
        self._holdings: dict[str, Holding] = {}
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to look."""
        self._task = task = asyncio.create_task(self._run())
        self._service.workers.add(NAME, lambda: not task.done())

    async def close(self) -> None:
        """Stop; a look that has begun is finished, as it uses the arena."""
        if self._task is not None:
            self._service.workers.remove(NAME)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def look(self, name: str) -> list[Suspicion]:
        """Look at an arena; who is held from now on."""
        if name not in self._holdings:
            self._holdings[name] = Holding(self._service.arena(name))
        looking = asyncio.create_task(asyncio.to_thread(self._holdings[name].look))
        try:
            found = await asyncio.shield(looking)
        except asyncio.CancelledError:
            await looking
            raise
        for one in found:
            log.warning("held a voter of %r: %s", name, one.words)
        return found

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            for name in self._service.names():
                try:
                    if self._is_my_turn() and await asyncio.to_thread(
                        _is_wanted, self._service.arena(name)
                    ):
                        await self.look(name)
                except Exception as error:  # a look that fails must not end all looking
                    self._service.workers.failed(NAME, error)


def _is_wanted(arena: Arena) -> bool:
    """Whether the owner wants voters held, which may also hit honest people with firm tastes."""
    return arena.settings.hold
