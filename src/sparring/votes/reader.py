"""Votes from a file, an arena, or a log of duels."""

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import addresses, checks
from sparring.problem import Duel
from sparring.tables.kinds import Tick, silent
from sparring.tables.rows import Limits, Table
from sparring.tables.texts import demand_order, has_decimal_commas, is_written, order_shown
from sparring.votes.collector import MANY, PICTURES, BadLine, BlockCollector, Collector
from sparring.votes.columns import (
    MOST_COLUMNS,
    Dialect,
    DialectError,
    Words,
    advice,
    are_clocks,
    by_arm,
    is_log,
    like_times,
    recognise,
    with_clock,
)
from sparring.votes.data import Votes

if TYPE_CHECKING:
    from sparring.certificates.columns import Columns

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


class Logged(NamedTuple):
    """The votes of a log, and how many of its duels are none."""

    votes: Votes
    silent: int
    selves: int


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


# --- An arena ------------------------------------------------------------------------------------


def from_arena(address: str | os.PathLike[str], *, name: str = "arena") -> Votes:
    """The votes that an arena has learnt from, in order, with times and pseudonyms of voters.

    The arena may be in use meanwhile. Answers that came too late, or on an arm that was already
    withdrawn, are left out. Arms that were withdrawn later are kept, but are not `present`. If the
    learner can tell the chance of every pair, the votes have them, for `borda` and `evaluate`.

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
    ...     for _ in range(3):
    ...         _ = arena.tell(arena.ask(), "polite")
    >>> votes = from_arena(path)
    >>> len(votes), votes.wins[votes.names.index("polite")].sum().item()
    (3, 3.0)
    >>> folder.cleanup()
    """
    from sparring.arena.history import History  # only now: a file of votes needs no arena

    history = History(address, name=name)
    # Comparisons from outside may be older than the answers before them.
    found = sorted((one for one in history if one.counted), key=lambda one: one.at)
    place = {arm: k for k, arm in enumerate(dict.fromkeys(history.arms))}
    who = {voter: k for k, voter in enumerate(dict.fromkeys(one.voter or "" for one in found))}
    chances = [one.chance for one in found if one.chance is not None]
    return Votes(
        tuple(name.translate(PICTURES) for name in place),
        np.array([place[one.first] for one in found], np.int32),
        np.array([place[one.second] for one in found], np.int32),
        np.array([one.outcome for one in found], np.float64),
        np.array([one.at for one in found], np.float64),
        voter=np.array([who[one.voter or ""] for one in found], np.int32),
        chance=np.array(chances) if found and len(chances) == len(found) else None,
        voters=tuple(who),
        bad=np.array([one.answer == "both bad" for one in found], np.bool_),
        present=tuple(name.translate(PICTURES) for name in dict.fromkeys(history.present)),
    )


# --- Duels with the chance of each pair ----------------------------------------------------------

Floats = NDArray[np.float64]
Source = str | Path | Iterable[tuple[Duel, float]]


class Part(NamedTuple):
    """Some duels as arrays: arms, outcomes, p of shape (n, players, K), and which differ."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    outcomes: Floats
    p: Floats
    differ: NDArray[np.bool_]
    known: dict[int, str]
    """The names of arms, as far as the duels tell them."""
    silent: int = 0
    """How many more duels had no answer."""


def from_duels(duels: Source, *, names: Sequence[str] | None = None) -> Votes:
    """Votes from the duels of a learner that logs the distributions of its arms.

    A vote's `chance` is that of its pair, given that two different arms were shown: for arms drawn
    independently, i from p and j from q,

        (p(i) q(j) + p(j) q(i)) / (1 - sum of p(k) q(k)),

    and 2 p(i) p(j) / D, where D is the sum of p (1 - p), if both share one p or were drawn so that
    they differ. Duels of an arm with itself are left out, as they say nothing. Duels without an
    answer may be missing if that has nothing to do with their arms or with who would have won.

    Parameters
    ----------
    duels
        Pairs of a `Duel` and its outcome, or a file of duels, as `sparring.certify` reads them:
        JSON lines, CSV or Parquet.
    names
        Names of the arms. If None, the names in the duels, or numbers if they have none.

    Examples
    --------
    >>> duel = Duel(t=1, row=0, col=1, p=np.array([[0.5, 0.3, 0.2]]))
    >>> from_duels([(duel, 1.0)]).chance.round(3)  # 2 * 0.15 / (1 - 0.38)
    array([0.484])
    """
    return read_log(duels, names=names).votes


def read_log(duels: Source, *, names: Sequence[str] | None = None) -> Logged:
    """As `from_duels`, with how many duels had no answer, or showed an arm against itself."""
    parts, silent, selves = list[Part](), 0, 0
    for part in _parts(duels):
        parts.append(_visible(part))
        silent += part.silent
        selves += len(part.rows) - len(parts[-1].rows)
    if not parts:
        from sparring.certificates.columns import LogError

        raise LogError("there are no duels to make votes of")
    rows, cols, outcomes = (np.concatenate([part[k] for part in parts]) for k in range(3))
    chance = np.concatenate([_chances(part) for part in parts])
    K = parts[0].p.shape[2]
    if names is None:
        known = {arm: name for part in parts for arm, name in part.known.items()}
        names = [known.get(arm, str(arm)) for arm in range(K)]
    if len(names) != K:
        raise checks.refuse("names", f"{K} names, one an arm", names)
    return Logged(Votes(tuple(names), rows, cols, outcomes, chance=chance), silent, selves)


def shown_shares(duels: Source) -> Floats:
    """(n, K): for every vote, how likely each arm was to be a random one of the pair.

    Use it as the `reference` of `evaluate` to compare a policy with the logged one. For arms drawn
    independently it is (p(i) (1 - q(i)) + q(i) (1 - p(i))) / 2 (1 - sum of p(k) q(k)).

    Examples
    --------
    >>> duel = Duel(t=1, row=0, col=1, p=np.array([[0.5, 0.3, 0.2]]))
    >>> shown_shares([(duel, 1.0)]).round(3)
    array([[0.403, 0.339, 0.258]])
    """
    found = []
    for part in _parts(duels):
        p, q = _players(_visible(part))
        either = p * _others(q) + q * _others(p)
        found.append(either / either.sum(axis=1, keepdims=True))
    if not found:
        from sparring.certificates.columns import LogError

        raise LogError("there are no duels")
    return np.concatenate(found)


def _parts(duels: Source) -> Iterator[Part]:
    # Only now: a file of votes needs no certificates.
    from sparring.certificates import logs
    from sparring.certificates.checking import ImpossibleDuelError, check_duels, demand_players
    from sparring.certificates.columns import LogError

    if isinstance(duels, (str, Path)):
        for batch in logs.batches(Path(duels)):
            answered = batch.columns.answered  # the others are no votes
            rows, cols, outcomes, p, differ = (one[answered] for one in batch.columns[:5])
            known, silent = _known(batch.columns), int((~answered).sum())
            part = Part(rows, cols, outcomes, p, differ, known, silent)
            try:
                check_duels(*part[:5])
            except ImpossibleDuelError as error:
                raise LogError(f"{duels}, row {batch.first + error.at:,}: {error}") from None
            yield part
        return
    given = list(duels)
    if not given:
        return
    for duel, _ in given:
        checks.instance("a duel", duel, Duel, "Give pairs of a duel and its outcome")
        demand_players(len(duel.p))
    players = {len(duel.p) for duel, _ in given}
    p = [np.broadcast_to(duel.p, (max(players), duel.p.shape[1])) for duel, _ in given]
    part = Part(
        np.array([duel.row for duel, _ in given], np.int64),
        np.array([duel.col for duel, _ in given], np.int64),
        np.array([checks.outcome(outcome) for _, outcome in given]),
        np.array(p, np.float64),
        np.array([duel.differ for duel, _ in given], np.bool_),
        {
            arm: name
            for duel, _ in given
            if duel.names is not None
            for arm, name in zip((duel.row, duel.col), duel.names, strict=True)
        },
    )
    check_duels(*part[:5])
    yield part


def _known(columns: "Columns") -> dict[int, str]:
    """The names of arms in a log, fit to be shown."""
    if columns.names is None:
        return {}
    pairs = zip(columns.rows.tolist(), columns.cols.tolist(), columns.names.to_list(), strict=True)
    called = {
        arm: name
        for row, col, both in pairs
        if both is not None and len(both) == 2
        for arm, name in zip((row, col), both, strict=True)
        if name is not None
    }
    return {arm: name.translate(PICTURES) for arm, name in called.items()}


def _visible(part: Part) -> Part:
    """The duels of two different arms."""
    apart = part.rows != part.cols
    rows, cols, outcomes, p, differ = (array[apart] for array in part[:5])
    return Part(rows, cols, outcomes, p, differ, part.known)


def _players(part: Part) -> tuple[Floats, Floats]:
    """What rows and columns were drawn from; one p for both if they differ by design."""
    return part.p[:, 0], part.p[:, -1]


def _chances(part: Part) -> Floats:
    """(n,): of each pair. Two arms from p that happen to differ have the law of `differ`."""
    p, q = _players(part)
    at, i, j = np.arange(len(p)), part.rows, part.cols
    either = p[at, i] * q[at, j] + p[at, j] * q[at, i]
    found = either / (p * _others(q)).sum(axis=1)
    return np.asarray(np.minimum(found, 1.0))


def _others(q: Floats) -> Floats:
    """(n, K): 1 - q, also where q is nearly 1: the sum of the rest."""
    rest = np.asarray(q.sum(axis=1, keepdims=True) - q)
    top = q.argmax(axis=1)[:, None]
    without = q.copy()
    np.put_along_axis(without, top, 0.0, axis=1)
    np.put_along_axis(rest, top, without.sum(axis=1, keepdims=True), axis=1)
    return rest
