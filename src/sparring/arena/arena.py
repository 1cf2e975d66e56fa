"""Arena: a learner in service, whose answers are on disk before they are acknowledged."""

import json
import math
import os
import secrets
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from sparring import checks
from sparring.arena import tickets
from sparring.arena.database import Database, StorageError, open_database
from sparring.arena.events import Event, Log
from sparring.arena.group import Call, Group
from sparring.arena.standing import Standing, standing
from sparring.arena.state import State, packed, unpacked
from sparring.arena.tickets import Claims, Ticket, TicketError
from sparring.durations import duration
from sparring.learners import LEARNERS

CHECKPOINT = 2000  # events between two checkpoints, or more where a checkpoint is long
BYTES = 100  # of a checkpoint that are worth an event
KEPT = 2  # checkpoints: one may be damaged
FIND = "SELECT id, key FROM sparring_arenas WHERE name = ?"


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


class Arena:
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
        How long an answer may take: seconds, or text such as "7d", "12h", "30min". What comes
        later is kept and not learnt.
    seed
        An int, to make all choices of pairs repeatable.

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
        lifetime: float | str = "7d",
        seed: int | None = None,
    ) -> None:
        names = None if arms is None else checks.names("arms", arms)
        made = None if names is None else _made(names, learner, options, lifetime, seed)
        self._database: Database = open_database(address, create=made is not None)
        self._name = name
        self._group = Group(self._together)
        self._state: State | None = None
        self._saved = 0
        self._worth = CHECKPOINT
        arena, key = self._found(made)
        self._key = bytes.fromhex(key)
        self._arena = arena
        self._log = Log(self._database, arena)
        self._group.alone(self._catch_up)
        self._agree(names, learner, options)

    def __repr__(self) -> str:
        return f"<Arena {self._name!r} in {self._database.address}>"

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
        who = None if voter is None else tickets.pseudonym(checks.text("voter", voter), self._key)
        return self._group.do(lambda: self._ask(who))

    def tell(self, ticket: str | Ticket, answer: str | float) -> Answer:
        """Learn an answer. It is on disk when this returns; told again, it is the same answer.

        Parameters
        ----------
        ticket
            The ticket or its text.
        answer
            The name of the arm that won, "tie", or how good the first arm is beside the second,
            from 0 to 1.
        """
        text = ticket.text if isinstance(ticket, Ticket) else ticket
        claims = tickets.read(text, self._key)
        return self._group.do(lambda: self._tell(claims, answer))

    def add(self, name: str, *, boost: float = 1.0) -> None:
        """Add an arm. It begins with the mean weight of the others, times the boost."""
        checks.names("name", [name])
        boost = checks.real("boost", boost, low=1e-3, high=1e3)
        self._group.do(lambda: self._add(name, boost))

    def withdraw(self, name: str) -> None:
        """Withdraw an arm: it is not shown again. Answers still to come are kept, not learnt."""
        self._group.do(lambda: self._withdraw(name))

    def serve(self) -> str:
        """The name of the arm to show to somebody who will not be asked: the favourite."""
        return self.favourite

    @property
    def favourite(self) -> str:
        """The name of the arm that the learner thinks best."""
        state = self._now()
        return self._group.alone(lambda: state.arms[state.favourite()].name)

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that are shown."""
        return tuple(self._now().names())

    @property
    def votes(self) -> int:
        """How many answers were learnt."""
        return self._now().votes

    def standing(self) -> Standing:
        """Who leads, since when, and how the arms do."""
        state = self._now()
        return self._group.alone(lambda: standing(state))

    def checkpoint(self) -> None:
        """Save the state now, so that the next start is fast. It is done now and then by itself."""
        self._group.alone(self._save)

    def close(self) -> None:
        """Save the state, and close the database."""
        self._group.alone(self._save)
        self._database.close()

    # What they do, each within a transaction that holds the arena's lock.

    def _ask(self, voter: str | None) -> Ticket:
        state, now = self._current(), self._clock()
        state.expire(now)
        if voter is not None and voter in state.asked:
            return self._ticket(state.asked[voter])
        drawn = state.draw()
        name = tickets.new_name()
        body = {
            "row": state.present[drawn.duel.row],
            "col": state.present[drawn.duel.col],
            "swapped": bool(secrets.randbits(1)),  # the learner's row arm often leads
            "selves": drawn.selves,
            "voter": voter,
        }
        event = Event(state.number + 1, now, "asked", name, body)
        state.take_in(event, self._log.append(event, state.chain), drawn)
        return self._ticket(name)

    def _tell(self, claims: Claims, answer: str | float) -> Answer:
        state = self._current()
        outcome = self._outcome(claims, answer)
        stored = None if claims.name in state.open else self._log.spent(claims.name)
        if stored is not None:
            if stored.body["outcome"] != outcome:
                raise AnswerConflictError(
                    f"this ticket was answered before, with {stored.body['outcome']:g} for "
                    f"{state.arms[claims.first].name!r}: an answer cannot be changed"
                )
            return Answer(stored.number, stored.body["why"] == "", stored.body["why"])
        now = self._clock()
        state.expire(now)
        why = "" if claims.name in state.open else self._excuse(claims, now)
        self._happen("told", {"outcome": outcome, "why": why}, claims.name)
        return Answer(state.number, why == "", why)

    def _add(self, name: str, boost: float) -> None:
        if name in self._current().names():
            raise checks.refuse("name", "new", name, "There is an arm of this name")
        self._happen("added", {"name": name, "boost": boost})

    def _withdraw(self, name: str) -> None:
        state = self._current()
        try:
            arm = state.id_of(name)
        except KeyError:
            raise checks.refuse("name", f"one of {state.names()}", name) from None
        if len(state.present) == 2:
            raise checks.refuse("name", "one of at least three arms", name, "A duel needs two")
        self._happen("withdrawn", {"arm": arm})

    def _happen(self, kind: str, body: dict[str, Any], ticket: str | None = None) -> None:
        """Write an event and take it in."""
        state = self._current()
        event = Event(state.number + 1, self._clock(), kind, ticket, body)
        state.take_in(event, self._log.append(event, state.chain))

    def _outcome(self, claims: Claims, answer: str | float) -> float:
        """How good the first arm was, from 0 to 1."""
        if not isinstance(answer, str):
            return checks.real("answer", answer, low=0, high=1, remedy="1: the first arm won")
        names = [self._current().arms[arm].name for arm in (claims.first, claims.second)]
        known = {names[0]: 1.0, names[1]: 0.0, checks.TIE: 0.5}
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
        return "the database does not know its question: it is a copy from before"

    # Transactions and state.

    def _together(self, calls: list[Call[Any]]) -> None:
        """Carry out calls in one transaction; all of it is on disk, or nothing happened."""
        try:
            with self._database.writing(self._arena):
                self._catch_up()
                for call in calls:
                    call.attempt()
                self._log.write()
        except BaseException:
            self._state = None  # it may be ahead of the log, which is the truth
            self._log.discard()
            raise
        if self._current().number - self._saved >= self._worth:
            self._save()

    def _catch_up(self) -> None:
        """Take in what other processes have done."""
        if self._state is None:
            self._state = self._loaded()
        try:
            for event, chain in self._log.after(self._state.number, self._state.chain):
                self._state.apply(event, chain)
        except BaseException:
            self._state = None
            raise

    def _now(self) -> State:
        """The state, with all that has happened."""
        self._group.alone(self._catch_up)
        return self._current()

    def _current(self) -> State:
        assert self._state is not None
        return self._state

    def _clock(self) -> int:
        """Now, in microseconds; no earlier than the latest event, whatever the clock does."""
        return max(_clock(), self._current().at)

    def _ticket(self, name: str) -> Ticket:
        state = self._current()
        pair = state.open[name]
        first, second = pair.shown
        text = tickets.write(Claims(name, first, second, pair.at + state.lifetime), self._key)
        return Ticket(state.arms[first].name, state.arms[second].name, text)

    def _loaded(self) -> State:
        """The state of the latest checkpoint that is whole; if there is none, the beginning."""
        rows = self._database.rows(
            "SELECT number, state, digest FROM sparring_checkpoints WHERE arena = ?"
            " ORDER BY number DESC",
            (self._arena,),
        )
        for number, data, digest in rows:
            state = unpacked(bytes(data), digest)
            if state is not None:
                self._saved = number
                return state
        self._saved = 0
        return State()

    def _save(self) -> None:
        """Write a checkpoint. If that fails, nothing is lost but time at the next start."""
        if self._state is None or self._state.number == self._saved:
            return
        number, (data, digest) = self._state.number, packed(self._state)
        try:
            with self._database.writing(self._arena):
                self._database.change(
                    "DELETE FROM sparring_checkpoints WHERE arena = ? AND number = ?",
                    [(self._arena, number)],
                )
                self._database.change(
                    "INSERT INTO sparring_checkpoints VALUES (?, ?, ?, ?)",
                    [(self._arena, number, data, digest)],
                )
                self._database.change(
                    "DELETE FROM sparring_checkpoints WHERE arena = ? AND number NOT IN (SELECT"
                    " number FROM sparring_checkpoints WHERE arena = ? ORDER BY number DESC"
                    f" LIMIT {KEPT})",
                    [(self._arena, self._arena)],
                )
        except StorageError:
            pass
        self._saved = number
        self._worth = max(CHECKPOINT, len(data) // BYTES)

    # Making and opening.

    def _found(self, made: dict[str, Any] | None) -> tuple[int, str]:
        """The arena of this name: its id and its key. It is made if it is not there."""
        if made is None:
            return find_arena(self._database, self._name)
        with self._database.writing():
            rows = self._database.rows(FIND, (self._name,))
            if rows:
                return rows[0][0], rows[0][1]
            highest = self._database.rows("SELECT max(id) FROM sparring_arenas")[0][0]
            arena, key = (highest or 0) + 1, secrets.token_hex(32)
            self._database.change(
                "INSERT INTO sparring_arenas VALUES (?, ?, ?)", [(arena, self._name, key)]
            )
            log, event = Log(self._database, arena), Event(1, _clock(), "made", None, made)
            State().apply(event, log.append(event, ""))  # refuses what no learner can be made of
            log.write()
            return arena, key

    def _agree(
        self, names: Sequence[str] | None, learner: str | None, options: dict[str, Any] | None
    ) -> None:
        """Refuse to open an arena that is not the one that was meant."""
        state = self._current()
        made = next(self._log.after(0, ""))[0].body
        known = {arm.name for arm in state.arms}
        for name in names or ():
            if name not in known:
                raise checks.refuse(
                    "arms", f"among {sorted(known)}", name, "To add an arm, call arena.add(name)"
                )
        for what, given in (("learner", learner), ("options", options)):
            if given is not None and made[what] != given:
                raise checks.refuse(what, f"{made[what]!r}, with which it was made", given)


def find_arena(database: Database, name: str) -> tuple[int, str]:
    """The id and the key of the arena of this name."""
    rows = database.rows(FIND, (name,))
    if not rows:
        known = [name for (name,) in database.rows("SELECT name FROM sparring_arenas")]
        raise StorageError(
            f"{database.address} has no arena {name!r}, but {known}. Give arms=[...] to make it"
        )
    return rows[0][0], rows[0][1]


def _made(
    names: list[str],
    learner: str | None,
    options: dict[str, Any] | None,
    lifetime: float | str,
    seed: int | None,
) -> dict[str, Any]:
    """The first event: all that makes an arena."""
    if len(names) < 2:
        raise checks.refuse("arms", "at least two names", names, "A duel needs two arms")
    if learner is None:
        learner, options = "tracker", {"differ": True} if options is None else options
    if learner not in LEARNERS:
        raise checks.refuse("learner", "a name of sparring.LEARNERS", learner)
    options = {} if options is None else options
    if not isinstance(options, dict) or json.loads(json.dumps(options)) != options:
        raise checks.refuse("options", "a dictionary that JSON can hold", options)
    bits = secrets.randbits(128) if seed is None else checks.whole("seed", seed, low=0)
    return {
        "arms": names,
        "learner": learner,
        "options": options,
        "lifetime": math.ceil(1e6 * duration("lifetime", lifetime)),
        "seed": hex(bits),
    }


def _clock() -> int:
    return time.time_ns() // 1000
