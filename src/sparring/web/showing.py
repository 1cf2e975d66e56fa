"""Pairs as JSON: what a page gets of two items, written once for each version of an item."""

import asyncio
import json
import threading
from collections.abc import Iterable
from typing import Any

from sparring.arena import Settings, Ticket
from sparring.web.contents import shown

REMEMBERED = 10_000  # items as JSON


class Showing:
    """Writes pairs. Items are rendered when they have changed, not for each pair."""

    def __init__(self) -> None:
        self._written: dict[tuple[str, bool], tuple[Any, Any, str]] = {}
        self._lock = threading.Lock()

    async def pairs(self, tickets: Iterable[Ticket], settings: Settings, *, names: bool) -> str:
        """A list of pairs as JSON.

        Parameters
        ----------
        tickets, settings
            As the arena gave them.
        names
            Whether names are shown even if the arena is blind.
        """
        pairs = [await self._pair(ticket, settings.page, names) for ticket in tickets]
        return f"[{','.join(pairs)}]"

    async def _pair(self, ticket: Ticket, page: dict[str, Any], names: bool) -> str:
        first = await self.item(ticket.first, ticket.contents[0], page, names=names)
        second = await self.item(ticket.second, ticket.contents[1], page, names=names)
        # The text of a ticket is of letters, digits, - and _, and needs no escape.
        return (
            f'{{"ticket":"{ticket.text}","first":{first},"second":{second},'
            f'"expires":{ticket.expires:.3f}}}'
        )

    async def item(self, name: str, content: Any, page: dict[str, Any], *, names: bool) -> str:
        """An item as JSON; Markdown takes its time, so a thread writes what is new."""
        found = self._known(name, content, page, names)
        if found is not None:
            return found
        return await asyncio.to_thread(self._write, name, content, page, names)

    def _known(self, name: str, content: Any, page: dict[str, Any], names: bool) -> str | None:
        found = self._written.get((name, names))
        is_same = found is not None and found[0] is content and found[1] is page
        return found[2] if found is not None and is_same else None

    def _write(self, name: str, content: Any, page: dict[str, Any], names: bool) -> str:
        with self._lock:  # once, however many ask for it
            found = self._known(name, content, page, names)
            if found is not None:
                return found
            if len(self._written) >= REMEMBERED:
                self._written.clear()
            item = shown(name, content, page)
            text = json.dumps({**item, "name": name, "content": content} if names else item)
            # Kept: `is` needs them alive.
            self._written[(name, names)] = (content, page, text)
            return text
