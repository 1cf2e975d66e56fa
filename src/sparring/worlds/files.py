"""A world from a CSV file: the header tells the form, and nothing is guessed."""

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sparring import checks
from sparring.worlds.forms import KEYS, square_form, wide_form
from sparring.worlds.given import Constant, Recorded
from sparring.worlds.sheets import Sheet, read_sheet


def world_from_csv(
    path: str | Path, T: int, *, columns: str | Sequence[str] | None = None
) -> Constant | Recorded:
    r"""The world that a file of comma-separated text describes, in one of three forms.

    Long
        Columns `period`, `i`, `j` and the chance that i beats j, with one row for each period and
        pair: `Recorded.from_csv`. The chance is column `p` or the only other column; otherwise name
        it.
    Square
        The first column holds the names of the other columns, and an entry is the chance that the
        row's arm beats the column's: `Constant`, which keeps no names.
    Wide
        One row for each period, in order of time. The first column is the period, and the columns
        you name hold the arms' strengths or shares s > 0: `Recorded` with P(i, j) = s_i / (s_i +
        s_j) (Luce 1959, Individual Choice Behavior). An Elo rating is not such a strength;
        10^(rating/400) is.

    A file whose first column holds the name of another column is square or refused, so that a
    damaged matrix is not read as a history.

    Parameters
    ----------
    path
        The file, in UTF-8, with a first line of names.
    T
        Number of rounds.
    columns
        Names, or text as in the header, `"M,L,C"`. Long: the column of the chances. Square: None.
        Wide: the two or more arms, which you must name, as such a file usually has other columns.

    Raises
    ------
    ValueError
        If the file has none of these forms, or the columns do not fit. The message has file, line
        and remedy.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "polls.csv"
    >>> _ = path.write_text("month,polls,left,right\n2024-01,3,30,10\n2024-02,5,20,20\n")
    >>> world = world_from_csv(path, T=100, columns="left,right")
    >>> world.arms, world.matrices[:, 0, 1].tolist(), world.name
    (('left', 'right'), [0.75, 0.5], 'polls left,right')
    """
    path = Path(path)
    table = read_sheet(path)
    names = None if columns is None else _names(columns)
    if all(key in table.header for key in KEYS):
        if names is not None and len(names) != 1:
            values = [name for name in table.header if name not in KEYS]
            remedy = f"{table.file} is in long form, and one column holds the chance"
            raise checks.refuse("columns", f"one of {values}", names, remedy)
        return Recorded.from_csv(path, T, column=None if names is None else names[0])
    if any(row[0] in table.header[1:] for _, row in table.rows):
        if names is not None:
            remedy = (
                f"The first column of {table.file} holds names of other columns, as in a square "
                "matrix, whose arms are all taken; if it holds periods, rename the columns"
            )
            raise checks.refuse("columns", "left out", names, remedy)
        if len(table.header) < 3:
            remedy = "A world has two arms or more"
            raise table.refuse(None, "must have two arms", table.header[1:], remedy)
        return Constant(square_form(table), T, label=path.stem)
    if names is None or not table.header:
        raise _of_no_form(table)
    return _wide(path, table, T, names)


def parse_source(source: str) -> tuple[str, str | None]:
    r"""The file and the columns of "FILE:COLUMNS", or the file and None.

    Names of files may contain colons, so the file is the longest part before a colon, or the whole
    text, that exists. If none exists, it is the part before the first colon. The colon of a Windows
    drive does not count.

    Examples
    --------
    >>> parse_source("polls.csv:M,L,C")
    ('polls.csv', 'M,L,C')
    >>> parse_source(r"C:\data\polls.csv:M,L"), parse_source("C:/data/matrix.csv")
    (('C:\\data\\polls.csv', 'M,L'), ('C:/data/matrix.csv', None))
    """
    drive = source[:1].isalpha() and source[1:2] == ":" and source[2:3] in ("/", "\\")
    colons = [n for n, mark in enumerate(source) if mark == ":" and not (drive and n == 1)]
    there = [n for n in (len(source), *reversed(colons)) if os.path.exists(source[:n])]
    end = next(iter([*there, *colons]), len(source))
    path, columns = source[:end], source[end + 1 :] if end < len(source) else None
    if not path or columns == "":
        remedy = "Leave out the colon if you name no columns"
        raise checks.refuse("source", "FILE or FILE:COLUMNS", source, remedy)
    return path, columns


def _wide(path: Path, table: Sheet, T: int, arms: list[str]) -> Recorded:
    there = table.header[1:]
    missing = [name for name in arms if name not in there]
    if missing:
        remedy = f"The first, {table.header[0]!r}, tells the period"
        raise checks.refuse("columns", f"of {there}, which {table.file} has", missing[0], remedy)
    if not len(arms) == len(set(arms)) >= 2:
        remedy = "Each column is an arm"
        raise checks.refuse("columns", f"two or more different ones of {there}", arms, remedy)
    label = f"{path.stem} {','.join(arms)}"
    return Recorded(wide_form(table, arms), T, arms=arms, label=label)


def _of_no_form(table: Sheet) -> ValueError:
    """The error for a file that could be anything: what it might have been."""
    rule = (
        "must have columns period, i, j (long form), or a first column with the names of the other "
        "columns (a square matrix), or, with a row a period, columns that are named"
    )
    remedy = f"Name the columns of the arms' strengths or shares, out of {table.header[1:]}"
    return table.refuse(None, rule, table.header, remedy)


def _names(columns: str | Sequence[str]) -> list[str]:
    """The names of columns, read from text as a header is."""
    names: list[str] = []
    try:
        if isinstance(columns, str):
            names = next(csv.reader([columns], strict=True, skipinitialspace=True), [])
        elif isinstance(columns, Iterable):
            names = list(columns)
    except csv.Error:
        names = []
    if not names or not all(isinstance(name, str) and name for name in names):
        remedy = "A name with a comma in it stands in double quotes"
        raise checks.refuse("columns", "names of columns, as in 'M,L,C'", columns, remedy)
    return names
