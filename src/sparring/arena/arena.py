"""Arena: a learner in service, whose answers are on disk before they are acknowledged."""

import os
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sparring import checks
from sparring.arena import making, tickets
from sparring.arena.database import Database, open_database
from sparring.arena.group import Call
from sparring.arena.live import LiveState
from sparring.arena.standing import Standing, standing
from sparring.arena.tickets import Claims, Ticket, TicketError
from sparring.learners.changing import LARGEST_BOOST

if TYPE_CHECKING:
    from sparring.votes.values import Votes


class AnswerConflictError(TicketError):
    """The ticket was answered before, and otherwise."""


class Answer(NamedTuple):
    """What became of an answer. It is on disk."""

    number: int
    """Its number in the arena's log."""
    learnt: bool
    """Whether the learner has learnt from it."""
    why: str
    """Why not, if it has not."""


class Arena(LiveState):
    """A learner in service: named arms, answers that last, one log for many processes.

    The log of events is the truth: what was asked, answered, added and withdrawn. It is on disk
    before a call returns; the state is what the events come to, the same in every process.

    Use one `Arena` for each process, from as many threads as you like.

    Parameters
    ----------
    address
        A file, for SQLite, or postgresql://..., which needs the extra `postgres`. It is made if
        `arms` are given and it is not there.
    arms
        The names of the arms. An arena that is there keeps its own; only a name it has never had
        is refused.
    learner
        The name of a learner of `sparring.LEARNERS`; "tracker", with two different arms in every
        round, if the arena is new and none is given.
    options
        The learner's options besides K and seed, such as {"memory": 5000} for "steady".
    name
        Several arenas may share a database, each with a name.
    lifetime
        How long an answer may take: seconds, or text such as "12h" or "30min"; "7d" if the arena
        is new and nothing is given. What comes later is kept and not learnt.
    seed
        An int, to make all choices of pairs of a new arena repeatable.

    Examples
    --------
    >>> import tempfile, os.path
    >>> folder = tempfile.TemporaryDirectory()
    >>> arena = Arena(os.path.join(folder.name, "prompts.db"), arms=["plain", "polite", "terse"])
    >>> ticket = arena.ask(voter="u17")
    >>> arena.tell(ticket.text, ticket.first).learnt
    True
    >>> arena.close(); folder.cleanup()
    """

    def __init__(
        self,
        address: str | os.PathLike[str],
        arms: Iterable[str] | None = None,
        *,
        learner: str | None = None,
        options: dict[str, Any] | None = None,
        name: str = "arena",
        lifetime: float | str | None = None,
        seed: int | None = None,
    ) -> None:
        names = None if arms is None else checks.names("arms", arms)
        given: dict[str, Any] = {"learner": learner}
        if options is not None or learner is not None:
            given["learner"], given["options"] = making.completed(learner, options)
        if lifetime is not None:
            given["lifetime"] = making.microseconds(lifetime)
        self._name, self._address = checks.text("name", name), address
        self._database: Database = open_database(address, create=names is not None)
        try:
            arena, key = self._found(names, learner, options, lifetime, seed)
            self._key = bytes.fromhex(key)
            super().__init__(self._database, arena)
            self._group.alone(self._catch_up)
            self._agree(names or (), given)
        except BaseException:
            self._database.close()
            raise

    def __repr__(self) -> str:
        return f"<Arena {self._name!r} in {self._database.shown}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What a service calls.

    def ask(self, voter: str | None = None) -> Ticket:
        """Two different arms to show side by side.

        Parameters
        ----------
        voter
            Whoever is asked. A voter who has not answered yet is shown the same pair again. The log
            has a pseudonym instead.
        """
        return self._group.wait(self.asking(voter))

    def tell(self, ticket: str | Ticket, answer: str | float) -> Answer:
        """Learn an answer. It is on disk when this returns; telling it again returns the same.

        Parameters
        ----------
        ticket
            The ticket or its text.
        answer
            The name of the arm that won, "tie", or how good the first arm is beside the second,
            from 0 to 1.
        """
        return self._group.wait(self.telling(ticket, answer))

    def asking(self, voter: str | None = None) -> Call[Ticket]:
        """`ask`, to be carried out by `perform`."""
        who = None if voter is None else tickets.pseudonym(checks.text("voter", voter), self._key)
        return Call(lambda: self._ask(who))

    def telling(self, ticket: str | Ticket, answer: str | float) -> Call[Answer]:
        """`tell`, to be carried out by `perform`. What is no ticket is refused at once."""
        text = ticket.text if isinstance(ticket, Ticket) else ticket
        claims = tickets.read(text, self._key)
        return Call(lambda: self._tell(claims, answer))

    def add(self, name: str, *, boost: float = 1.0) -> None:
        """Add an arm.

        Where arms have weights it begins with the mean of the others', times the boost; a tracker
        has none, and looks at a newcomer soon in any case. Nothing happens if it is there already.
        """
        checks.names("name", [name])
        boost = checks.real("boost", boost, low=1 / LARGEST_BOOST, high=LARGEST_BOOST)
        self._group.do(lambda: self._add(name, boost))

    def withdraw(self, name: str) -> None:
        """Withdraw an arm: it is not shown again, and answers still to come are kept, not learnt.

        Nothing happens if it is withdrawn already.
        """
        self._group.do(lambda: self._withdraw(name))

    def serve(self) -> str:
        """The name of the arm to show to somebody who will not be asked: the favourite."""
        return self.favourite

    @property
    def favourite(self) -> str:
        """The name of the arm that the learner thinks best."""
        return self._look(lambda state: state.arms[state.favourite()].name)

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that are shown."""
        return self._look(lambda state: tuple(state.names()))

    @property
    def votes(self) -> int:
        """How many answers were learnt."""
        return self._look(lambda state: state.votes)

    def standing(self) -> Standing:
        """Who leads, since when, and how the arms do."""
        return self._look(standing)

    def history(self) -> "Votes":
        """The votes learnt so far, for `sparring.votes`: standings with intervals, alarm, what if.

        It reads the log anew, beside whoever votes meanwhile.
        """
        from sparring.votes.arenas import from_arena  # only now: a service may never ask

        return from_arena(self._address, name=self._name)

    def checkpoint(self) -> None:
        """Save the state, so that the next start is fast; now and then that happens by itself."""
        self._group.alone(self._save)

    def close(self) -> None:
        """Save the state, and close the database."""
        self._group.alone(self._finish)

    # What they do, each within a transaction that holds the arena's lock.

    def _ask(self, voter: str | None) -> Ticket:
        state, now = self._current(), self._clock()
        if voter is not None and state.is_open(state.asked.get(voter, ""), now):
            return self._ticket(state.asked[voter])
        name, swapped = tickets.new_name(), bool(secrets.randbits(1))  # the row arm often leads
        drawn = self._or_spoil(state.draw)
        body = {
            "row": state.present[drawn.duel.row],
            "col": state.present[drawn.duel.col],
            "swapped": swapped,
            "selves": drawn.selves,
            "voter": voter,
        }
        self._happen(now, "asked", body, name, drawn)
        return self._ticket(name)

    def _tell(self, claims: Claims, answer: str | float) -> Answer:
        state, now = self._current(), self._clock()
        outcome = self._outcome(claims, answer)
        is_open = state.is_open(claims.name, now)
        stored = None if is_open else self._log.spent(claims.name)
        if stored is not None:
            if stored.body["outcome"] != outcome:
                raise AnswerConflictError(
                    f"this ticket was answered before, with {stored.body['outcome']:g} for "
                    f"{state.arms[claims.first].name!r}: an answer cannot be changed"
                )
            return Answer(stored.number, stored.body["why"] == "", stored.body["why"])
        why = "" if is_open else self._excuse(claims, now)
        self._happen(now, "told", {"outcome": outcome, "why": why}, claims.name)
        return Answer(state.number, is_open, why)

    def _add(self, name: str, boost: float) -> None:
        if name not in self._current().names():
            self._happen(self._clock(), "added", {"name": name, "boost": boost})

    def _withdraw(self, name: str) -> None:
        state = self._current()
        if name not in [arm.name for arm in state.arms]:
            raise checks.refuse("name", f"one of {state.names()}", name)
        if name not in state.names():
            return
        if len(state.present) == 2:
            raise checks.refuse("name", "one of at least three arms", name, "A duel needs two")
        self._happen(self._clock(), "withdrawn", {"arm": state.id_of(name)})

    def _outcome(self, claims: Claims, answer: str | float) -> float:
        """How good the first arm was, from 0 to 1."""
        arms = self._current().arms
        if max(claims.first, claims.second) >= len(arms):
            raise TicketError(
                "this ticket is for an arm that the database does not know: it was restored from "
                "an older copy"
            )
        if not isinstance(answer, str):
            return checks.real("answer", answer, low=0, high=1, remedy="1: the first arm won")
        known = {arms[claims.first].name: 1.0, arms[claims.second].name: 0.0, checks.TIE: 0.5}
        if answer not in known:
            raise checks.refuse("answer", f"one of {list(known)}, or a number", answer)
        return known[answer]

    def _excuse(self, claims: Claims, now: int) -> str:
        """Why the answer on a ticket that is not open cannot be learnt."""
        arms = self._current().arms
        gone = [arms[arm].name for arm in claims[1:3] if arms[arm].withdrawn is not None]
        if gone:
            return f"{gone[0]!r} was withdrawn"
        if now > claims.expires:
            return "it came too late"
        return "its question is not in the log: the database was restored from an older copy"

    def _ticket(self, name: str) -> Ticket:
        state = self._current()
        pair = state.open[name]
        first, second = pair.shown
        text = tickets.write(Claims(name, first, second, pair.at + state.lifetime), self._key)
        return Ticket(state.arms[first].name, state.arms[second].name, text)

    # Opening.

    def _found(
        self,
        names: list[str] | None,
        learner: str | None,
        options: dict[str, Any] | None,
        lifetime: float | str | None,
        seed: int | None,
    ) -> tuple[int, str]:
        """The id and the key of the arena; it is made if it is not there, and arms are given."""
        if names is None or self._database.rows(making.FIND, (self._name,)):
            return making.find(self._database, self._name)
        made = making.described(names, learner, options, lifetime, seed)
        return making.make(self._database, self._name, made)

    def _agree(self, names: Iterable[str], given: dict[str, Any]) -> None:
        """Refuse to open an arena that is not the one that was meant."""
        made = self._log.first().body
        known = {arm.name for arm in self._current().arms}
        for name in names:
            if name not in known:
                raise checks.refuse(
                    "arms", f"among {sorted(known)}", name, "To add an arm, call arena.add(name)"
                )
        for what, value in given.items():
            if value is not None and made[what] != value:
                raise checks.refuse(what, f"{made[what]!r}, with which it was made", value)
