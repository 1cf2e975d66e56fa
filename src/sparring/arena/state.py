"""The state of an arena: the result of its events, the same in every process."""

from collections import OrderedDict
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.arena.events import Event
from sparring.arena.pairs import Arm, Drawn, Fresh, Pair
from sparring.arena.settings import Settings
from sparring.arena.tallies import Tallies, reason_of
from sparring.arena.voters import FREE, Voters
from sparring.learners import LEARNERS
from sparring.learners.family import LARGEST_BOOST
from sparring.learners.frame import demand_distinct
from sparring.learners.snapshots import GONE, without_unused

ASKS_REMEMBERED = 1000  # by the shares
VOTES_TO_LEAD = 10  # that an arm needs before it can be the favourite
VOTES_BETWEEN_LOOKS = 20  # at who is the favourite
SECOND = 1e6  # microseconds
INSTEAD, ITS_OPTIONS = (
    "tracker",
    {"differ": True},
)  # of a learner that went: it watches, until it asks
SAME_CHANCES = 1e-6  # of chances that differ by rounding alone, as interpreted code's do


class State:
    """The result of the events so far. Times are in microseconds since 1970.

    Parameters
    ----------
    judged
        The verdicts on voters at the end of the log, if the events are folded again after a
        verdict, and the number of the last event with a verdict.
    """

    def __init__(self, judged: tuple[dict[str, tuple[str, int]], int] = ({}, 0)) -> None:
        self.number = 0
        self.chain = ""
        self.at = 0
        self.lifetime = 0
        self.seed = ""
        self.votes = 0
        self.redrawn = 0  # asks for which this release would have chosen another pair
        self.leader: int | None = None
        self.leads_since = 0
        self.arms: list[Arm] = []
        self.present: list[int] = []  # ids by the learner's position
        # By the name of the ticket, oldest first. To find the first of a plain dictionary takes the
        # longer the more were taken out before it.
        self.open: OrderedDict[str, Pair] = OrderedDict()
        self.fresh: OrderedDict[str, Fresh] = OrderedDict()
        self.asked: dict[str, list[str]] = {}  # the names of open tickets, by voter
        self.fresh_of: dict[str, str] = {}  # the ticket of the answer that a voter may undo
        self.settings = Settings()
        self.tallies = Tallies()
        self.voters = Voters(dict(judged[0]))
        self.judged_until = judged[1]
        self.gone = ""  # the learner it was made with, if that went and nobody has moved the arena
        self._learner: Any = None
        self._coming: list[float] = []  # boosts of new arms that the learner does not know yet

    @property
    def learner(self) -> Any:
        """The learner, which has all arms."""
        self.settle_arms()
        return self._learner

    @learner.setter
    def learner(self, learner: Any) -> None:
        self._learner = learner

    def settle_arms(self) -> None:
        """Give the learner the arms that came since it was last needed.

        All at once, as it may have to copy many numbers for each of them.
        """
        if self._coming:
            coming, self._coming = self._coming, []
            self._learner.add_all(coming)

    def apply(self, event: Event, chain: str) -> None:
        """Take in the next event of the log."""
        self._pass_time(event.at)
        drawn = self._recorded(event) if event.kind == "asked" else None
        self.take_in(event, chain, drawn)

    def take_in(self, event: Event, chain: str, drawn: Drawn | None = None) -> None:
        """Take in the next event; for an ask, return what was drawn."""
        self._pass_time(event.at)
        if event.kind == "told":  # first, as it comes most often
            self._told(event)
        elif event.kind == "asked":
            assert drawn is not None
            self._asked(event, drawn)
        else:
            OTHERS[event.kind](self, event)
        self.number, self.chain, self.at = event.number, chain, event.at

    def is_overturned_by(self, event: Event) -> bool:
        """Whether an event changes the effect of earlier ones, so that all are folded again."""
        return (
            event.kind == "judged"
            and event.number > self.judged_until
            and self.voters.overturns(event.body["voter"], event.body["verdict"])
        )

    # What is drawn.

    def draw(self, now: int) -> Drawn:
        """The next pair of different arms: the learner's choice, or one drawn uniformly."""
        self._pass_time(now)  # as a fold does before it draws
        share = 1.0 if self.settings.mode == "shadow" else self.settings.uniform
        if share > 0:
            # From the seed and the number of the event: repeatable, as the learner's choices are.
            numbers = Random(f"{self.seed} {self.number}")
            if numbers.random() < share:
                row, col = numbers.sample(range(len(self.present)), 2)
                return self._watched(row, col)
        return self._chosen()

    def _chosen(self) -> Drawn:
        duel = self.learner.ask(distinct=True)
        return Drawn(duel, [self.present[met_itself.row] for met_itself in duel.selves])

    def _watched(self, row: int, col: int) -> Drawn:
        """A pair that was drawn uniformly: the learner watches."""
        K = len(self.present)
        chances = [1 / K] * K if len(self.learner.p) else None
        return Drawn(self.learner.watch(row, col, chances), [], uniform=True)

    def _recorded(self, event: Event) -> Drawn:
        """What was drawn, whatever this release would choose: the log is the truth."""
        body = event.body
        row, col = self.present.index(body["row"]), self.present.index(body["col"])
        if body.get("uniform"):
            return self._watched(row, col)
        if self.gone:
            self.redrawn += 1
            return Drawn(self.learner.watch(row, col), body["selves"])
        drawn = self._chosen()
        chances = np.array(body["p"]) if "p" in body else drawn.duel.p
        same = (drawn.duel.row, drawn.duel.col, drawn.selves) == (row, col, body["selves"])
        if same and _are_same(drawn.duel.p, chances):
            return drawn
        self.redrawn += 1
        self.learner.forget(drawn.duel)
        return Drawn(self.learner.watch(row, col, chances), body["selves"])

    # What there is to see.

    def id_of(self, name: str) -> int:
        """The id of an arm that is present."""
        for arm in self.present:
            if self.arms[arm].name == name:
                return arm
        raise KeyError(name)

    def names(self) -> list[str]:
        """The names of the arms that are present."""
        return [self.arms[arm].name for arm in self.present]

    def favourite(self) -> int:
        """The id of the arm that the learner thinks best.

        The learner may guess a new arm with hardly any votes, but that does not lead yet: until
        then it is the arm that led before.
        """
        position: int = self.learner.favourite
        found = self.present[position]
        is_new = self.arms[found].votes < VOTES_TO_LEAD
        return self.leader if is_new and self.leader in self.present else found

    def pair(self, ticket: str, now: int) -> Pair | None:
        """The pair of a ticket, if an answer on it is in time."""
        pair = self.open.get(ticket)
        return pair if pair is not None and now <= pair.at + self.lifetime else None

    def excuse(self, pair: Pair, now: int) -> str:
        """Why an answer on an open pair must not be learnt now, by its short name; "" if it may.

        Verdicts on the voter are not considered here, as they may change.
        """
        settings = self.settings
        if settings.mode == "frozen" or settings.status == "closed":
            return "frozen" if settings.mode == "frozen" else "closed"
        if settings.dwell == 0 and settings.cap is None:
            return ""
        since = max(pair.at, pair.seen)
        if pair.voter is not None:
            since = max(since, self.voters.last.get(pair.voter, 0))
            if settings.cap is not None and self.voters.answered(pair.voter, now) >= settings.cap:
                return "cap"
        return "fast" if now < since + settings.dwell * SECOND else ""

    # Time.

    def _pass_time(self, now: int) -> None:
        """Learn what can no longer be undone, and forget pairs whose answers would come too late.

        It uses only the times of events, so that every fold gives the same.
        """
        while self.fresh:
            ticket = next(iter(self.fresh))
            if now <= self.fresh[ticket].until:
                break
            self._settle_fresh(ticket, now)
        while self.open:
            ticket = next(iter(self.open))
            pair = self.open[ticket]
            if now <= pair.at + self.lifetime:
                return
            self._lapse(ticket)

    # One method for each kind of event.

    def _made(self, event: Event) -> None:
        body = event.body
        names = body["arms"]
        self.lifetime, self.seed = body["lifetime"], body["seed"]
        contents, share = body.get("contents", {}), 1 / len(names)
        self.arms = [Arm(name, event.at, share=share, content=contents.get(name)) for name in names]
        self.present = list(range(len(names)))
        seed, (learner, options) = int(body["seed"], 16), made_with(body)
        self.gone = body["learner"] if body["learner"] in GONE else ""
        self.learner = LEARNERS[learner](len(names), **options, seed=seed)
        demand_distinct(self.learner)

    def _asked(self, event: Event, drawn: Drawn) -> None:
        body, voter = event.body, event.body["voter"]
        pair = Pair(drawn.duel.t, body["row"], body["col"], body["swapped"], event.at, voter)
        assert event.ticket is not None
        self.open_pair(event.ticket, pair)
        self.tallies.asked += 1
        self.tallies.uniform += drawn.uniform
        weight = 1 / min(self.tallies.asked, ASKS_REMEMBERED)  # at first, the mean of all pairs
        for arm in self.present:
            self.arms[arm].share *= 1 - weight
        for arm in pair.shown:
            self.arms[arm].share += 0.5 * weight

    def _lapsed(self, event: Event) -> None:
        """Pairs make way for newer ones; those whose time was over by then are gone already."""
        for ticket in event.body["tickets"]:
            if ticket in self.open:
                self._lapse(ticket)

    def _seen(self, event: Event) -> None:
        assert event.ticket is not None
        self.open[event.ticket] = self.open[event.ticket]._replace(seen=event.at)

    def _told(self, event: Event) -> None:
        assert event.ticket is not None
        body, ticket = event.body, event.ticket
        self.tallies.count_answer(body["outcome"], body.get("word", ""))
        pair = self.open.get(ticket)
        if pair is None:  # it came too late, or an arm is gone: it is kept, and that is all
            self.tallies.keep(reason_of(body))
            return
        self._close(ticket)
        verdict = self.voters.verdict(pair.voter, event.number)
        if pair.voter is not None:
            if pair.voter in self.fresh_of:  # only the latest answer can be undone
                self._settle_fresh(self.fresh_of[pair.voter], event.at)
            learnt = not body["why"] and verdict == FREE
            self.voters.note(pair.voter, event.at, learnt=learnt)
        if body["why"]:
            self._keep(pair, reason_of(body))
        elif pair.voter is None or self.settings.grace == 0:  # nobody could take it back
            self._settle(pair, body["outcome"], verdict, event.at)
        else:
            until = event.at + int(self.settings.grace * SECOND)
            self.fresh[ticket] = Fresh(pair, body["outcome"], until, verdict, body.get("word", ""))
            self.fresh_of[pair.voter] = ticket

    def _undone(self, event: Event) -> None:
        assert event.ticket is not None
        taken = self._no_longer_fresh(event.ticket)
        self.open_pair(event.body["again"], taken.pair._replace(at=event.at, again=True))
        self.tallies.take_back(taken.outcome, taken.word)
        assert taken.pair.voter is not None
        self.voters.take_back(taken.pair.voter, learnt=taken.verdict == FREE)

    def _added(self, event: Event) -> None:
        if event.body["name"] in self.names():
            raise checks.refuse("name", "that of no arm that is there", event.body["name"])
        boost = event.body["boost"]
        self._coming.append(checks.real("boost", boost, low=1 / LARGEST_BOOST, high=LARGEST_BOOST))
        self.present.append(len(self.arms))
        self.arms.append(Arm(event.body["name"], event.at, content=event.body.get("content")))

    def _edited(self, event: Event) -> None:
        arm = self.arms[event.body["arm"]]
        arm.content = event.body["content"]
        arm.version += 1

    def _withdrawn(self, event: Event) -> None:
        for ticket in list(self.fresh):  # the learner forgets the arm's duels: learn them before
            self._settle_fresh(ticket, event.at)
        gone = event.body["arm"]
        position = self.present.index(gone)
        self.learner.withdraw(position)
        del self.present[position]
        for ticket, pair in list(self.open.items()):
            if gone in pair.shown:
                self._close(ticket)
        self.arms[gone].withdrawn = event.at
        rest = sum(self.arms[arm].share for arm in self.present)
        for arm in self.present:
            share = self.arms[arm].share / rest if rest > 0 else 1 / len(self.present)
            self.arms[arm].share = share

    def _set(self, event: Event) -> None:
        self.settings = self.settings.changed(event.body)

    def _moved(self, event: Event) -> None:
        """From now on the tracker asks, which has watched so far."""
        if not self.gone:
            raise ValueError("its learner did not go")
        self.gone = ""

    def _judged(self, event: Event) -> None:
        if event.number > self.judged_until:
            self.voters.judge(event.body["voter"], event.body["verdict"], event.number)

    def _imported(self, event: Event) -> None:
        """A comparison from outside; a learner that needs the chances of pairs cannot use it."""
        self.tallies.imported += 1
        first, second = event.body["first"], event.body["second"]
        if len(self.learner.p) or not {first, second} <= set(self.present):
            return
        duel = self.learner.watch(self.present.index(first), self.present.index(second))
        self.learner.tell(duel, event.body["outcome"], at=event.at / SECOND)

    # What they have in common.

    def open_pair(self, ticket: str, pair: Pair) -> None:
        """Remember a pair that waits for its answer."""
        self.open[ticket] = pair
        if pair.voter is not None:
            self.asked.setdefault(pair.voter, []).append(ticket)

    def _close(self, ticket: str) -> None:
        pair = self.open.pop(ticket)
        if pair.voter is not None:
            self.asked[pair.voter].remove(ticket)
            if not self.asked[pair.voter]:
                del self.asked[pair.voter]

    def _lapse(self, ticket: str) -> None:
        """Wait for an answer no longer."""
        pair = self.open[ticket]
        self._close(ticket)
        self.learner.forget(self.learner.open[pair.t])

    def _no_longer_fresh(self, ticket: str) -> Fresh:
        found = self.fresh.pop(ticket)
        assert found.pair.voter is not None
        del self.fresh_of[found.pair.voter]
        return found

    def _settle_fresh(self, ticket: str, now: int) -> None:
        found = self._no_longer_fresh(ticket)
        self._settle(found.pair, found.outcome, found.verdict, now)

    def _settle(self, pair: Pair, outcome: float, verdict: str, now: int) -> None:
        """Learn an answer that stands, unless its voter is held or banned."""
        if verdict == FREE:
            self._learn(pair, outcome, now)
        else:
            self._keep(pair, verdict)

    def _keep(self, pair: Pair, reason: str) -> None:
        self.tallies.keep(reason)
        self.learner.forget(self.learner.open[pair.t])

    def _learn(self, pair: Pair, outcome: float, now: int) -> None:
        o = 1 - outcome if pair.swapped else outcome
        self.learner.tell(self.learner.open[pair.t], o, at=now / SECOND)
        self.votes += 1
        self.tallies.learnt += 1
        row, col = self.arms[pair.row], self.arms[pair.col]
        row.votes += 1
        row.wins += o
        col.votes += 1
        col.wins += 1 - o
        if self.votes % VOTES_BETWEEN_LOOKS == 0:
            favourite = self.favourite()
            if favourite != self.leader:
                self.leader, self.leads_since = favourite, now


# What takes in the other kinds of events: a table, as a name in a file must not choose the code.
OTHERS: dict[str, Callable[[State, Event], None]] = {
    "made": State._made,
    "lapsed": State._lapsed,
    "seen": State._seen,
    "undone": State._undone,
    "added": State._added,
    "edited": State._edited,
    "withdrawn": State._withdrawn,
    "set": State._set,
    "moved": State._moved,
    "judged": State._judged,
    "imported": State._imported,
}


def made_with(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The learner of an arena and its options, by its first event; what went is replaced."""
    learner, options = body["learner"], body["options"]
    if learner in GONE:
        return INSTEAD, ITS_OPTIONS
    return learner, without_unused(learner, options)


def _are_same(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether chances differ by rounding alone. `np.allclose` would take most of a fold's time."""
    return one is other or bool((np.abs(one - other) <= SAME_CHANCES * other).all())
