"""Certificates of logged duels: CSV, Parquet and JSON lines, read in batches."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sparring import checks, extras
from sparring.certificates.certificate import Certificate
from sparring.certificates.checking import CouplingError, ImpossibleDuelError
from sparring.certificates.columns import WANTED, LogError, RowError, arrays
from sparring.segments import equal_cuts

PIECE = 1 << 23  # bytes of text to read at a time
ROWS = 20_000  # of a Parquet file to read at a time
GZIP = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FORMATS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "lines", ".ndjson": "lines"}


class Batch(NamedTuple):
    """Some rows of a log."""

    first: int
    """The number of its first row, from 1; in a CSV file the header is not counted."""
    size: int
    """How much of the file it was, in bytes, or in rows of a Parquet file."""
    rows: Any
    cols: Any
    outcomes: Any
    p: Any
    differ: Any


def certify(
    path: str | Path,
    delta: float = 0.05,
    beta: float | Sequence[float] | None = None,
    *,
    cuts: Sequence[int] = (),
    segments: int | None = None,
    tick: Callable[[int], object] = lambda size: None,
) -> Certificate:
    """The certificate of a file of duels.

    Parameters
    ----------
    path
        A file that ends in .csv, .parquet, .jsonl or .ndjson. Each row is a duel: row, col, outcome
        and the probabilities, as `Duel.to_json` writes them or in columns.
    delta, beta
        As for `Certificate`.
    cuts
        After how many duels a new segment begins, in rising order, if the benchmark may change.
    segments
        Instead of cuts: how many equal segments there are.
    tick
        Is called with the bytes read (rows of a Parquet file), for a progress bar.

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
    waiting = _rising(cuts if segments is None else _equal(path, segments, cuts))
    for batch in _batches(path):
        if certificate is None:
            K = batch.p.shape[2]
            if K < 2:
                raise LogError(f"{path}: K must be at least 2, as a duel needs two arms; p has {K}")
            certificate = Certificate(K, delta, beta)
        _add(certificate, batch, waiting, path)
        tick(batch.size)
    if certificate is None:
        raise LogError(f"{path} has no duels. {WANTED}")
    if waiting:
        rule = f"below the {certificate.rounds} duels of the log"
        raise checks.refuse("cuts", rule, waiting[0])
    return certificate


def length(path: str | Path) -> int:
    """How large a file is, in what `certify` calls its tick with."""
    path = Path(path)
    if _format(path) != "parquet":
        return path.stat().st_size
    polars = _polars()
    with _explained(path):
        return int(polars.scan_parquet(path, glob=False).select(polars.len()).collect().item())


def duels(path: str | Path) -> int:
    """How many duels a file has."""
    if _format(Path(path)) == "parquet":
        return length(path)
    return sum(len(batch.rows) for batch in _batches(Path(path)))


def _add(certificate: Certificate, batch: Batch, waiting: list[int], path: Path) -> None:
    """Add a batch, cut where it is to be cut."""
    begin, end = 0, len(batch.rows)
    while begin < end:
        until = end
        if waiting and waiting[0] < certificate.rounds + (end - begin):
            until = begin + waiting[0] - certificate.rounds
        part = slice(begin, until)
        try:
            certificate.add_many(*(column[part] for column in batch[2:]))
        except ImpossibleDuelError as error:
            what = str(error).split(": ", 1)[-1]
            raise LogError(f"{path}, row {batch.first + begin + error.at:,}: {what}") from None
        except CouplingError as error:
            raise CouplingError(f"{path}, up to row {batch.first + until - 1:,}: {error}") from None
        if waiting and waiting[0] == certificate.rounds and until < end:
            certificate.cut()
            waiting.pop(0)
        begin = until


def _equal(path: Path, segments: int, cuts: Sequence[int]) -> list[int]:
    """Where to cut a log into equal segments."""
    if len(cuts):
        raise ValueError("give cuts or segments, not both: each says where the benchmark changes")
    total = duels(path)
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


def _batches(path: Path) -> Iterator[Batch]:
    form = _format(path)
    tables = _tables_of_parquet(path) if form == "parquet" else _tables_of_text(path, form)
    first, K = 1, None
    for table, size in tables:
        if not len(table):
            continue
        try:
            found = arrays(table)
        except RowError as error:
            raise LogError(f"{path}, row {first + error.at:,}: {error}") from None
        except (LogError, CouplingError) as error:
            last = first + len(table) - 1
            raise type(error)(f"{path}, rows {first:,} to {last:,}: {error}") from None
        if K is not None and found[3].shape[2] != K:
            raise LogError(f"{path}: {K} arms before row {first:,}, {found[3].shape[2]} after it")
        K = found[3].shape[2]
        yield Batch(first, size, *found)
        first += len(table)


def _format(path: Path) -> str:
    if path.suffix not in FORMATS:
        raise LogError(f"{path} must end in one of {', '.join(FORMATS)}. {WANTED}")
    if not path.is_file():
        raise LogError(f"{path} is not a file")
    with path.open("rb") as file:
        if file.read(2) == GZIP:
            raise LogError(f"{path} is compressed: unpack it first")
    return FORMATS[path.suffix]


def _polars() -> Any:
    return extras.demand("polars", "reading a log of duels")


def _tables_of_parquet(path: Path) -> Iterator[tuple[Any, int]]:
    polars = _polars()
    rows = length(path)
    for begin in range(0, rows, ROWS):
        with _explained(path):
            table = polars.scan_parquet(path, glob=False).slice(begin, ROWS).collect()
        yield table, len(table)


def _tables_of_text(path: Path, form: str) -> Iterator[tuple[Any, int]]:
    """Whole lines, some megabytes at a time; a CSV file's header goes before each batch."""
    polars = _polars()
    with path.open("rb") as file:
        if file.read(3) != BYTE_ORDER_MARK:
            file.seek(0)
        header = file.readline() if form == "csv" else b""
        size, lines = len(header), header.count(b"\n")
        while block := file.read(PIECE):
            block += file.readline()
            full = b"".join(line for line in block.splitlines(keepends=True) if line.strip())
            if full:
                with _explained(path, block, lines):
                    if form == "csv":
                        text = io.BytesIO(header + full)
                        table = polars.read_csv(text, infer_schema_length=None)
                    else:
                        table = polars.read_ndjson(io.BytesIO(full), infer_schema_length=None)
                yield table, size + len(block)
                size = 0
            lines += block.count(b"\n")


@contextmanager
def _explained(path: Path, block: bytes = b"", before: int = 0) -> Iterator[None]:
    """Say what cannot be read, and where."""
    try:
        yield
    except _polars().exceptions.PolarsError as error:
        where = ""
        if block:
            among = f"in lines {before + 1:,} to {before + len(block.splitlines()):,}"
            where = f" {among if path.suffix == '.csv' else _broken_line(block, before)}"
            where += ". If a crash has cut the last line short, remove it"
        raise LogError(f"{path} cannot be read{where}: {checks.short(error)}. {WANTED}") from None


def _broken_line(block: bytes, before: int) -> str:
    """Which line of a block is no JSON."""
    for number, line in enumerate(block.splitlines(), before + 1):
        try:
            json.loads(line or b"0")
        except (RecursionError, ValueError):
            return f"in line {number:,}"
    return f"after line {before:,}"
