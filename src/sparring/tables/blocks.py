"""Blocks of columns, some megabytes of a file at a time, at the speed of polars.

A fast parser reads each block; it is believed only where the bytes prove that there is one way to
read them. Any other block goes to the careful reader (`rows`), which says what is wrong with which
line. So both give the same rows and the same refusals.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import extras
from sparring.tables.kinds import Tick, opened
from sparring.tables.rows import (
    Limits,
    Row,
    Stream,
    Table,
    as_fields,
    as_text,
    csv_rows,
    json_rows,
    parsed,
    picked,
    ragged,
)

pl = extras.demand("polars", "reading a table")

SMALL = 1 << 16  # bytes that the careful reader takes where the fast one refuses
FIRST = 1 << 18  # bytes of the first block: garbage is given up early
LISTED = 50_000  # objects of a JSON list in a block
TEMPLATES = 4  # orders of keys in a block of JSON lines
MOST_KEYS = 200
NEWLINE, RETURN, QUOTE, SPACE = 10, 13, 34, 32

Column = Any  # polars.Series
Lines = NDArray[np.int64]


class Bad(NamedTuple):
    """A row that is none: where it stands among the rows of its block, its line, and why."""

    place: int
    line: int
    why: str
    many: int
    """How many lines it spans."""


class Block(NamedTuple):
    """Some rows, in the order of the file."""

    columns: dict[str, Column]
    """By name. Text, but for Parquet: those are as they were written."""
    lines: Lines
    """(n,): the line on which each row ends, or its number."""
    bad: Sequence[Bad] = ()
    odd: dict[int, list[str]] = {}  # noqa: RUF012  nobody writes to it
    """Rows that no column can hold, as they have bytes that are no UTF-8; empty in the columns."""

    def row(self, place: int) -> list[str]:
        """The fields of one row as text."""
        if place in self.odd:
            return self.odd[place]
        return [texts(column.slice(place, 1))[0] for column in self.columns.values()]

    def rows(self, start: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Line and fields of each row from there on."""
        for begin in range(start, len(self.lines), 1_000):
            parts = [
                texts(column.slice(begin, 1_000)).to_list() for column in self.columns.values()
            ]
            lines = self.lines[begin : begin + 1_000].tolist()
            for place, (line, *fields) in enumerate(zip(lines, *parts, strict=True), begin):
                yield line, self.odd.get(place, fields)


def texts(column: Column) -> Column:
    """A column as text; nulls are empty."""
    return (column if column.dtype == pl.String else column.cast(pl.String)).fill_null("")


def blocks(table: Table, wanted: Sequence[str], tick: Tick) -> Iterator[Block]:
    """The rows of a table, block after block."""
    if table.kind == "parquet":
        yield from _parquet_blocks(table, wanted, tick)
    elif table.kind == "list":
        yield from _listed_blocks(table, wanted, tick)
    else:
        with opened(table.path, tick) as file:
            stream = Stream(file, table.limits.line)
            read = _csv_blocks if table.kind == "csv" else _json_blocks
            yield from read(table, stream, wanted)


def _parquet_blocks(table: Table, wanted: Sequence[str], tick: Tick) -> Iterator[Block]:
    before = 0
    from sparring.tables.parquet import columns_in  # only now: few files are

    for columns in columns_in(table.path, list(dict.fromkeys(wanted)), table.limits):
        many = len(next(iter(columns.values())))
        yield Block(columns, np.arange(before + 1, before + many + 1))
        before += many
        tick(many)


def _listed_blocks(table: Table, wanted: Sequence[str], tick: Tick) -> Iterator[Block]:
    rows: list[Row] = []
    for row in table.rows(wanted, tick):
        rows.append(row)
        if len(rows) == LISTED:
            yield of_rows(rows, wanted)
            rows = []
    yield of_rows(rows, wanted)


def _csv_blocks(table: Table, stream: Stream, wanted: Sequence[str]) -> Iterator[Block]:
    header, mark = table.header(stream)
    limits, size = table.limits, min(FIRST, table.limits.block)
    few = len(header) <= limits.columns
    while data := stream.ahead(size):
        end = data.rfind(b"\n") + 1 if len(data) >= size else len(data)
        found = parse_csv(data[:end], mark, header, wanted, stream.line, limits) if few else None
        if found is not None:
            block, taken, passed = found
            stream.take(taken, passed)
            size = min(2 * size, limits.block)
            yield block
        elif few and size > SMALL and len(data) > SMALL:
            size = max(size // 8, SMALL)
        else:
            rows = picked(csv_rows(stream, mark), header, wanted)
            yield of_rows(_until(stream, min(SMALL, len(data)), rows), wanted)
            size = min(2 * size, limits.block)


def _json_blocks(table: Table, stream: Stream, wanted: Sequence[str]) -> Iterator[Block]:
    stream.first_line()
    limits, size = table.limits, min(FIRST, table.limits.block)
    while data := stream.ahead(size):
        end = data.rfind(b"\n") + 1 if len(data) >= size else len(data)
        block = parse_lines(data[:end], wanted, stream.line, limits) if end else None
        if block is None:
            some = _until(stream, end or len(data), json_rows(stream, wanted))
            block = of_rows(some, wanted)
        else:
            stream.take(end, data.count(b"\n", 0, end))
        yield block
        size = min(2 * size, limits.block)


def _until(stream: Stream, size: int, rows: Iterator[Row]) -> Iterator[Row]:
    """Whole rows, until so many bytes of those that were looked at are taken."""
    left = stream.waiting - size
    for row in rows:
        yield row
        if stream.waiting <= left:
            return


def of_rows(rows: Iterable[Row], wanted: Sequence[str]) -> Block:
    """A block of rows that were read with care."""
    lines: list[int] = []
    fields: list[list[str]] = []
    bad: list[Bad] = []
    for line, found, many in rows:
        if isinstance(found, str):
            bad.append(Bad(len(lines), line, found, many))
        else:
            lines.append(line)
            fields.append(list(found))
    odd = {place: row for place, row in enumerate(fields) if any(map(_is_broken, row))}
    for place in odd:
        fields[place] = [""] * len(wanted)
    turned = list(zip(*fields, strict=True)) or [()] * len(wanted)
    columns = {
        name: pl.Series(name, list(column), dtype=pl.String)
        for name, column in zip(wanted, turned, strict=True)
    }
    return Block(columns, np.array(lines, np.int64), bad, odd)


def _is_broken(text: str) -> bool:
    """Whether a text has half a character of UTF-16, as bytes that are no UTF-8 become."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


# --- CSV ------------------------------------------------------------------------------------------


def parse_csv(
    data: bytes,
    mark: str,
    header: Sequence[str],
    wanted: Sequence[str],
    line: int,
    limits: Limits,
) -> tuple[Block, int, int] | None:
    """The block, and how many bytes and lines it was; None unless there is one way to read it.

    `line` lines come before it.
    """
    if not data:
        return None
    ended = data if data.endswith(b"\n") else data + b"\n"
    shape = _shape(ended, mark, len(header), whole=ended is not data)
    if shape is None or shape.longest >= limits.line:
        return None
    frame = _parsed(shape, mark, len(header), {header.index(name) for name in wanted})
    if frame is None:
        return None
    columns = {name: frame[_column(header.index(name))] for name in wanted}
    bad = [
        Bad(place, line + at, ragged(count, len(header), line + at, many), many)
        for place, at, count, many in shape.ragged
    ]
    taken = min(shape.size, len(data))
    return Block(columns, line + shape.lines, bad), taken, data.count(b"\n", 0, taken)


def _column(place: int) -> str:
    """A header of our own: polars would unpack data that begin like zlib, as a name may."""
    return f"c{place}"


def _parsed(shape: "_Shape", mark: str, width: int, places: set[int]) -> Any:
    """The columns at these places; None if polars sees anything else than `shape`."""
    names = list(map(_column, range(width)))
    wanted = [names[place] for place in sorted(places)]
    octets = np.frombuffer(shape.text, np.uint8)
    if not len(octets):
        return pl.DataFrame(schema=dict.fromkeys(wanted, pl.String))
    after = octets[np.minimum(shape.marks + 1, len(octets) - 1)]
    spaced = octets[0] == SPACE or bool((after == SPACE).any())
    if spaced and shape.quoted:
        return None  # spaces before a quote are skipped, and those after it are not
    try:
        frame = pl.read_csv(
            mark.join(names).encode() + b"\n" + shape.text,
            schema=dict.fromkeys(names, pl.String),
            columns=wanted,
            separator=mark,
            quote_char='"' if shape.quoted else None,
        )
    except pl.exceptions.PolarsError:
        return None
    if len(frame) != len(shape.lines):
        return None
    frame = frame.fill_null("")
    return frame.select(pl.all().str.strip_chars_start(" ")) if spaced else frame


class _Shape(NamedTuple):
    """Where the rows of a text end, and its fields, if that is certain."""

    text: bytes
    """Whole rows, without blank lines and ragged rows."""
    size: int
    """How many bytes of the text that was given they are, with all between them."""
    quoted: bool
    longest: int
    """Bytes of the longest row, about."""
    marks: Lines
    """Where fields end in `text`."""
    lines: Lines
    """The line on which each row of `text` ends, from 1."""
    ragged: list[tuple[int, int, int, int]]
    """Of each ragged row: its place among the others, its line, its fields, how many lines."""


def _shape(data: bytes, mark: str, width: int, *, whole: bool) -> _Shape | None:
    """None if fields or rows are in doubt. `whole`: nothing follows."""
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    octets = np.frombuffer(data, np.uint8)
    breaks = np.flatnonzero(octets == NEWLINE)
    marks = np.flatnonzero((octets == ord(mark)) | (octets == NEWLINE))
    quoted = b'"' in data
    ends = breaks
    if quoted:
        quotes = np.flatnonzero(octets == QUOTE)
        marks = marks[np.searchsorted(quotes, marks) % 2 == 0]  # outside of quotes
        ends = marks[octets[marks] == NEWLINE]
        if not len(ends):
            return None
        if len(quotes) % 2:  # the last row goes on in the next block
            if whole:
                return None
            quotes = quotes[quotes <= ends[-1]]
            marks = marks[marks <= ends[-1]]
        opening, closing = quotes[::2], quotes[1::2]
        beside = (ord(mark), NEWLINE, QUOTE)
        before = octets[opening - 1]  # of the first byte, the last: a line break
        if not np.isin(before, beside).all():
            return None
        if not np.isin(octets[closing + 1], (*beside, RETURN)).all():
            return None
    if not len(ends):
        return None
    size = int(ends[-1]) + 1
    gaps = np.diff(ends, prepend=-1)
    blank = (gaps == 1) | ((gaps == 2) & (octets[ends - 1] == RETURN))
    lines = np.searchsorted(breaks, ends) + 1 if quoted else np.arange(1, len(ends) + 1)
    even = len(marks) == width * len(ends) and np.array_equal(marks[width - 1 :: width], ends)
    if even and not blank.any():
        return _Shape(data[:size], size, quoted, int(gaps.max()), marks, lines, [])
    # Blank lines are no rows; ragged ones are bad.
    row = np.searchsorted(ends, marks)
    counts = np.bincount(row, minlength=len(ends))
    good = (counts == width) & ~blank
    cut = np.zeros(size + 1, np.int32)
    cut[(ends - gaps + 1)[~good]] += 1
    cut[(ends + 1)[~good]] -= 1
    kept = np.cumsum(cut[:-1]) == 0
    wrong = np.flatnonzero(~good & ~blank)
    columns = (
        np.cumsum(good)[wrong],
        lines[wrong],
        counts[wrong],
        np.diff(lines, prepend=0)[wrong],
    )
    marks = (np.cumsum(kept) - 1)[marks[good[row]]]
    uneven = list(zip(*(column.tolist() for column in columns), strict=True))
    text = octets[:size][kept].tobytes()
    return _Shape(text, size, quoted, int(gaps.max()), marks, lines[good], uneven)


# --- JSON lines -----------------------------------------------------------------------------------

# Half a character of UTF-16 is left to the careful reader.
STRING = (
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}'
    r"|[dD][0-7][0-9a-fA-F]{2}"
    r'|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})))*"'
)
PLAIN = r'"[^"\\\x00-\x1f]*"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"


def parse_lines(data: bytes, wanted: Sequence[str], line: int, limits: Limits) -> Block | None:
    """Lines that hold flat objects; None if they cannot be told apart, or one is too long.

    Each template is one order of keys, each of them there once. Lines of no template are read one
    by one.
    """
    left = _lines_of(data)
    if left is None:
        return None
    if len(data) > limits.line and left.str.len_bytes().max() >= limits.line - 1:
        return None
    whole, numbers = left, np.arange(line + 1, line + 1 + len(left))
    is_open = np.ones(len(whole), np.bool_)
    parts: list[tuple[NDArray[np.int64], list[Column]]] = []
    for _ in range(TEMPLATES):
        places = np.flatnonzero(is_open)
        template = _template(whole[int(places[0])], wanted) if len(places) else None
        if template is None:
            break
        form, inside = template
        found = left.str.extract_groups(form).struct.unnest()
        taken = found.to_series(0).is_not_null().to_numpy()
        if not taken.any():
            break
        frame = found.filter(pl.Series(taken))
        absent = pl.Series([""], dtype=pl.String).new_from_index(0, len(frame))
        columns = [
            _unquoted(frame.to_series(inside.index(name))) if name in inside else absent
            for name in wanted
        ]
        parts.append((places[taken], columns))
        is_open[places[taken]] = False
        left = left.filter(pl.Series(~taken))
    if len(parts) == 1 and not is_open.any():
        return Block(dict(zip(wanted, parts[0][1], strict=True)), numbers)
    last = len(whole) - (not data.endswith(b"\n"))  # the only line without a break
    rest = of_rows(_one_by_one(whole, np.flatnonzero(is_open), last, line, wanted), wanted)
    return _merged([(numbers[where], columns) for where, columns in parts], rest)


def _one_by_one(
    whole: Column, places: NDArray[np.int64], last: int, line: int, wanted: Sequence[str]
) -> Iterator[Row]:
    for place in places.tolist():
        text = whole[place] + ("\n" if place < last else "")
        if text.strip():
            yield line + 1 + place, as_fields(parsed(text), wanted), 1


def _merged(parts: list[tuple[Lines, list[Column]]], rest: Block) -> Block:
    """The rows of all templates and the rest, in the order of lines."""
    lines = np.concatenate([*(where for where, _ in parts), rest.lines])
    order = np.argsort(lines, kind="stable")
    lines = lines[order]
    columns = {
        name: pl.concat([*(part[k] for _, part in parts), column], rechunk=True)[order]
        for k, (name, column) in enumerate(rest.columns.items())
    }
    bad = [one._replace(place=int(np.searchsorted(lines, one.line))) for one in rest.bad]
    odd = {int(np.searchsorted(lines, rest.lines[at])): row for at, row in rest.odd.items()}
    return Block(columns, lines, bad, odd)


def _lines_of(data: bytes) -> Column | None:
    """The lines of a text, without their breaks; None if it is no UTF-8."""
    mark = next((mark for mark in ("\x1f", "\x1e", "\x01") if mark.encode() not in data), None)
    if mark and b"\r" not in data:
        try:
            lines = pl.read_csv(
                b"line\n" + data, schema={"line": pl.String}, separator=mark, quote_char=None
            )
            if len(lines) == data.count(b"\n") + (not data.endswith(b"\n")):
                return lines["line"].fill_null("")
        except pl.exceptions.PolarsError:
            pass
    try:
        found = data.decode().split("\n")
    except UnicodeDecodeError:
        return None
    return pl.Series(found if found[-1] else found[:-1], dtype=pl.String)


def _template(text: str, wanted: Sequence[str]) -> tuple[str, list[str]] | None:
    """A regular expression for objects like this one, and the names of what it takes out."""
    keys = _keys(text)
    if keys is None or any(name and name not in keys for name in wanted[:2]):
        return None
    inside = [key for key in keys if key in wanted]
    if not inside:
        return None
    # A dialect with escapes is slower, and only needed where there are any.
    value = rf"(?:{STRING if chr(92) in text else PLAIN}|{NUMBER}|true|false|null)"
    pairs = [
        f"{_literal(key)}[ \\t]*:[ \\t]*" + (f"({value})" if key in wanted else value)
        for key in keys
    ]
    form = r"[ \t]*,[ \t]*".join(pairs)
    return rf"^[ \t\r]*\{{[ \t]*{form}[ \t]*\}}[ \t\r]*$", inside


def _keys(text: str) -> list[str] | None:
    """The keys of a flat object, if each is there once."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (RecursionError, ValueError):
        return None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return None
    keys = [key for key, _ in pairs]
    nested = any(isinstance(value, list) for _, value in pairs)
    return None if nested or not 0 < len(set(keys)) == len(keys) <= MOST_KEYS else keys


def _literal(key: str) -> str:
    """The key as JSON, for a regular expression of Rust's."""
    return re.escape(json.dumps(key, ensure_ascii=False)).replace(r"\"", '"').replace(r"\ ", " ")


def _unquoted(raw: Column) -> Column:
    """Values of JSON as the text of the careful reader."""
    if raw.str.starts_with('"').all() and not raw.str.contains("\\", literal=True).any():
        return raw.str.slice(1, raw.str.len_chars() - 2)
    kinds, codes = coded(raw)
    says = pl.Series([as_text(json.loads(text)) for text in kinds], dtype=pl.String)
    return says[codes]


def coded(column: Column) -> tuple[list[str], NDArray[np.uint32]]:
    """The distinct texts of a column, and for each row which it is."""
    column = texts(column)
    kinds = column.unique()
    return kinds.to_list(), column.cast(pl.Enum(kinds)).to_physical().to_numpy()
