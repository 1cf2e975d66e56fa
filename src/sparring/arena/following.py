"""Following: reads the log of an arena as it grows, each event once, while voting goes on."""

import os
from collections.abc import Iterator

from sparring.arena.database import open_to_read
from sparring.arena.events import Event, Log
from sparring.arena.making import find


class RewrittenError(RuntimeError):
    """The log no longer has what was read from it: the database was replaced by another copy."""


class Following:
    """The position of a reader of a log; it has its own connections, so no vote waits for it.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.
    """

    def __init__(self, address: str | os.PathLike[str], name: str) -> None:
        self._address, self._name = address, name
        self._number, self._chain = 0, ""

    def news(self) -> Iterator[Event]:
        """The events since the last one read. Taking one counts as reading it."""
        database = open_to_read(self._address)
        try:
            arena, _ = find(database, self._name)
            log = Log(database, arena)
            if self._number and not log.has(self._number, self._chain):
                raise RewrittenError("the log has other events than those that were read")
            for event, chain in log.after(self._number, self._chain):
                self._number, self._chain = event.number, chain
                yield event
        finally:
            database.close()

    def last_verdicts(self) -> tuple[dict[str, tuple[str, int]], int]:
        """The verdicts on voters at the end of the log, and the number of the last one."""
        database = open_to_read(self._address)
        try:
            arena, _ = find(database, self._name)
            return Log(database, arena).last_verdicts()
        finally:
            database.close()
