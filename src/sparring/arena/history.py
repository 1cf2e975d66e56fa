"""What was asked and answered in an arena, question by question, from its log."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.arena.database import open_to_read
from sparring.arena.events import Event, Log
from sparring.arena.making import find
from sparring.arena.state import SECOND
from sparring.arena.tallies import REASONS
from sparring.arena.voters import FREE, Voters

UNDONE = "it was taken back"


class Record(NamedTuple):
    """A question and its answer, or a comparison from outside. Times are seconds since 1970."""

    number: int
    """Number of the answer in the log."""
    at: float
    """When it was answered."""
    asked_at: float | None
    first: str
    second: str
    """The arms in the order in which they were shown."""
    versions: tuple[int, int]
    """How often the content of each had been edited."""
    outcome: float | None
    """How good the first arm was, from 0 to 1; None if it was skipped."""
    answer: str
    """"first", "second", "tie", "both good", "both bad", "skip", or the outcome."""
    counted: bool
    """Whether it is learnt."""
    why: str
    """Why not, if it is not."""
    voter: str | None
    """By pseudonym."""
    uniform: bool
    """Whether the pair was drawn uniformly."""
    chance: float | None
    """The chance of this pair, in either order, given how it was drawn: uniformly or by the
    learner. None if the learner cannot tell."""
    source: str
    """Where a comparison from outside comes from; "" for an answer."""


class History:
    """Every answer of an arena, oldest first, and the comparisons from outside.

    The arena may be in use meanwhile; what happens after the first record was read may be missing.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.

    Examples
    --------
    >>> import tempfile, sparring
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "prompts.db")
    >>> with sparring.Arena(path, arms=["plain", "polite"]) as arena:
    ...     _ = arena.tell(arena.ask(), "polite")
    >>> [(found.counted, found.source) for found in History(path)]
    [(True, '')]
    >>> folder.cleanup()
    """

    def __init__(self, address: str | os.PathLike[str], *, name: str = "arena") -> None:
        self._address, self._name = address, name
        self.arms: list[str] = []
        """The names of all arms in what was read."""
        self._there: list[int] = []

    @property
    def present(self) -> list[str]:
        """The names of the arms that were not withdrawn in what was read."""
        return [self.arms[arm] for arm in self._there]

    def __iter__(self) -> Iterator[Record]:
        database = open_to_read(self._address)
        try:
            arena, _ = find(database, self._name)
            log = Log(database, arena)
            last = log.last_number()  # first: an undo after it is not read, so none is unexpected
            reading = _Reading(log)
            self.arms, self._there = reading.arms, reading.present
            for event, _ in log.after(0, ""):
                if event.number > last:
                    return
                record = log.hand(event, reading.take_in)
                if record is not None:
                    yield record
        finally:
            database.close()


class _Question(NamedTuple):
    """What is remembered of a question until its answer comes; kept small, as there may be many."""

    at: int
    shown: tuple[int, int]
    versions: tuple[int, int]
    voter: str | None
    uniform: bool
    chance: float | None


class _Reading:
    """What must be remembered from earlier events to know what an answer was about."""

    def __init__(self, log: Log) -> None:
        self._voters = Voters(log.last_verdicts()[0])
        self._undone = log.tickets_of("undone")
        self.arms: list[str] = []
        self.present: list[int] = []
        self._asked: dict[str, _Question] = {}

    def take_in(self, event: Event) -> Record | None:
        """The record that an event makes, if it makes one."""
        body, ticket = event.body, event.ticket or ""
        if event.kind == "told":
            return self._told(event) if ticket in self._asked else None
        if event.kind == "imported":
            return self._imported(event)
        if event.kind == "asked":
            self._asked[ticket] = self._question(event)
        elif event.kind == "undone":
            self._asked[body["again"]] = self._asked.pop(ticket)
        elif event.kind == "made":
            self.arms += body["arms"]
            self.present[:] = range(len(self.arms))
        elif event.kind == "added":
            self.present.append(len(self.arms))
            self.arms.append(body["name"])
        elif event.kind == "withdrawn":
            self.present.remove(body["arm"])
        return None

    def _question(self, event: Event) -> _Question:
        body = event.body
        row, col = body["row"], body["col"]
        if row not in self.present or col not in self.present:
            raise ValueError(f"it shows arms {row} and {col}, which were not there then")
        one, other = body.get("versions", (0, 0))
        uniform = body.get("uniform", False)
        chance = None
        if uniform:
            chance = 2 / (len(self.present) * (len(self.present) - 1))
        elif "p" in body:
            places = self.present.index(row), self.present.index(col)
            chance = pair_chance(np.array(body["p"]), *places)
        shown, versions = (row, col), (one, other)
        if body["swapped"]:
            shown, versions = (col, row), (other, one)
        return _Question(event.at, shown, versions, body["voter"], uniform, chance)

    def _told(self, event: Event) -> Record:
        body, ticket = event.body, event.ticket or ""
        asked = self._asked[ticket]
        verdict = self._voters.verdict(asked.voter, event.number)
        why = body["why"] or ("" if verdict == FREE else REASONS[verdict])
        if ticket in self._undone:
            why = UNDONE
        else:
            del self._asked[ticket]
        return Record(
            number=event.number,
            at=event.at / SECOND,
            asked_at=asked.at / SECOND,
            first=self.arms[asked.shown[0]],
            second=self.arms[asked.shown[1]],
            versions=asked.versions,
            outcome=body["outcome"],
            answer=body.get("word") or answer_word(body["outcome"]),
            counted=not why,
            why=why,
            voter=asked.voter,
            uniform=asked.uniform,
            chance=asked.chance,
            source="",
        )

    def _imported(self, event: Event) -> Record:
        body = event.body
        return Record(
            number=event.number,
            at=body.get("at", event.at / SECOND),
            asked_at=None,
            first=self.arms[body["first"]],
            second=self.arms[body["second"]],
            versions=(0, 0),
            outcome=body["outcome"],
            answer=answer_word(body["outcome"]),
            counted=True,
            why="",
            voter=None,
            uniform=False,
            chance=None,
            source=body["source"],
        )


def answer_word(outcome: float) -> str:
    """The answer, in one word."""
    words = {1.0: "first", 0.0: "second", 0.5: "tie"}
    return words.get(outcome, f"{outcome:g}")


def pair_chance(p: NDArray[np.float64], row: int, col: int) -> float:
    """The chance of a pair, in either order, given that its arms differ; p has a row per player.

    For two players it is p(i) q(j) + p(j) q(i) divided by the chance that they differ. With one p
    for both, whether arms happen to differ or were drawn so, it is 2 p(i) p(j) / D.
    """
    one, other = p[0], p[-1]
    either = one[row] * other[col] + one[col] * other[row]
    different = (one * (other.sum() - other)).sum()
    if not 0 < either <= 2 * different:
        raise ValueError("its p cannot be the chances of which a pair was drawn")
    return float(min(1.0, either / different))
