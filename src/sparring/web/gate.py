"""Gate: lets voters into an arena that is for invited people only, without asking each time."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sparring.arena import StorageError
from sparring.web.front import Front
from sparring.web.invites import InviteError, Invites
from sparring.web.problems import ProblemError

FRESH = 5.0  # seconds for which an answer is believed; another process may change it
PATIENCE = 5.0  # seconds to wait for the database
REMEMBERED = 100_000  # voters who were let in
LONGEST = 200  # letters of an invite

Result = TypeVar("Result")


class Gate:
    """Whether a voter may ask and vote.

    It waits for the database in two threads of its own, one for the list of guests and one for
    settings. If the database hangs, so do these two. Callers that come meanwhile wait in line, take
    no thread from others, and leave the line when told that it took too long.
    """

    def __init__(self, invites: Invites) -> None:
        self._invites = invites
        self._guests = ThreadPoolExecutor(1, "sparring-guests")
        self._settings = ThreadPoolExecutor(1, "sparring-settings")
        self._looked: dict[str, float] = {}
        self._let_in: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def demand(self, front: Front, voter: str, text: str | None) -> None:
        """Refuse a voter who is not invited, if the arena is for invited people."""
        if not await self._is_shut(front):
            return
        who, now = (front.name, voter), time.monotonic()
        if now - self._let_in.get(who, -FRESH) < FRESH:
            return
        given = text if text is None or len(text) <= LONGEST else text[:LONGEST]
        pseudonym = front.arena.pseudonym(voter)
        try:
            await _in_time(self._guests, lambda: self._invites.admit(front.name, pseudonym, given))
        except InviteError as error:
            raise ProblemError(403, error.kind, str(error)) from None
        self._let_in.pop(who, None)
        self._let_in[who] = now
        if len(self._let_in) > REMEMBERED:
            self._let_in.popitem(last=False)

    def forget(self) -> None:
        """Check everyone again: an invite was ended."""
        self._let_in.clear()

    def close(self) -> None:
        """Finish what was begun."""
        self._guests.shutdown(cancel_futures=True)
        self._settings.shutdown(cancel_futures=True)

    async def _is_shut(self, front: Front) -> bool:
        """Whether only invited people may enter; other processes' changes show within seconds."""
        known, now = front.known_settings, time.monotonic()
        if known is not None and now - self._looked.get(front.name, -FRESH) < FRESH:
            return known.invited
        self._looked[front.name] = now
        return await _in_time(self._settings, lambda: front.arena.settings.invited)


async def _in_time(thread: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
    """The result of work, if it does not take too long."""
    try:
        return await asyncio.wait_for(
            asyncio.get_running_loop().run_in_executor(thread, work), PATIENCE
        )
    except TimeoutError:
        raise StorageError(f"no answer for {PATIENCE:g} s") from None
