"""Connections: how many there may be at a time, and how long a request may take to arrive."""

import asyncio
import math
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sparring.web.guard import CROWDED
from sparring.web.problems import ProblemError

PATIENCE = 20.0  # seconds for a request to arrive, and for a new connection to begin with one
PACE = 32 * 1024  # bytes of a body that gain it another second
LOOK = 5.0  # seconds between two looks at a connection, at most
SLOW = "The request did not arrive in time. Nothing was stored: try again."


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with an end to patience.

    uvicorn waits forever for a request that does not come, or does not end: an attacker who opens
    connections and sends a byte now and then could take them all. And its reply to one connection
    too many is not a problem document.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._most, self.limit_concurrency = self.limit_concurrency, None
        self._due = math.inf
        self._look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._due = self.loop.time() + PATIENCE
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        if self._look is not None:
            self._look.cancel()

    def on_message_begin(self) -> None:
        """A request has begun: the first has been waited for already."""
        super().on_message_begin()
        if self._due == math.inf:
            self._due = self.loop.time() + PATIENCE

    def on_headers_complete(self) -> None:
        """Let the app say so if this is one connection too many."""
        if self._most is not None and len(self.connections) > self._most:
            self.scope["extensions"] = {CROWDED: {}}
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A long body may take longer, if it comes at all."""
        super().on_body(body)
        self._due += len(body) / PACE

    def on_message_complete(self) -> None:
        """The request is here: now it is we who take our time."""
        self._due = math.inf
        super().on_message_complete()

    def _wait(self) -> None:
        """Look again when the request is due; one timer for many requests costs next to nothing."""
        left = self._due - self.loop.time()
        if left > 0:
            self._look = self.loop.call_later(min(left, LOOK), self._wait)
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(too_slow())
        self.transport.close()


def too_slow() -> bytes:
    """What a caller is told whose request did not arrive."""
    return _reply(ProblemError(408, "too-slow", SLOW))


def _reply(problem: ProblemError) -> bytes:
    response = problem.response()
    headers = [*response.raw_headers, (b"connection", b"close"), (b"cache-control", b"no-store")]
    lines = [b"%s: %s\r\n" % header for header in headers]
    return b"HTTP/1.1 %d -\r\n%s\r\n%s" % (problem.status, b"".join(lines), response.body)
