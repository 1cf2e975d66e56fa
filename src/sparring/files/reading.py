"""Tables of a file: CSV, JSON lines and Parquet alike, as polars' frames of bounded size."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sparring import checks, extras
from sparring.files import lines, parquet
from sparring.files.kinds import FileError, kind
from sparring.files.lines import CRASH, Lines

FEW = 1_000_000  # cells that are always let pass
CELLS_A_BYTE = 4  # beyond it nearly all of them are empty: a field takes a byte at least


class Rows(NamedTuple):
    """Some rows of a file."""

    first: int
    """The number of its first row, from 1; in a CSV file the header is not counted."""
    size: int
    """How much of the file it was, in bytes, or in rows of a Parquet file."""
    frame: Any
    """A polars.DataFrame. A column may have another type in the next table, or be absent."""


def tables(path: str | Path, purpose: str = "reading a table") -> Iterator[Rows]:
    """The rows of a file that may be large, damaged or hostile, some megabytes at a time.

    Text is read in pieces of whole lines. Parquet is read in a separate process, which has two
    gigabytes of memory and may crash without harm. A file that cannot be read raises a `FileError`.

    Parameters
    ----------
    path
        A file that ends in .csv, .parquet, .jsonl or .ndjson.
    purpose
        What it is read for; the error says so if polars is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text(chr(10).join(["a,b,winner", "tea,milk,tea", "tea,rum,rum"]))
    ...     [table.frame.shape for table in tables(path)]
    [(2, 3)]
    """
    path, form = Path(path), kind(path)
    polars = extras.demand("polars", purpose)
    first = 1
    found = _of_parquet(path) if form == "parquet" else _of_text(path, form, polars)
    for size, frame in found:
        if len(frame):
            yield Rows(first, size, frame)
            first += len(frame)


def length(path: str | Path, purpose: str = "reading a table") -> int:
    """How large a file is, in the unit of a `Rows`' size."""
    path = Path(path)
    if kind(path) != "parquet":
        return path.stat().st_size
    extras.demand("polars", purpose)
    return parquet.rows(path)


def _of_parquet(path: Path) -> Iterator[tuple[int, Any]]:
    for frame in parquet.frames(path):
        yield len(frame), frame


def _of_text(path: Path, form: str, polars: Any) -> Iterator[tuple[int, Any]]:
    """Each piece with the header of a CSV file before it."""
    header, size = b"", 0
    for piece in lines.pieces(path):
        text = piece.text
        size += len(text)
        if form == "csv" and not piece.before and not header:
            header, _, text = text.partition(b"\n")
            header += b"\n"
            _demand_columns(path, header)
        full = b"".join(line for line in text.splitlines(keepends=True) if line.strip())
        if not full:
            continue
        if form == "csv":
            _refuse_breaks(path, piece)
            _demand_few(path, piece, header.count(b",") + 1, full.count(b"\n") + 1)
            with _explained(path, piece, polars):
                frame = polars.read_csv(io.BytesIO(header + full), infer_schema_length=None)
        else:
            _demand_few(path, piece, *_fields(path, piece))
            with _explained(path, piece, polars):
                frame = polars.read_ndjson(io.BytesIO(full), infer_schema_length=None)
        yield size, frame
        size = 0


def _demand_columns(path: Path, header: bytes) -> None:
    """Refuse names that come twice: polars would call the second another name, and read on."""
    try:
        names = next(csv.reader([header.decode()], strict=True), [])
    except (UnicodeDecodeError, csv.Error) as error:
        what = checks.short(checks.Shown(error))
        raise FileError(f"{path} cannot be read in line 1, the header: {what}") from None
    seen: set[str] = set()
    for name in names:
        if name in seen:
            shown = checks.short(name)
            raise FileError(f"{path}: the column {shown} is there twice. Keep one")
        seen.add(name)


def _fields(path: Path, piece: Lines) -> tuple[int, int]:
    """How many columns polars will make of a piece of JSON, and how many rows.

    Each line is read here first, since polars takes the last of two values under one name and does
    not say which line is bad.
    """
    names: set[tuple[str, ...]] = set()
    rows = 0
    for line in lines.objects_of(path, piece):
        rows += 1
        names.update((name,) for name in line.fields)
    if piece.text.count(b"{") > rows:  # objects in objects, or a brace in a text
        for line in lines.objects_of(path, piece):
            names.update(_inside((), line.fields))
    return len(names), rows


def _inside(path: tuple[str, ...], value: Any) -> Iterator[tuple[str, ...]]:
    """The names of fields within fields, each of which is a column in memory, too."""
    parts = value.items() if isinstance(value, dict) else [("", part) for part in value]
    for name, part in parts:
        if isinstance(value, dict):
            yield (*path, name)
        if isinstance(part, (dict, list)):
            yield from _inside((*path, name), part)


def _demand_few(path: Path, piece: Lines, columns: int, rows: int) -> None:
    """Refuse columns that most rows do not have: in memory each row has all of them."""
    most = max(FEW, CELLS_A_BYTE * len(piece.text))
    if columns * rows > most:
        raise FileError(
            f"{path}, lines {piece.before + 1:,} to {piece.before + rows:,}: columns times rows "
            f"must be at most {most:,} there; got {columns:,} times {rows:,}. Leave out columns "
            "that most rows do not have"
        )


def _refuse_breaks(path: Path, piece: Lines) -> None:
    """Refuse line breaks in quotes: whether they are seen would depend on where pieces end."""
    if b'"' not in piece.text:
        return
    for number, line in enumerate(piece.text.split(b"\n"), piece.before + 1):
        if line.count(b'"') % 2:
            raise FileError(
                f"{path} cannot be read in line {number:,}: a quote is opened and not closed. "
                "A field must have no line break: write a space instead"
            )


@contextmanager
def _explained(path: Path, piece: Lines, polars: Any) -> Iterator[None]:
    """Say what cannot be read, and where."""
    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        what = checks.short(checks.Shown(error))
        last = piece.before + len(piece.text.splitlines())
        where = f"in lines {piece.before + 1:,} to {last:,}{_odd(path, piece)}"
        raise FileError(f"{path} cannot be read {where}. {CRASH}: {what}") from None


def _odd(path: Path, piece: Lines) -> str:
    """The first line of JSON that is unlike the first of all, if there is one."""
    if kind(path) != "lines":
        return ""
    known: dict[str, str] = {}
    for line in lines.objects_of(path, piece):
        for name, value in line.fields.items():
            found = _like(value)
            if found != known.setdefault(name, found) and value is not None:
                shown = checks.short(checks.Shown(name))
                return f": in line {line.number:,} {shown} is {checks.short(value, 40)}"
    return ""


def _like(value: Any) -> str:
    """Numbers are alike, whole or not; true and false are not numbers."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "number" if number else type(value).__name__
