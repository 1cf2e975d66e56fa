"""Certificates of logged duels: CSV, Parquet and JSON lines, read in batches."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring import checks
from sparring.certificates.certificate import Certificate
from sparring.certificates.checking import CouplingError, ImpossibleDuelError
from sparring.certificates.columns import WANTED, Columns, LogError, RowError, arrays
from sparring.certificates.conditions import GAPS, REMEDY
from sparring.certificates.rounds import RepeatedRoundError, Rounds
from sparring.segments import equal_cuts
from sparring.tables import FileError
from sparring.tables import logs as tables

PURPOSE = "reading a log of duels"


class Batch(NamedTuple):
    """Some rows of a log."""

    first: int
    """The number of its first row, from 1; in a CSV file the header is not counted."""
    size: int
    """How much of the file it was, in bytes, or in rows of a Parquet file."""
    columns: Columns

    def counting(self, only_answered: bool) -> Any:
        """(n,): which of them a certificate counts."""
        if not only_answered:
            return np.ones(len(self.columns.rows), np.bool_)
        return self.columns.answered & (self.columns.rows != self.columns.cols)


def certify(
    path: str | Path,
    delta: float = 0.05,
    beta: float | Sequence[float] | None = None,
    *,
    cuts: Sequence[int] = (),
    segments: int | None = None,
    only_answered: bool = False,
    gaps: bool = False,
    tick: Callable[[int], object] = lambda size: None,
) -> Certificate:
    """The certificate of a file of duels.

    Parameters
    ----------
    path
        A file that ends in .csv, .parquet, .jsonl or .ndjson. Each row is a duel: row, col, outcome
        and the probabilities, as `Duel.to_json` writes them or in columns. If it has t and learner,
        a log with repeated or missing rounds is refused.
    delta, beta
        As for `Certificate`.
    cuts
        After how many duels a new segment begins, in rising order, if the benchmark may change. A
        cut may depend on the calendar and on earlier duels, but not on later ones: cuts placed to
        make the regret largest or smallest certify nothing.
    segments
        Instead of cuts: the number of equal segments. Choose it before you look.
    only_answered
        As for `Certificate`: only duels of two different arms that have an outcome count, also in
        `cuts`. A row without an outcome (null in JSON) is a duel without an answer.
    gaps
        Whether rounds may be missing between a learner's first and last. Set it only if the reason
        has nothing to do with their arms, not even with whether these were equal, nor with who
        would have won. With `only_answered` they may always be missing.
    tick
        A function that is called with the bytes read (rows of a Parquet file), for a progress bar.

    Examples
    --------
    >>> import json, tempfile, sparring
    >>> learner = sparring.rex3(K=4, T=1000, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "duels.jsonl")
    ...     with path.open("w") as log:
    ...         for _ in range(100):
    ...             duel = learner.ask()
    ...             _ = log.write(json.dumps({**duel.to_json(), "outcome": 0.5}) + chr(10))
    ...             learner.tell(duel, 0.5)
    ...     certificate = certify(path)
    >>> certificate.rounds, certificate.K
    (100, 4)
    """
    path = Path(path)
    certificate: Certificate | None = None
    wanted = cuts if segments is None else _equal(path, segments, cuts, only_answered)
    waiting, rounds = _rising(wanted), Rounds()
    whole = not (checks.flag("gaps", gaps) or only_answered)
    for batch in batches(path, rounds):
        if certificate is None:
            K = batch.columns.p.shape[2]
            if K < 2:
                raise LogError(f"{path}: K must be at least 2, as a duel needs two arms; p has {K}")
            certificate = Certificate(K, delta, beta, only_answered=only_answered)
        _add(certificate, batch, waiting, path)
        tick(batch.size)
    if certificate is None:
        raise LogError(f"{path} has no duels. {WANTED}")
    if whole:
        _demand_all(rounds, path)
    if waiting:
        rule = f"below the {certificate.rounds} duels of the log"
        raise checks.refuse("cuts", rule, waiting[0])
    return certificate


def length(path: str | Path) -> int:
    """How large a file is, in the unit of `certify`'s tick."""
    with _explained():
        return tables.length(path, PURPOSE)


def duels(path: str | Path, *, only_answered: bool = False) -> int:
    """How many duels a file has, or how many answered duels of two different arms."""
    path = Path(path)
    if only_answered:
        return sum(int(batch.counting(True).sum()) for batch in batches(path))
    with _explained():
        if tables.kind(path) == "parquet":
            return tables.length(path, PURPOSE)
        return sum(len(rows.frame) for rows in tables.frames(path, PURPOSE))


def _add(certificate: Certificate, batch: Batch, waiting: list[int], path: Path) -> None:
    """Add a batch, cut where it is to be cut."""
    columns, begin, end = batch.columns, 0, len(batch.columns.rows)
    counting = np.flatnonzero(batch.counting(certificate.only_answered))
    before = certificate.rounds
    if not (certificate.only_answered or columns.answered.all()):
        row = batch.first + int(np.argmin(columns.answered))
        raise LogError(f"{path}, row {row:,}: outcome is missing. {REMEDY}")
    while begin < end:
        until = end
        if waiting and waiting[0] < before + len(counting):
            until = int(counting[waiting[0] - before])
        part = slice(begin, until)
        try:
            certificate.add_many(*(column[part] for column in columns[:6]))
        except ImpossibleDuelError as error:
            what = str(error).split(": ", 1)[-1]
            raise LogError(f"{path}, row {batch.first + begin + error.at:,}: {what}") from None
        except CouplingError as error:
            raise CouplingError(f"{path}, up to row {batch.first + until - 1:,}: {error}") from None
        if waiting and waiting[0] == certificate.rounds and until < end:
            certificate.cut()
            waiting.pop(0)
        begin = until


def _demand_all(rounds: Rounds, path: Path) -> None:
    """Refuse a log in which rounds are missing, usually votes that never came."""
    if (gap := rounds.gap()) is None:
        return
    more = rounds.missing() - 1
    raise LogError(
        f"{path}: round {gap[1]:,} of learner {checks.short(gap[0])} is missing"
        f"{f', and {more:,} more' if more else ''}, and every duel belongs in the log. {REMEDY}. "
        f"{GAPS}"
    )


def _equal(path: Path, segments: int, cuts: Sequence[int], only_answered: bool) -> list[int]:
    """Where to cut a log into equal segments."""
    if len(cuts):
        raise ValueError("give cuts or segments, not both: each says where the benchmark changes")
    total = duels(path, only_answered=only_answered)
    checks.whole("segments", segments, low=1)
    if segments > total:
        raise checks.refuse("segments", f"at most the {total:,} duels of the log", segments)
    return equal_cuts(total, segments)


def _rising(cuts: Sequence[int]) -> list[int]:
    if isinstance(cuts, (int, str)):
        raise checks.refuse("cuts", "a list of whole numbers", cuts)
    found = [checks.whole("cuts", cut, low=1) for cut in cuts]
    if sorted(set(found)) != found:
        raise checks.refuse("cuts", "in rising order", cuts)
    return found


def batches(path: Path, rounds: Rounds | None = None) -> Iterator[Batch]:
    """The rows of a log, a few thousand at a time, checked; their rounds are added to `rounds`."""
    K, rounds = None, Rounds() if rounds is None else rounds
    for first, size, frame in _tables(path):
        try:
            found = arrays(frame)
            if found.asked is not None:
                rounds.add(*found.asked)
        except RepeatedRoundError as error:
            row = first + error.at
            raise LogError(f"{path}, row {row:,}: {error}. Log each duel once") from None
        except RowError as error:
            raise LogError(f"{path}, row {first + error.at:,}: {error}") from None
        except (LogError, CouplingError) as error:
            last = first + len(frame) - 1
            raise type(error)(f"{path}, rows {first:,} to {last:,}: {error}") from None
        if K is not None and found.p.shape[2] != K:
            raise LogError(f"{path}: {K} arms before row {first:,}, {found.p.shape[2]} after it")
        K = found.p.shape[2]
        yield Batch(first, size, found)


def _tables(path: Path) -> Iterator[tables.Rows]:
    with _explained():
        yield from tables.frames(path, PURPOSE)


@contextmanager
def _explained() -> Iterator[None]:
    """Explain what a log is if a file cannot be read."""
    try:
        yield
    except FileError as error:
        raise LogError(f"{error}. {WANTED}") from None
