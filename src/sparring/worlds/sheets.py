"""Comma-separated text as rows with their line numbers; errors name the line."""

from pathlib import Path
from typing import NamedTuple

from sparring.checks import Shown, short
from sparring.tables.rows import Stream, csv_rows


class Sheet(NamedTuple):
    """The header, and every other row with its line; all rows are as long as the header."""

    file: str
    header: list[str]
    rows: list[tuple[int, list[str]]]

    def refuse(self, line: int | None, rule: str, value: object, remedy: str) -> ValueError:
        """The error for a line, or for the whole file."""
        at = "" if line is None else f", line {line}"
        return ValueError(f"{self.file}{at}: {rule}; got {short(value)}. {remedy}")


def read_sheet(path: Path) -> Sheet:
    """The rows of a file, without blank lines and without spaces after commas."""
    nothing, rows = Sheet(path.name, [], []), []
    with path.open("rb") as file:
        stream = Stream(file)
        stream.first_line()
        for line, fields, _ in csv_rows(stream):
            if isinstance(fields, str):
                remedy = "A field with a comma or a quote in it stands in double quotes"
                raise nothing.refuse(line, "must be comma-separated text", Shown(fields), remedy)
            if any("\udc80" <= letter <= "\udcff" for field in fields for letter in field):
                found = Shown("other bytes")
                raise nothing.refuse(line, "must be text in UTF-8", found, "Save it as such")
            if fields:
                rows.append((line, list(fields)))
    if not rows:
        return nothing
    table = Sheet(path.name, rows[0][1], rows[1:])
    _check_shape(table, rows[0][0])
    return table


def number(text: str) -> float:
    """The number that a field holds, or nan."""
    try:
        return float("nan" if "_" in text else text)  # Python would read 1_5 as 15
    except ValueError:
        return float("nan")


def _check_shape(table: Sheet, first: int) -> None:
    header = table.header
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        remedy = "Save it with commas, and with points in numbers"
        raise table.refuse(first, "must be separated by commas", header[0], remedy)
    twice = [name for n, name in enumerate(header) if name in header[:n]]
    if twice:
        remedy = "The first line gives each column a name of its own"
        raise table.refuse(None, "must have no column twice", twice[0], remedy)
    for line, row in table.rows:
        if len(row) != len(header):
            rule = f"must have as many fields as the header, {len(header)}"
            remedy = "Fill in what is missing; put a field that contains a comma in double quotes"
            raise table.refuse(line, rule, len(row), remedy)
