"""Pairs as JSON: what a page gets of two items, written once for each version of an item."""

import json
from collections.abc import Iterable
from typing import Any

from sparring.arena import Settings, Ticket
from sparring.web.contents import shown

REMEMBERED = 10_000  # items as JSON


class Showing:
    """Writes pairs. Items are rendered when they have changed, not for each pair."""

    def __init__(self) -> None:
        self._written: dict[tuple[str, bool], tuple[Any, Any, str]] = {}

    def pairs(self, tickets: Iterable[Ticket], settings: Settings, *, names: bool) -> str:
        """A list of pairs as JSON.

        Parameters
        ----------
        tickets, settings
            As the arena gave them.
        names
            Whether names are shown even if the arena is blind.
        """
        return f"[{','.join(self._pair(ticket, settings, names) for ticket in tickets)}]"

    def _pair(self, ticket: Ticket, settings: Settings, names: bool) -> str:
        first = self._item(ticket.first, ticket.contents[0], settings.page, names)
        second = self._item(ticket.second, ticket.contents[1], settings.page, names)
        # The text of a ticket is of letters, digits, - and _, and needs no escape.
        return (
            f'{{"ticket":"{ticket.text}","first":{first},"second":{second},'
            f'"expires":{ticket.expires:.3f}}}'
        )

    def _item(self, name: str, content: Any, page: dict[str, Any], names: bool) -> str:
        found = self._written.get((name, names))
        if found is not None and found[0] is content and found[1] is page:
            return found[2]
        if len(self._written) >= REMEMBERED:
            self._written.clear()
        item = shown(name, content, page)
        text = json.dumps({**item, "name": name, "content": content} if names else item)
        self._written[(name, names)] = (content, page, text)  # kept: `is` needs them alive
        return text
