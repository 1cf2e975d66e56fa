"""Keys: who may do what. A key has 256 random bits, and only its hash is stored."""

import asyncio
import secrets
import time
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from sparring import checks
from sparring.arena import StorageError, making
from sparring.web.table import MICROSECONDS, Table, digest

ROLES = ("reader", "writer", "admin")  # each may do what those before it may
PREFIX = "spk_"  # by which programs that look for leaked secrets know one
FRESH = 5.0  # seconds for which the list of keys is believed; other processes may end one
PATIENCE = 5.0  # seconds to wait for the list


class KeyRecord(NamedTuple):
    """What is known about a key in use."""

    id: int
    role: str
    label: str
    made: float
    """In seconds since 1970."""


class Keys(Table):
    """The keys of a service.

    Parameters
    ----------
    address
        Address of the database, whose tables must exist.
    """

    NAME: ClassVar = "sparring_keys"

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._known: dict[str, KeyRecord] = {}
        self._read = -FRESH
        self._reading: asyncio.Future[list[KeyRecord]] | None = None

    async def role(self, key: str) -> str | None:
        """The role of a key; None if it is not a key or no longer one."""
        if time.monotonic() - self._read > FRESH:
            await self._read_again()
        found = self._known.get(digest(key))
        return None if found is None else found.role

    async def _read_again(self) -> None:
        """Read the list once for all who wait; a hanging database must not take all threads."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(asyncio.to_thread(self.all))
        done, _ = await asyncio.wait([self._reading], timeout=PATIENCE)
        if not done:
            raise StorageError(f"no list of keys for {PATIENCE:g} s")
        self._reading.result()

    def all(self) -> list[KeyRecord]:
        """The keys in use."""
        with self._lock:
            began = time.monotonic()
            rows = self._database.rows(
                "SELECT digest, id, role, label, made FROM sparring_keys WHERE ended IS NULL"
                " ORDER BY id"
            )
        for _, number, role, *_ in rows:
            if role not in ROLES:
                raise self._damaged(number)
        self._known = {
            digest: KeyRecord(number, role, label, made / MICROSECONDS)
            for digest, number, role, label, made in rows
        }
        self._read = began  # last: whoever finds it fresh finds the keys, too
        return list(self._known.values())

    def make(self, role: str, label: str) -> tuple[KeyRecord, str]:
        """A new key, which cannot be read again."""
        if role not in ROLES:
            raise checks.unknown("role", role, ROLES)
        checks.text("label", label)
        key, now = PREFIX + secrets.token_urlsafe(32), making.now()
        number = self._add(digest=digest(key), role=role, label=label, made=now)
        self.all()
        return KeyRecord(number, role, label, now / MICROSECONDS), key

    def end(self, number: int) -> None:
        """End a key; nothing happens if it does not exist."""
        with self._lock, self._database.writing():
            rows = self._database.rows(
                "SELECT id FROM sparring_keys WHERE role = 'admin' AND ended IS NULL"
            )
            if rows == [(number,)]:
                raise checks.refuse(
                    "key", "not the last admin key", number, "Make another admin key first"
                )
            self._database.change(
                "UPDATE sparring_keys SET ended = ? WHERE id = ? AND ended IS NULL",
                [(making.now(), number)],
            )
        self.all()


def reaches(role: str | None, needed: str, roles: Sequence[str] = ROLES) -> bool:
    """Whether a role may do what another one may.

    Examples
    --------
    >>> reaches("admin", "reader"), reaches("reader", "writer"), reaches(None, "reader")
    (True, False, False)
    """
    return role is not None and roles.index(role) >= roles.index(needed)
