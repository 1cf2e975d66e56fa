"""Front: one arena as coroutines see it; the frequent calls share transactions."""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sparring.arena import (
    Answer,
    Arena,
    ArenaClosedError,
    Call,
    Settings,
    Ticket,
)
from sparring.arena.inside import Inside
from sparring.arena.state import State
from sparring.web.config import Limits
from sparring.web.desk import Desk, Work
from sparring.web.limits import Outstanding, too_many

Result = TypeVar("Result")


class Asked(NamedTuple):
    """Pairs to show, and the settings that say how."""

    tickets: list[Ticket]
    settings: Settings


class Voted(NamedTuple):
    """What happened to a vote, the names of its two arms, and what to show next."""

    answer: Answer
    is_new: bool
    """Whether it was told for the first time."""
    first: str
    second: str
    asked: Asked


class Front:
    """An arena for one event loop.

    Asking and voting go through the desk, many in a transaction. Everything else is done by the
    arena in a thread, and does not wait behind the votes at the desk.
    """

    def __init__(
        self,
        name: str,
        arena: Arena,
        limits: Limits,
        failed: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        self.name = name
        self.arena = arena
        self.desk = Desk(self._perform, limits.waiting, failed)
        self._inside = Inside(arena)
        self._most_open = limits.open
        self._outstanding = Outstanding(limits.address_ahead)
        self._pseudonym = lru_cache(maxsize=10_000)(arena.pseudonym)

    @property
    def open_pairs(self) -> int:
        """How many pairs can still be answered, as far as this process knows."""
        return self._inside.open_pairs

    @property
    def known_settings(self) -> Settings | None:
        """The settings as far as this process knows, without a look at the database."""
        return self._inside.known_settings

    async def close(self) -> None:
        """Finish what waits, save the state and close the database."""
        await self.desk.close()
        await asyncio.to_thread(self.arena.close)

    # Within a shared transaction.

    async def ask(self, voter: str | None, n: int, address: str | None = None) -> Asked:
        """The open pairs of a voter, oldest first, filled up to n.

        If an address is given, old pairs from its neighbourhood may lapse.
        """
        return await self.desk.do(lambda: self._asked(self._who(voter), n, address))

    async def vote(
        self,
        text: str,
        answer: str | float,
        voter: str | None,
        *,
        ahead: int = 0,
        address: str | None = None,
    ) -> Voted:
        """Learn an answer; returns more open pairs for the voter, if the arena still asks."""

        def work() -> Voted:
            who, state = self._who(voter), self._inside.state
            claims = self._inside.claims(text, who)
            if isinstance(answer, str) and answer not in state.settings.answers:
                allowed = ", ".join(("first", "second", *state.settings.answers))
                raise ValueError(f"answer must be one of {allowed}")
            before = state.number
            told = self._inside.tell(claims, answer)
            is_new = self._inside.state.number > before
            first, second = (state.arms[arm].name for arm in (claims.first, claims.second))
            return Voted(told, is_new, first, second, self._asked_if_open(who, ahead, address))

        return await self.desk.do(work)

    async def undo(self, text: str, voter: str | None) -> Asked:
        """Take an answer back: the same pair with a new ticket."""

        def work() -> Asked:
            again = self._inside.undo(self._inside.claims(text, self._who(voter)))
            return Asked([again], self._inside.state.settings)

        return await self.desk.do(work)

    async def seen(self, text: str, voter: str | None) -> None:
        """The pair is on the screen now."""

        def work() -> None:
            self._inside.seen(self._inside.claims(text, self._who(voter)))

        await self.desk.do(work)

    async def be_ready(self) -> None:
        """Return once a vote could have been stored: it waits where votes do."""
        await self.desk.do(lambda: None)

    async def take_in(self, items: dict[str, dict[str, str] | None], most: int) -> dict[str, int]:
        """Add and edit items, all or none; how many of each."""

        def work() -> dict[str, int]:
            state = self._inside.state
            before = {state.arms[arm].name: state.arms[arm].content for arm in state.present}
            if len(before.keys() | items.keys()) > most:
                raise ValueError(f"an arena has at most {most:,} items")
            self._inside.add_all(items)
            edited = {
                name: content
                for name, content in items.items()
                if name in before and content is not None and content != before[name]
            }
            for name, content in edited.items():
                self._inside.edit(name, content)
            added, same = len(items.keys() - before.keys()), len(before.keys() & items.keys())
            return {"added": added, "edited": len(edited), "unchanged": same - len(edited)}

        return await self.desk.do(work)

    # In a thread.

    async def look(self, read: Callable[[State], Result]) -> Result:
        """Look at the state. It must be quick, and must not keep the state."""
        return await asyncio.to_thread(self._inside.look, read)

    async def call(self, work: Callable[[Arena], Result]) -> Result:
        """Let the arena do something by one of its own methods."""
        return await asyncio.to_thread(work, self.arena)

    def _perform(self, works: list[Work]) -> list[Any]:
        """Carry out calls in one transaction of the arena."""
        calls: list[Call[Any]] = [self._inside.calling(work) for work in works]
        self.arena.perform(calls)
        return [_outcome(call) for call in calls]

    def _asked(self, who: str | None, n: int, address: str | None) -> Asked:
        state = self._inside.state
        found = Asked(self._inside.ask(who, n) if n else [], state.settings)
        mine = () if who is None else state.asked.get(who, ())
        excess = islice(state.open, too_many(len(state.open), self._most_open))
        lapsing = [name for name in excess if name not in mine]
        if address is not None and n:
            lapsing += self._outstanding.note(address, mine, state.open)
        if lapsing:
            self._inside.lapse(lapsing)
        return found

    def _asked_if_open(self, who: str | None, n: int, address: str | None) -> Asked:
        try:
            return self._asked(who, n, address)
        except ArenaClosedError:  # the vote counts all the same
            return Asked([], self._inside.state.settings)

    def _who(self, voter: str | None) -> str | None:
        return None if voter is None else self._pseudonym(voter)


def _outcome(call: Call[Any]) -> Any:
    try:
        return call.outcome()
    except Exception as error:
        return error
