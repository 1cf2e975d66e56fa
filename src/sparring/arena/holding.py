"""Holding: looks at what is new in an arena, and holds whoever the test suspects."""

from typing import NamedTuple

from sparring.arena.arena import Arena
from sparring.arena.database import open_database
from sparring.arena.events import Event, Log
from sparring.arena.making import find
from sparring.arena.suspects import Suspects, Suspicion
from sparring.arena.voters import FREE, HELD


class Holding:
    """Reads the log of an arena beside whoever votes. It holds voters, and deletes nothing.

    The first look reads the whole log. What a person has decided stands: somebody who was freed
    begins anew, with nothing against them.

    Parameters
    ----------
    arena
        The arena.
    alpha
        The share of honest voters that may be held, ever.
    """

    def __init__(self, arena: Arena, *, alpha: float = 0.001) -> None:
        self._arena = arena
        self._suspects = Suspects(alpha=alpha)
        self._questions = Questions()
        self._number, self._chain = 0, ""

    def look(self) -> list[Suspicion]:
        """Hold whoever is suspected by now; who that was, and why.

        It takes a while if much is new: call it in a thread, every few seconds. One process of a
        service is enough, and several do no harm.
        """
        found = self._read()
        known = self._arena.verdicts()
        new = [one for one in found.values() if one.voter not in known]
        for one in new:
            self._arena.judge(one.voter, HELD)
        return new

    def _read(self) -> dict[str, Suspicion]:
        """Suspicions in what is new in the log, on which nobody has decided after them."""
        found: dict[str, Suspicion] = {}
        database = open_database(self._arena._address, create=False)
        try:
            arena, _ = find(database, self._arena._name)
            for event, chain in Log(database, arena).after(self._number, self._chain):
                if event.kind == "judged":
                    found.pop(event.body["voter"], None)
                    self._decided(event.body["voter"], event.body["verdict"])
                suspicion = self._hear(event)
                if suspicion is not None:
                    found[suspicion.voter] = suspicion
                self._number, self._chain = event.number, chain
        finally:
            database.close()
        return found

    def _hear(self, event: Event) -> Suspicion | None:
        question = self._questions.answered_by(event)
        if question is None or event.body["outcome"] is None:
            return None
        learnt = not event.body["why"]
        return self._suspects.hear(*question[:3], event.body["outcome"], counted=learnt)

    def _decided(self, voter: str, verdict: str) -> None:
        if verdict == FREE:
            self._suspects.begin_anew(voter)
        else:
            self._suspects.leave_out(voter)


class Question(NamedTuple):
    """What was asked, and when."""

    voter: str | None
    first: str
    second: str
    at: int


class Questions:
    """What has to be remembered of earlier events to tell what an answer is about."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._lifetime = 0
        self._open: dict[str, Question] = {}  # by ticket, oldest first
        self._latest: dict[str, Question] = {}  # those whose answers may be taken back, by ticket
        self._latest_of: dict[str, str] = {}

    def answered_by(self, event: Event) -> Question | None:
        """The question that an event answers, if it answers one."""
        body, ticket = event.body, event.ticket or ""
        if event.kind == "told":
            return self._told(ticket)
        if event.kind == "asked":
            names = self._names[body["row"]], self._names[body["col"]]
            shown = names[::-1] if body["swapped"] else names
            self._open[ticket] = Question(body["voter"], *shown, event.at)
            self._forget(event.at - self._lifetime)
        elif event.kind == "undone" and ticket in self._latest:
            self._open[body["again"]] = self._latest[ticket]._replace(at=event.at)
        elif event.kind == "made":
            self._names, self._lifetime = list(body["arms"]), body["lifetime"]
        elif event.kind == "added":
            self._names.append(body["name"])
        return None

    def _told(self, ticket: str) -> Question | None:
        found = self._open.pop(ticket, None)
        if found is not None and found.voter is not None:
            self._latest.pop(self._latest_of.get(found.voter, ""), None)
            self._latest_of[found.voter] = ticket
            self._latest[ticket] = found
        return found

    def _forget(self, before: int) -> None:
        """Questions that nobody has answered in time."""
        while self._open and next(iter(self._open.values())).at < before:
            del self._open[next(iter(self._open))]
