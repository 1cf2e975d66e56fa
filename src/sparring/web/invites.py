"""Invites: links that let voters into an arena that is not open to everyone."""

import secrets
import time
from typing import ClassVar, NamedTuple

from sparring import checks
from sparring.arena import making
from sparring.web.table import MICROSECONDS, ArenaTable, digest

MOST = 200  # of one arena in use
MOST_USES = 100_000
LONGEST = 10 * 366 * 86_400.0  # seconds until one expires


class Invite(NamedTuple):
    """An invite in use, without its secret."""

    id: int
    label: str
    uses: int
    """How many voters may come in by it."""
    used: int
    """How many have."""
    expires: float | None
    """Until when they may, in seconds since 1970; None for any time."""
    made: float


class InviteError(ValueError):
    """A voter is not let in; `kind` says why in a word."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class Invites(ArenaTable):
    """The invites of a service and who came by them.

    An invite is 256 random bits, of which only the hash is stored. The first call of a voter with
    it is a use; from then on the voter is known by pseudonym and needs it no more. When one is
    ended nobody comes in by it, and who did is out again; answers given until then stay: to void
    them a voter is banned.
    """

    NAME: ClassVar = "sparring_invites"

    def all(self, arena: str) -> list[Invite]:
        """The invites of an arena that have not been ended."""
        rows = self._rows(
            "SELECT i.id, i.label, i.uses, (SELECT count(*) FROM sparring_guests g"
            " WHERE g.invite = i.id), i.expires, i.made FROM sparring_invites i"
            " JOIN sparring_arenas a ON a.id = i.arena"
            " WHERE a.name = ? AND i.ended IS NULL ORDER BY i.id",
            arena,
        )
        return [
            Invite(
                number,
                label,
                uses,
                used,
                None if until is None else until / MICROSECONDS,
                made / MICROSECONDS,
            )
            for number, label, uses, used, until, made in rows
        ]

    def make(
        self, arena: str, label: str, *, uses: int = 1, expires: float | None = None
    ) -> tuple[Invite, str]:
        """A new invite and its text, which cannot be read again."""
        checks.text("label", label)
        checks.whole("uses", uses, low=1, high=MOST_USES)
        now = time.time()
        if expires is not None and not now < expires <= now + LONGEST:
            raise checks.refuse("expires", "in the next ten years", expires, "Seconds since 1970")
        if len(self.all(arena)) >= MOST:
            raise checks.refuse("invites", f"at most {MOST} in an arena", MOST + 1, "End some")
        text, made = secrets.token_urlsafe(32), int(now * MICROSECONDS)
        until = None if expires is None else int(expires * MICROSECONDS)
        number = self._add(
            arena, digest=digest(text), label=label, uses=uses, expires=until, made=made
        )
        return Invite(number, label, uses, 0, expires, made / MICROSECONDS), text

    def admit(self, arena: str, voter: str, text: str | None) -> None:
        """Let in a voter who has come before, or whose invite has uses left.

        Parameters
        ----------
        arena, voter
            The arena's name, and the pseudonym there.
        text
            The text in the link; None without one.
        """
        with self._lock:
            if self._is_guest(arena, voter):
                return
            if text is None:
                raise InviteError("invite-needed", "This is for invited people: open your link.")
            with self._database.writing():
                self._use(arena, voter, text)

    def _is_guest(self, arena: str, voter: str) -> bool:
        return bool(
            self._database.rows(
                "SELECT 1 FROM sparring_guests g JOIN sparring_invites i ON i.id = g.invite"
                " JOIN sparring_arenas a ON a.id = g.arena"
                " WHERE a.name = ? AND g.voter = ? AND i.ended IS NULL",
                (arena, voter),
            )
        )

    def _use(self, arena: str, voter: str, text: str) -> None:
        rows = self._database.rows(
            "SELECT i.id, i.arena, i.uses, i.expires, i.ended, (SELECT count(*) FROM"
            " sparring_guests g WHERE g.invite = i.id) FROM sparring_invites i"
            " JOIN sparring_arenas a ON a.id = i.arena WHERE a.name = ? AND i.digest = ?",
            (arena, digest(text)),
        )
        if not rows:
            raise InviteError("invite-unknown", "This is no invite of this arena: check the link.")
        number, owner, uses, expires, ended, used = rows[0]
        if ended is not None:
            raise InviteError("invite-revoked", "This invite was taken back: ask for another.")
        now = making.now()
        if expires is not None and now > expires:
            raise InviteError("invite-expired", "This invite has expired: ask for another.")
        if used >= uses:
            raise InviteError("invite-spent", "This invite is used up: ask for another.")
        guest = "DELETE FROM sparring_guests WHERE arena = ? AND voter = ?"
        self._database.change(guest, [(owner, voter)])  # of an invite that was ended
        self._database.change(
            "INSERT INTO sparring_guests (arena, voter, invite, at) VALUES (?, ?, ?, ?)",
            [(owner, voter, number, now)],
        )
