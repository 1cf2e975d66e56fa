"""The log of events: gapless, append-only, and chained, so that damage is noticed."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sparring.arena.database import Database, StorageError
from sparring.arena.voters import Voters

EVENTS_A_READ = 10_000

_quoted = json.encoder.encode_basestring_ascii
_compact = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
# What `_compact.encode` makes anew for each call, in C; other Pythons may not have it.
_make_encoder = getattr(json.encoder, "c_make_encoder", None)
_pieces = _make_encoder and _make_encoder(
    None, _compact.default, _quoted, None, ":", ",", False, False, False
)


class Event(NamedTuple):
    """Something that happened in an arena."""

    number: int
    """1 for the first, and no number is left out."""
    at: int
    """When, in microseconds since 1970; never earlier than the event before."""
    kind: str
    """made, asked, lapsed, seen, told, undone, added, edited, withdrawn, set, judged, imported."""
    ticket: str | None
    """The name of the ticket that was issued or spent, if one was."""
    body: dict[str, Any]
    """What else there is to say."""


class Log:
    """The events of one arena in a database.

    Each row has a digest of itself and of the digest before: the chain. A row that was changed,
    lost or inserted breaks it.
    """

    def __init__(self, database: Database, arena: int) -> None:
        self._database = database
        self._arena = arena
        self._pending: list[tuple[Any, ...]] = []

    def after(self, number: int, chain: str) -> Iterator[tuple[Event, str]]:
        """The events after one, oldest first, each with its chain."""
        while True:
            rows = self._database.rows(
                "SELECT number, at, kind, ticket, body, chain FROM sparring_events"
                " WHERE arena = ? AND number > ? ORDER BY number LIMIT ?",
                (self._arena, number, EVENTS_A_READ),
            )
            for found, at, kind, ticket, body, stored in rows:
                chain = self._link(number + 1, chain, stored, found, at, kind, ticket, body)
                number = found
                yield Event(number, at, kind, ticket, json.loads(body)), chain
            if len(rows) < EVENTS_A_READ:
                return

    def _link(self, number: int, before: str, stored: Any, *fields: Any) -> str:
        """The chain after the event of this number, if these fields and this chain are its own."""
        try:
            chain = linked(before, *fields)
        except TypeError:  # a field has lost its type
            chain = ""
        if fields[0] != number or chain != stored or not chain:
            raise self._damaged(f"event {number}")
        return chain

    def _damaged(self, what: str) -> StorageError:
        return StorageError(
            f"{self._database.shown}: {what} is damaged or missing. "
            "Restore a copy of the database in which it is intact"
        )

    def last_number(self) -> int:
        """The number of the latest event that is written; 0 if none is."""
        rows = self._database.rows(
            "SELECT max(number) FROM sparring_events WHERE arena = ?", (self._arena,)
        )
        match rows:
            case [(None,)]:
                return 0
            case [(int(number),)]:
                return number
        raise self._damaged("the last event")

    def ends(self, number: int, chain: str) -> bool:
        """Whether the event of this number, with this chain, is the latest."""
        rows = self._database.rows(
            "SELECT number, chain FROM sparring_events WHERE arena = ?"
            " ORDER BY number DESC LIMIT 1",
            (self._arena,),
        )
        return rows == [(number, chain)]

    def has(self, number: int, chain: str) -> bool:
        """Whether the event of this number is there, with this chain."""
        rows = self._database.rows(
            "SELECT chain FROM sparring_events WHERE arena = ? AND number = ?",
            (self._arena, number),
        )
        return rows == [(chain,)]

    def first(self) -> Event:
        """The event that made the arena."""
        rows = self._database.rows(
            "SELECT number, at, kind, ticket, body, chain FROM sparring_events"
            " WHERE arena = ? AND number = 1",
            (self._arena,),
        )
        if not rows:
            raise self._damaged("event 1")
        *fields, body, chain = rows[0]
        self._link(1, "", chain, *fields, body)
        return _event(fields, body)

    def append(self, event: Event, chain: str) -> str:
        """Note an event to be written; returns its chain."""
        number, at, kind, ticket, contents = event
        body = "".join(_pieces(contents, 0)) if _pieces else _compact.encode(contents)
        chain = linked(chain, number, at, kind, ticket, body)
        self._pending.append((self._arena, number, at, kind, ticket, body, chain))
        return chain

    def write(self) -> None:
        """Write what was noted. Needs an open transaction."""
        self._database.change(
            "INSERT INTO sparring_events (arena, number, at, kind, ticket, body, chain)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            self._pending,
        )
        self.discard()

    def discard(self) -> None:
        """Forget what was noted but not written."""
        self._pending = []

    def of_ticket(self, ticket: str, kind: str) -> Event | None:
        """What was told or undone with a ticket, if it was."""
        for _, *fields, body, _ in self._pending:
            if (fields[2], fields[3]) == (kind, ticket):
                return _event(fields, body)
        rows = self._database.rows(
            "SELECT number, at, kind, ticket, body FROM sparring_events"
            " WHERE arena = ? AND ticket = ? AND kind = ?",
            (self._arena, ticket, kind),
        )
        return _event(rows[0][:-1], rows[0][-1]) if rows else None

    def tickets_of(self, kind: str) -> set[str]:
        """The names of all tickets with an event of a kind."""
        rows = self._database.rows(
            "SELECT ticket FROM sparring_events WHERE arena = ? AND kind = ?", (self._arena, kind)
        )
        return {ticket for (ticket,) in rows}

    def last_verdicts(self) -> tuple[dict[str, tuple[str, int]], int]:
        """The verdicts on voters at the end of the log, and the number of the last of these events.

        Those noted but not written are not included.
        """
        voters, number = Voters(), 0
        for number, body in self._database.rows(
            "SELECT number, body FROM sparring_events WHERE arena = ? AND kind = 'judged'"
            " ORDER BY number",
            (self._arena,),
        ):
            try:
                found = json.loads(body)
                voters.judge(found["voter"], found["verdict"], number)
            except (KeyError, TypeError, ValueError):
                raise self._damaged(f"event {number}") from None
        return voters.verdicts, number


def _event(fields: Sequence[Any], body: str) -> Event:
    number, at, kind, ticket = fields
    return Event(number, at, kind, ticket, json.loads(body))


def linked(chain: str, number: int, at: int, kind: str, ticket: str | None, body: str) -> str:
    """The chain after an event of these fields, as they are stored.

    The digest is of `json.dumps` of the list of all six, built here in a third of the time.
    """
    name = "null" if ticket is None else _quoted(ticket)
    row = f"[{_quoted(chain)}, {number}, {at}, {_quoted(kind)}, {name}, {_quoted(body)}]"
    return hashlib.sha256(row.encode()).hexdigest()[:32]
