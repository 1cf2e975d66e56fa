"""Preference matrices from a file in long form: period, i, j, p."""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KEYS = ("period", "i", "j")
TOLERANCE = 1e-9  # between what is said twice


def read_long_form(path: Path, column: str | None) -> tuple[list[str], NDArray[np.float64], str]:
    """The arms, one matrix a period, and the column taken; every period must have every pair."""
    try:
        return _read(path, column)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: must be text in UTF-8; got {error}") from None
    except csv.Error as error:
        raise ValueError(f"{path.name}: must be comma-separated text; got {error}") from None


def _read(path: Path, column: str | None) -> tuple[list[str], NDArray[np.float64], str]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        column = _choose(path, list(reader.fieldnames or []), column)
        entries: dict[str, dict[tuple[str, str], float]] = {}
        arms: dict[str, int] = {}
        for row in reader:
            where = f"{path.name}, line {reader.line_num}"
            if None in row or None in row.values():
                raise ValueError(f"{where}: must have as many fields as the header")
            pair = row["i"], row["j"]
            if pair[0] == pair[1]:
                raise ValueError(f"{where}: i and j must differ; got {pair[0]!r} twice")
            chance = _probability(where, column, row[column])
            entry = entries.setdefault(row["period"], {})
            if abs(entry.get(pair, chance) - chance) > TOLERANCE:
                what = f"{pair[0]!r} against {pair[1]!r} in period {row['period']!r}"
                raise ValueError(
                    f"{where}: {what} must be {entry[pair]:.12g}, as before; got {chance}"
                )
            if pair not in entry:  # the other way round it may be given too
                entry[pair], entry[pair[::-1]] = chance, 1 - chance
            for name in pair:
                arms.setdefault(name, len(arms))
    if not entries:
        raise ValueError(f"{path.name}: must have a row for each period and pair; got none")
    P = np.full((len(entries), len(arms), len(arms)), 0.5)
    for m, (period, entry) in enumerate(entries.items()):
        for a, i in arms.items():
            for b, j in arms.items():
                if i != j and (a, b) not in entry:
                    raise ValueError(
                        f"{path.name}: period {period!r} must have {a!r} against {b!r}; "
                        "drop the arm from the file, or the period"
                    )
                if i != j:
                    P[m, i, j] = entry[a, b]
    return list(arms), P, column


def _choose(path: Path, header: list[str], column: str | None) -> str:
    """The column to take for p."""
    missing = [name for name in KEYS if name not in header]
    if missing:
        raise ValueError(f"{path.name}: must have the columns period, i, j; got {header}")
    if len(set(header)) < len(header):
        raise ValueError(f"{path.name}: must have no column twice; got {header}")
    values = [name for name in header if name not in KEYS]
    if column is None and "p" in values:
        return "p"
    if column is None and len(values) == 1:
        return values[0]
    if column not in values:
        raise ValueError(f"column must be one of {values}, which {path.name} has; got {column!r}")
    return column


def _probability(where: str, column: str, text: str) -> float:
    try:
        chance = float(text)
    except ValueError:
        chance = float("nan")
    if not 0 <= chance <= 1:
        raise ValueError(f"{where}: {column} must be a probability in [0, 1]; got {text!r}")
    return chance
