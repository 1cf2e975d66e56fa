"""Calls: each method of an arena as requests to a service, and replies as what `Arena` returns."""

import base64
import binascii
import json
import random
import struct
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from sparring import checks
from sparring.arena import (
    Answer,
    ArmStanding,
    Item,
    Record,
    Settings,
    Standing,
    StorageError,
    Tallies,
    Ticket,
    TicketError,
    tickets,
)
from sparring.arena.managing import checked_comparisons, checked_content, checked_verdict
from sparring.arena.settings import WORDS
from sparring.arena.voting import MOST_PAIRS
from sparring.client.errors import error_of, kind_of
from sparring.client.steps import Reply, Request, Steps, persistent
from sparring.learners.family import LARGEST_BOOST

EXPORT = "/export?format=jsonl"


class Calls:
    """The calls of one arena. Bad input is refused here, with the same words as in an arena.

    Parameters
    ----------
    address
        Address of the service, without a slash at the end.
    name
        Name of the arena.
    patience
        Seconds of pauses between attempts, in all.
    """

    def __init__(self, address: str, name: str, patience: float) -> None:
        self.address, self.name = address, name
        self.path = f"/api/v1/arenas/{quote(name, safe='')}"
        self._patience = patience
        self._chance = random.Random().random
        self._names: list[str] = []  # of all arms there ever were, by id

    # What a service calls.

    def ask_many(self, voter: str | None, n: int) -> Steps[list[Ticket]]:
        """The open pairs of a voter, filled up to n."""
        body: dict[str, Any] = {"n": checks.whole("n", n, low=1, high=MOST_PAIRS)}
        if voter is not None:
            body["voter"] = checks.text("voter", voter)
        found = yield from self._json("POST", "/ask", body)
        return [_ticket(pair) for pair in found["pairs"]]

    def ask(self, voter: str | None) -> Steps[Ticket]:
        """Two arms to show."""
        found = yield from self.ask_many(voter, 1)
        return found[0]

    def tell(self, ticket: str | Ticket, answer: str | float) -> Steps[Answer]:
        """Learn an answer."""
        said: str | float
        if isinstance(answer, str):
            names = yield from self._shown(ticket)
            said = _side(names, answer)
        else:
            said = checks.real("answer", answer, low=0, high=1, remedy="1: the first arm won")
        body = {"ticket": _text(ticket), "answer": said}
        found = yield from self._json("POST", "/vote", body)
        return Answer(found["number"], found["learnt"], found["why"])

    def undo(self, ticket: str | Ticket) -> Steps[Ticket]:
        """Take an answer back."""
        return _ticket((yield from self._json("POST", "/undo", {"ticket": _text(ticket)})))

    def seen(self, ticket: str | Ticket) -> Steps[None]:
        """Say that a pair is on the screen."""
        yield from self._reply("POST", "/seen", {"ticket": _text(ticket)})

    def serve(self) -> Steps[str]:
        """The favourite."""
        found = yield from self._json("GET", "/serve")
        return str(found["name"])

    def arms(self) -> Steps[tuple[str, ...]]:
        """The names of the arms that are shown."""
        found = yield from self.items()
        return tuple(item.name for item in found if item.withdrawn is None)

    def standing(self) -> Steps[Standing]:
        """Who leads."""
        found = yield from self._json("GET", "/standing")
        arms = tuple(
            ArmStanding(**{**arm, "since": datetime.fromisoformat(arm["since"])})
            for arm in found["arms"]
        )
        return Standing(**{**found, "since": datetime.fromisoformat(found["since"]), "arms": arms})

    def votes(self) -> Steps[int]:
        """How many answers were learnt."""
        found = yield from self.tallies()
        return found.learnt

    # What its operator calls.

    def add(self, name: str, boost: float, content: dict[str, Any] | None) -> Steps[None]:
        """Add an arm; nothing happens if it is already there."""
        checks.names("name", [name])
        boost = checks.real("boost", boost, low=1 / LARGEST_BOOST, high=LARGEST_BOOST)
        body = {"name": name, "boost": boost, "content": checked_content(content)}
        yield from self._reply("POST", "/items", body, but_for="item-differs")

    def add_all(self, arms: Mapping[str, dict[str, Any] | None]) -> Steps[None]:
        """Add arms, all or none; nothing happens to those that are already there."""
        checks.names("name", arms)
        given = [{**(checked_content(arms[name]) or {}), "name": name} for name in arms]
        present = yield from self.arms()
        lines = [json.dumps(one) for one in given if one["name"] not in present]
        if lines:
            yield from self._reply("POST", "/items/bulk", "\n".join(lines))

    def edit(self, name: str, content: dict[str, Any]) -> Steps[None]:
        """Change what is shown for an arm."""
        checked = checked_content(checks.instance("content", content, dict, "Say what to show"))
        yield from self._reply("PUT", f"/items/{_quoted(name)}", {"content": checked})

    def withdraw(self, name: str) -> Steps[None]:
        """Withdraw an arm."""
        yield from self._reply("DELETE", f"/items/{_quoted(name)}")

    def set(self, changes: dict[str, Any]) -> Steps[Settings]:
        """Change settings."""
        written = Settings().changed(changes).to_json()
        body = {name: written[name] for name in changes}
        return Settings.from_json((yield from self._json("PATCH", "/settings", body)))

    def judge(self, voter: str, verdict: str) -> Steps[None]:
        """Decide what happens to a voter's answers."""
        body = {"voter": checks.text("voter", voter), "verdict": checked_verdict(verdict)}
        yield from self._reply("POST", "/voters", body)

    def import_votes(self, rows: Iterable[Sequence[Any]], source: str) -> Steps[int]:
        """Import comparisons from outside."""
        given = [one._asdict() for one in checked_comparisons(rows)]
        body = {"source": checks.text("source", source), "rows": given}
        if not given:
            return 0
        # They have no tickets: sent twice they would count twice.
        found = yield from self._json("POST", "/import", body, is_repeatable=False)
        return int(found["imported"])

    # What there is to see.

    def settings(self) -> Steps[Settings]:
        """How it asks and what it learns."""
        return Settings.from_json((yield from self._json("GET", "/settings")))

    def items(self) -> Steps[list[Item]]:
        """All arms, also withdrawn ones."""
        found = [_item(item) for item in (yield from self._json("GET", "/items"))["items"]]
        self._names = [item.name for item in found]
        return found

    def verdicts(self) -> Steps[dict[str, str]]:
        """Who is held or banned."""
        found = yield from self._json("GET", "/voters")
        return {one["voter"]: one["verdict"] for one in found["voters"]}

    def tallies(self) -> Steps[Tallies]:
        """Counts of what happened to questions and answers."""
        return Tallies(**(yield from self._json("GET", "/tallies")))

    def pseudonym(self, voter: str) -> Steps[str]:
        """The pseudonym of a voter in the log."""
        body = {"voter": checks.text("voter", voter)}
        return str((yield from self._json("POST", "/pseudonym", body))["pseudonym"])

    # What they have in common.

    def _json(self, *given: Any, **options: Any) -> Steps[Any]:
        reply = yield from self._reply(*given, **options)
        return json.loads(reply.content)

    def _reply(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        is_repeatable: bool = True,
        but_for: str | None = None,
    ) -> Steps[Reply]:
        """The reply to a request, if it is fine or has the one problem that is accepted here."""
        request = Request(method, self.path + path, body, is_repeatable)
        reply = yield from persistent(request, self.address, self._patience, self._chance)
        if reply.status < 300 or (but_for is not None and kind_of(reply) == but_for):
            return reply
        if kind_of(reply) == "no-such-arena":
            raise StorageError(
                f"{self.address} has no arena {self.name!r}. {(yield from self._there())}"
            )
        raise error_of(reply, self.address)

    def _there(self) -> Steps[str]:
        """Which arenas a service has, for an error."""
        request = Request("GET", "/api/v1/arenas")
        reply = yield from persistent(request, self.address, self._patience, self._chance)
        known = json.loads(reply.content).get("arenas", []) if reply.status == 200 else []
        return f"It has {known}" if known else "Ask its operator which arenas it has"

    def _shown(self, ticket: str | Ticket) -> Steps[tuple[str, str]]:
        """The names of the two arms of a ticket, even if someone else asked for it."""
        if isinstance(ticket, Ticket):
            return ticket.first, ticket.second
        ids = _ids(ticket)
        if max(ids) >= len(self._names):  # an arm never changes its id, so they are kept
            yield from self.items()
        if max(ids) >= len(self._names):
            raise TicketError("this ticket is for an arm that the service does not know")
        return self._names[ids[0]], self._names[ids[1]]


def record_of(line: str) -> Record:
    """A record from a line of an export."""
    found = json.loads(line)
    versions = found.pop("first_version"), found.pop("second_version")
    return Record(**found, versions=versions)


def _ticket(pair: dict[str, Any]) -> Ticket:
    first, second = pair["first"], pair["second"]
    contents = first.get("content"), second.get("content")
    return Ticket(first["name"], second["name"], pair["ticket"], contents, pair["expires"])


def _item(found: dict[str, Any]) -> Item:
    times = {name: _time(found[name]) for name in ("since", "withdrawn")}
    return Item(**{**found, **times})


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _text(ticket: str | Ticket) -> str:
    text = ticket.text if isinstance(ticket, Ticket) else ticket
    _ids(text)
    return text


def _ids(text: str) -> tuple[int, int]:
    """The ids of the arms of a ticket; the service checks whether it is genuine."""
    try:
        data = base64.urlsafe_b64decode(text)
        version, _, first, second, _ = tickets.FORM.unpack_from(data)
        if version != tickets.VERSION:
            raise ValueError
    except (ValueError, TypeError, binascii.Error, struct.error):
        raise TicketError(
            "this is not a ticket: send back the text of the ticket as ask() returned it"
        ) from None
    return first, second


def _side(names: tuple[str, str], answer: str) -> str:
    """An answer in the words of the service: names first, as an arm may be called "tie"."""
    if answer in names:
        return ("first", "second")[names.index(answer)]
    if answer not in WORDS:
        raise checks.refuse("answer", f"one of {[*names, *WORDS]}, or a number", answer)
    return answer


def _quoted(name: str) -> str:
    return quote(checks.text("name", name), safe="")
