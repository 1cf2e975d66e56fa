"""Webhooks: who is told what happens in an arena; kept in its database."""

import json
import secrets
from collections.abc import Sequence
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

from sparring import checks
from sparring.arena import making
from sparring.web.table import MICROSECONDS, ArenaTable

KINDS = ("leader changed", "drift suspected", "item starved", "excluded share jumped")
MOST = 20  # of one arena
LONGEST_URL = 2000


class Hook(NamedTuple):
    """Where to send what."""

    id: int
    url: str
    secret: str
    kinds: list[str]
    made: float
    """In seconds since 1970."""


class Hooks(ArenaTable):
    """The webhooks of a service."""

    NAME: ClassVar = "sparring_hooks"

    def all(self, arena: str) -> list[Hook]:
        """The webhooks of an arena."""
        rows = self._rows(
            "SELECT h.id, h.url, h.secret, h.kinds, h.made FROM sparring_hooks h"
            " JOIN sparring_arenas a ON a.id = h.arena"
            " WHERE a.name = ? AND h.ended IS NULL ORDER BY h.id",
            arena,
        )
        return [self._hook(*row) for row in rows]

    def _hook(self, number: int, url: str, secret: str, kinds: str, made: int) -> Hook:
        try:
            demand_url(url)
            found = json.loads(kinds)
            if not isinstance(found, list) or not all(kind in KINDS for kind in found):
                raise ValueError(found)
        except (RecursionError, ValueError):
            raise self._damaged(number) from None
        return Hook(number, url, secret, found, made / MICROSECONDS)

    def make(self, arena: str, url: str, kinds: Sequence[str]) -> Hook:
        """A new webhook, with its own secret to sign messages."""
        demand_url(url)
        for kind in kinds:
            if kind not in KINDS:
                raise checks.unknown("kind", kind, KINDS)
        if len(self.all(arena)) >= MOST:
            raise checks.refuse("hooks", f"at most {MOST} in an arena", MOST + 1)
        secret, now = secrets.token_urlsafe(32), making.now()
        wanted = [kind for kind in KINDS if kind in kinds]
        number = self._add(arena, url=url, secret=secret, kinds=json.dumps(wanted), made=now)
        return Hook(number, url, secret, wanted, now / MICROSECONDS)


def demand_url(url: str) -> None:
    """Refuse anything but the address of a web server."""
    try:
        found = urlsplit(url)
        fits = found.scheme in ("http", "https") and bool(found.hostname) and not found.username
        fits = fits and found.port != 0 and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        fits = False
    if not fits or len(url) > LONGEST_URL:
        raise checks.refuse("url", "an address that begins with https:// or http://", url)
