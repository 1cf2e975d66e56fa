"""Window: the latest answers of an arena as columns, up to a limit."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sparring.votes.data import Votes

ROW = np.dtype(
    [
        *(("first", "i4"), ("second", "i4"), ("outcome", "f8"), ("at", "f8"), ("wait", "f8")),
        *(("voter", "i4"), ("uniform", "?"), ("counted", "?"), ("settled", "?")),
    ]
)
SIDES = {1.0: "first", 0.0: "second"}


class Heard(NamedTuple):
    """An answer, or a comparison from outside."""

    first: int
    second: int
    """The ids of the arms, in the order in which they were shown."""
    outcome: float | None
    """How good the first was; None if it was skipped."""
    at: float
    wait: float | None
    """Seconds from question to answer; None for a comparison from outside."""
    voter: str | None
    uniform: bool
    counted: bool


class Told(NamedTuple):
    """An answer as the evidence on voters needs it."""

    voter: str
    first: str
    second: str
    answer: str
    """"first", "second" or something else."""
    wait: float
    counted: bool


class Window:
    """Keeps the latest `most` answers at least, and at most twice as many.

    Answers have numbers, from 0, by which they can still be changed.

    Parameters
    ----------
    most
        How many are looked at.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows = np.zeros(2 * most, ROW)
        self._begin, self._end = 0, 0  # the numbers of the first in the rows, and of the next
        self._voters: dict[str, int] = {}

    def add(self, heard: Heard) -> int:
        """Take in an answer; returns its number."""
        if self._end - self._begin == len(self._rows):
            self._forget()
        outcome = np.nan if heard.outcome is None else heard.outcome
        wait = np.nan if heard.wait is None else heard.wait
        who = -1 if heard.voter is None else self._voters.setdefault(heard.voter, len(self._voters))
        self._rows[self._end - self._begin] = (
            *(heard.first, heard.second, outcome, heard.at, wait, who),
            *(heard.uniform, heard.counted, False),
        )
        self._end += 1
        return self._end - 1

    def strike(self, number: int) -> None:
        """An answer was taken back."""
        if number >= self._begin:
            self._rows["counted"][number - self._begin] = False

    def settle(self, number: int) -> None:
        """An answer can no longer be taken back."""
        if number >= self._begin:
            self._rows["settled"][number - self._begin] = True

    def votes(self, arms: Sequence[str], *, settled: bool = False) -> "Votes":
        """The latest votes that count, in order of time; only settled ones if wanted."""
        from sparring.votes.data import Votes  # only now: SciPy comes with it

        rows = self._used()
        rows = rows[rows["counted"] & rows["settled"] if settled else rows["counted"]][
            -self._most :
        ]
        rows = rows[np.argsort(rows["at"], kind="stable")]  # those from outside may be older
        names = tuple(dict.fromkeys(arms))
        place = np.array([names.index(name) for name in arms], np.int32)
        return Votes(
            names, place[rows["first"]], place[rows["second"]], rows["outcome"], rows["at"]
        )

    def uniform_of(self, arms: set[int], since: float) -> tuple[float, int]:
        """What these arms won in uniformly drawn pairs since a moment, and in how many."""
        rows = self._used()
        rows = rows[rows["uniform"] & rows["counted"] & (rows["at"] >= since)]
        first, second = (np.isin(rows[side], list(arms)) for side in ("first", "second"))
        won = rows["outcome"][first].sum() + (1 - rows["outcome"][second]).sum()
        return float(won), int(first.sum() + second.sum())

    def told(self, arms: Sequence[str]) -> Iterator[Told]:
        """The latest answers of voters, counted or not."""
        who = list(self._voters)
        for row in self._used()[-self._most :].tolist():
            first, second, outcome, _, wait, voter, _, counted, _ = row
            if voter >= 0:
                side = SIDES.get(outcome, "")
                yield Told(who[voter], arms[first], arms[second], side, wait, counted)

    def _used(self) -> NDArray[np.void]:
        return self._rows[: self._end - self._begin]

    def _forget(self) -> None:
        """Keep the later half, and the voters in it."""
        kept = self._rows[self._most :].copy()
        self._rows[: self._most] = kept
        self._begin += self._most
        who = list(self._voters)
        there = np.unique(kept["voter"][kept["voter"] >= 0])
        self._voters = {who[old]: new for new, old in enumerate(there.tolist())}
        column = self._rows["voter"][: self._most]
        column[column >= 0] = np.searchsorted(there, column[column >= 0])
