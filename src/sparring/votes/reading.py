"""Votes from a file: `read`, and what was found on the way."""

import shlex
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring import addresses, checks
from sparring.votes.arenas import from_arena
from sparring.votes.collecting import Collector
from sparring.votes.dialects import Dialect, is_log, like_times, recognise
from sparring.votes.logged import Logged, read_log
from sparring.votes.refusing import MANY, BadLine
from sparring.votes.sources import Tick, columns_of, kind_of, rows_of
from sparring.votes.values import Votes
from sparring.votes.words import Words

SQLITE = b"SQLite format 3\0"


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
        found = []
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
        As for `examine`: a, b, winner, outcome, score, time, voter, weight, chance, words, dates,
        most, name, tick.

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
    words: Words | None = None,
    dates: str | None = None,
    most: int | None = None,
    name: str = "arena",
    skip_bad: bool = False,
    tick: Tick = lambda size: None,
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
    words
        What other words in the winner's column mean for the first arm: {"H": 1, "A": 0, "D": 0.5},
        or None for no answer.
    dates
        "day-first" or "month-first", for dates such as 31.01.2024 or 1/31/24.
    most
        Keep only this many arms, those with the most votes.
    name
        For an arena: which one in the database.
    skip_bad
        Leave out lines that are no votes, instead of refusing the file.
    tick
        A function that is called with the bytes read (rows of a Parquet file), for a progress bar.
    """
    if is_arena(path):
        return _whole(Logged(from_arena(path, name=name), 0, 0), most)
    path = Path(path)
    kind = kind_of(path)
    there = columns_of(path, kind)
    if is_log(there) and a is None and b is None:
        return _whole(read_log(path), most)
    dialect = recognise(
        there,
        str(path),
        a=a,
        b=b,
        winner=winner,
        outcome=outcome,
        score=score,
        time=time,
        voter=voter,
        weight=weight,
        chance=chance,
    )
    collector = Collector(dialect, words, dates)
    for line, fields, many in rows_of(path, kind, dialect.used, tick):
        if isinstance(fields, str):
            collector.rows += many
            collector.bad.add(line, fields, many)
        else:
            collector.add(fields, line)
        if collector.hopeless:
            raise _refused(path, collector, "the first ")
    if collector.bad.many and not skip_bad:
        raise _refused(path, collector, "")
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
        like_times(there, dialect) if time is None else "",
    )
    if not len(votes):
        told = "; ".join([f"{path} has no votes", str(dialect), *found.notes()])
        raise VotesError(told)
    return found


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
