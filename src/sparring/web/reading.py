"""Reading: an arena's log, read once for board, evidence, alarm and certificate."""

import threading
import time
from collections import Counter, OrderedDict
from dataclasses import replace
from typing import Any, NamedTuple

from sparring.arena.events import Event
from sparring.arena.following import Following, RewrittenError
from sparring.arena.making import now
from sparring.arena.questions import Question, Questions
from sparring.arena.settings import Settings
from sparring.arena.state import SECOND
from sparring.arena.voters import FREE, Voters
from sparring.votes.data import Votes
from sparring.web.certifying import Certifying
from sparring.web.window import Heard, Told, Window

MOST = 50_000  # the latest answers that are looked at: more would take seconds
SLICE, REST = 200, 0.001  # events, after which a reader rests so many seconds: others want to run
TRIES = 3  # readings from the beginning, before it is given up
MARGIN = 10 * SECOND  # by which an answer is left alone after it could be taken back


class BegunAgainError(RuntimeError):
    """Earlier events have another meaning now: all are read again."""


class Fresh(NamedTuple):
    """An answer that may still be taken back."""

    question: Question
    outcome: float
    counted: bool
    until: int
    row: int
    """Its number in the window."""


class Seen(NamedTuple):
    """What the board needs of the log."""

    votes: Votes
    """The latest."""
    total: int
    """Of all votes that count."""
    on: Counter[str]
    """How many of them each item has."""
    any_uniform: bool
    uniform: tuple[float, int]
    """What the favourite won in uniform pairs since it leads, and how many those were."""
    certificate: dict[str, Any]


class Reading:
    """Reads the log of one arena as it grows, each event once, over its own connections.

    Memory does not grow with the votes. A verdict that changes the effect of earlier answers
    restarts everything from the first event, and so does another copy of the database. Items that
    come or go restart only the certificate and the alarm. Answers may be taken back, so certificate
    and alarm hear of an answer only when that is no longer possible. The certificate ignores
    comparisons from outside, and the alarm hears them in the order in which they came in.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.
    """

    def __init__(self, address: str, name: str) -> None:
        self._address, self._name = address, name
        self._lock = threading.Lock()
        self._alarm: Any = None
        self._alarms_made = 0
        self._rung: Counter[str] = Counter()
        self.begun = 0
        """How often it was begun."""
        self._begin()

    def _begin(self) -> None:
        """Forget what was read; if the database does not answer, nothing has changed."""
        following = Following(self._address, self._name)
        verdicts, judged_until = following.last_verdicts()
        self._following, self._judged_until, self._is_void = following, judged_until, False
        self._voters, self._settings = Voters(verdicts), Settings()
        self._questions, self._window = Questions(), Window(MOST)
        self._certifying = Certifying()
        self._fresh: OrderedDict[str, Fresh] = OrderedDict()  # by ticket, oldest first
        self._fresh_of: dict[str, str] = {}  # the ticket by voter
        self._on: Counter[int] = Counter()  # votes that count by the id of an arm
        self._total, self._any_uniform, self._alarm = 0, False, None
        self.begun += 1

    # What others see; each looks for news before.

    def see(self, favourite: str, since: float) -> Seen:
        """What the board needs; the favourite leads since a moment in seconds since 1970."""
        with self._lock:
            self._catch_up()
            names, on = self._questions.names, Counter[str]()
            for arm, votes in self._on.items():
                on[names[arm]] += votes
            same = {arm for arm, name in enumerate(names) if name == favourite}
            return Seen(
                self._window.votes(names),
                self._total,
                on,
                self._any_uniform,
                self._window.uniform_of(same, since),
                self._certifying.so_far(),
            )

    def told(self) -> list[Told]:
        """The latest answers, for the evidence on voters."""
        with self._lock:
            self._catch_up()
            return list(self._window.told(self._questions.names))

    def alarms(self) -> tuple[int, Counter[str]]:
        """How often each alarm rang, and which alarm it is: a new one counts from 0.

        The first call lets it hear the existing votes.
        """
        from sparring.votes import Alarm  # only now: few want to know

        with self._lock:
            self._catch_up()
            if self._alarm is None:
                votes = self._window.votes(self._questions.names, settled=True)
                self._alarm = Alarm(votes.names)
                self._alarms_made += 1
                rang = self._alarm.update_many(replace(votes, time=None))
                self._rung = Counter(change.kind for change in rang)
            return self._alarms_made, self._rung.copy()

    # Events.

    def _catch_up(self) -> None:
        for _ in range(TRIES):
            if self._is_void:
                self._begin()
            try:
                for number, event in enumerate(self._following.news(), 1):
                    self._take_in(event)
                    if number % SLICE == 0:
                        time.sleep(REST)
                self._settle_until(now() - int(MARGIN))
                return
            except (BegunAgainError, RewrittenError) as error:
                self._is_void, why = True, error  # also if the database fails before it is begun
        raise RuntimeError(
            f"the log of {self._name!r} was begun {TRIES} times and cannot be read: {why}. "
            "`sparring replay ADDRESS --check` says whether it is intact"
        ) from why

    def _take_in(self, event: Event) -> None:
        body = event.body
        self._settle_until(event.at)
        if event.kind == "withdrawn":
            self._settle_until(None)
        question, era = self._questions.answered_by(event), self._questions.era
        if question is not None:
            self._answered(event, question)
        elif event.kind == "asked":
            self._certifying.by_chance &= "p" in body or body.get("uniform", False)
        elif event.kind == "undone":
            self._undone(event.ticket or "")
        elif event.kind == "imported":
            at = body.get("at", event.at / SECOND)
            shown = body["first"], body["second"], body["outcome"]
            self._window.settle(self._window.add(Heard(*shown, at, None, None, False, True)))
            self._count(body["first"], body["second"], 1)
            self._sound(*shown)
        elif event.kind in ("made", "added", "withdrawn"):
            self._certifying.begin(self._questions.present, era)
            self._alarm = None
        elif event.kind == "set":
            self._settings = self._settings.changed(body)
        elif event.kind == "judged" and event.number > self._judged_until:
            if self._voters.overturns(body["voter"], body["verdict"]):
                raise BegunAgainError("a verdict changes the effect of earlier answers")
            self._voters.judge(body["voter"], body["verdict"], event.number)

    def _answered(self, event: Event, question: Question) -> None:
        body, voter = event.body, question.voter
        verdict = self._voters.verdict(voter, event.number)
        counted = not body["why"] and verdict == FREE
        heard = Heard(
            first=question.first,
            second=question.second,
            outcome=body["outcome"],
            at=event.at / SECOND,
            wait=(event.at - question.at) / SECOND,
            voter=voter,
            uniform=question.uniform,
            counted=counted,
        )
        row = self._window.add(heard)
        self._any_uniform |= question.uniform
        if counted:
            self._count(question.first, question.second, 1)
        if voter is not None and voter in self._fresh_of:  # only the latest can be taken back
            self._settle(self._fresh_of[voter])
        if body["why"]:
            return
        until = event.at + int(self._settings.grace * SECOND)
        fresh = Fresh(question, body["outcome"], counted, until, row)
        if voter is None or self._settings.grace == 0:
            self._stands(fresh)
        else:
            self._fresh[event.ticket or ""] = fresh
            self._fresh_of[voter] = event.ticket or ""

    def _undone(self, ticket: str) -> None:
        if ticket not in self._fresh:  # it was thought to stand, as the clock said
            raise BegunAgainError(f"the answer on ticket {ticket} stands, and is taken back")
        taken = self._no_longer_fresh(ticket)
        self._window.strike(taken.row)
        if taken.counted:
            self._count(taken.question.first, taken.question.second, -1)

    def _count(self, first: int, second: int, by: int) -> None:
        self._total += by
        self._on[first] += by
        self._on[second] += by

    def _no_longer_fresh(self, ticket: str) -> Fresh:
        found = self._fresh.pop(ticket)
        del self._fresh_of[found.question.voter or ""]
        return found

    def _settle_until(self, moment: int | None) -> None:
        """Settle the answers that can no longer be taken back; all if no moment is given."""
        while self._fresh:
            ticket = next(iter(self._fresh))
            if moment is not None and moment <= self._fresh[ticket].until:
                return
            self._settle(ticket)

    def _settle(self, ticket: str) -> None:
        self._stands(self._no_longer_fresh(ticket))

    def _stands(self, one: Fresh) -> None:
        """An answer stands: certificate and alarm may hear of it."""
        if not one.counted:
            return
        self._window.settle(one.row)
        self._certifying.add(one.question, one.outcome)
        self._sound(one.question.first, one.question.second, one.outcome)

    def _sound(self, first: int, second: int, outcome: float) -> None:
        """Let the alarm hear a vote, if the alarm is wanted."""
        if self._alarm is not None:
            names = self._questions.names
            for change in self._alarm.update(names[first], names[second], outcome):
                self._rung[change.kind] += 1
