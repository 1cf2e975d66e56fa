"""Rows of text become votes; others are counted, and shown with their lines and a remedy.

`Collector` takes rows one by one, and knows every complaint. `BlockCollector` takes blocks of
columns: rows that are certainly votes all at once, and the others one by one in the order of the
file. So both give the same votes and the same complaints.
"""

import re
import shlex
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.tables.texts import BadRowError, demand_order, number, seconds
from sparring.votes.columns import BAD, SILENT, Dialect, Words, known, plain
from sparring.votes.data import HEAVIEST, LIGHTEST, Votes

if TYPE_CHECKING:
    from sparring.tables.blocks import Block

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

# --- Complaints -----------------------------------------------------------------------------------

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


# --- Row by row -----------------------------------------------------------------------------------

# Control characters, what breaks a line or turns the text after it round, and what no page may
# hold, as what can be seen.
PICTURES = {
    **{code: 0x2400 + code for code in range(32)},
    127: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), 0xFFFE, 0xFFFF], 0xFFFD),
    **dict.fromkeys([*range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
MOST_NAMES = 1_000_000
MOST_VOTES = 20_000_000  # an answer takes about half a kilobyte for each
HOPELESS = 10_000  # rows without a single vote: no need to read on
KEPT = 100_000  # moments remembered, as many votes share a day
KINDS: dict[str, Any] = {  # what is kept of each vote
    "first": np.int32,
    "second": np.int32,
    "outcome": np.float64,
    "time": np.float64,
    "weight": np.float64,
    "voter": np.int32,
    "chance": np.float64,
    "bad": np.bool_,
}


class Collector:
    """Takes rows in the order of the file and makes votes in the order of time."""

    def __init__(
        self,
        dialect: Dialect,
        words: Words | None = None,
        dates: str | None = None,
        commas: Iterable[str] = (),
    ) -> None:
        self.dialect = dialect
        self.bad = Complaints()
        self.rows, self.silent, self.selves, self.count = 0, 0, 0, 0
        self.disordered = 0  # votes that come before an earlier one; known with the votes
        self.words = known(dialect.first, dialect.second, words)
        self._dates, self._commas = demand_order(dates), frozenset(commas)
        self._names: dict[str, int] = {}
        self._shown: dict[str, None] = {}  # the same, fit to be shown
        self._voters: dict[str, int] = {}
        self._moments: dict[str, float] = {}
        self._taken: dict[str, array[Any]] = {
            name: array("i" if kind == np.int32 else "d") for name, kind in KINDS.items()
        }
        self._parts: dict[str, list[NDArray[Any]]] = {name: [] for name in KINDS}
        self._place = {name: place for place, name in enumerate(dialect.used)}

    def add(self, fields: Sequence[str], line: int) -> None:
        """Take a row: the fields of `dialect.used`, in that order."""
        self.rows += 1
        try:
            self._take(fields, line)
        except BadRowError as error:
            self.bad.add(line, error)

    def refuse(self, line: int, why: str, many: int) -> None:
        """Note a row that could not even be cut into fields."""
        self.rows += many
        self.bad.add(line, why, many)

    @property
    def hopeless(self) -> bool:
        """Whether so many rows held no vote that the rest hardly will."""
        return not self.count and self.bad.many + self.silent + self.selves >= HOPELESS

    def votes(self) -> Votes:
        """The votes taken, in order of time, then of lines. To be called once, at the end."""
        self._flush()
        dialect, whole = self.dialect, dict[str, Any]()
        for name, kind in KINDS.items():
            whole[name] = np.concatenate([np.zeros(0, kind), *self._parts[name]])
            self._parts[name].clear()  # before the next is put together
        time = whole["time"] if dialect.time else None
        if time is not None:
            self.disordered = int((np.diff(time) < 0).sum())
        shuffled = not dialect.by_loser and not dialect.arms and not _always_one(whole["outcome"])
        if time is not None and self.disordered:
            order = np.argsort(time, kind="stable")
            whole = {
                name: values[order] if len(values) else values for name, values in whole.items()
            }
        has_voters = bool(dialect.voter or dialect.arms)
        return Votes(
            tuple(self._shown),
            whole["first"],
            whole["second"],
            whole["outcome"],
            whole["time"] if dialect.time else None,
            whole["weight"] if dialect.weight else None,
            whole["voter"] if has_voters else None,
            whole["chance"] if dialect.chance else None,
            shuffled=shuffled,
            voters=tuple(who.translate(PICTURES) for who in self._voters) if has_voters else None,
            bad=whole["bad"] if whole["bad"].any() else None,
        )

    def _take(self, fields: Sequence[str], line: int) -> None:
        dialect, place = self.dialect, self._place
        if dialect.arms:
            self._take_order(fields, line)
            return
        first, second = fields[place[dialect.first]].strip(), fields[place[dialect.second]].strip()
        outcome = self._result(fields, first, second)
        if outcome is None:
            self.silent += 1
            return
        if first == second:
            _demand_name(first)
            self.selves += 1
            return
        more = self._more(fields)
        who = fields[place[dialect.voter]].strip() if dialect.voter else None
        self._vote(first, second, outcome, more, who)
        if dialect.winner:
            said = plain(fields[place[dialect.winner]].strip())
            self._taken["bad"].append(outcome == 0.5 and said in BAD)

    def _take_order(self, fields: Sequence[str], line: int) -> None:
        """A row that orders the arms for which it has a number: a vote on each pair of them."""
        dialect = self.dialect
        marks = [
            (arm, number(arm, text, comma=arm in self._commas))
            for arm, text in zip(dialect.arms, fields, strict=False)
            if text.strip().casefold() not in SILENT
        ]
        if len(marks) < 2:
            self.silent += 1
            return
        more = self._more(fields)
        # Votes of one row hang together, as those of one voter do.
        who = fields[self._place[dialect.voter]].strip() if dialect.voter else f"row {line}"
        for (one, mark), (other, against) in combinations(marks, 2):
            outcome = 0.5 if mark == against else float((mark < against) == dialect.ranked)
            self._vote(one, other, outcome, more, who)

    def _more(self, fields: Sequence[str]) -> tuple[float, float, float]:
        """When, with what weight and with what chance."""
        dialect = self.dialect
        time = self._moment(fields) if dialect.time else 0.0
        weight = self._number("weight", fields, dialect.weight)
        if not LIGHTEST <= weight <= HEAVIEST:
            raise BadRowError(
                f"weight is not from {LIGHTEST:g} to {HEAVIEST:,.0f}: {checks.short(weight)}"
            )
        chance = self._number("chance", fields, dialect.chance)
        if not 0 < chance <= 1:
            raise BadRowError(f"chance is not above 0 and at most 1: {checks.short(chance)}")
        return time, weight, chance

    def _vote(
        self,
        first: str,
        second: str,
        outcome: float,
        more: tuple[float, float, float],
        who: str | None,
    ) -> None:
        i, j = self._arm(first), self._arm(second)
        self._demand_room(1)
        dialect, taken = self.dialect, self._taken
        time, weight, chance = more
        taken["first"].append(i)
        taken["second"].append(j)
        taken["outcome"].append(outcome)
        if dialect.time:
            taken["time"].append(time)
        if dialect.weight:
            taken["weight"].append(weight)
        if dialect.chance:
            taken["chance"].append(chance)
        if who is not None:
            taken["voter"].append(self._voters.setdefault(who, len(self._voters)))
        self.count += 1

    def _demand_room(self, many: int) -> None:
        if self.count + many > MOST_VOTES:
            raise ValueError(
                f"more than {MOST_VOTES:,} votes, which would take too much memory: give a part of "
                "them, such as the latest"
            )

    def _flush(self) -> None:
        """Move the votes that were taken one by one to the parts."""
        for name, taken in self._taken.items():
            if len(taken):
                self._parts[name].append(np.array(taken, KINDS[name]))
                del taken[:]

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
            one, other = (self._number("score", fields, name) for name in dialect.score)
            return 0.5 if one == other else float(one > other)
        text = fields[self._place[dialect.winner or dialect.outcome]].strip()
        word = plain(text)
        if word in SILENT and text not in (first, second) and word not in self.words:
            return None
        if dialect.outcome:
            outcome = self._number("outcome", fields, dialect.outcome)
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

    def _number(self, what: str, fields: Sequence[str], column: str) -> float:
        """The number in a column; 1 if there is no such column."""
        if not column:
            return 1.0
        return number(what, fields[self._place[column]].strip(), comma=column in self._commas)

    def _moment(self, fields: Sequence[str]) -> float:
        text = fields[self._place[self.dialect.time]]
        if self.dialect.clock:
            text = f"{text.strip()} {fields[self._place[self.dialect.clock]].strip()}"
        found = self._moments.get(text)
        if found is None:
            found = seconds(text.strip(), self._dates)
            if len(self._moments) < KEPT:
                self._moments[text] = found
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


# --- Block by block -------------------------------------------------------------------------------

MANY_DOUBTS = 0.05  # of a block: then all its rows are taken one by one
FEW_DOUBTS = 100  # then each is cut out of its columns alone


class BlockCollector(Collector):
    """Takes blocks of columns, too."""

    def take(self, block: "Block") -> None:
        """Take the rows of a block in their order; it stops where the rest is hopeless."""
        bad = deque(block.bad)

        def refuse(upto: int) -> None:
            while bad and bad[0].place <= upto and not self.hopeless:
                one = bad.popleft()
                self.refuse(one.line, one.why, one.many)

        at, total = 0, len(block.lines)
        one_by_one = bool(self.dialect.arms)
        for line, fields in block.rows() if one_by_one or not self.count else ():
            if (self.count and not one_by_one) or self.hopeless:
                break  # from the first vote on there is hope
            refuse(at)
            if self.hopeless:
                break
            self.add(fields, line)
            at += 1
        if at < total and not self.hopeless:
            self._take_rest(block, at, refuse)
        refuse(total)

    def _take_rest(self, block: "Block", at: int, refuse: Callable[[int], None]) -> None:
        """The rows from there on, runs of votes at once."""
        total = len(block.lines)
        found = self._recognised({name: column[at:] for name, column in block.columns.items()})
        doubt = found.doubt
        doubt[[place - at for place in block.odd if place >= at]] = True
        if doubt.sum() > MANY_DOUBTS * len(doubt):
            doubt[:] = True
        cut_out = block.rows(at) if doubt.sum() > FEW_DOUBTS else None
        passed, begin = at, at
        bad = {one.place for one in block.bad if one.place >= at}
        for stop in sorted({*(np.flatnonzero(doubt) + at).tolist(), *bad, total}):
            if stop > begin:
                self._take_run(found, begin - at, stop - at)
                begin = stop
            refuse(stop)
            if stop == total or not doubt[stop - at]:
                continue
            if cut_out is None:
                fields = block.row(stop)
            else:
                _, fields = next(islice(cut_out, stop - passed, None))
                passed = stop + 1
            self.add(fields, int(block.lines[stop]))
            begin = stop + 1

    def _take_run(self, found: "_Found", begin: int, end: int) -> None:
        """Rows without a doubt."""
        self._flush()
        vote = found.vote[begin:end]
        many = int(vote.sum())
        self._demand_room(many)
        self.rows += end - begin
        self.silent += int(found.silent[begin:end].sum())
        self.selves += int(found.selves[begin:end].sum())
        chosen: Any = slice(None) if many == len(vote) else vote
        first, second = found.first[begin:end][chosen], found.second[begin:end][chosen]
        self._seat(found.vocabulary, first, second)
        self._parts["first"].append(found.vocabulary.seats[first])
        self._parts["second"].append(found.vocabulary.seats[second])
        for name, values in found.more.items():
            self._parts[name].append(values[begin:end][chosen])
        if found.voter is not None:
            kinds, codes = found.voter
            codes = codes[begin:end][chosen]
            places = np.full(len(kinds), -1, np.int32)
            for code in _as_they_come(codes, len(kinds)):
                who = kinds[code].strip()
                places[code] = self._voters.setdefault(who, len(self._voters))
            self._parts["voter"].append(places[codes])
        self.count += many

    def _seat(self, vocabulary: "_Vocabulary", first: Places, second: Places) -> None:
        """Give new arms their places, in the order in which they come."""
        both = np.empty(2 * len(first), np.int32)
        both[::2], both[1::2] = first, second
        new = both[vocabulary.seats[both] < 0]
        for place in _as_they_come(new, len(vocabulary.texts)):
            vocabulary.seats[place] = self._arm(vocabulary.texts[place])

    def _recognised(self, columns: dict[str, Any]) -> "_Found":
        """The votes of some rows, and which rows are in doubt."""
        from sparring.tables.values import joined, moments, numbers

        dialect = self.dialect
        vocabulary = _Vocabulary()
        first, second = (vocabulary.add(columns[name]) for name in (dialect.first, dialect.second))
        word = vocabulary.add(columns[dialect.winner]) if dialect.winner else None
        vocabulary.complete(self._names, self.words)
        same = first == second
        if dialect.by_loser:
            outcome = np.ones(len(first))
        elif word is not None:
            outcome = _said(vocabulary, first, second, word)
            bad = vocabulary.bad[word] & (outcome == 0.5)
        else:
            outcome = self._scored(columns)
            # A name that could be no answer, too, is looked at with care.
            odd = vocabulary.mute[first] | vocabulary.mute[second]
            outcome[odd & (outcome == NO_ANSWER)] = np.nan
        silent = outcome == NO_ANSWER
        clear = ~np.isnan(outcome) & ~silent
        fine = vocabulary.fine
        selves = same & clear & fine[first]
        vote = ~same & clear & fine[first] & fine[second]
        more = {"outcome": outcome}
        if word is not None:
            more["bad"] = bad
        if dialect.time:
            column = columns[dialect.time]
            if dialect.clock:
                column = joined(column, columns[dialect.clock])
            order = self._dates
            more["time"] = moments(column, order, lambda text: seconds(text.strip(), order))
            vote &= ~np.isnan(more["time"])
        for name, column_name, low, high in (
            ("weight", dialect.weight, LIGHTEST, HEAVIEST),
            ("chance", dialect.chance, np.nextafter(0, 1), 1),
        ):
            if column_name:
                comma = column_name in self._commas
                more[name] = numbers(columns[column_name], comma=comma)
                with np.errstate(invalid="ignore"):
                    vote &= (more[name] >= low) & (more[name] <= high)
        voter = None
        if dialect.voter:
            from sparring.tables.blocks import coded

            voter = coded(columns[dialect.voter])
        doubt = ~(vote | silent | selves)
        return _Found(vocabulary, first, second, more, voter, silent, selves, vote, doubt)

    def _scored(self, columns: dict[str, Any]) -> Floats:
        """How the first did, by its outcome or by both scores."""
        dialect = self.dialect
        if dialect.score is None:
            outcome = self._graded(columns[dialect.outcome], dialect.outcome, self.words)
            with np.errstate(invalid="ignore"):
                outcome[((outcome < 0) | (outcome > 1)) & (outcome != NO_ANSWER)] = np.nan
            return outcome
        one, other = (self._graded(columns[name], name, {}) for name in dialect.score)
        unclear = np.isnan(one) | np.isnan(other)  # even if the other is no answer
        silent = (one == NO_ANSWER) | (other == NO_ANSWER)
        with np.errstate(invalid="ignore"):
            outcome = np.where(one == other, 0.5, one > other)
        outcome[silent] = NO_ANSWER
        outcome[unclear] = np.nan
        return outcome

    def _graded(self, column: Any, name: str, words: Words) -> Floats:
        """Numbers; NO_ANSWER where there is none, nan where that is in doubt."""
        from sparring.tables.values import are_few, numbers, per_text

        comma = name in self._commas
        if column.dtype.is_numeric():
            found = numbers(column)
            found[np.isinf(found)] = np.nan
            found[column.is_null().to_numpy()] = np.nan if "" in words else NO_ANSWER
            return found
        if not are_few(column):
            return numbers(column, comma=comma)

        def read(text: str) -> float:
            word = plain(text.strip())
            if word in SILENT:
                return np.nan if word in words else NO_ANSWER
            found = number("", text.strip(), comma=comma)
            return found if abs(found) < np.inf else np.nan

        return per_text(column, read)


NO_ANSWER = -np.inf


class _Found(NamedTuple):
    """What some rows say; each is a vote, has no answer, shows an arm twice, or is in doubt."""

    vocabulary: "_Vocabulary"
    first: Places
    second: Places
    more: dict[str, NDArray[Any]]
    voter: tuple[list[str], NDArray[Any]] | None
    silent: NDArray[np.bool_]
    selves: NDArray[np.bool_]
    vote: NDArray[np.bool_]
    doubt: NDArray[np.bool_]


class _Vocabulary:
    """The distinct texts of some columns, without spaces around them, each with a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, column: Any) -> Places:
        """(n,): the number of each row's text."""
        from sparring.tables.blocks import coded

        kinds, codes = coded(column)
        numbers = self._numbers
        found = [numbers.setdefault(text.strip(), len(numbers)) for text in kinds]
        return np.array(found, np.int32)[codes]

    def complete(self, seats: dict[str, int], words: dict[str, float | None]) -> None:
        """Look each text up, once all columns are there."""
        self.texts = list(self._numbers)
        self.seats = np.array([seats.get(text, -1) for text in self.texts], np.int32)
        """(texts,): the arm of this name, or -1."""
        alike: dict[str, int] = {}
        small = [alike.setdefault(text.casefold(), len(alike)) for text in self.texts]
        said = [plain(text) for text in self.texts]
        looked_up = [alike.setdefault(word, len(alike)) for word in said]
        self.small, self.word = np.array(small), np.array(looked_up)
        """(texts,): texts alike but for their case; and as they are looked up."""
        says = [words.get(word, np.nan) for word in said]
        self.says = np.array([NO_ANSWER if value is None else value for value in says])
        """(texts,): how the first did if this is said; nan if it is unknown."""
        self.bad = np.array([word in BAD for word in said])
        """(texts,): whether it says that both were bad."""
        self.mute = np.array([word in SILENT and word not in words for word in said])
        """(texts,): whether it is no answer, unless it is an arm."""
        self.fine = self.seats >= 0
        """(texts,): whether it can name an arm; a name that must be shown in other letters is left
        to the careful reader."""
        for place in np.flatnonzero(~self.fine).tolist():
            self.fine[place] = _is_plain_name(self.texts[place])


def _said(vocabulary: _Vocabulary, first: Places, second: Places, word: Places) -> Floats:
    """How the first did, by the word for the winner."""
    outcome = vocabulary.says[word]
    one, other, said = vocabulary.small[first], vocabulary.small[second], vocabulary.word[word]
    named = np.flatnonzero((said == one) | (said == other))  # a name but for its case
    outcome[named] = np.where(one[named] == other[named], 0.5, said[named] == one[named])
    by_first, by_second = word == first, word == second
    outcome[by_second] = 0.0
    outcome[by_first] = np.where(by_second[by_first], 0.5, 1.0)
    outcome[vocabulary.mute[word] & ~by_first & ~by_second] = NO_ANSWER
    return outcome


def _is_plain_name(name: str) -> bool:
    """Whether an arm can have this name, and is shown by it."""
    try:
        _demand_name(name)
    except BadRowError:
        return False
    pictures = {"\ufffd", *map(chr, range(0x2400, 0x2422))}
    return name.translate(PICTURES) == name and not pictures & set(name)


def _as_they_come(codes: NDArray[Any], many: int) -> list[int]:
    """The distinct codes below `many`, in the order in which they first come."""
    where = np.full(many, len(codes))
    where[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    there = np.flatnonzero(where < len(codes))
    return [int(code) for code in there[np.argsort(where[there])]]
