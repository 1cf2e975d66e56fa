"""What both clients know about HTTP: address, key, timeouts, and lost connections."""

import os
from typing import Any
from urllib.parse import urlsplit

from sparring import checks, extras
from sparring.client.calls import EXPORT, Calls
from sparring.client.errors import error_of
from sparring.client.steps import Lost, Reply, Request
from sparring.version import __version__

KEY = "SPARRING_KEY"
JSON_LINES = "application/jsonl"
TIMEOUT, PATIENCE, LONGEST = 10.0, 30.0, 86_400.0  # seconds


class Connected:
    """An arena of a service. `Client` and `AsyncClient` differ in how they send and wait."""

    _kind: str
    """The class of httpx that sends."""

    def __init__(
        self,
        address: str,
        name: str = "arena",
        *,
        key: str | None = None,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
    ) -> None:
        address = checks.text("address", address).rstrip("/")
        found = urlsplit(address)
        if found.scheme not in ("http", "https") or not found.hostname or found.username:
            raise checks.refuse("address", "like https://votes.example.org", address)
        patience = checks.real("patience", patience, low=0, high=LONGEST, remedy="In seconds")
        self._timeout = checks.real(
            "timeout", timeout, low=0.001, high=LONGEST, remedy="In seconds"
        )
        self._key = _checked(os.environ.get(KEY) if key is None else key)
        self._calls = Calls(address, checks.text("name", name), patience)
        self._httpx = extras.demand("httpx", "a client", extra="client")
        self._http = getattr(self._httpx, self._kind)(**self._options())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._calls.name!r} at {self._calls.address}>"

    def _options(self) -> dict[str, Any]:
        """Options for httpx. Redirects are not followed, as the key is only for this address."""
        headers = {"User-Agent": f"sparring/{__version__}"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return {
            "base_url": self._calls.address,
            "headers": headers,
            "timeout": self._timeout,
            "follow_redirects": False,
        }

    def _lost(self, error: Exception) -> Lost:
        """What is known about a request without a reply."""
        unsent = self._httpx.ConnectError, self._httpx.ConnectTimeout, self._httpx.PoolTimeout
        return Lost(type(error).__name__, not isinstance(error, unsent))

    def _export(self) -> tuple[str, str]:
        return "GET", self._calls.path + EXPORT

    def _demand_well(self, status: int, content: bytes) -> None:
        if status >= 300:
            raise error_of(Reply(status, {}, content), self._calls.address)


def sent(request: Request) -> dict[str, Any]:
    """A request as httpx takes it."""
    found: dict[str, Any] = {"method": request.method, "url": request.path}
    if isinstance(request.body, str):
        return {**found, "content": request.body, "headers": {"Content-Type": JSON_LINES}}
    return found if request.body is None else {**found, "json": request.body}


def _checked(key: str | None) -> str | None:
    """A key that a header can carry; errors do not show it."""
    if key is None:
        return None
    key = key.strip() if isinstance(key, str) else ""
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("key must be the text that the service showed when it made it (spk_...)")
    return key
