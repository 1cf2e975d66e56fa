"""The state of an arena: what its events come to, the same in every process."""

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

from sparring.arena.events import Event
from sparring.learners import LEARNERS, restore
from sparring.learners.distinct import demand_distinct
from sparring.problem import Duel

ASKS_REMEMBERED = 1000  # by the shares
VOTES_TO_LEAD = 10  # that an arm needs before it can be the favourite
VOTES_BETWEEN_LOOKS = 20  # at who is the favourite


class Pair(NamedTuple):
    """A pair that was asked about and is not answered yet."""

    t: int
    """The learner's round."""
    row: int
    """The id of the learner's row arm."""
    col: int
    """The id of its column arm."""
    swapped: bool
    """Whether the column arm is shown first."""
    at: int
    """When it was asked, in microseconds."""
    voter: str | None
    """Who was asked, by pseudonym."""

    @property
    def shown(self) -> tuple[int, int]:
        """The ids of the arms in the order in which they are shown."""
        return (self.col, self.row) if self.swapped else (self.row, self.col)


class Drawn(NamedTuple):
    """What a learner chose."""

    duel: Duel
    selves: list[int]
    """The ids of the arms that met themselves before."""


@dataclass
class Arm:
    """An arm and what became of it. Its id is its place in the list of all arms there ever were."""

    name: str
    since: int
    """When it came, in microseconds."""
    withdrawn: int | None = None
    """When it went."""
    votes: int = 0
    """Answers on pairs that it was in."""
    wins: float = 0.0
    """Answers for it; a tie is half of one."""
    share: float = 0.0
    """Of the places in recent pairs."""


class State:
    """What the events so far come to. Times are in microseconds since 1970."""

    def __init__(self) -> None:
        self.number = 0
        self.chain = ""
        self.at = 0
        self.lifetime = 0
        self.votes = 0
        self.redrawn = 0  # asks for which this release would have chosen another pair
        self.leader: int | None = None
        self.leads_since = 0
        self.arms: list[Arm] = []
        self.present: list[int] = []  # ids by the learner's position
        self.open: dict[str, Pair] = {}  # by the name of the ticket, oldest first
        self.asked: dict[str, str] = {}  # the name of the open ticket, by voter
        self.learner: Any = None

    def apply(self, event: Event, chain: str) -> None:
        """Take in the next event of the log."""
        self._expire(event.at)
        drawn = self._recorded(event) if event.kind == "asked" else None
        self.take_in(event, chain, drawn)

    def take_in(self, event: Event, chain: str, drawn: Drawn | None = None) -> None:
        """Take in the next event; of an ask, what the learner has drawn for it."""
        self._expire(event.at)
        if event.kind == "told":  # first, as it comes most often
            self._told(event)
        elif event.kind == "asked":
            assert drawn is not None
            self._asked(event, drawn)
        else:
            getattr(self, f"_{event.kind}")(event)
        self.number, self.chain, self.at = event.number, chain, event.at

    def draw(self) -> Drawn:
        """Let the learner choose its next pair of different arms."""
        duel = self.learner.ask(distinct=True)
        return Drawn(duel, [self.present[met_itself.row] for met_itself in duel.selves])

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

        A newcomer that has hardly been voted on may be its guess, but it does not lead yet: until
        then it is whoever led before.
        """
        position: int = self.learner.favourite
        found = self.present[position]
        is_new = self.arms[found].votes < VOTES_TO_LEAD
        return self.leader if is_new and self.leader in self.present else found

    def is_open(self, ticket: str, now: int) -> bool:
        """Whether an answer on a ticket would be learnt now."""
        return ticket in self.open and now <= self.open[ticket].at + self.lifetime

    def _expire(self, now: int) -> None:
        """Forget the pairs whose answers would come too late; by the times of events alone."""
        while self.open:
            ticket = next(iter(self.open))
            pair = self.open[ticket]
            if now <= pair.at + self.lifetime:
                return
            self._close(ticket)
            self.learner.forget(self.learner.open[pair.t])

    # One method for each kind of event.

    def _made(self, event: Event) -> None:
        body = event.body
        names = body["arms"]
        self.lifetime = body["lifetime"]
        self.arms = [Arm(name, event.at, share=1 / len(names)) for name in names]
        self.present = list(range(len(names)))
        seed = int(body["seed"], 16)
        self.learner = LEARNERS[body["learner"]](len(names), **body["options"], seed=seed)
        demand_distinct(self.learner)

    def _asked(self, event: Event, drawn: Drawn) -> None:
        body, voter = event.body, event.body["voter"]
        pair = Pair(drawn.duel.t, body["row"], body["col"], body["swapped"], event.at, voter)
        assert event.ticket is not None
        self.open[event.ticket] = pair
        if voter is not None:
            self.asked[voter] = event.ticket
        for arm in self.present:
            self.arms[arm].share *= 1 - 1 / ASKS_REMEMBERED
        for arm in pair.shown:
            self.arms[arm].share += 0.5 / ASKS_REMEMBERED

    def _told(self, event: Event) -> None:
        if event.body["why"]:  # not to be learnt: it is kept, and that is all
            return
        assert event.ticket is not None
        pair, outcome = self.open[event.ticket], event.body["outcome"]
        o = 1 - outcome if pair.swapped else outcome
        self._close(event.ticket)
        self.learner.tell(self.learner.open[pair.t], o, at=event.at / 1e6)
        self.votes += 1
        row, col = self.arms[pair.row], self.arms[pair.col]
        row.votes += 1
        row.wins += o
        col.votes += 1
        col.wins += 1 - o
        if self.votes % VOTES_BETWEEN_LOOKS == 0:
            favourite = self.favourite()
            if favourite != self.leader:
                self.leader, self.leads_since = favourite, event.at

    def _added(self, event: Event) -> None:
        self.learner.add(boost=event.body["boost"])
        self.present.append(len(self.arms))
        self.arms.append(Arm(event.body["name"], event.at))

    def _withdrawn(self, event: Event) -> None:
        gone = event.body["arm"]
        position = self.present.index(gone)
        self.learner.withdraw(position)  # forgets its open duels
        del self.present[position]
        for ticket, pair in list(self.open.items()):
            if gone in pair.shown:
                self._close(ticket)
        self.arms[gone].withdrawn = event.at
        rest = sum(self.arms[arm].share for arm in self.present)
        for arm in self.present:
            share = self.arms[arm].share / rest if rest > 0 else 1 / len(self.present)
            self.arms[arm].share = share

    def _recorded(self, event: Event) -> Drawn:
        """What was chosen, whatever this release would choose: the log is the truth."""
        drawn, body = self.draw(), event.body
        row, col = self.present.index(body["row"]), self.present.index(body["col"])
        if (drawn.duel.row, drawn.duel.col, drawn.selves) == (row, col, body["selves"]):
            return drawn
        self.redrawn += 1
        self.learner.forget(drawn.duel)
        return Drawn(self.learner.watch(row, col, drawn.duel.p), body["selves"])

    def _close(self, ticket: str) -> None:
        pair = self.open.pop(ticket)
        if pair.voter is not None and self.asked.get(pair.voter) == ticket:
            del self.asked[pair.voter]

    # Checkpoints.

    SIMPLE = ("number", "chain", "at", "lifetime", "votes", "redrawn", "leader", "leads_since")

    def to_json(self) -> dict[str, Any]:
        """Everything, for `json.dumps`."""
        return {
            **{name: getattr(self, name) for name in self.SIMPLE},
            "arms": [asdict(arm) for arm in self.arms],
            "present": self.present,
            "open": [[ticket, *pair] for ticket, pair in self.open.items()],
            "asked": self.asked,
            "learner": self.learner.snapshot(),
        }

    def fingerprint(self) -> str:
        """Equal for equal states, whichever process or checkpoint they come from."""
        return hashlib.sha256(json.dumps(self._contents(), sort_keys=True).encode()).hexdigest()

    def agrees(self, other: "State") -> bool:
        """Whether two states are equal but for the last bits, in which interpreted code differs."""
        return nearly_equal(self._contents(), other._contents())

    def _contents(self) -> dict[str, Any]:
        """Everything but what marks a learner or a release."""
        fields = self.to_json()
        learner = fields["learner"]
        for name in ("id", "digest", "release"):
            del learner[name]
        if "distributions" in learner:  # which open duels share, or not, after a restart
            shared = learner.pop("distributions")
            learner["open"] = [[*duel, shared[place]] for *duel, place in learner["open"]]
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """The state that `to_json` wrote."""
        state = cls()
        for name in (*cls.SIMPLE, "present", "asked"):
            setattr(state, name, fields[name])
        state.arms = [Arm(**arm) for arm in fields["arms"]]
        state.open = {ticket: Pair(*pair) for ticket, *pair in fields["open"]}
        state.learner = restore(fields["learner"])
        return state


def nearly_equal(a: Any, b: Any) -> bool:
    """Whether two values of JSON are equal but for the last bits of their numbers."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(nearly_equal(a[name], b[name]) for name in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(nearly_equal, a, b))
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return bool(a == b)
