"""Steps: what a client does next, described but not done, so that both clients share it.

A call is a generator. It yields a request to send or a time to wait, receives the reply, and
returns what the caller wants. So everything except sending and waiting is written once.
"""

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, TypeVar

from sparring.arena import StorageError

BUSY = (429, 502, 503, 504)  # nothing was done, or nothing that would be done twice
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between two attempts

Result = TypeVar("Result")


class Request(NamedTuple):
    """What to send."""

    method: str
    path: str
    body: Any = None
    """For JSON; text for lines of JSON, None for no body."""
    is_repeatable: bool = True
    """Whether it may be sent again if it is unknown whether it arrived."""


class Wait(NamedTuple):
    """How long to do nothing, in seconds."""

    seconds: float


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Lost(NamedTuple):
    """Nothing came back."""

    what: str
    """In a word, such as "ConnectError"."""
    may_have_arrived: bool


Steps = Generator[Request | Wait, Reply | Lost | None, Result]


def persistent(request: Request, address: str, patience: float, chance: Any) -> Steps[Reply]:
    """Send a request, with growing pauses, until it is answered or patience runs out.

    That is safe: a ticket is used once, and repeating an answer gets the same reply.

    Parameters
    ----------
    request
        What to send.
    address
        Address of the service, for errors.
    patience
        Seconds of pauses in all.
    chance
        A function that returns a random number from 0 to 1, so that clients that failed together do
        not retry together.
    """
    waited, pause = 0.0, FIRST_PAUSE
    while True:
        found = yield request
        assert found is not None
        if isinstance(found, Reply) and found.status not in BUSY:
            return found
        if isinstance(found, Lost) and found.may_have_arrived and not request.is_repeatable:
            raise StorageError(
                f"the connection to {address} was lost ({found.what}), and it is not known "
                "whether this was done: look before you try again"
            )
        seconds = max(pause * (0.5 + chance() / 2), _retry_after(found))
        if waited + seconds > patience:
            return _given_up(found, address)
        yield Wait(seconds)
        waited, pause = waited + seconds, min(2 * pause, LONGEST_PAUSE)


def _given_up(found: Reply | Lost, address: str) -> Reply:
    if isinstance(found, Reply):
        return found
    raise StorageError(
        f"no service answers at {address} ({found.what}). Is it started (`sparring serve`), and is "
        "the address right?"
    )


def _retry_after(found: Reply | Lost) -> float:
    """The seconds that a server asks for; 0 if it does not, or names a date."""
    given = found.headers.get("retry-after", "") if isinstance(found, Reply) else ""
    return float(given) if given.isdecimal() else 0.0
