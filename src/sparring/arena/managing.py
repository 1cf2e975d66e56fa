"""Managing: what whoever runs an arena can change, and what happens in it then."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sparring import checks
from sparring.arena.checkpoints import Checkpoints
from sparring.arena.database import open_to_read
from sparring.arena.events import Log
from sparring.arena.group import Call
from sparring.arena.live import LiveState, advanced
from sparring.arena.making import demand_names, find
from sparring.arena.settings import Settings, demand_shallow, json_object
from sparring.arena.state import SECOND, State
from sparring.arena.voters import BANNED, FREE, HELD, VERDICTS, Voters
from sparring.learners.family import LARGEST_BOOST

PSEUDONYM = re.compile("[0-9a-f]{24}")
FOLDS = 5  # beside whoever votes, before one is made while all wait
DAY = 86_400  # seconds
LONGEST_CONTENT = 1_000_000  # letters of JSON, for a picture in the text


class Comparison(NamedTuple):
    """A vote from outside: its arms by name, and how good the first was, from 0 to 1."""

    first: str
    second: str
    outcome: float
    at: float | None = None
    """When it was given, in seconds since 1970, if that is known."""


class Managing(LiveState):
    """Running an arena."""

    _address: str | os.PathLike[str]
    _name: str

    def add(self, name: str, *, boost: float = 1.0, content: dict[str, Any] | None = None) -> None:
        """Add an arm.

        If arms have weights, it begins with the mean weight of the others times the boost. A
        tracker has no weights and tries a new arm soon in any case. Nothing happens if the arm is
        already there.

        Parameters
        ----------
        name
            Its name.
        boost
            How many times the mean its first weight is.
        content
            What to show for it: any dictionary that JSON can hold.
        """
        checks.names("name", [name])
        boost = checks.real("boost", boost, low=1 / LARGEST_BOOST, high=LARGEST_BOOST)
        content = checked_content(content)
        self._group.do(lambda: self._add_all({name: content}, boost))

    def add_all(self, arms: Mapping[str, dict[str, Any] | None]) -> None:
        """Add arms, all or none, with what to show for each; hardly slower than to add one.

        Parameters
        ----------
        arms
            What to show for each name; None if there is only the name.
        """
        checks.names("name", arms)
        checked = {name: checked_content(content) for name, content in arms.items()}
        self._group.do(lambda: self._add_all(checked))

    def edit(self, name: str, content: dict[str, Any]) -> None:
        """Change what is shown for an arm. Questions record which version they showed."""
        checked = checked_content(checks.instance("content", content, dict, "Say what to show"))
        assert checked is not None
        self._group.do(lambda: self._edit(name, checked))

    def withdraw(self, name: str) -> None:
        """Withdraw an arm: it is not shown again, and later answers on it are kept, not learnt.

        Nothing happens if it is already withdrawn.
        """
        self._group.do(lambda: self._withdraw(name))

    def set(self, **changes: Any) -> Settings:
        """Change settings, such as mode="shadow" or uniform=0.05; returns them all."""
        demand_shallow("page", changes.get("page"))
        return self._group.do(lambda: self._set(changes))

    def judge(self, voter: str, verdict: str) -> None:
        """Decide what happens to a voter's answers.

        If a verdict changes the effect of earlier answers, the log is folded again with or without
        them. That takes a moment, in which others can go on voting. If other verdicts keep coming
        meanwhile, voting waits for the last try.

        Parameters
        ----------
        voter
            The pseudonym, as `records` has it; `pseudonym` finds it.
        verdict
            "held": answers from now on are set aside. "banned": no answer counts, not even earlier
            ones. "free": all count, also those that were set aside.
        """
        voter, verdict = checked_pseudonym(voter), checked_verdict(verdict)
        done, tries = False, FOLDS
        while not done:
            tries -= 1
            before = self._look(lambda state: dict(state.voters.verdicts))
            prepared = None
            if Voters(before).overturns(voter, verdict):
                prepared = refolded(self._address, self._name, judged(before, voter, verdict))
            done = self._group.wait(Call(self._judge, voter, verdict, prepared, tries > 0))

    def import_votes(self, rows: Iterable[Sequence[Any]], *, source: str) -> int:
        """Import comparisons from outside, marked as such; all or none. Returns how many.

        They count in `history` and so in the standings. A learner that needs the chances of its
        pairs does not learn from them, as those are unknown.

        Parameters
        ----------
        rows
            (first, second, outcome): the arms by name, and how the first did, from 0 to 1. The
            time, in seconds since 1970, may follow.
        source
            Where they come from.
        """
        comparisons, source = checked_comparisons(rows), checks.text("source", source)
        return self._group.do(lambda: self._import(comparisons, source))

    # Each of these is carried out within a transaction that holds the arena's lock.

    def _add_all(self, arms: Mapping[str, dict[str, Any] | None], boost: float = 1.0) -> None:
        """Add those that are not there, once it is known that all can be added."""
        present = set(self._current().names())
        new = [name for name in arms if name not in present]
        demand_names(new)
        for name in new:
            body: dict[str, Any] = {"name": name, "boost": boost}
            if arms[name] is not None:
                body["content"] = arms[name]
            self._happen(self._clock(), "added", body)

    def _edit(self, name: str, content: dict[str, Any]) -> None:
        state = self._current()
        if name not in state.names():
            raise checks.unknown("name", name, state.names())
        arm = state.id_of(name)
        if state.arms[arm].content != content:
            self._happen(self._clock(), "edited", {"arm": arm, "content": content})

    def _withdraw(self, name: str) -> None:
        state = self._current()
        if name not in [arm.name for arm in state.arms]:
            raise checks.refuse("name", f"one of {state.names()}", name)
        if name not in state.names():
            return
        if len(state.present) == 2:
            raise checks.refuse("name", "one of at least three arms", name, "A duel needs two")
        self._happen(self._clock(), "withdrawn", {"arm": state.id_of(name)})

    def _set(self, changes: dict[str, Any]) -> Settings:
        before = self._current().settings
        after = before.changed(changes)
        if after != before:
            written = after.to_json()
            self._happen(self._clock(), "set", {name: written[name] for name in changes})
        return self._current().settings

    def _import(self, comparisons: Sequence[Comparison], source: str) -> int:
        state, now = self._current(), self._clock()
        ids = {arm.name: number for number, arm in enumerate(state.arms)}  # the latest of a name
        for one in comparisons:
            if one.at is not None and one.at > now / SECOND + DAY:
                raise checks.refuse("the time", "in the past, in seconds since 1970", one.at)
            for name in (one.first, one.second):
                if name not in ids:
                    raise checks.unknown("an arm", name, ids, "Add it first: arena.add(name)")
            if one.first == one.second:
                raise checks.refuse("a comparison", "of two different arms", one.first)
        for first, second, outcome, at in comparisons:
            body: dict[str, Any] = {"first": ids[first], "second": ids[second], "outcome": outcome}
            body["source"] = source
            if at is not None:
                body["at"] = at
            self._happen(now, "imported", body)
        return len(comparisons)

    # Verdicts on voters.

    def _judge(
        self, voter: str, verdict: str, prepared: State | None, patient: bool = False
    ) -> bool:
        """Note a verdict; False if the preparation is out of date and should be made again."""
        voters = self._current().voters
        if voters.verdicts.get(voter, (FREE, 0))[0] == verdict:
            return True
        if verdict == HELD and voters.overturns(voter, verdict):
            raise checks.refuse("verdict", "free, before a banned voter can be held", verdict)
        body = {"voter": voter, "verdict": verdict}
        if not voters.overturns(voter, verdict):
            self._happen(self._clock(), "judged", body)
            return True
        self._log.write()  # so that what was noted in this transaction is folded, too
        wanted = judged(voters.verdicts, voter, verdict)
        # Of no use if there was another verdict meanwhile, or if it was taken further in a
        # transaction that failed: then it holds what never happened.
        is_good = prepared is not None and (
            prepared.voters.verdicts == wanted
            and prepared.judged_until == self._log.last_verdicts()[1]
            and self._log.has(prepared.number, prepared.chain)
        )
        if prepared is None or not is_good:
            if patient:
                return False
            prepared = self._refolded(wanted)
        self._state = self._advanced(prepared)
        self._happen(self._clock(), "judged", body)
        self._log.write()
        # Earlier checkpoints are of a fold in which the voter had another verdict.
        self._checkpoints.write_only(self._current())
        return True

    def _refolded(self, verdicts: dict[str, tuple[str, int]]) -> State:
        """All events folded from the first, with these verdicts."""
        return self._advanced(State((verdicts, self._log.last_verdicts()[1])))


def refolded(
    address: str | os.PathLike[str], name: str, verdicts: dict[str, tuple[str, int]]
) -> State:
    """All events of an arena folded from the first, with these verdicts, while voting goes on."""
    database = open_to_read(address)
    try:
        arena, _ = find(database, name)
        log = Log(database, arena)
        return advanced(
            State((verdicts, log.last_verdicts()[1])), log, Checkpoints(database, arena)
        )
    finally:
        database.close()


def judged(
    verdicts: dict[str, tuple[str, int]], voter: str, verdict: str
) -> dict[str, tuple[str, int]]:
    """The verdicts after one that overturns what was before."""
    others = {who: found for who, found in verdicts.items() if who != voter}
    return {**others, voter: (BANNED, 0)} if verdict == BANNED else others


def checked_content(content: Any) -> dict[str, Any] | None:
    """The content of an item, if it has one."""
    demand_shallow("content", content)
    return None if content is None else json_object("content", content, LONGEST_CONTENT)


def checked_pseudonym(voter: Any) -> str:
    """The pseudonym of a voter; a verdict on a voter's own name would be on nobody."""
    if not (isinstance(voter, str) and PSEUDONYM.fullmatch(voter)):
        raise checks.refuse(
            "voter",
            "a pseudonym, 24 letters from 0 to f, as records() has it",
            voter,
            "pseudonym(name) gives that of a name",
        )
    return voter


def checked_verdict(verdict: Any) -> str:
    """A verdict on a voter."""
    if verdict not in VERDICTS:
        raise checks.unknown("verdict", verdict, VERDICTS)
    return str(verdict)


def checked_comparisons(rows: Iterable[Sequence[Any]]) -> list[Comparison]:
    """Votes from outside, checked except for the names of their arms."""
    found = []
    for number, row in enumerate(rows, 1):
        try:
            one = Comparison(*row)
            for name in one[:2]:
                checks.text("an arm", name)
            checks.real("the outcome", one.outcome, low=0, high=1)
            if one.at is not None:
                checks.real("the time", one.at, low=0, high=1e11, remedy="Seconds since 1970")
        except (TypeError, ValueError) as error:
            raise ValueError(f"comparison {number}: {error}") from None
        found.append(one)
    return found
