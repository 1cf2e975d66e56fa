"""Frames of typed columns from logs that may be large, damaged or hostile, for certificates.

A log of duels has lists of probabilities, which rows of text cannot hold, and one way to be written
suffices for it: no line breaks in quotes, nothing packed. JSON lines are also read as objects,
without polars.
"""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sparring import checks, extras
from sparring.tables import parquet
from sparring.tables.kinds import FileError, demand_ending, refuse_packed
from sparring.tables.rows import BYTE_ORDER_MARK, Limits

FORMATS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "lines", ".ndjson": "lines"}
LIMITS = Limits(parquet_rows=20_000, parquet_group=1 << 31)  # its lists are long
PIECE = 1 << 23  # bytes of text to read at a time
LONGEST = 1 << 26  # bytes of a line: two players of a million arms, with all their digits
CRASH = "If a crash has cut the last line short, remove it"
FEW = 1_000_000  # cells that are always let pass
CELLS_PER_BYTE = 4  # beyond it nearly all of them are empty: a field takes a byte at least


class Rows(NamedTuple):
    """Some rows of a file."""

    first: int
    """The number of its first row, from 1; in a CSV file the header is not counted."""
    size: int
    """How much of the file it was, in bytes, or in rows of a Parquet file."""
    frame: Any
    """A polars.DataFrame. A column may have another type in the next table, or be absent."""


class Lines(NamedTuple):
    """Some whole lines of a file."""

    before: int
    """How many lines come before it."""
    text: bytes


class JsonLine(NamedTuple):
    """A line of JSON, and where it is."""

    number: int
    """From 1."""
    fields: dict[str, Any]


def kind(path: str | Path) -> str:
    """`csv`, `lines` (of JSON) or `parquet`; refuses other endings and compressed files."""
    return demand_ending(Path(path), FORMATS)


def frames(path: str | Path, purpose: str = "reading a table") -> Iterator[Rows]:
    """The rows of a file that may be large, damaged or hostile, some megabytes at a time.

    Text is read in pieces of whole lines, Parquet in batches of rows. A file that cannot be read
    raises a `FileError`.

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
    ...     [rows.frame.shape for rows in frames(path)]
    [(2, 3)]
    """
    path, form = Path(path), kind(path)
    polars = extras.demand("polars", purpose)
    first = 1
    found: Iterator[tuple[int, Any]]
    if form == "parquet":
        found = ((len(frame), frame) for frame in parquet.frames_in(path, LIMITS))
    else:
        found = _of_text(path, form, polars)
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
    return parquet.rows_of(path, LIMITS)


def _of_text(path: Path, form: str, polars: Any) -> Iterator[tuple[int, Any]]:
    """Each piece with the header of a CSV file before it."""
    header, size = b"", 0
    for piece in pieces(path):
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
    for line in objects_of(path, piece):
        rows += 1
        names.update((name,) for name in line.fields)
    if piece.text.count(b"{") > rows:  # objects in objects, or a brace in a text
        for line in objects_of(path, piece):
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
    most = max(FEW, CELLS_PER_BYTE * len(piece.text))
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
    for line in objects_of(path, piece):
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


def pieces(path: Path) -> Iterator[Lines]:
    """The lines of a file, some megabytes at a time, so that memory does not grow with the file."""
    with path.open("rb") as file:
        if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
            file.seek(0)
        lines = 0
        while block := file.read(PIECE):
            rest = file.readline(LONGEST)
            block += rest
            if len(rest) == LONGEST and not rest.endswith(b"\n"):
                _refuse_long(path, lines + block.count(b"\n") + 1)
            longest = max(map(len, block.split(b"\n"))) if len(block) > LONGEST else 0
            if longest > LONGEST:
                _refuse_long(path, lines + 1)
            refuse_packed(path, block)  # of each piece, as each is handed to polars
            if b"\0" in block:
                where = lines + block[: block.index(b"\0")].count(b"\n") + 1
                raise FileError(f"{path}, line {where:,}: it has a zero byte, so it is not text")
            yield Lines(lines, block)
            lines += block.count(b"\n")


def objects_of(path: Path, piece: Lines) -> Iterator[JsonLine]:
    """The JSON objects of a piece, one a line; blank lines are skipped.

    These are refused, with the number of the line: anything but a JSON object, a name that comes
    twice in an object, NaN and Infinity, and bytes that are not UTF-8.
    """
    for number, text in enumerate(piece.text.split(b"\n"), piece.before + 1):
        if text.strip():
            yield JsonLine(number, _object(path, number, text))


def _object(path: Path, number: int, text: bytes) -> dict[str, Any]:
    where = f"{path} cannot be read in line {number:,}"
    try:
        found = _DECODER.decode(text.decode())
    except _Refusal as refusal:
        raise FileError(f"{where}: {refusal}") from None
    except (RecursionError, ValueError) as error:
        what = checks.short(checks.Shown(error))
        raise FileError(f"{where}. {CRASH}: it is no JSON ({what})") from None
    if not isinstance(found, dict):
        raise FileError(f"{where}: it must be an object; got {checks.short(found)}")
    return found


class _Refusal(Exception):  # noqa: N818  never leaves this file
    """Something that JSON allows but a log must not contain."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which each name comes once: readers disagree on which of two to believe."""
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: dict[str, Any] = {}
        for name, value in pairs:
            if name in seen:
                shown, first = checks.short(checks.Shown(f'"{name}"')), checks.short(seen[name], 30)
                and_then = checks.short(value, 30)
                raise _Refusal(f"{shown} is there twice, with {first} and {and_then}. Keep one")
            seen[name] = value
    return found


def _constant(name: str) -> Any:
    raise _Refusal(f"{name} is not a JSON number. Write null if it is unknown")


def _refuse_long(path: Path, number: int) -> None:
    most = f"{LONGEST >> 20} MB"
    raise FileError(f"{path}, line {number:,}: a line must be of at most {most}; got more")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_constant)
