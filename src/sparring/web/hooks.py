"""Webhooks: who is told what happens in an arena; kept in its database."""

import json
import secrets
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from sparring import checks
from sparring.arena import making
from sparring.arena.database import open_database

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


class Hooks:
    """The webhooks of a service, in the database of its arenas.

    Parameters
    ----------
    address
        Address of the database, whose tables must exist.
    """

    def __init__(self, address: str) -> None:
        self._database = open_database(address, create=False)
        self._lock = threading.Lock()  # one thread at a time may use a database

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def all(self, arena: str) -> list[Hook]:
        """The webhooks of an arena."""
        with self._lock:
            rows = self._database.rows(
                "SELECT h.id, h.url, h.secret, h.kinds, h.made FROM sparring_hooks h"
                " JOIN sparring_arenas a ON a.id = h.arena"
                " WHERE a.name = ? AND h.ended IS NULL ORDER BY h.id",
                (arena,),
            )
        return [
            Hook(number, url, secret, json.loads(kinds), made / 1e6)
            for number, url, secret, kinds, made in rows
        ]

    def make(self, arena: str, url: str, kinds: Sequence[str]) -> Hook:
        """A new webhook, with its own secret to sign messages."""
        demand_url(url)
        for kind in kinds:
            if kind not in KINDS:
                raise checks.unknown("kind", kind, KINDS)
        if len(self.all(arena)) >= MOST:
            raise checks.refuse("hooks", f"at most {MOST} in an arena", MOST + 1)
        secret, now = secrets.token_urlsafe(32), time.time_ns() // 1000
        wanted = [kind for kind in KINDS if kind in kinds]
        with self._lock, self._database.writing():
            owner, _ = making.find(self._database, arena)
            number = (self._database.rows("SELECT max(id) FROM sparring_hooks")[0][0] or 0) + 1
            self._database.change(
                "INSERT INTO sparring_hooks (id, arena, url, secret, kinds, made)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [(number, owner, url, secret, json.dumps(wanted), now)],
            )
        return Hook(number, url, secret, wanted, now / 1e6)

    def end(self, arena: str, number: int) -> None:
        """End a webhook; nothing happens if it does not exist."""
        with self._lock, self._database.writing():
            owner, _ = making.find(self._database, arena)
            self._database.change(
                "UPDATE sparring_hooks SET ended = ? WHERE id = ? AND arena = ? AND ended IS NULL",
                [(time.time_ns() // 1000, number, owner)],
            )


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
