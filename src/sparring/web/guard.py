"""Guard: what holds for every request and response, whatever route it takes."""

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.web.access import role_in
from sparring.web.problems import ProblemError, problem_of
from sparring.web.service import Service

BULK = ("/import", "/items/bulk")  # the ends of the addresses to which much may be sent
CORS_METHODS, CORS_HEADERS = b"GET, POST", b"Content-Type, X-Invite, X-Voter"
CORS_PATHS = ("/ask", "/vote", "/undo", "/seen")

# Pages bring a policy of their own; whatever has none is data, and may do nothing at all.
POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
]
UNCACHED = (b"cache-control", b"no-store")
CONNECTION = "sparring.connection"  # the name of its connection in the state of a scope

log = logging.getLogger("sparring.web")


class Guard:
    """Around the app: limits on bodies, names of the host, safe headers, errors as problems.

    Plain ASGI, since each request passes here and a thicker layer would cost more than the vote.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        config = service.config
        self._app, self._service, self._limits = app, service, config.limits
        self._hosts = config.hosts
        self._origins = {origin.encode() for origin in config.origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answered = self._dressed(scope, headers, send)
        try:
            if scope["method"] == "OPTIONS" and self._is_preflight(scope, headers):
                await answered({"type": "http.response.start", "status": 204, "headers": []})
                await answered({"type": "http.response.body", "body": b""})
                return
            self._demand_own_name(headers)
            receive = await self._limited(scope, headers, receive, answered)
            await self._app(scope, receive, answered)
            if answered.refused is not None:  # FastAPI took it for a body that is no JSON
                raise answered.refused
        except ClientDisconnect:  # nobody is there to be told
            return
        except Exception as error:
            if answered.begun:  # too late to say it: the client sees a reply that breaks off
                log.error("a reply broke off: %s", type(error).__name__, exc_info=error)
                raise
            answered.refused = None
            await problem_of(error).response()(scope, receive, answered)
        finally:
            connection = scope.get("state", {}).get(CONNECTION)
            if connection is not None:  # in tests there is none
                connection.answered()

    def _dressed(self, scope: Scope, headers: Headers, send: Send) -> "Dressed":
        more: list[tuple[bytes, bytes]] = []
        if self._origins and scope["path"].endswith(CORS_PATHS):
            more.append((b"vary", b"Origin"))
            origin = headers.get("origin", "").encode("latin-1")
            if origin in self._origins:
                more += [
                    (b"access-control-allow-origin", origin),
                    (b"access-control-allow-methods", CORS_METHODS),
                    (b"access-control-allow-headers", CORS_HEADERS),
                    (b"access-control-max-age", b"600"),
                ]
        return Dressed(send, more, self._count)

    def _count(self, status: int) -> None:
        self._service.metrics.responses.labels(str(status)).inc()

    def _is_preflight(self, scope: Scope, headers: Headers) -> bool:
        asked = "access-control-request-method" in headers
        return asked and bool(self._origins) and scope["path"].endswith(CORS_PATHS)

    def _demand_own_name(self, headers: Headers) -> None:
        if not self._hosts:
            return
        host = urlsplit(f"//{headers.get('host', '')}").hostname
        if host not in self._hosts:
            detail = "This service does not answer to that name; start it with --public-url."
            raise ProblemError(421, "wrong-host", detail)

    async def _limited(
        self, scope: Scope, headers: Headers, receive: Receive, answered: "Dressed"
    ) -> Receive:
        """Receive a body up to a limit, which is small for whoever has no key."""
        small, large = self._limits.small, self._most(scope["path"])
        length = headers.get("content-length")
        if length is None:
            return self._counted(headers, receive, large, answered)
        if not length.isdecimal() or len(length) > 15 or int(length) > large:
            raise _too_long(large)
        if int(length) > small:
            await self._demand_key(headers)
        return receive  # the server hands over no more than was announced

    def _most(self, path: str) -> int:
        if path.endswith(CORS_PATHS):
            return self._limits.small
        return self._limits.bulk if path.endswith(BULK) else self._limits.body

    async def _demand_key(self, headers: Headers) -> None:
        if await role_in(self._service, headers) is None:
            raise _too_long(self._limits.small, "Without a key the")

    def _counted(
        self, headers: Headers, receive: Receive, most: int, answered: "Dressed"
    ) -> Receive:
        """Receive a body whose length was not announced."""
        seen, has_key = 0, False

        async def counted() -> Message:
            nonlocal seen, has_key
            message = await receive()
            seen += len(message.get("body", b""))
            try:
                if seen > most:
                    raise _too_long(most)
                if seen > self._limits.small and not has_key:
                    await self._demand_key(headers)
                    has_key = True
            except ProblemError as problem:
                answered.refused = problem
                raise
            return message

        return counted


class Dressed:
    """A `send` that adds headers to the response."""

    def __init__(
        self, send: Send, more: list[tuple[bytes, bytes]], count: Callable[[int], None]
    ) -> None:
        self._send, self._more, self._count = send, more, count
        self.begun = False
        self.refused: ProblemError | None = None
        """Why nothing of the body is taken in; what the app says then is not sent."""

    async def __call__(self, message: Message) -> None:
        """Pass a part of the response on."""
        if self.refused is not None and not self.begun:
            return
        if message["type"] == "http.response.start":
            self.begun = True
            self._count(message["status"])
            headers = message["headers"] = [*message["headers"], *SAFE, *self._more]
            present = {name for name, _ in headers}
            if POLICY[0] not in present:
                headers.append(POLICY)
            if UNCACHED[0] not in present:
                headers.append(UNCACHED)
        await self._send(message)


def _too_long(most: int, whose: str = "The") -> ProblemError:
    detail = f"{whose} body may have at most {most:,} bytes."
    return ProblemError(413, "too-long", detail, {"Connection": "close"})  # the rest still comes
