"""Lists of items and of votes in files: CSV and JSON lines, read and written safely."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sparring import checks
from sparring.arena import Record
from sparring.tables.rows import Wrong, csv_rows, json_objects, stream_of
from sparring.web.contents import FIELDS, checked

NAMEABLE = ("text", "markdown")  # kinds that show the name, if there is no text
COLUMNS = ("name", "kind", "text", "url", "alt")
TEXTS = ("first", "second", "answer", "why", "voter", "source")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet begins to calculate
MOST_ROWS = 100_000  # of an import
LONGEST_HEADER = 200  # letters of it that an error shows


def read_items(
    text: str, *, is_csv: bool, origins: Sequence[str] = ()
) -> dict[str, dict[str, str] | None]:
    r"""The contents of items by name; None if there is only a name.

    Parameters
    ----------
    text
        CSV with a header that has `name`; or one JSON object on each line.
    is_csv
        Which of the two it is.
    origins
        Sites from which media may come.

    Examples
    --------
    >>> read_items("name,kind,text\nterse,text,Be brief.\n", is_csv=True)
    {'terse': {'kind': 'text', 'text': 'Be brief.'}}
    """
    found: dict[str, dict[str, str] | None] = {}
    for place, row in _rows(text, is_csv):
        if "name" not in row:
            there = ", ".join(row)[:LONGEST_HEADER]
            raise ValueError(
                f"there is no column name; its columns are {there}"
                if is_csv
                else f"{place}: there is no name; it has {there}"
            )
        try:
            name = checks.names("name", [row.pop("name")])[0]
            if name in found:
                raise ValueError(f"{name!r} is there twice")
            found[name] = _content(row, origins)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    if not found:
        raise ValueError("there is no item: a first line with columns such as name,text is needed")
    return found


def _content(row: dict[str, Any], origins: Sequence[str]) -> dict[str, str] | None:
    """What a row says about an item besides its name; without a text, the name is shown."""
    given = {name: value for name, value in row.items() if value not in (None, "")}
    for name in given:
        if name not in COLUMNS:
            raise checks.unknown("a column", name, COLUMNS)
        if not isinstance(given[name], str):
            raise checks.refuse(name, "text", given[name])
    if not given or (list(given) == ["kind"] and given["kind"] in NAMEABLE):
        return None
    kind = given.get("kind", "text" if "url" not in given else "link")
    known = FIELDS.get(kind, COLUMNS)
    return checked(
        {"kind": kind, **{name: given[name] for name in given if name in known}}, origins
    )


def read_comparisons(text: str) -> list[tuple[Any, ...]]:
    """Comparisons from CSV with the columns first, second, outcome and perhaps at."""
    found: list[tuple[Any, ...]] = []
    for place, row in _rows(text, True):
        try:
            values = [row["first"], row["second"], float(row["outcome"])]
            at = row.get("at")
            found.append((*values, float(at)) if at else tuple(values))
        except (KeyError, TypeError, ValueError):
            rule = "first, second, outcome (0 to 1) and perhaps at (seconds since 1970)"
            raise ValueError(f"{place}: it must have {rule}") from None
        if len(found) > MOST_ROWS:
            raise ValueError(f"there are more than {MOST_ROWS:,} comparisons: send them in parts")
    if not found:
        raise ValueError("there is no comparison")
    return found


def _rows(text: str, is_csv: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a file, each with a word for where it is."""
    stream = stream_of(text)
    if not is_csv:
        for line, found in json_objects(stream):
            if not isinstance(found, dict):
                why = f" ({found.text})" if isinstance(found, Wrong) else ""
                raise ValueError(f"line {line}: it must be a JSON object{why}")
            yield f"line {line}", found
        return
    header: list[str] | None = None
    for line, fields, _ in csv_rows(stream, skip=False):
        if isinstance(fields, str):
            raise ValueError(f"line {line}: {fields}")
        if not fields:
            continue
        if header is None:
            header = list(fields)
            twice = next((name for name in header if header.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"the column {checks.short(twice)} is there twice. Keep one")
        elif len(fields) != len(header):
            raise ValueError(f"line {line}: it has more or fewer cells than columns")
        else:
            yield f"line {line}", dict(zip(header, fields, strict=True))


# Exports.


def flat(record: Record) -> dict[str, Any]:
    """A record with one value in each column."""
    fields = record._asdict()
    one, other = fields.pop("versions")
    return {**fields, "first_version": one, "second_version": other}


def csv_lines(records: Iterable[Record]) -> Iterator[str]:
    """Records as CSV; text that looks like a spreadsheet formula gets an apostrophe in front.

    Examples
    --------
    >>> defused("=1+1"), defused("terse")
    ("'=1+1", 'terse')
    """
    buffer = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for record in records:
        row = flat(record)
        if writer is None:
            writer = csv.DictWriter(buffer, list(row), lineterminator="\r\n")
            writer.writeheader()
        writer.writerow({name: defused(row[name]) if name in TEXTS else row[name] for name in row})
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def defused(text: str | None) -> str | None:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text and text.startswith(FORMULA) else text


def json_lines(records: Iterable[Record]) -> Iterator[str]:
    """Records as JSON, one a line."""
    for record in records:
        yield json.dumps(flat(record)) + "\n"
