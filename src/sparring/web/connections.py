"""Connections: how many there may be, how long a request may take to arrive, and how much it is.

All of this comes before the HTTP server: of uvicorn it needs no more than that its protocols are
asyncio protocols, whichever parser they use.
"""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from importlib.util import find_spec
from typing import Any, cast

from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.importer import import_from_string

from sparring.web.frames import MOST, Frames
from sparring.web.guard import CONNECTION
from sparring.web.limits import neighbourhood
from sparring.web.problems import SOON, ProblemError

PATIENCE = 20.0  # seconds for a request to arrive, and for a new connection to begin with one
PACE = 32 * 1024  # bytes of a body that gain it another second
IDLE = 5.0  # seconds between a reply and the next request
STALL = 60.0  # seconds in which a caller reads nothing of a reply
LOOK = 5.0  # seconds between two looks at a connection, at most
LINGER = 2.0  # seconds in which a refused caller may read why
REFUSED = 64  # callers that may linger at a time
BACKLOG = 128  # connections that the system keeps until they are accepted
FILES = 256  # that are not connections: databases, exports, libraries, connections just accepted
SHARE = 4  # a neighbourhood of addresses may have one in so many connections
UNLIMITED = 1 << 16  # files, where the system says no number
SLOW = "The request did not arrive in time. Nothing was stored: try again."
FULL = "There are too many connections. Nothing was stored: try again in a moment."
CONTINUE = b"HTTP/1.1 100 "  # how a reply begins that is none yet

Inner = Callable[..., asyncio.Protocol]


class Connections:
    """The connections of a process; called for each new one, as uvicorn calls a protocol.

    Parameters
    ----------
    most
        How many there may be. When all are taken, a new one takes the place of the one that has
        been idle for longest; if none is, it gets 503.
    by_address
        Whether one neighbourhood of addresses may have a part of them only; not behind a proxy, as
        all come from there.
    parser
        Whose protocol uvicorn uses: "httptools" or the slower "h11"; by default what is there.
    """

    def __init__(self, most: int, *, by_address: bool, parser: str | None = None) -> None:
        self._most = most
        self._most_of_one = max(1, most // SHARE) if by_address else most
        usual = "h11" if find_spec("httptools") is None else "httptools"  # which Windows lacks
        self._inner: Inner = import_from_string(HTTP_PROTOCOLS[parser or usual])
        self._of: dict[str, dict[Connection, None]] = {}  # by neighbourhood
        self._count = 0
        self.idle: dict[Connection, None] = {}
        """Those without a request, idle for longest first."""
        self._lingering: set[Connection] = set()

    def __call__(
        self,
        *,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        **more: Any,
    ) -> "Connection":
        """A new connection, with uvicorn's protocol behind it."""
        found = Connection(self, _loop or asyncio.get_event_loop())
        state = {**app_state, CONNECTION: found}
        found.inner = self._inner(app_state=state, _loop=_loop, **more)
        return found

    def admit(self, connection: "Connection") -> bool:
        """Whether there is a place for a new connection; then it is idle."""
        same = self._of.get(connection.network, {})
        is_its_share = len(same) >= self._most_of_one
        if is_its_share or self._count >= self._most:
            among = (one for one in self.idle if one in same) if is_its_share else iter(self.idle)
            longest = next(among, None)
            if longest is None:
                return False
            longest.close()
        self._of.setdefault(connection.network, {})[connection] = None
        self._count += 1
        self.idle[connection] = None
        return True

    def lingers(self, connection: "Connection") -> bool:
        """Whether a refused caller may stay for a moment."""
        if len(self._lingering) < REFUSED:
            self._lingering.add(connection)
        return connection in self._lingering

    def leave(self, connection: "Connection") -> None:
        """A connection has ended."""
        self.idle.pop(connection, None)
        self._lingering.discard(connection)
        same = self._of.get(connection.network, {})
        if connection in same:
            del same[connection]
            self._count -= 1
        if not same:
            self._of.pop(connection.network, None)


class Connection(asyncio.Protocol):
    """A connection: what arrives goes to uvicorn's protocol request by request.

    The next request is handed on when the one before is answered. uvicorn alone would wait forever
    for a request that does not come, or does not end, and take in headers of any length.
    """

    inner: asyncio.Protocol

    def __init__(self, everyone: Connections, loop: asyncio.AbstractEventLoop) -> None:
        self._everyone, self._loop = everyone, loop
        self._frames = Frames()
        self._due = math.inf
        self._look: asyncio.TimerHandle | None = None
        self._is_new = True  # its first request is waited for since it was made
        self._is_begun = False  # some of a request is here, and not all of it
        self._is_asked = False  # a request was handed on, and is not answered
        self._is_held = self._is_made = self._is_over = self._is_stalled = False
        self.network = ""
        """The neighbourhood of its address."""
        self.is_told = False
        """Whether a reply to the latest request has begun."""
        self.is_paused = False
        """Whether uvicorn's protocol wants no more for now."""

    # As asyncio calls it.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request, if there is a place."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.network = neighbourhood(str(peer[0])) if isinstance(peer, tuple) else ""
        self._wait_for(PATIENCE)
        if self._everyone.admit(self):
            self._is_made = True
            self.inner.connection_made(Outlet(self, self._transport))
        else:
            self._say(ProblemError(503, "busy", FULL, {"Retry-After": SOON}))

    def data_received(self, data: bytes) -> None:
        """Hand on what is a request."""
        if self._is_over:
            return
        try:
            self._frames.add(data)
            self._hand_on()
        except ProblemError as problem:
            self._refuse(problem)

    def eof_received(self) -> bool | None:
        """The caller will send nothing more."""
        return None if self._is_over else self.inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._look is not None:
            self._look.cancel()
        self._everyone.leave(self)
        self._end(exc)

    def pause_writing(self) -> None:
        """The caller reads slowly."""
        if self._due == math.inf:
            self._due, self._is_stalled = self._loop.time() + STALL, True
        if not self._is_over:
            self.inner.pause_writing()

    def resume_writing(self) -> None:
        """The caller has caught up."""
        if self._is_stalled:
            self._due, self._is_stalled = math.inf, False
        if not self._is_over:
            self.inner.resume_writing()

    # As the app, uvicorn's protocol and other connections call it.

    def answered(self) -> None:
        """The reply is complete: the next request may come."""
        self._is_asked = False
        if self._is_over:
            return
        if self._frames.is_between and not self._frames.rest:
            self._rest()
        else:
            self.data_received(b"")

    def steer(self) -> None:
        """Read on, or not."""
        if self._transport.is_closing():
            return
        if self._is_held or (self.is_paused and not self._is_over):
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def finish(self) -> None:
        """Close it; if a request is still arriving, let the caller read the reply to it before."""
        if self._frames.is_between and not self._frames.rest:
            self.close()
        else:
            self._linger()

    def close(self) -> None:
        """Close it, and give its place away."""
        self._everyone.leave(self)
        self._end(None)
        self._transport.close()
        self._wait_for(PATIENCE)  # what is written may be on its way, but not for ever

    @property
    def is_over(self) -> bool:
        """Whether nothing more is handed on."""
        return self._is_over or self._transport.is_closing()

    # Inside.

    def _hand_on(self) -> None:
        frames = self._frames
        while not (frames.is_between and self._is_asked) and not self.is_over:
            begins, piece = frames.is_between, frames.piece()
            if (piece or frames.rest) and not self._is_begun:
                self._begin()
            if not piece:
                break
            if begins:
                self._is_asked = True
                self._everyone.idle.pop(self, None)
            self._due += len(piece) / PACE
            if frames.is_between:
                self._is_begun, self._due = False, math.inf
            self.inner.data_received(piece)
        if not self._is_begun and not self._is_asked and not self._is_new and not self.is_over:
            self._rest()
        self._is_held, was_held = len(frames.rest) > MOST, self._is_held
        if self._is_held or was_held:
            self.steer()

    def _rest(self) -> None:
        """Wait for the next request."""
        self._due = self._loop.time() + IDLE
        self._everyone.idle[self] = None

    def _begin(self) -> None:
        self._is_begun, self.is_told = True, False
        if not self._is_new:
            self._due = self._loop.time() + PATIENCE
        self._is_new = False

    def _refuse(self, problem: ProblemError) -> None:
        """Say what is wrong, unless there is a reply already."""
        if self.is_told:
            self._linger()
        else:
            self._say(problem)

    def _say(self, problem: ProblemError) -> None:
        self._transport.write(_reply(problem))
        self._linger()

    def _linger(self) -> None:
        """Send nothing more, and let the caller read: closed at once, it might lose the reply."""
        self._everyone.leave(self)
        self._end(None)
        if not self._everyone.lingers(self) or not self._transport.can_write_eof():
            self.close()
            return
        self._is_held = False
        self._transport.write_eof()
        self.steer()
        self._wait_for(LINGER)

    def _end(self, exc: Exception | None) -> None:
        """Hand on nothing more, and let go of what was not handed on."""
        was_over, self._is_over = self._is_over, True
        if self._is_made and not was_over:
            self._frames = Frames()
            self.inner.connection_lost(exc)

    def _wait_for(self, seconds: float) -> None:
        self._due = self._loop.time() + seconds
        if self._look is not None:
            self._look.cancel()
        self._wait()

    def _wait(self) -> None:
        """Look again when the request is due; one timer for many requests costs next to nothing."""
        left = self._due - self._loop.time()
        if left > 0:
            self._look = self._loop.call_later(min(left, LOOK), self._wait)
        elif self.is_over:
            self._transport.abort()
        elif self._is_new or self._is_begun:
            self._refuse(ProblemError(408, "too-slow", SLOW))
        else:
            self.close()


class Outlet(asyncio.Transport):
    """What uvicorn's protocol has for a transport: it can neither read on nor close by itself."""

    def __init__(self, connection: Connection, transport: asyncio.Transport) -> None:
        super().__init__()
        self._connection, self._transport = connection, transport

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Of the transport."""
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._connection.is_over

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send a part of a reply."""
        if not self._connection.is_over:
            if not self._connection.is_told:
                self._connection.is_told = bytes(data[: len(CONTINUE)]) != CONTINUE
            self._transport.write(data)

    def pause_reading(self) -> None:
        """Take in no more for now."""
        self._connection.is_paused = True
        self._connection.steer()

    def resume_reading(self) -> None:
        """Take in what comes."""
        self._connection.is_paused = False
        self._connection.steer()

    def close(self) -> None:
        """All is sent."""
        if not self._connection.is_over:
            self._connection.finish()


def open_files() -> int:
    """How many files this process may have open, once it may have as many as it is allowed to."""
    try:
        import resource
    except ImportError:  # Windows counts no files
        return UNLIMITED
    kind = resource.RLIMIT_NOFILE
    _, hard = resource.getrlimit(kind)
    most = UNLIMITED if hard == resource.RLIM_INFINITY else hard
    with suppress(ValueError, OSError):  # macOS allows fewer than it says
        resource.setrlimit(kind, (most, hard))
    soft, _ = resource.getrlimit(kind)
    return UNLIMITED if soft == resource.RLIM_INFINITY else soft


def fitting(wanted: int, files: int) -> int:
    """How many connections there may be, with a reserve of files for all else.

    Examples
    --------
    >>> fitting(2000, 65536), fitting(2000, 1024), fitting(2000, 256)
    (2000, 768, 128)
    """
    return max(1, min(wanted, files - min(FILES, files // 2)))


def _reply(problem: ProblemError) -> bytes:
    response = problem.response()
    headers = [*response.raw_headers, (b"connection", b"close"), (b"cache-control", b"no-store")]
    lines = [b"%s: %s\r\n" % header for header in headers]
    phrase = HTTPStatus(problem.status).phrase.encode()
    return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (
        problem.status,
        phrase,
        b"".join(lines),
        bytes(response.body),
    )
