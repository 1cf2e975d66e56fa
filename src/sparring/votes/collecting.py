"""Rows of text become votes, one by one; other rows are counted and shown with their lines."""

import math
from array import array
from collections.abc import Sequence

import numpy as np

from sparring import checks
from sparring.votes.dialects import Dialect
from sparring.votes.moments import demand_order, seconds
from sparring.votes.refusing import BadRowError, Complaints, UnknownWordError
from sparring.votes.values import Votes
from sparring.votes.words import SILENT, Words, known, plain

# Control characters, what breaks a line or turns the text after it round, and what no page may
# hold, as what can be seen.
PICTURES = {
    **{code: 0x2400 + code for code in range(32)},
    127: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), 0xFFFE, 0xFFFF], 0xFFFD),
    **dict.fromkeys([*range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
MOST_NAMES = 1_000_000
HOPELESS = 10_000  # rows without a single vote: no need to read on
KEPT = 100_000  # moments remembered, as many votes share a day


class Collector:
    """Takes rows in the order of the file and makes votes in the order of time."""

    def __init__(
        self, dialect: Dialect, words: Words | None = None, dates: str | None = None
    ) -> None:
        self.dialect = dialect
        self._dates = demand_order(dates)
        self.bad = Complaints()
        self.rows, self.silent, self.selves = 0, 0, 0
        self._names: dict[str, int] = {}
        self._shown: dict[str, None] = {}  # the same, fit to be shown
        self._voters: dict[str, int] = {}
        self._moments: dict[str, float] = {}
        self._first, self._second, self._voter = array("i"), array("i"), array("i")
        self._outcome, self._time = array("d"), array("d")
        self._weight, self._chance = array("d"), array("d")
        self.words = known(dialect.first, dialect.second, words)
        self._place = {name: place for place, name in enumerate(dialect.used)}

    def add(self, fields: Sequence[str], line: int) -> None:
        """Take a row: the fields of `dialect.used`, in that order."""
        self.rows += 1
        try:
            self._take(fields)
        except BadRowError as error:
            self.bad.add(line, error)

    @property
    def hopeless(self) -> bool:
        """Whether so many rows held no vote that the rest hardly will."""
        return not self._outcome and self.bad.many + self.silent + self.selves >= HOPELESS

    def _take(self, fields: Sequence[str]) -> None:
        dialect, place = self.dialect, self._place
        first, second = fields[0].strip(), fields[1].strip()
        outcome = self._result(fields, first, second)
        if outcome is None:
            self.silent += 1
            return
        if first == second:
            _demand_name(first)
            self.selves += 1
            return
        time = self._moment(fields[place[dialect.time]]) if dialect.time else 0.0
        weight = _number("weight", fields[place[dialect.weight]]) if dialect.weight else 1.0
        if not (math.isfinite(weight) and weight > 0):
            raise BadRowError(f"weight is not above 0: {checks.short(weight)}")
        chance = _number("chance", fields[place[dialect.chance]]) if dialect.chance else 1.0
        if not 0 < chance <= 1:
            raise BadRowError(f"chance is not above 0 and at most 1: {checks.short(chance)}")
        i, j = self._arm(first), self._arm(second)
        self._first.append(i)
        self._second.append(j)
        self._outcome.append(outcome)
        if dialect.time:
            self._time.append(time)
        if dialect.weight:
            self._weight.append(weight)
        if dialect.chance:
            self._chance.append(chance)
        if dialect.voter:
            who = fields[place[dialect.voter]].strip()
            self._voter.append(self._voters.setdefault(who, len(self._voters)))

    def _arm(self, name: str) -> int:
        found = self._names.get(name)
        if found is None:
            _demand_name(name)
            shown = name.translate(PICTURES)
            if shown in self._shown:
                raise BadRowError(f"name of an arm: only control characters tell {shown!r} apart")
            self._shown[shown] = None
            if len(self._names) >= MOST_NAMES:
                raise ValueError(
                    f"more than {MOST_NAMES:,} different arms: are {self.dialect.first!r} and "
                    f"{self.dialect.second!r} the columns of the arms? Say it with --a and --b"
                )
            found = self._names[name] = len(self._names)
        return found

    def _result(self, fields: Sequence[str], first: str, second: str) -> float | None:
        """How the first did; None if there was no answer."""
        dialect = self.dialect
        if dialect.by_loser:
            return 1.0
        if dialect.score is not None:
            texts = [fields[self._place[name]].strip() for name in dialect.score]
            if any(text.casefold() in SILENT for text in texts):
                return None
            one, other = (_number("score", text) for text in texts)
            return 0.5 if one == other else float(one > other)
        text = fields[2].strip()
        word = plain(text)
        if word in SILENT and text not in (first, second) and word not in self.words:
            return None
        if dialect.outcome:
            outcome = _number("outcome", text)
            if not 0 <= outcome <= 1:
                raise BadRowError(f"outcome is not between 0 and 1: {checks.short(text)}")
            return outcome
        if text == first:
            return 0.5 if first == second else 1.0
        if text == second:
            return 0.0
        if word in (first.casefold(), second.casefold()):  # a name but for its case
            return 0.5 if first.casefold() == second.casefold() else float(word == first.casefold())
        if word not in self.words:
            raise UnknownWordError(
                "winner is neither an arm of the row nor a word such as a, b, tie: "
                f"{checks.short(text, 40)}",
                text,
            )
        return self.words[word]

    def _moment(self, text: str) -> float:
        found = self._moments.get(text)
        if found is None:
            found = seconds(text.strip(), self._dates)
            if len(self._moments) < KEPT:
                self._moments[text] = found
        return found

    def votes(self) -> Votes:
        """The votes taken, in order of time, then of lines."""
        dialect = self.dialect
        time = np.array(self._time) if dialect.time else None
        order = slice(None) if time is None else np.argsort(time, kind="stable")
        first, second = np.array(self._first, np.int32), np.array(self._second, np.int32)
        return Votes(
            tuple(self._shown),
            first[order],
            second[order],
            np.array(self._outcome)[order],
            None if time is None else time[order],
            np.array(self._weight)[order] if dialect.weight else None,
            np.array(self._voter, np.int32)[order] if dialect.voter else None,
            np.array(self._chance)[order] if dialect.chance else None,
            shuffled=not dialect.by_loser and not _always_one(np.array(self._outcome)),
            voters=tuple(who.translate(PICTURES) for who in self._voters)
            if dialect.voter
            else None,
        )

    @property
    def disordered(self) -> int:
        """How many votes come before an earlier one in the file."""
        return int((np.diff(np.array(self._time)) < 0).sum())


def _number(name: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if math.isnan(found):
        raise BadRowError(f"{name} is not a number: {checks.short(text, 40)}")
    return found


def _demand_name(name: str) -> None:
    if any("\udc80" <= letter <= "\udcff" for letter in name):  # bytes that are no letters
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        raise BadRowError(
            f"the name of an arm is not in UTF-8; save the file as UTF-8: {checks.short(shown, 40)}"
        )
    try:
        checks.names("name of an arm", [name])
    except ValueError as error:
        raise BadRowError(f"the {error}") from None


def _always_one(outcome: np.ndarray) -> bool:
    """Whether the first arm won every vote: then it is first because it won."""
    return bool(len(outcome) >= 10 and ((outcome == 1).all() or (outcome == 0).all()))
