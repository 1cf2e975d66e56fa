"""Arena: a learner in service, whose answers are on disk before they are acknowledged."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

from sparring import checks
from sparring.arena import making
from sparring.arena.clock import Clock
from sparring.arena.database import Database, open_database
from sparring.arena.history import History, Record
from sparring.arena.managing import Managing, checked_content
from sparring.arena.settings import Settings
from sparring.arena.standing import Item, Standing, items, standing
from sparring.arena.state import SECOND, made_with
from sparring.arena.tallies import Tallies
from sparring.arena.voting import Voting
from sparring.learners.snapshots import without_unused

if TYPE_CHECKING:
    from sparring.votes.data import Votes


class Arena(Voting, Managing):
    """A learner in service: named arms, answers that last, one log for many processes.

    The log of events is the truth: what was asked, answered, added and withdrawn. It is on disk
    before a call returns. The state follows from the events and is the same in every process.

    Use one `Arena` in each process, from as many threads as you like.

    Parameters
    ----------
    address
        A file, for SQLite, or postgresql://..., which needs the extra `postgres`. The arena is made
        if it does not exist and `arms` are given.
    arms
        The names of the arms, or a dictionary with what to show for each. An existing arena keeps
        its own arms; only a name it has never had is refused.
    learner
        The name of a learner from `sparring.LEARNERS`. A new arena has by default "tracker", with
        two different arms in every round. If an arena was made with a learner that this release
        does not have, "tracker" moves it: it has watched all votes, and asks from now on.
    options
        The learner's options besides K and seed, such as {"memory": 5000} for "steady".
    name
        Several arenas may share a database, each with a name.
    lifetime
        How long an answer may take: seconds, or text such as "12h" or "30min"; "7d" by default.
        Later answers are kept but not learnt.
    seed
        An int, to make the choice of pairs of a new arena repeatable.
    clock
        For rehearsals and tests: a function that returns the time, in seconds since 1970, instead
        of the wall clock. Answers are late, and dated, by it.

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
        arms: Iterable[str] | Mapping[str, dict[str, Any] | None] | None = None,
        *,
        learner: str | None = None,
        options: dict[str, Any] | None = None,
        name: str = "arena",
        lifetime: float | str | None = None,
        seed: int | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        names = None if arms is None else checks.names("arms", arms)
        contents = {}
        if isinstance(arms, Mapping):
            checked = {name: checked_content(content) for name, content in arms.items()}
            contents = {name: content for name, content in checked.items() if content is not None}
        given: dict[str, Any] = {"learner": learner}
        if options is not None or learner is not None:
            given["learner"], given["options"] = making.completed(learner, options)
        if lifetime is not None:
            given["lifetime"] = making.microseconds(lifetime)
        self._name, self._address = checks.text("name", name), address
        self._database: Database = open_database(address, create=names is not None)
        try:
            time = Clock(clock)
            described = learner, options, lifetime, seed, contents
            arena, key = making.find_or_make(
                self._database, self._name, names, *described, at=time.now(0)
            )
            self._key = bytes.fromhex(key)
            super().__init__(self._database, arena, time)
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

    # What there is to see.

    def serve(self) -> str:
        """The name of the arm to show to someone who is not asked: the favourite."""
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

    @property
    def name(self) -> str:
        """Its name in the database."""
        return self._name

    @property
    def address(self) -> str | os.PathLike[str]:
        """The address of the database as given; it may contain a password."""
        return self._address

    @property
    def learner(self) -> str:
        """The name of its learner."""
        return self._look(lambda state: state.gone) or self._learner

    @property
    def settings(self) -> Settings:
        """How it asks and what it learns."""
        return self._look(lambda state: state.settings)

    def items(self) -> list[Item]:
        """All arms, also withdrawn ones, with what is shown for them."""
        return self._look(items)

    def verdicts(self) -> dict[str, str]:
        """Who is held or banned, by pseudonym."""
        return self._look(lambda state: {who: it[0] for who, it in state.voters.verdicts.items()})

    def tallies(self) -> Tallies:
        """Counts of what happened to questions and answers."""
        return self._look(lambda state: deepcopy(state.tallies))

    def duplicates(self) -> int:
        """How many answers came again after they were stored, for instance after a lost reply.

        They are not events, as nothing happens; the count is kept beside the log.
        """
        count = "SELECT duplicates FROM sparring_arenas WHERE id = ?"
        found: int = self._group.alone(lambda: self._database.rows(count, (self._arena,))[0][0])
        return found

    def records(self) -> Iterator[Record]:
        """Every answer, oldest first, and the comparisons from outside, for an export."""
        return iter(History(self._address, name=self._name))

    def history(self) -> "Votes":
        """The votes learnt so far, for `sparring.votes`: standings with intervals, alarm, what if.

        It reads the log again; voting can go on meanwhile.
        """
        from sparring.votes.reader import from_arena  # only now: a service may never ask

        return from_arena(self._address, name=self._name)

    def checkpoint(self) -> None:
        """Save the state, so that the next start is fast; at times that happens by itself."""
        self._wait_for_saver()
        self._group.alone(self._save)

    def close(self) -> None:
        """Save the state, and close the database."""
        self._wait_for_saver()
        self._group.alone(self._finish)

    # Opening.

    def _agree(self, names: Iterable[str], given: dict[str, Any]) -> None:
        """Refuse to open an arena that differs from the arguments."""
        made = dict(self._log.first().body)
        made["learner"], made["options"] = made_with(made)
        self._learner: str = made["learner"]
        if given.get("options") is not None:
            given["options"] = without_unused(self._learner, given["options"])
        known = {arm.name for arm in self._current().arms}
        for name in names:
            if name not in known:
                raise checks.refuse(
                    "arms", f"among {sorted(known)}", name, "To add an arm, call arena.add(name)"
                )
        for what, value in given.items():
            if value is not None and made[what] != value:
                rule = f"{_shown(what, made[what])}, with which it was made"
                given_now = checks.Shown(_shown(what, value))
                raise checks.refuse(what, rule, given_now, "Leave it out to open it as it is")
        if given["learner"] is not None:
            self._group.do(self._move)

    def _move(self) -> None:
        """Let the tracker ask, if the learner went."""
        if self._current().gone:
            self._happen(self._clock(), "moved", {})
            self._log.write()
            # Earlier checkpoints have the learner that went.
            self._checkpoints.write_only(self._current())


def _shown(what: str, value: Any) -> str:
    """Something that an arena was made with, in the unit in which people give it."""
    return f"{value / SECOND:g} seconds" if what == "lifetime" else repr(value)
