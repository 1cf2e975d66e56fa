"""The rows of a file, one at a time, with their lines: CSV, JSON lines, a JSON list, Parquet."""

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sparring import extras
from sparring.files.kinds import no_file, refuse_packed
from sparring.files.lines import long_fields
from sparring.files.parquet import frames
from sparring.votes.packed import GZIP, SourceError, is_packed, opened

LONGEST_LINE = 1 << 22  # bytes; `long_fields` lets a field be as long
CHUNK = 1 << 20
SAMPLE = 1000  # objects whose names are columns
HEAD = 4096  # bytes that tell whether it is text
DELIMITERS = ",;\t|"
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "list",
    ".parquet": "parquet",
}

Tick = Callable[[int], object]
# The line, the fields or what is wrong with it, and how many lines that is about.
Row = tuple[int, Sequence[str] | str, int]


def kind_of(path: Path) -> str:
    """The format of a file, by its name; refuses folders and other compression."""
    if not path.is_file():
        raise SourceError(no_file(path))
    packed = is_packed(path)
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(GZIP) and not packed:
        raise SourceError(f"{path} is compressed (gzip): let its name end in .gz, or unpack it")
    if packed:
        with opened(path) as file:
            head = file.read(HEAD)
    refuse_packed(path, head)
    name = path.with_suffix("") if packed else path
    kind = FORMATS.get(name.suffix.lower())
    if kind is None or (packed and kind == "parquet"):
        texts = [end for end, kind in FORMATS.items() if kind != "parquet"]
        known = ", ".join(f"{end}.gz" for end in texts) if packed else ", ".join(FORMATS)
        raise SourceError(f"{path} must end in one of {known}")
    if kind != "parquet" and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError(f"{path} is text in UTF-16: save it as UTF-8")
    if kind != "parquet" and b"\0" in head:
        raise SourceError(f"{path} is not text")
    return kind


def columns_of(path: Path, kind: str) -> list[str]:
    """The columns of a file."""
    if kind == "parquet":
        return next((list(frame.columns) for frame in frames(path)), [])
    if kind == "csv":
        with long_fields(), opened(path) as file:
            header = next(_csv_rows(file, lambda size: None), (0, [], 1))[1]
        if not header or isinstance(header, str):
            raise SourceError(f"{path} is empty: a first line with the names of columns is needed")
        return list(header)
    names: dict[str, None] = {}
    for _, found in islice(_objects(path, kind, lambda size: None), SAMPLE):
        if isinstance(found, dict):
            names |= dict.fromkeys(found)
    if not names:
        raise SourceError(f"{path} has no object with votes")
    return list(names)


def rows_of(path: Path, kind: str, columns: Sequence[str], tick: Tick) -> Iterator[Row]:
    """The rows as texts, each with its line, or in JSON lists and Parquet with its number."""
    if kind == "csv":
        yield from _rows_of_csv(path, columns, tick)
    elif kind == "parquet":
        yield from _rows_of_parquet(path, columns, tick)
    else:
        for line, found in _objects(path, kind, tick):
            if isinstance(found, dict):
                missing = [name for name in columns[:2] if name not in found]
                texts = [_text(found.get(name)) for name in columns]
                yield line, f"{missing[0]} is missing" if missing else texts, 1
            else:
                told = found.text if isinstance(found, _Wrong) else "it is no object with names"
                yield line, told, 1


def _rows_of_csv(path: Path, columns: Sequence[str], tick: Tick) -> Iterator[Row]:
    with long_fields(), opened(path, tick) as file:
        rows = _csv_rows(file, _silent if is_packed(path) else tick)
        header = list(next(rows)[1])
        places, width = [header.index(name) for name in columns], len(header)
        for line, fields, many in rows:
            if isinstance(fields, str):
                yield line, fields, many
            elif len(fields) != width:
                if fields:
                    yield (
                        line,
                        f"{_fields(len(fields))} instead of {width}{_quoted(line, many)}",
                        many,
                    )
            else:
                yield line, [fields[place] for place in places], many


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _quoted(line: int, many: int) -> str:
    """What to say about a row of several lines."""
    if many == 1:
        return ""
    return f"; it spans lines {line - many + 1:,} to {line:,}: is a quote never closed?"


def _csv_rows(file: io.BufferedReader, tick: Tick) -> Iterator[Row]:
    """The rows of comma-separated text, the header too, with the line on which each ends."""
    lines = _Lines(file, tick)
    first = next(lines, "")
    delimiter = max(DELIMITERS, key=first.count) if first else ","
    reader = csv.reader(
        _again(first, lines), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    before = 0
    while True:
        lines.cut = False
        try:
            fields: Sequence[str] | str = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            asked = _quoted(lines.number, lines.number - before)
            fields = f"it is no line of comma-separated text: {error}{asked}"
        if lines.cut:
            fields = f"longer than {LONGEST_LINE:,} bytes"
        yield lines.number, fields, lines.number - before
        before = lines.number


class _Lines:
    """The lines of a file as text; only the beginning of a too long line is kept."""

    def __init__(self, file: Any, tick: Tick) -> None:
        self._file, self._tick, self._size = file, tick, 0
        self.number, self.cut = 0, False
        if file.peek(3)[:3] == b"\xef\xbb\xbf":  # the mark that some programs begin UTF-8 with
            file.read(3)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line: bytes = self._file.readline(LONGEST_LINE)
        if not line:
            self._tick(self._size)
            self._size = 0
            raise StopIteration
        self.number += 1
        self._size += len(line)
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            self.cut = True
            while (rest := self._file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                self._size += len(rest)
            self._size += len(rest)
            line = line[:100]
        if self._size >= CHUNK:
            self._tick(self._size)
            self._size = 0
        # What is no UTF-8 becomes surrogates, which no name may have.
        return line.decode("utf-8", "surrogateescape")


def _silent(size: int) -> None:
    """The tick for a compressed file, which itself reports how much was read."""


def _again(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _objects(path: Path, kind: str, tick: Tick) -> Iterator[tuple[int, Any]]:
    """The objects of a JSON file, each with its line or its number, or what is wrong with it."""
    with opened(path, tick) as file:
        tick = _silent if is_packed(path) else tick
        if kind == "lines":
            lines = _Lines(file, tick)
            for line in lines:
                cut, lines.cut = lines.cut, False
                if cut:
                    yield lines.number, _Wrong(f"longer than {LONGEST_LINE:,} bytes")
                elif line.strip():
                    yield lines.number, _parsed(line)
        else:
            yield from _listed(file, path, tick)


def _listed(file: Any, path: Path, tick: Tick) -> Iterator[tuple[int, Any]]:
    """The objects of one JSON list, read in pieces."""
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    letters = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    text, number, begun = "", 0, False
    while True:
        piece = file.read(CHUNK)
        tick(len(piece))
        text = (text + letters.decode(piece, final=not piece)).lstrip()
        if not begun and text:
            if not text.startswith("["):
                raise SourceError(f"{path} must be a JSON list of objects, or end in .jsonl")
            text, begun = text[1:], True
        at = 0
        while (at := _next(text, at)) < len(text):
            if text[at] == "]":
                return
            try:
                found, end = decoder.raw_decode(text, at)
            except (RecursionError, ValueError) as error:
                if piece and len(text) - at <= LONGEST_LINE and isinstance(error, ValueError):
                    break  # it may go on in the next piece
                raise SourceError(
                    f"{path} is no whole JSON list: it breaks off or is wrong after object "
                    f"{number:,}"
                ) from None
            number += 1
            yield number, found
            at = end
        text = text[at:]
        if not piece:
            raise SourceError(
                f"{path} is no whole JSON list: it breaks off after object {number:,}"
            )


def _next(text: str, at: int) -> int:
    """Where the next object begins."""
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _parsed(line: str) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_once)
    except RecursionError:
        return _Wrong("it is no JSON: too deep")
    except ValueError as error:
        return _Wrong(f"it is no JSON: {error}")


class _Wrong(NamedTuple):
    """What is wrong with a line; a class of its own, since a line might itself be a text."""

    text: str


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, refused if a name is there twice, as it is not clear which value counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice in one object")
    return found


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def _rows_of_parquet(path: Path, columns: Sequence[str], tick: Tick) -> Iterator[Row]:
    polars = extras.demand("polars", "reading Parquet")
    texts = [polars.col(name).cast(polars.String) for name in columns]
    before = 0
    for frame in frames(path):
        try:
            rows = frame.select(texts).rows()
        except polars.exceptions.PolarsError as error:
            raise SourceError(f"{path} has columns that are not text: {error}") from None
        for number, fields in enumerate(rows, before + 1):
            yield number, ["" if field is None else field for field in fields], 1
        before += len(frame)
        tick(len(frame))
