"""The rows of a file one by one, with their lines, and what is wrong with those that are none.

This is the careful reader: Python's own, one row at a time, in memory that does not grow with the
file. It needs no more than Python; `blocks` is faster where the bytes leave no doubt.
"""

import codecs
import csv
import io
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sparring.tables.kinds import CHUNK, FileError, Tick, kind_of, opened, silent

if TYPE_CHECKING:
    from sparring.tables.blocks import Block

DELIMITERS = ",;\t|"
SAMPLE = 1_000  # objects whose names are columns; rows by which a column is understood
LONGEST_VALUE = 100  # letters of a value in such rows
LOOK = 1 << 16  # bytes looked at for the first line, or read at a time for a long one
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# The line on which a row ends, or its number in JSON lists and Parquet; the fields, or what is
# wrong with it; and how many lines that is about.
Row = tuple[int, Sequence[str] | str, int]


class Limits(NamedTuple):
    """The most that a file may cost; whatever is more is refused, or read with more care."""

    block: int = 1 << 23
    """Bytes that are parsed at once."""
    line: int = 1 << 22
    """Bytes of a line."""
    columns: int = 1_000
    """Columns of a file that is parsed at once; one with more is read row by row."""
    parquet_rows: int = 200_000
    """Rows of a Parquet file that are taken at once."""
    parquet_rows_per_byte: int = 100
    """Beyond it no file of votes: outcomes alone, if they are not all alike, take a bit each."""
    parquet_group: int = 1 << 28
    """Bytes of a column in a row group of a Parquet file."""
    parquet_column: int = 1 << 28
    """Bytes of a column of the rows that are taken at once."""


class Table:
    """A file of rows from elsewhere: its kind, its columns, and its rows as text.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "votes.csv")
    >>> _ = path.write_text(chr(10).join(["a,b,winner", "tea,milk,tea", "tea,milk"]))
    >>> table = Table(path)
    >>> table.columns
    ['a', 'b', 'winner']
    >>> list(table.rows(["winner"]))
    [(2, ['tea'], 1), (3, '2 fields instead of 3', 1)]
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, limits: Limits | None = None) -> None:
        self.path, self.limits = path, limits or Limits()
        self.kind = kind_of(path)
        self.columns = self._columns()

    def rows(self, wanted: Sequence[str], tick: Tick = silent) -> Iterator[Row]:
        """Row after row: the fields of these columns, of which an object must have the first two.

        `tick` is called with the bytes read, or the rows of a Parquet file.
        """
        if self.kind == "parquet":
            for block in self.blocks(wanted, tick):
                yield from ((line, fields, 1) for line, fields in block.rows())
            return
        with opened(self.path, tick) as file:
            stream = Stream(file, self.limits.line)
            if self.kind == "csv":
                header, mark = self.header(stream)
                yield from picked(csv_rows(stream, mark), header, wanted)
            elif self.kind == "lines":
                stream.first_line()
                yield from json_rows(stream, wanted)
            else:
                for number, found in self._listed(file):
                    yield number, as_fields(found, wanted), 1

    def blocks(self, wanted: Sequence[str], tick: Tick = silent) -> "Iterator[Block]":
        """The same as blocks of columns, at the speed of polars, which must be installed."""
        from sparring.tables.blocks import blocks  # only now: it imports polars

        return blocks(self, wanted, tick)

    def sample(self, wanted: Sequence[str]) -> dict[str, list[str]]:
        """The short values of the first rows in each column, the same however they are read."""
        # Of other columns nothing is asked, not even that an object has them.
        rows = islice(self.rows(["", "", *wanted] if self.kind in OBJECTS else wanted), SAMPLE)
        found: dict[str, list[str]] = {name: [] for name in wanted}
        for _, fields, _ in rows:
            if not isinstance(fields, str):
                for name, text in zip(wanted, fields[-len(wanted) :], strict=True):
                    found[name].append(text if len(text) <= LONGEST_VALUE else "")
        return found

    def header(self, stream: "Stream") -> tuple[list[str], str]:
        """The columns of comma-separated text, and what separates them."""
        first = stream.first_line()
        mark = max(DELIMITERS, key=first.count) if first else ","
        _, header, _ = next(csv_rows(stream, mark), (0, [], 1))
        if isinstance(header, str):
            raise FileError(
                f"{self.path}: the first line, with the names of columns, cannot be read: {header}"
            )
        if not header:
            told = "a first line with the names of columns is needed"
            raise FileError(f"{self.path} is empty: {told}")
        return list(header), mark

    def _columns(self) -> list[str]:
        if self.kind == "parquet":
            from sparring.tables.parquet import columns_of

            return columns_of(self.path, self.limits)
        names: dict[str, None] = {}
        with opened(self.path) as file:
            if self.kind == "csv":
                return self.header(Stream(file, self.limits.line))[0]
            for found in islice(self._objects(file), SAMPLE):
                if isinstance(found, dict):
                    names |= dict.fromkeys(found)
        if not names:
            raise FileError(f"{self.path} has no object with votes")
        return list(names)

    def _objects(self, file: Any) -> Iterator[Any]:
        if self.kind == "list":
            return (found for _, found in self._listed(file))
        stream = Stream(file, self.limits.line)
        stream.first_line()
        return (found for _, found in json_objects(stream))

    def _listed(self, file: Any) -> Iterator[tuple[int, Any]]:
        """The objects of one JSON list with their numbers, read in pieces."""
        decoder = json.JSONDecoder(object_pairs_hook=_once)
        letters = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        text, number, begun = "", 0, False
        while True:
            piece = file.read(min(self.limits.block, CHUNK))
            text = (text + letters.decode(piece, final=not piece)).lstrip()
            if not begun and text:
                if not text.startswith("["):
                    told = "must be a JSON list of objects, or end in .jsonl"
                    raise FileError(f"{self.path} {told}")
                text, begun = text[1:], True
            at = 0
            while (at := _next(text, at)) < len(text):
                if text[at] == "]":
                    return
                try:
                    found, end = decoder.raw_decode(text, at)
                except (RecursionError, ValueError) as error:
                    short = len(text) - at <= self.limits.line
                    if piece and short and isinstance(error, ValueError):
                        break  # it may go on in the next piece
                    raise FileError(
                        f"{self.path} is no whole JSON list: it breaks off or is wrong after "
                        f"object {number:,}"
                    ) from None
                number += 1
                yield number, found
                at = end
            text = text[at:]
            if not piece:
                raise FileError(
                    f"{self.path} is no whole JSON list: it breaks off after object {number:,}"
                )


OBJECTS = ("lines", "list")


class Stream:
    """The bytes of a file, with a look ahead, and how many lines were taken."""

    def __init__(self, file: Any, longest: int = Limits().line) -> None:
        self._file, self._held, self._at = file, b"", 0
        self.line, self.longest = 0, longest

    def ahead(self, size: int) -> bytes:
        """That many of the next bytes, or all that are left."""
        held = len(self._held) - self._at
        if held < size:
            parts = [self._held[self._at :]]
            while held < size and (piece := self._file.read(size - held)):
                parts.append(piece)
                held += len(piece)
            self._held, self._at = b"".join(parts), 0
        if not self._at and len(self._held) <= size:
            return self._held  # no copy
        return self._held[self._at : self._at + size]

    def take(self, size: int, lines: int) -> None:
        """Go on after so many bytes."""
        self._at += size
        self.line += lines

    @property
    def waiting(self) -> int:
        """Bytes that were looked at and not taken."""
        return len(self._held) - self._at

    def first_line(self) -> str:
        """The first line, not taken; a mark of UTF-8 before it is skipped."""
        data = self.ahead(LOOK)
        if data.startswith(BYTE_ORDER_MARK):
            self.take(len(BYTE_ORDER_MARK), 0)
            data = self.ahead(LOOK)
        if b"\n" not in data:
            data = self.ahead(self.longest)
        return data.split(b"\n", 1)[0].decode("utf-8", "surrogateescape")

    def readline(self) -> bytes:
        """The next line, or the first part of one that is too long."""
        step = min(LOOK, self.longest)
        while True:
            data = self.ahead(step)
            end = data.find(b"\n") + 1
            if end or len(data) >= self.longest or len(data) < step:
                text = data[: end or len(data)]
                self._at += len(text)
                return text
            step = min(4 * step, self.longest)


class _Lines:
    """The lines of a file as text; only the beginning of a too long line is kept."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self.cut = stream, False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        stream = self._stream
        line = stream.readline()
        if not line:
            raise StopIteration
        stream.line += 1
        if len(line) >= stream.longest and not line.endswith(b"\n"):
            self.cut = True
            while (rest := stream.readline()) and not rest.endswith(b"\n"):
                pass
            line = line[:100]
        # Bytes that are no UTF-8 become surrogates, which no name may have.
        return line.decode("utf-8", "surrogateescape")


def csv_rows(stream: Stream, mark: str = ",", *, skip: bool = True) -> Iterator[Row]:
    """Every row of comma-separated text, with all its fields; a blank line has none.

    `skip`: without spaces after a delimiter.
    """
    lines = _Lines(stream)
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=skip, strict=True)
    with long_fields():
        while True:
            before, lines.cut = stream.line, False
            try:
                fields: Sequence[str] | str = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                asked = _asked(stream.line, stream.line - before)
                fields = f"it is no line of comma-separated text: {error}{asked}"
            if lines.cut:
                fields = f"longer than {stream.longest:,} bytes"
            yield stream.line, fields, stream.line - before


def stream_of(text: str) -> Stream:
    """Text that is in memory, such as an upload, to be read as a file is."""
    stream = Stream(io.BytesIO(text.encode("utf-8", "surrogatepass")))
    stream.first_line()
    return stream


def picked(rows: Iterator[Row], header: Sequence[str], wanted: Sequence[str]) -> Iterator[Row]:
    """The wanted fields of rows; rows with more or fewer fields than the header are none."""
    places, width = [header.index(name) for name in wanted], len(header)
    for line, fields, many in rows:
        if isinstance(fields, str):
            yield line, fields, many
        elif len(fields) == width:
            yield line, [fields[place] for place in places], many
        elif fields:
            yield line, ragged(len(fields), width, line, many), many


def ragged(count: int, width: int, line: int, many: int) -> str:
    """What is wrong with a row of more or fewer fields than the header."""
    found = "1 field" if count == 1 else f"{count} fields"
    return f"{found} instead of {width}{_asked(line, many)}"


def json_objects(stream: Stream) -> Iterator[tuple[int, Any]]:
    """The lines of JSON that are not blank, each an object, or `Wrong`."""
    lines = _Lines(stream)
    for text in lines:
        cut, lines.cut = lines.cut, False
        if cut:
            yield stream.line, Wrong(f"longer than {stream.longest:,} bytes")
        elif text.strip():
            yield stream.line, parsed(text)


def json_rows(stream: Stream, wanted: Sequence[str]) -> Iterator[Row]:
    """The wanted fields of objects, one on each line."""
    for line, found in json_objects(stream):
        yield line, as_fields(found, wanted), 1


def parsed(line: str) -> Any:
    """The object on a line, or `Wrong`."""
    try:
        return json.loads(line, object_pairs_hook=_once)
    except RecursionError:
        return Wrong("it is no JSON: too deep")
    except ValueError as error:
        return Wrong(f"it is no JSON: {error}")


class Wrong(NamedTuple):
    """What is wrong with a line; a class of its own, since a line might itself be a text."""

    text: str


def as_fields(found: Any, wanted: Sequence[str]) -> list[str] | str:
    """The wanted fields of an object as text, or what is wrong with it."""
    if not isinstance(found, dict):
        return found.text if isinstance(found, Wrong) else "it is no object with names"
    missing = [name for name in wanted[:2] if name and name not in found]
    if missing:
        return f"{missing[0]} is missing"
    return [as_text(found.get(name)) for name in wanted]


def as_text(value: Any) -> str:
    """A value of JSON as text; null is empty."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def _asked(line: int, many: int) -> str:
    """The question to ask about a row of several lines."""
    if many == 1:
        return ""
    return f"; it spans lines {line - many + 1:,} to {line:,}: is a quote never closed?"


def _next(text: str, at: int) -> int:
    """Where the next object begins."""
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, refused if a name is there twice, as it is not clear which value counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice in one object")
    return found


class _LongFields:
    """Lets fields of CSV be as long as conversations are, while someone reads.

    The limit is one for all of Python, so the first reader raises it and the last puts it back.
    """

    def __init__(self) -> None:
        self._lock, self._readers, self._usual = threading.Lock(), 0, 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """While it lasts."""
        with self._lock:
            if not self._readers:
                self._usual = csv.field_size_limit(Limits().line)
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers:
                    csv.field_size_limit(self._usual)


long_fields = _LongFields()
