"""Preference matrices from tables of three forms: long, square and wide."""

import numpy as np
from numpy.typing import NDArray

from sparring.checks import Shown
from sparring.worlds.sheets import Sheet, number

KEYS = ("period", "i", "j")
TOLERANCE = 1e-9  # between what is said twice
STRONGEST = 1e300  # two strengths can be added
NONE = Shown("none")

Matrices = NDArray[np.float64]


def long_form(table: Sheet, column: str | None) -> tuple[list[str], Matrices, str]:
    """The arms, one matrix a period, and the column taken; every period must have every pair."""
    column = _choose(table, column)
    at = [table.header.index(name) for name in (*KEYS, column)]
    entries: dict[str, dict[tuple[str, str], float]] = {}
    arms: dict[str, int] = {}
    for line, row in table.rows:
        period, a, b, text = (row[n] for n in at)
        if a == b:
            remedy = "Drop the row: an arm against itself is a fair coin"
            raise table.refuse(line, "i and j must differ", Shown(f"{a!r} twice"), remedy)
        chance = _probability(table, line, column, text)
        entry = entries.setdefault(period, {})
        if abs(entry.get((a, b), chance) - chance) > TOLERANCE:
            what = f"{a!r} against {b!r} in period {period!r}"
            remedy = "A pair has one row a period, or two that sum to 1"
            rule = f"{what} must be {entry[a, b]:.12g}, as before"
            raise table.refuse(line, rule, chance, remedy)
        if (a, b) not in entry:  # the other way round it may be given too
            entry[a, b], entry[b, a] = chance, 1 - chance
        for name in (a, b):
            arms.setdefault(name, len(arms))
    if not entries:
        remedy = "Below the header stand the numbers"
        raise table.refuse(None, "must have a row for each period and pair", NONE, remedy)
    P = np.full((len(entries), len(arms), len(arms)), 0.5)
    for m, (period, entry) in enumerate(entries.items()):
        for a, i in arms.items():
            for b, j in arms.items():
                if i != j and (a, b) not in entry:
                    rule = f"period {period!r} must have {a!r} against {b!r}"
                    remedy = "Drop the arm from the file, or the period"
                    raise table.refuse(None, rule, NONE, remedy)
                if i != j:
                    P[m, i, j] = entry[a, b]
    return list(arms), P, column


def square_form(table: Sheet) -> Matrices:
    """P(row, column), the arms in the order of the header, the rows in any order."""
    arms = table.header[1:]
    lines: dict[str, int] = {}
    P = np.empty((len(arms), len(arms)))
    for line, (name, *texts) in table.rows:
        if name not in arms or name in lines:
            rule = f"must be the row of one of {[arm for arm in arms if arm not in lines]}"
            remedy = "A square matrix has one row for each column, of the same name"
            raise table.refuse(line, rule, name, remedy)
        lines[name] = line
        P[arms.index(name)] = [
            _probability(table, line, f"{name!r} against {arm!r}", text)
            for arm, text in zip(arms, texts, strict=True)
        ]
    for a, arm in enumerate(arms):
        if arm not in lines:
            remedy = "A square matrix has one row for each column, of the same name"
            raise table.refuse(None, f"must have a row {arm!r}", list(lines), remedy)
        if abs(P[a, a] - 0.5) > TOLERANCE:
            remedy = "A duel of an arm with itself is a fair coin"
            rule = f"{arm!r} against itself must be 0.5"
            raise table.refuse(lines[arm], rule, float(P[a, a]), remedy)
    for a, b in np.argwhere(np.abs(P + P.T - 1) > TOLERANCE)[:1].tolist():
        first, second = arms[a], arms[b]
        rule = (
            f"{second!r} against {first!r} must be {1 - P[a, b]:.12g}, that is 1 - {P[a, b]:.12g} "
            f"of {first!r} against {second!r} in line {lines[first]}"
        )
        remedy = "Let the two sum to 1; where they are rounded, correct one of them"
        raise table.refuse(lines[second], rule, float(P[b, a]), remedy)
    return P


def wide_form(table: Sheet, arms: list[str]) -> Matrices:
    """One matrix a row, P(i, j) = s_i / (s_i + s_j), the strengths s from the columns `arms`."""
    at = [table.header.index(name) for name in arms]
    lines: dict[str, int] = {}
    strengths = np.empty((len(table.rows), len(arms)))
    for m, (line, row) in enumerate(table.rows):
        period = row[0]
        if not period or period in lines:
            other = f", and {period!r} is that of line {lines[period]}" if period else ""
            rule = f"the first column must hold a period of its own{other}"
            raise table.refuse(line, rule, period, "Keep one row a period, in order of time")
        lines[period] = line
        for k, n in enumerate(at):
            strengths[m, k] = number(row[n])
            if not 0 < strengths[m, k] <= STRONGEST:
                rule = f"{arms[k]} must be a number above 0, and at most {STRONGEST:g}"
                remedy = "Choose columns of strengths or shares, or drop the period"
                raise table.refuse(line, rule, row[n], remedy)
    if not lines:
        remedy = "Below the header stand the numbers"
        raise table.refuse(None, "must have a row for each period", NONE, remedy)
    return np.asarray(strengths[:, :, None] / (strengths[:, :, None] + strengths[:, None, :]))


def _choose(table: Sheet, column: str | None) -> str:
    """The column to take for p."""
    if any(name not in table.header for name in KEYS):
        remedy = "The first line names the columns"
        raise table.refuse(None, "must have the columns period, i, j", table.header, remedy)
    values = [name for name in table.header if name not in KEYS]
    if column is None and "p" in values:
        return "p"
    if column is None and len(values) == 1:
        return values[0]
    if column not in values:
        raise ValueError(
            f"column must be one of {values}, which {table.file} has; got {column!r}. "
            "It holds the chance that i beats j"
        )
    return column


def _probability(table: Sheet, line: int, what: str, text: str) -> float:
    chance = number(text)
    if not 0 <= chance <= 1:
        remedy = "It is a share, not per cent, with a point and no comma"
        raise table.refuse(line, f"{what} must be a probability in [0, 1]", text, remedy)
    return chance
