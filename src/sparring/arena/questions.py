"""Questions: what must be remembered from earlier events to know what an answer is about."""

from collections import OrderedDict
from typing import Any, NamedTuple

from sparring.arena.events import Event
from sparring.arena.settings import LONGEST_GRACE
from sparring.arena.state import SECOND


class Question(NamedTuple):
    """What was asked, and when."""

    voter: str | None
    first: int
    second: int
    """The ids of the arms, in the order in which they were shown."""
    at: int
    swapped: bool
    uniform: bool
    p: list[list[float]] | None
    """From which the learner drew its arms, where it draws by chance."""
    era: int
    """How often arms had come or gone."""


class Questions:
    """Follows the log event by event.

    A question is forgotten when the arena's state forgets its pair: when its time is over, it makes
    way for newer ones, or one of its arms is withdrawn. A later answer answers no question.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        """Of all arms there ever were, by id."""
        self.present: list[int] = []
        """The ids of the arms that are shown."""
        self.era = 0
        """How often arms have come or gone."""
        self._lifetime = 0
        self._open: OrderedDict[str, Question] = OrderedDict()  # by ticket, oldest first
        # Those whose answers may be taken back, and until when at most, by ticket, oldest first.
        self._latest: OrderedDict[str, tuple[Question, int]] = OrderedDict()

    def answered_by(self, event: Event) -> Question | None:
        """The question that an event answers, if it answers one."""
        self._pass_time(event.at)
        if event.kind == "told":
            return self._told(event.ticket or "", event.at)
        if event.kind == "asked":
            self._asked(event)
        elif event.kind == "lapsed":
            for ticket in event.body["tickets"]:
                self._open.pop(ticket, None)
        elif event.kind == "undone" and event.ticket in self._latest:
            found, _ = self._latest.pop(event.ticket or "")
            self._open[event.body["again"]] = found._replace(at=event.at)
        elif event.kind in ("made", "added", "withdrawn"):
            self._change(event.kind, event.body)
            self._lifetime = event.body.get("lifetime", self._lifetime)
        return None

    def _asked(self, event: Event) -> None:
        body = event.body
        shown = body["row"], body["col"]
        if body["swapped"]:
            shown = shown[::-1]
        self._open[event.ticket or ""] = Question(
            voter=body["voter"],
            first=shown[0],
            second=shown[1],
            at=event.at,
            swapped=body["swapped"],
            uniform=body.get("uniform", False),
            p=body.get("p"),
            era=self.era,
        )

    def _pass_time(self, now: int) -> None:
        while self._open and now > next(iter(self._open.values())).at + self._lifetime:
            self._open.popitem(last=False)

    def _change(self, kind: str, body: dict[str, Any]) -> None:
        self.era += 1
        if kind == "withdrawn":
            gone = body["arm"]
            self.present.remove(gone)
            for ticket, question in list(self._open.items()):
                if gone in (question.first, question.second):
                    del self._open[ticket]
            return
        new = body["arms"] if kind == "made" else [body["name"]]
        self.present += range(len(self.names), len(self.names) + len(new))
        self.names += new

    def _told(self, ticket: str, at: int) -> Question | None:
        found = self._open.pop(ticket, None)
        if found is not None and found.voter is not None:
            self._latest[ticket] = found, at + int(LONGEST_GRACE * SECOND)
            while next(iter(self._latest.values()))[1] < at:
                self._latest.popitem(last=False)
        return found
