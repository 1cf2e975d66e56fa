"""Problem documents turned into the exceptions that `sparring.Arena` raises."""

import json
from typing import Any

from sparring.arena import (
    AnswerConflictError,
    ArenaClosedError,
    StorageError,
    TicketError,
    UndoError,
)
from sparring.client.steps import Reply

PREFIX = "urn:sparring:problem:"
BY_KIND: dict[str, type[Exception]] = {
    "answered-otherwise": AnswerConflictError,
    "too-late-to-undo": UndoError,
    "no-such-ticket": TicketError,
    "arena-not-open": ArenaClosedError,
    "no-such-item": ValueError,
}
REMEDIES = {
    401: "Give key=..., or set SPARRING_KEY; the operator of the service makes keys",
    403: "Ask the operator of the service for a key with a higher role",
}


def error_of(reply: Reply, address: str) -> Exception:
    """The exception that a reply stands for.

    Parameters
    ----------
    reply
        A reply with a status of 300 or more.
    address
        Address of the service.

    Examples
    --------
    >>> document = b'{"type": "urn:sparring:problem:too-late-to-undo", "detail": "It is too late."}'
    >>> error_of(Reply(409, {}, document), "http://127.0.0.1:8000")
    UndoError('It is too late.')
    """
    document = problem_of(reply)
    kind = str(document.get("type", "")).removeprefix(PREFIX)
    detail = str(document.get("detail", ""))
    if kind in BY_KIND:
        return BY_KIND[kind](detail)
    status = 401 if kind == "bad-voter" else reply.status  # without a key one would be a voter
    if status in REMEDIES:
        return PermissionError(f"{address} refuses: {detail} {REMEDIES[status]}")
    if not detail or kind == "not-found":
        return StorageError(
            f"{address} answers with the status {reply.status}, but not as an arena does. Give the "
            "address of the service alone, without /a/NAME"
        )
    if reply.status in (404, 429) or reply.status >= 500:
        return StorageError(f"{address}: {detail}")
    return ValueError(detail)


def problem_of(reply: Reply) -> dict[str, Any]:
    """The problem document of a reply; an empty one if there is none, as from a proxy."""
    try:
        found = json.loads(reply.content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def kind_of(reply: Reply) -> str:
    """The short name of a problem; "" if there is none."""
    return str(problem_of(reply).get("type", "")).removeprefix(PREFIX)
