"""Votes from a file, an arena or a log of duels: `read`, and what was found on the way.

The rows come from `sparring.tables`; `columns` says what their columns hold, and `collector` makes
votes of them. What a file leaves open (which comes first, day or month; what a comma in a number
is) is decided before its rows are taken, from its first rows or its first date that shows it.
"""

import shlex
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring import addresses, checks
from sparring.tables.kinds import Tick, silent
from sparring.tables.rows import Limits, Table
from sparring.votes.arenas import from_arena
from sparring.votes.collector import MANY, BadLine, BlockCollector, Collector
from sparring.votes.columns import (
    MOST_COLUMNS,
    Dialect,
    DialectError,
    Words,
    advice,
    are_clocks,
    by_arm,
    demand_order,
    has_decimal_commas,
    is_log,
    is_written,
    like_times,
    order_shown,
    recognise,
    with_clock,
)
from sparring.votes.logged import Logged, read_log
from sparring.votes.values import Votes

SQLITE = b"SQLite format 3\0"
DECIMALS = ("comma", "point")


class VotesError(ValueError):
    """A file in which some lines are not votes; the message shows them."""


class VotesRead(NamedTuple):
    """The result of reading a file."""

    votes: Votes
    dialect: Dialect | None
    """Which columns were read; None for an arena or a log of duels."""
    rows: int
    """How many rows it has, without the header."""
    bad: int
    """How many of them are not votes."""
    shown: tuple[BadLine, ...]
    """The first of those, with line and reason."""
    silent: int
    """How many rows have no answer and are left out."""
    selves: int
    """How many show an arm against itself, which tells nothing."""
    disordered: int
    """How many rows come before an earlier one; votes are sorted by time."""
    left_out: int
    """How many votes are on arms that were left out by `most`."""
    timely: str = ""
    """A column that looks like times, if none was used and the user did not say so."""
    shown_by: tuple[str, ...] = ()
    """How numbers or dates were read, and by which value that was decided."""

    @property
    def warning(self) -> str:
        """What must be said before any answer: that it rests on too few of the rows. Or nothing."""
        if self.bad <= MANY * self.rows:
            return ""
        return (
            f"Beware: {self.bad:,} of {self.rows:,} rows were no votes and are left out; "
            "what follows rests on the others alone."
        )

    def notes(self) -> list[str]:
        """What a reader should know about the file, in words."""
        found = list(self.shown_by)
        if self.timely:
            found.append(
                f"No column of times was found; {self.timely} looks like one: "
                f"--time {shlex.quote(self.timely)}"
            )
        if self.bad:
            lines = ", ".join(f"{line:,}" for line, _ in self.shown)
            found.append(
                f"{self.bad:,} of {self.rows:,} lines were no votes and are left out: "
                f"{'line' if len(self.shown) == 1 else 'lines'} {lines}"
                + (" and more" if self.bad > len(self.shown) else "")
            )
        for count, one, many in (
            (self.silent, "row without an answer is", "rows without an answer are"),
            (
                self.selves,
                "row that shows an arm against itself is",
                "rows that show an arm against itself are",
            ),
            (
                self.left_out,
                "vote on arms with fewer votes is",
                "votes on arms with fewer votes are",
            ),
        ):
            if count:
                found.append(f"{f'1 {one}' if count == 1 else f'{count:,} {many}'} left out")
        if self.disordered:
            rows = "1 row" if self.disordered == 1 else f"{self.disordered:,} rows"
            found.append(f"{rows} came before an earlier one: sorted by time")
        return found


def read(path: str | PathLike[str], *, skip_bad: bool = False, **columns: Any) -> Votes:
    r"""Votes from a file: CSV, JSON lines, a JSON list or Parquet; an arena; a log of duels.

    Text may be compressed with gzip (.csv.gz and so on).

    Columns with common names are found, such as `a, b, winner`, `model_a, model_b, winner`, `home,
    away, home_score, away_score`, `winner, loser` or `chosen, rejected`; name other columns
    yourself. The winner is given by name, or as a, b, left, right, tie, 1-0 and so on; explain
    other words in `words`. A tie, also of two bad answers, is half a win.

    Parameters
    ----------
    path
        The file.
    skip_bad
        Leave out lines that are no votes, instead of refusing the file.
    columns
        As for `examine`: a, b, winner, outcome, score, time, voter, weight, chance, ranks, scores,
        words, dates, decimal, most, name, tick, limits.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "battles.csv")
    >>> _ = path.write_text("model_a,model_b,winner\nx,y,model_a\ny,z,tie\n")
    >>> read(path)
    2 votes on 3 arms
    """
    return examine(path, skip_bad=skip_bad, **columns).votes


def examine(
    path: str | PathLike[str],
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    outcome: str | None = None,
    score: Sequence[str] | None = None,
    time: str | None = None,
    voter: str | None = None,
    weight: str | None = None,
    chance: str | None = None,
    ranks: Sequence[str] | None = None,
    scores: Sequence[str] | None = None,
    words: Words | None = None,
    dates: str | None = None,
    decimal: str | None = None,
    most: int | None = None,
    name: str = "arena",
    skip_bad: bool = False,
    tick: Tick = silent,
    limits: Limits | None = None,
) -> VotesRead:
    """Read votes, and report what was found on the way.

    Parameters
    ----------
    path
        The file, or the address of an arena. A log of sparring's duels (row, col, outcome, p) also
        gives the chance of each pair.
    a, b
        The columns of the two arms.
    winner, outcome, score
        The column of who won; or of how the first did, from 0 to 1; or two columns of scores.
    time
        The column of times; "" to count ages in votes even if there is one.
    voter, weight, chance
        The columns of who voted, of how much the vote counts, and of the probability that exactly
        these two were shown, in either order.
    ranks, scores
        Instead of a, b and a result: a column per arm, with its rank in each row (1 is the best) or
        its score (more is better). A row is then a vote on each pair of arms that it has numbers
        for, all by one voter.
    words
        What other words in the winner's column mean for the first arm: {"H": 1, "A": 0, "D": 0.5},
        or None for no answer.
    dates
        "day-first" or "month-first", for dates such as 31.01.2024 or 1/31/24. If None, the first
        one with a value above 12 decides.
    decimal
        "comma" or "point", for numbers such as 0,5. If None, the first rows decide, where they
        leave no doubt.
    most
        Keep only this many arms, those with the most votes.
    name
        For an arena: which one in the database.
    skip_bad
        Leave out lines that are no votes, instead of refusing the file.
    tick
        A function that is called with the bytes read (rows of a Parquet file), for a progress bar.
    limits
        The most that a file may cost.
    """
    if is_arena(path):
        return _whole(Logged(from_arena(path, name=name), 0, 0), most)
    if decimal is not None and decimal not in DECIMALS:
        raise checks.unknown("decimal", decimal, DECIMALS, "0,5 has a decimal comma")
    table = Table(Path(path), limits)
    by_names = {"time": time, "voter": voter, "weight": weight}
    results = {"winner": winner, "outcome": outcome, "score": score, "chance": chance}
    if ranks is not None:
        _demand_alone("ranks", a=a, b=b, scores=scores, **results)
        dialect = by_arm(table.columns, str(path), ranks, ranked=True, **by_names)
    elif scores is not None:
        _demand_alone("scores", a=a, b=b, **results)
        dialect = by_arm(table.columns, str(path), scores, ranked=False, **by_names)
    elif is_log(table.columns) and a is None and b is None:
        return _whole(read_log(table.path), most)
    else:
        dialect = _recognised(table, a=a, b=b, **results, **by_names)
    dialect, sample = _sampled(table, dialect, given=time is not None)
    order, shown = _order(table, dialect, sample, dates)
    commas = _commas(dialect, sample, decimal)
    if decimal is None:
        shown += tuple(f"{column} has decimal commas" for column in commas)
    collector = _collected(table, dialect, words, order, commas, tick)
    if collector.bad.many and not skip_bad:
        raise _refused(table.path, collector, "")
    votes = collector.votes()
    kept = votes if most is None else _most(votes, most)
    found = VotesRead(
        kept,
        dialect,
        collector.rows,
        collector.bad.many,
        tuple(collector.bad.first),
        collector.silent,
        collector.selves,
        collector.disordered,
        len(votes) - len(kept),
        like_times(table.columns, dialect) if time is None else "",
        shown,
    )
    if not len(votes):
        told = "; ".join([f"{path} has no votes", str(dialect), *found.notes()])
        raise VotesError(told)
    return found


def _demand_alone(what: str, **others: Any) -> None:
    """Refuse columns of arms or results beside a column per arm."""
    for name, value in others.items():
        if value is not None:
            raise DialectError(f"give {what} or {name}, not both: {what} say it all")


def _recognised(table: Table, **given: Any) -> Dialect:
    """The columns to read, or an error that says what to type."""
    try:
        return recognise(table.columns, str(table.path), **given)
    except DialectError as error:
        if given["a"] is not None or given["b"] is not None:
            raise
        guess = advice(table.sample(list(dict.fromkeys(table.columns))[:MOST_COLUMNS]))
        raise DialectError(f"{error}{guess}") from None


def _sampled(
    table: Table, dialect: Dialect, *, given: bool
) -> tuple[Dialect, dict[str, list[str]]]:
    """The dialect, with times of day if they stand beside days, and its first values."""
    timed = dialect if given else with_clock(dialect, table.columns)
    sample = table.sample(timed.used)
    if timed.clock and not are_clocks(sample[timed.clock]):
        timed = dialect
        sample = table.sample(timed.used)
    return timed, sample


def _order(
    table: Table, dialect: Dialect, sample: dict[str, list[str]], dates: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """Which comes first, day or month, as it is said or as the first date shows that can."""
    if demand_order(dates) or not dialect.time or not any(map(is_written, sample[dialect.time])):
        return dates, ()
    found = order_shown(_texts(table, dialect.time))
    if found is None:
        return None, ()
    order, text = found
    return order, (f"{text} shows that dates are {order}",)


def _texts(table: Table, column: str) -> Iterator[str]:
    """The distinct texts of a column as they come, as far as a part of the file can tell."""
    wanted = ["", "", column] if table.kind in ("lines", "list") else [column]
    if not _is_fast():
        yield from (
            fields[-1] for _, fields, _ in table.rows(wanted) if not isinstance(fields, str)
        )
        return
    for block in table.blocks(wanted):
        if block.odd:  # their texts are beside the columns
            yield from (fields[-1] for _, fields in block.rows())
            continue
        yield from block.columns[column].unique(maintain_order=True).drop_nulls().to_list()


def _commas(dialect: Dialect, sample: dict[str, list[str]], decimal: str | None) -> tuple[str, ...]:
    """The columns whose numbers have decimal commas."""
    if decimal is not None:
        return tuple(dialect.numeric) if decimal == "comma" else ()
    return tuple(name for name in dialect.numeric if has_decimal_commas(sample[name]))


def _collected(
    table: Table,
    dialect: Dialect,
    words: Words | None,
    order: str | None,
    commas: Sequence[str],
    tick: Tick,
) -> Collector:
    """All rows of a table, or a refusal if the first of them are hopeless."""
    if not _is_fast():
        collector = Collector(dialect, words, order, commas)
        for line, fields, many in table.rows(dialect.used, tick):
            if isinstance(fields, str):
                collector.refuse(line, fields, many)
            else:
                collector.add(fields, line)
            if collector.hopeless:
                raise _refused(table.path, collector, "the first ")
        return collector
    blocks = BlockCollector(dialect, words, order, commas)
    for block in table.blocks(dialect.used, tick):
        blocks.take(block)
        if blocks.hopeless:
            raise _refused(table.path, blocks, "the first ")
    return blocks


def _is_fast() -> bool:
    """Whether blocks can be read at once."""
    return find_spec("polars") is not None


def on_server(path: str | PathLike[str]) -> bool:
    """Whether it is the address of a database server."""
    return str(path).startswith(addresses.SERVERS)


def is_arena(path: str | PathLike[str]) -> bool:
    """Whether it is the address of an arena: a database."""
    if on_server(path):
        return True
    if not Path(path).is_file():  # a pipe would be waited for
        return False
    with open(path, "rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _whole(found: Logged, most: int | None) -> VotesRead:
    """The result of reading a file of our own, which has no errors."""
    votes, silent, selves = found
    kept = votes if most is None else _most(votes, most)
    rows = len(votes) + silent + selves
    return VotesRead(kept, None, rows, 0, (), silent, selves, 0, len(votes) - len(kept))


def _refused(path: Path, collector: Collector, which: str) -> VotesError:
    """What is wrong with the lines, and what to do."""
    bad = collector.bad
    remedies = [bad.to_paste(collector.words)]
    if bad.too_many(collector.rows):  # to leave them out would give a wrong answer
        remedies.append(
            f"Columns: {collector.dialect}; name others with --a, --b, --winner and so on"
        )
    else:
        remedies.append("Mend them, or leave them out with --skip-bad (skip_bad=True)")
    told = f"{path}: {bad.many:,} of {which}{collector.rows:,} rows are no votes:"
    return VotesError("\n".join([told, bad.listed(), *filter(None, remedies)]))


def _most(votes: Votes, most: int) -> Votes:
    """The votes on the arms that have the most."""
    most = checks.whole("most", most, low=2)
    often = np.bincount(votes.first, minlength=votes.K) + np.bincount(
        votes.second, minlength=votes.K
    )
    arms = np.sort(np.argsort(-often, kind="stable")[:most])
    return votes.only(arms.tolist())
