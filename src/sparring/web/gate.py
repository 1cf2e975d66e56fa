"""Gate: lets voters into an arena that is for invited people only, without asking each time."""

import asyncio
import time
from collections import OrderedDict

from sparring.arena import StorageError
from sparring.web.front import Front
from sparring.web.invites import InviteError, Invites
from sparring.web.problems import ProblemError

FRESH = 5.0  # seconds for which an answer is believed; another process may change it
PATIENCE = 5.0  # seconds to wait for the database
REMEMBERED = 100_000  # voters who were let in
LONGEST = 200  # letters of an invite


class Gate:
    """Whether a voter may ask and vote."""

    def __init__(self, invites: Invites) -> None:
        self._invites = invites
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
        admitted = asyncio.to_thread(
            self._invites.admit, front.name, front.arena.pseudonym(voter), given
        )
        try:
            await asyncio.wait_for(admitted, PATIENCE)
        except InviteError as error:
            raise ProblemError(403, error.kind, str(error)) from None
        except TimeoutError:
            raise StorageError(f"no list of guests for {PATIENCE:g} s") from None
        self._let_in.pop(who, None)
        self._let_in[who] = now
        if len(self._let_in) > REMEMBERED:
            self._let_in.popitem(last=False)

    def forget(self) -> None:
        """Look again at everybody: an invite was ended."""
        self._let_in.clear()

    async def _is_shut(self, front: Front) -> bool:
        """Whether the arena is for invited people; of another process's change within seconds."""
        state, now = front.arena._state, time.monotonic()
        if state is not None and now - self._looked.get(front.name, -FRESH) < FRESH:
            return state.settings.invited
        self._looked[front.name] = now
        return await front.look(lambda state: state.settings.invited)
