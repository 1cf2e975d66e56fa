"""Certificates of logged duels: CSV, Parquet and JSON lines, read in pieces."""

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring import checks, extras
from sparring.certificates.certificate import Certificate
from sparring.certificates.checking import CouplingError, demand_players

PIECE = 1 << 23  # bytes of text to read at a time
ROWS = 20_000  # of a Parquet file to read at a time
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FORMATS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "lines", ".ndjson": "lines"}
WANTED = (
    "A log has the columns row, col, outcome, and the probabilities: p as Duel.to_json writes it, "
    "or p_row and p_col as lists, or p_row_0, p_row_1, ... and p_col_0, p_col_1, ...; p_0, p_1, "
    "... where both arms have one distribution"
)


class LogError(ValueError):
    """A log of duels that cannot be read; the message says where and why."""


class Piece(NamedTuple):
    """Some rows of a log."""

    first: int
    """The number of its first row, from 1; in a CSV file the header is not counted."""
    size: int
    """How much of the file it was, in bytes, or in rows of a Parquet file."""
    rows: Any
    cols: Any
    outcomes: Any
    p: Any


def certify(
    path: str | Path,
    delta: float = 0.05,
    beta: float | Sequence[float] | None = None,
    *,
    cuts: Sequence[int] = (),
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
    ...             _ = log.write(json.dumps({**duel.to_json(), "outcome": 1}) + chr(10))
    ...             learner.tell(duel, 1)
    ...     certificate = certify(path)
    >>> certificate.rounds, certificate.K
    (100, 4)
    """
    path = Path(path)
    certificate: Certificate | None = None
    waiting = _rising(cuts)
    for piece in _pieces(path):
        if certificate is None:
            K = piece.p.shape[2]
            if K < 2:
                raise LogError(f"{path}: K must be at least 2, as a duel needs two arms; p has {K}")
            certificate = Certificate(K, delta, beta)
        _add(certificate, piece, waiting, path)
        tick(piece.size)
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
        return int(polars.scan_parquet(path).select(polars.len()).collect().item())


def duels(path: str | Path) -> int:
    """How many duels a file has."""
    return sum(len(piece.rows) for piece in _pieces(Path(path)))


def _add(certificate: Certificate, piece: Piece, waiting: list[int], path: Path) -> None:
    """Add a piece, cut where it is to be cut."""
    begin, end = 0, len(piece.rows)
    while begin < end:
        until = end
        if waiting and waiting[0] < certificate.rounds + (end - begin):
            until = begin + waiting[0] - certificate.rounds
        part = slice(begin, until)
        try:
            certificate.add_many(
                piece.rows[part], piece.cols[part], piece.outcomes[part], piece.p[part]
            )
        except ValueError as error:
            first = piece.first + begin
            raise type(error)(
                f"{path}, rows {first:,} to {first + until - begin - 1:,}: {error}"
            ) from None
        if waiting and waiting[0] == certificate.rounds and until < end:
            certificate.cut()
            waiting.pop(0)
        begin = until


def _rising(cuts: Sequence[int]) -> list[int]:
    found = [checks.whole("cuts", cut, low=1) for cut in cuts]
    if sorted(set(found)) != found:
        raise checks.refuse("cuts", "in rising order", cuts)
    return found


def _pieces(path: Path) -> Iterator[Piece]:
    form = _format(path)
    tables = _tables_of_parquet(path) if form == "parquet" else _tables_of_text(path, form)
    first, K = 1, None
    for table, size in tables:
        if not len(table):
            continue
        try:
            arrays = _arrays(table)
        except (LogError, CouplingError) as error:
            last = first + len(table) - 1
            raise type(error)(f"{path}, rows {first:,} to {last:,}: {error}") from None
        if K is not None and arrays[3].shape[2] != K:
            raise LogError(f"{path}: {K} arms before row {first:,}, {arrays[3].shape[2]} after it")
        K = arrays[3].shape[2]
        yield Piece(first, size, *arrays)
        first += len(table)


def _format(path: Path) -> str:
    if path.suffix not in FORMATS:
        raise LogError(f"{path} must end in one of {', '.join(FORMATS)}. {WANTED}")
    if not path.is_file():
        raise LogError(f"{path} is not a file")
    return FORMATS[path.suffix]


def _polars() -> Any:
    return extras.demand("polars", "reading a log of duels")


def _tables_of_parquet(path: Path) -> Iterator[tuple[Any, int]]:
    polars = _polars()
    rows = length(path)
    for begin in range(0, rows, ROWS):
        with _explained(path):
            table = polars.scan_parquet(path).slice(begin, ROWS).collect()
        yield table, len(table)


def _tables_of_text(path: Path, form: str) -> Iterator[tuple[Any, int]]:
    """Whole lines, some megabytes at a time; a CSV file's header goes before each piece."""
    polars = _polars()
    with path.open("rb") as file:
        if file.read(3) != BYTE_ORDER_MARK:
            file.seek(0)
        header = file.readline() if form == "csv" else b""
        size, lines = len(header), header.count(b"\n")
        while block := file.read(PIECE):
            block += file.readline()
            with _explained(path, block, lines):
                if form == "csv":
                    table = polars.read_csv(io.BytesIO(header + block), infer_schema_length=None)
                    table = table.filter(~polars.all_horizontal(polars.all().is_null()))
                elif block.strip():
                    table = polars.read_ndjson(io.BytesIO(block), infer_schema_length=None)
                else:
                    table = ()
            yield table, size + len(block)
            size, lines = 0, lines + block.count(b"\n")


@contextmanager
def _explained(path: Path, block: bytes = b"", before: int = 0) -> Iterator[None]:
    """Say what cannot be read, and where."""
    try:
        yield
    except _polars().exceptions.PolarsError as error:
        where = ""
        if block:
            where = f" {_broken_line(block, before)}" if path.suffix != ".csv" else ""
            where += ". If a crash has cut the last line short, remove it"
        raise LogError(f"{path} cannot be read{where}: {checks.short(error)}. {WANTED}") from None


def _broken_line(block: bytes, before: int) -> str:
    """Which line of a block is no JSON."""
    for number, line in enumerate(block.splitlines(), before + 1):
        try:
            json.loads(line or b"0")
        except ValueError:
            return f"in line {number:,}"
    return f"after line {before:,}"


def _arrays(table: Any) -> tuple[Any, Any, Any, Any]:
    """Arms, outcomes and probabilities of a table."""
    polars = _polars()
    for name in ("row", "col", "outcome"):
        if name not in table.columns:
            raise LogError(f"there is no column {name!r}. {WANTED}")
        column = table[name]
        if column.null_count():
            at = column.is_null().arg_max()
            raise LogError(
                f"{name} is missing in the {at + 1:,}. of them. Leave out duels without an answer, "
                "but only if neither arms nor outcome had a part in that"
            )
        if not (column.dtype.is_numeric() or column.dtype == polars.Boolean):
            raise LogError(f"{name} must be a number; got {column.dtype}")
    arms = []
    for name in ("row", "col"):
        whole = table[name].cast(polars.Int64, strict=False)
        if whole.null_count() or not (whole == table[name]).all():
            raise LogError(f"{name} must be whole numbers, from 0")
        arms.append(whole.to_numpy())
    return arms[0], arms[1], table["outcome"].cast(polars.Float64).to_numpy(), _p(table)


def _p(table: Any) -> Any:
    """(n, players, K): the probabilities, from whichever columns they are in."""
    n = len(table)
    if "p" in table.columns:
        return _from_lists(table["p"], n, "p", depth=2)
    if "p_row" in table.columns and "p_col" in table.columns:
        players = [_from_lists(table[name], n, name, depth=1) for name in ("p_row", "p_col")]
        return _together(players)
    for kinds in (("p_row_", "p_col_"), ("p_",)):
        columns = [_numbered(table.columns, kind) for kind in kinds]
        if all(columns):
            return _together([_from_columns(table, names) for names in columns])
    raise LogError(f"there are no probabilities. {WANTED}")


def _numbered(columns: list[str], kind: str) -> list[str]:
    """The columns kind0, kind1, ... in the order of their numbers."""
    numbers = sorted(
        int(match[1]) for name in columns if (match := re.fullmatch(f"{kind}(0|[1-9][0-9]*)", name))
    )
    if numbers and numbers != list(range(len(numbers))):
        raise LogError(f"the columns {kind}0, {kind}1, ... have gaps: {numbers}")
    return [f"{kind}{number}" for number in numbers]


def _from_columns(table: Any, names: list[str]) -> Any:
    polars = _polars()
    part = table.select(names)
    if any(part[name].null_count() for name in names):
        raise LogError("probabilities are missing: the full vectors are needed in every row")
    try:
        return part.cast(polars.Float64).to_numpy()
    except polars.exceptions.PolarsError as error:
        raise LogError(f"probabilities must be numbers: {checks.short(error)}") from None


def _from_lists(column: Any, n: int, name: str, depth: int) -> Any:
    """A column of lists (of lists) of one size."""
    polars = _polars()
    shape = [n]
    for _ in range(depth):
        if isinstance(column.dtype, polars.Array):  # what polars makes of an array of NumPy
            column = column.arr.to_list()
        if not isinstance(column.dtype, polars.List) or column.null_count():
            raise LogError(f"{name} must be lists of numbers, in every row")
        lengths = column.list.len().unique()
        if len(lengths) != 1:
            raise LogError(f"{name} must have one length; got {sorted(lengths.to_list())[:5]}")
        shape.append(int(lengths[0]))
        if len(shape) == depth == 2:
            demand_players(shape[1])
        column = column.explode()
    if not column.dtype.is_numeric() or column.null_count():
        raise LogError(f"{name} must be lists of numbers; got {column.dtype}")
    return column.cast(polars.Float64).to_numpy().reshape(shape)


def _together(players: list[Any]) -> Any:
    """(n, players, K) from (n, K) each."""
    if len({player.shape for player in players}) != 1:
        raise LogError("the distributions of row and column have different numbers of arms")
    return np.stack(players, axis=1)
