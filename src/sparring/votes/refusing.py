"""Rows that are not votes: counted and grouped by complaint, with a remedy to paste."""

import re
import shlex
from collections import Counter
from typing import NamedTuple

from sparring.votes.words import Words, plain

SHOWN = 10  # bad lines that are kept, and kinds of complaints that a message shows
NUMBERED = 5  # lines of a kind that a message names
MANY = 0.1  # of all rows: if more are bad, the file was misread rather than damaged
WORDS = 1_000  # different words counted
LONGEST = 40  # letters of a word that can be pasted
# Words that turn others round: "A is worse" does not say that A has won.
TURNING = {"not", "worse", "worst", "lose", "loses", "lost", "than"}


class BadLine(NamedTuple):
    """A line that is not a vote."""

    line: int
    why: str


class BadRowError(ValueError):
    """A row that is not a vote; the message says why."""


class UnknownWordError(BadRowError):
    """A row whose winner is given by an unknown word."""

    def __init__(self, why: str, word: str) -> None:
        super().__init__(why)
        self.word = word


class Complaints:
    """What is wrong with the rows of a file.

    Examples
    --------
    >>> found = Complaints()
    >>> for line in (2, 3, 5):
    ...     found.add(line, UnknownWordError("winner is unknown: 'A wins'", "A wins"))
    >>> print(found.listed())
      lines 2, 3, 5: winner is unknown: 'A wins'
    >>> print(found.to_paste({"a": 1.0}))
    'A wins' 3 times: add --word 'A wins=1'
    """

    def __init__(self) -> None:
        self.many = 0
        self.first: list[BadLine] = []
        self._kinds: dict[str, list[BadLine]] = {}  # the first of each kind
        self._counts: Counter[str] = Counter()
        self._words: Counter[str] = Counter()

    def add(self, line: int, why: BadRowError | str, many: int = 1) -> None:
        """Note a line that is not a vote, or several lines that are one row."""
        bad = BadLine(line, str(why))
        kind = re.split(": |; got ", bad.why, maxsplit=1)[0]  # the value follows
        self.many += many
        alike = self._kinds.setdefault(kind, [])
        if len(alike) < NUMBERED:
            alike.append(bad)
        self._counts[kind] += many
        if len(self.first) < SHOWN:
            self.first.append(bad)
        if isinstance(why, UnknownWordError) and (
            why.word in self._words or len(self._words) < WORDS
        ):
            self._words[why.word] += 1

    def too_many(self, rows: int) -> bool:
        """Whether so many rows are bad that the others cannot represent all."""
        return self.many > MANY * rows

    def listed(self) -> str:
        """A line for each kind of complaint, with the first lines that have it."""
        shown = []
        for kind, alike in list(self._kinds.items())[:SHOWN]:
            more = self._counts[kind] - len(alike)
            numbers = ", ".join(f"{bad.line:,}" for bad in alike)
            others = f" and {more:,} more" if more else ""
            named = "line" if len(alike) == 1 else "lines"
            shown.append(f"  {named} {numbers}{others}: {alike[0].why}")
        rest = self.many - sum(self._counts[kind] for kind in list(self._kinds)[:SHOWN])
        return "\n".join(shown + ([f"  and {rest:,} others"] if rest else []))

    def to_paste(self, known: Words) -> str:
        """What to add to the command if words were unknown; empty if that is not the problem."""
        words = sorted(self._words)
        if not 0 < len(words) <= SHOWN or any(
            len(word) > LONGEST or not word.isprintable() for word in words
        ):
            return ""
        counted = ", ".join(f"'{word}' {_times(self._words[word])}" for word in words)
        says = {word: _meaning(word, known) for word in words}
        typed = " ".join("--word " + shlex.quote(f"{word}={says[word]}") for word in words)
        where = (
            ", where N is 1 if the first has won, 0 if the second, 0.5 a tie, skip no answer"
            if "N" in says.values()
            else ""
        )
        return f"{counted}: add {typed}{where}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _meaning(word: str, known: Words) -> str:
    """What a phrase means for the first arm, if its known words agree; otherwise N."""
    parts = re.split(r"[\W_]+", plain(word))
    says = {known[part] for part in parts if part in known}
    if len(says) != 1 or TURNING & set(parts):
        return "N"
    value = says.pop()
    return "skip" if value is None else f"{value:g}"
