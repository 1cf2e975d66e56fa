"""The log of events: gapless, append-only, and chained, so that damage is noticed."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn, TypeVar

from sparring import checks
from sparring.arena import forms
from sparring.arena.database import Database, StorageError
from sparring.arena.forms import Fields, each, flag, maybe, share, text, whole
from sparring.arena.voters import VERDICTS, Voters

EVENTS_A_READ = 10_000
Result = TypeVar("Result")

# What the body of each kind of event has; a field that may be missing ends in _.
BODIES = {
    "made": Fields(
        arms=forms.names(least=2),
        learner=text,
        options=forms.dictionary,
        lifetime=whole,
        seed=text,
        contents_=forms.by_name(forms.dictionary),
    ),
    "asked": Fields(
        row=whole,
        col=whole,
        swapped=flag,
        selves=each(whole),
        voter=maybe(text),
        uniform_=flag,
        p_=each(each(share, least=2), least=1, most=2),
        versions_=forms.row(whole, whole),
    ),
    "lapsed": Fields(tickets=each(text)),
    "seen": Fields(),
    "told": Fields(
        outcome=maybe(share),
        why=text,
        reason_=text,
        word_=text,
        voter_=maybe(text),
        verdict_=forms.among(VERDICTS),
    ),
    "undone": Fields(again=text),
    "added": Fields(name=forms.name, boost=forms.number, content_=forms.dictionary),
    "edited": Fields(arm=whole, content=forms.dictionary),
    "withdrawn": Fields(arm=whole),
    "set": Fields(page_=forms.dictionary),
    "moved": Fields(),
    "judged": Fields(voter=text, verdict=forms.among(VERDICTS)),
    "imported": Fields(first=whole, second=whole, outcome=share, source=text, at_=forms.number),
}
SAME_ARM_NEVER = (("row", "col"), ("first", "second"))
WITH_TICKET = ("asked", "seen", "told", "undone")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_decode = json.JSONDecoder(parse_constant=_no_number).decode
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
    """made, asked, lapsed, seen, told, undone, added, edited, withdrawn, set, moved, judged or
    imported."""
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
                yield self._event(number, at, kind, ticket, body), chain
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

    def _event(self, number: int, at: Any, kind: str, ticket: str | None, body: str) -> Event:
        """An event as it is stored, with all that its kind needs, each in its form."""
        try:
            contents = _decode(body)
            if "\\ud" in body or "\\uD" in body:  # half a pair of UTF-16 can be sent nowhere
                json.dumps(contents, ensure_ascii=False).encode()
        except (RecursionError, TypeError, ValueError):
            raise self._amiss(number, "body", body) from None
        fields = BODIES.get(kind)
        if fields is None or (kind == "made") != (number == 1):
            raise self._amiss(number, "kind", kind)
        if not forms.moment(at):
            raise self._amiss(number, "time", at)
        if type(contents) is not dict:
            raise self._amiss(number, "body", contents)
        if ticket is None and kind in WITH_TICKET:
            raise self._amiss(number, "ticket", ticket)
        wrong = fields.wrong(contents)
        if wrong is not None:
            raise self._amiss(number, wrong, contents.get(wrong))
        if kind == "told" and contents["outcome"] is None and not contents["why"]:
            raise self._amiss(number, "outcome", None)
        for one, other in SAME_ARM_NEVER:
            if one in contents and contents[one] == contents.get(other):
                raise self._amiss(number, other, contents[other])
        return Event(number, at, kind, ticket, contents)

    def _amiss(self, number: int, what: str, value: Any) -> StorageError:
        return StorageError(
            f"{self._database.shown}: event {number} is damaged: its {what} is "
            f"{checks.short(value)}. Restore a copy of the database in which it is intact"
        )

    def hand(self, event: Event, take_in: Callable[..., Result], *more: Any) -> Result:
        """Hand an event to whoever takes it in; it may not fit the events before it."""
        try:
            return take_in(event, *more)
        except StorageError:
            raise
        except Exception as error:
            raise StorageError(
                f"{self._database.shown}: event {event.number} ({event.kind}) is damaged: it does "
                f"not fit the events before it ({type(error).__name__}: "
                f"{checks.short(checks.Shown(error))}). Restore a copy of the database in which it "
                "is intact"
            ) from error

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
        *fields, chain = rows[0]
        self._link(1, "", chain, *fields)
        return self._event(*fields)

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
        for _, *fields, _ in self._pending:
            if (fields[2], fields[3]) == (kind, ticket):
                return self._event(*fields)
        rows = self._database.rows(
            "SELECT number, at, kind, ticket, body FROM sparring_events"
            " WHERE arena = ? AND ticket = ? AND kind = ?",
            (self._arena, ticket, kind),
        )
        return self._event(*rows[0]) if rows else None

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
        for row in self._database.rows(
            "SELECT number, at, kind, ticket, body FROM sparring_events"
            " WHERE arena = ? AND kind = 'judged' ORDER BY number",
            (self._arena,),
        ):
            number, _, _, _, body = event = self._event(*row)
            voters.judge(body["voter"], body["verdict"], event.number)
        return voters.verdicts, number


def linked(chain: str, number: int, at: int, kind: str, ticket: str | None, body: str) -> str:
    """The chain after an event of these fields, as they are stored.

    The digest is of `json.dumps` of the list of all six, built here in a third of the time.
    """
    name = "null" if ticket is None else _quoted(ticket)
    row = f"[{_quoted(chain)}, {number}, {at}, {_quoted(kind)}, {name}, {_quoted(body)}]"
    return hashlib.sha256(row.encode()).hexdigest()[:32]
