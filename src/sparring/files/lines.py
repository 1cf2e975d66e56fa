"""Text in pieces of whole lines, none of them too long, and lines of JSON that mean one thing."""

import csv
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sparring import checks
from sparring.files.kinds import FileError, refuse_packed

PIECE = 1 << 23  # bytes of text to read at a time
LONGEST_FIELD = 1 << 22  # letters that Python's reader of CSV takes under `long_fields`
LONGEST = 1 << 26  # bytes of a line: two players of a million arms, with all their digits
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CRASH = "If a crash has cut the last line short, remove it"


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


def objects(path: str | Path) -> Iterator[JsonLine]:
    """The JSON objects of a file, one a line, in order; blank lines are skipped.

    These are refused, with the number of the line: anything but a JSON object, a name that comes
    twice in an object, NaN and Infinity, bytes that are not UTF-8, and lines of more than 64 MB.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.jsonl")
    ...     _ = path.write_text('{"a": 1}' + chr(10) + '{"a": 1, "a": 2}')
    ...     try:
    ...         print([line.fields for line in objects(path)])
    ...     except FileError as error:
    ...         print(str(error)[-68:])
    cannot be read in line 2: "a" is there twice, with 1 and 2. Keep one
    """
    path = Path(path)
    for piece in pieces(path):
        yield from objects_of(path, piece)


def objects_of(path: Path, piece: Lines) -> Iterator[JsonLine]:
    """The JSON objects of a piece."""
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
                self._usual = csv.field_size_limit(LONGEST_FIELD)
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers:
                    csv.field_size_limit(self._usual)


long_fields = _LongFields()
