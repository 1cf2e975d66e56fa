"""Inside: what a call may do within a transaction of an arena, for services."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sparring.arena import tickets
from sparring.arena.arena import Arena
from sparring.arena.group import Call
from sparring.arena.settings import Settings
from sparring.arena.state import State
from sparring.arena.tickets import Claims, Ticket, TicketError
from sparring.arena.voting import Answer

Result = TypeVar("Result")


class Inside:
    """The steps of `ask`, `tell` and the like, to be combined within one call of `perform`.

    Each is on disk when `perform` has returned. Methods that need no such call say so. Voters are
    given by their pseudonyms.

    Parameters
    ----------
    arena
        The arena.

    Examples
    --------
    >>> import os, tempfile, sparring
    >>> folder = tempfile.TemporaryDirectory()
    >>> arena = sparring.Arena(os.path.join(folder.name, "a.db"), arms=["tea", "coffee"])
    >>> inside = Inside(arena)
    >>> ticket = arena.ask()
    >>> call = inside.calling(lambda: inside.tell(inside.claims(ticket.text), "tie"))
    >>> arena.perform([call])
    >>> call.outcome().learnt
    True
    >>> arena.close(); folder.cleanup()
    """

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def calling(self, work: Callable[[], Result]) -> Call[Result]:
        """A call for `Arena.perform` to carry out. Needs no call itself."""
        return Call(work)

    def look(self, read: Callable[[State], Result]) -> Result:
        """Look at the state: quick, and keep nothing of it. Needs no call."""
        return self._arena._look(read)

    @property
    def open_pairs(self) -> int:
        """How many pairs can still be answered, as far as this process knows. Needs no call."""
        state = self._arena._state
        return 0 if state is None else len(state.open)

    @property
    def known_settings(self) -> Settings | None:
        """The settings as far as this process knows, at once; None if not. Needs no call."""
        state = self._arena._state
        return None if state is None else state.settings

    @property
    def state(self) -> State:
        """The state, with what this transaction has done so far; to be read only."""
        return self._arena._current()

    def claims(self, text: str, voter: str | None = None) -> Claims:
        """What a ticket says; if a voter is given, another voter's ticket is refused.

        A ticket that was asked for without a voter is valid for anyone.
        """
        claims = tickets.read(text, self._arena._key)
        if voter is not None and self._owner(claims.name) not in (None, voter):
            raise TicketError("this ticket is not this voter's")
        return claims

    def _owner(self, name: str) -> str | None:
        """Who was given a ticket, even if it was already answered: a retry must work."""
        pair = self.state.open.get(name)
        if pair is not None:
            return pair.voter
        log = self._arena._log
        found = log.of_ticket(name, "asked") or log.of_ticket(name, "told")
        return None if found is None else found.body.get("voter")

    def ask(self, voter: str | None, n: int) -> list[Ticket]:
        """The open pairs of a voter, filled up to n."""
        return self._arena._ask(voter, n)

    def lapse(self, names: list[str]) -> None:
        """Let open pairs make way for newer ones; an answer on such a ticket comes too late."""
        self._arena._lapse(names)

    def tell(self, claims: Claims, answer: str | float) -> Answer:
        """Learn an answer."""
        return self._arena._tell(claims, answer)

    def undo(self, claims: Claims) -> Ticket:
        """Take an answer back."""
        return self._arena._undo(claims)

    def seen(self, claims: Claims) -> None:
        """Remember since when a pair is on the screen."""
        self._arena._look_at(claims)

    def add_all(self, arms: Mapping[str, dict[str, Any] | None]) -> None:
        """Add arms, all or none; nothing happens to those that are already there."""
        self._arena._add_all(arms)

    def edit(self, name: str, content: dict[str, Any]) -> None:
        """Change what is shown for an arm."""
        self._arena._edit(name, content)
