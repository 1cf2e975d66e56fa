"""Numbers and moments as people write them: one text at a time.

`values` reads whole columns, and gives what it is not sure of to these functions.
"""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sparring import checks


class BadRowError(ValueError):
    """A text that is not what its column should hold; the message says why."""


ORDERS = ("day-first", "month-first")
WRITTEN = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[ T,]\s*(\S.*))?")
TURN = 69  # of two digits, those from here on are of the last century, as POSIX has it


def demand_order(dates: Any) -> str | None:
    """The order of day and month, checked."""
    if dates is None or dates in ORDERS:
        return dates  # type: ignore[no-any-return]
    raise checks.unknown("dates", dates, list(ORDERS), "31.01.2024 has the day first")


def seconds(text: str, dates: str | None = None) -> float:
    """A moment in seconds since 1970: ISO 8601, a year, or a number of seconds, milli- or micro-.

    A time without a zone is taken as UTC. A date such as 31.01.2024 or 1/31/24 needs `dates`, which
    is "day-first" or "month-first": many dates can be read both ways, and a wrong guess would go
    unnoticed.

    Examples
    --------
    >>> seconds("2026-11-17"), seconds("2026-11-17T01:00:00+01:00"), seconds("1794873600000")
    (1794873600.0, 1794873600.0, 1794873600.0)
    >>> seconds("17.11.2026 00:00", "day-first"), seconds("11/17/26", "month-first")
    (1794873600.0, 1794873600.0)
    """
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        if number == int(number) and 1000 <= number <= 9999:
            return datetime(int(number), 1, 1, tzinfo=UTC).timestamp()
        for scale in (1.0, 1e3, 1e6, 1e9):
            if 1e8 <= number / scale < 1e10:
                return number / scale
    try:
        moment = datetime.fromisoformat(_as_iso(text, dates))
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if 1 < zoned.year < 9999:  # else it may be out of range in UTC
            return zoned.timestamp()
        raise ValueError
    except (OverflowError, ValueError) as error:
        if isinstance(error, BadRowError):
            raise
        raise BadRowError(
            "time is neither ISO 8601, such as 2026-11-17 or 2026-11-17T08:30:00+01:00, nor "
            f"seconds since 1970{f', nor {dates}' if dates else ''}: {checks.short(text, 40)}"
        ) from None


def _as_iso(text: str, dates: str | None) -> str:
    """A date as people write it, in the form of ISO 8601; any other text as it is."""
    match = WRITTEN.fullmatch(text) if text.isascii() else None
    if match is None:
        return text
    one, mark, two, three, clock = match.groups()
    if len(one) == 4:  # the year comes first, and then the month, all over the world
        if mark == "-":
            return text
        year, month, day = one, two, three
    elif dates is None:
        raise BadRowError(
            "time does not say whether day or month comes first; say it with --dates day-first or "
            f"--dates month-first: {checks.short(text, 40)}"
        )
    else:
        year, (day, month) = three, (one, two) if dates == "day-first" else (two, one)
    if len(year) not in (2, 4) or max(len(day), len(month)) > 2:
        raise ValueError
    if len(year) == 2:
        year = f"{19 if int(year) >= TURN else 20}{year}"
    return f"{year}-{month:0>2}-{day:0>2}" + (f"T{_clock(clock)}" if clock else "")


def _clock(text: str) -> str:
    """8:30 as 08:30."""
    return f"0{text}" if text[1:2] == ":" else text


def is_written(text: str) -> bool:
    """Whether it is a date in which day and month could change places."""
    match = WRITTEN.fullmatch(text.strip()) if text.isascii() else None
    return bool(match and len(match[1]) <= 2)


def order_shown(texts: Iterable[str]) -> tuple[str, str] | None:
    """Which comes first, day or month, and the first date that shows it by a value above 12.

    A year of two digits after dashes shows nothing: 24-01-31 begins with a year in many countries.

    Examples
    --------
    >>> order_shown(["01/02/2024", "01/31/2024"]), order_shown(["01/02/2024"])
    (('month-first', '01/31/2024'), None)
    """
    for text in texts:
        match = WRITTEN.fullmatch(text.strip()) if text.isascii() else None
        if match is None or len(match[1]) > 2 or (match[2] == "-" and len(match[4]) < 4):
            continue
        one, other = int(match[1]), int(match[3])
        if 12 < one <= 31 and 1 <= other <= 12:
            return "day-first", text.strip()
        if 12 < other <= 31 and 1 <= one <= 12:
            return "month-first", text.strip()
    return None


COMMA = re.compile(r"([+-]?[0-9]+),([0-9]+)")


def number(name: str, text: str, *, comma: bool = False) -> float:
    """A number; with a decimal comma if the column has those, and then a point is none of it.

    Examples
    --------
    >>> number("weight", "0.5"), number("weight", "0,5", comma=True)
    (0.5, 0.5)
    """
    match = COMMA.fullmatch(text.strip())
    try:
        if (comma and "." in text) or "_" in text:  # Python would read 1_5 as 15
            raise ValueError
        found = float(f"{match[1]}.{match[2]}" if comma and match else text)
    except ValueError:
        found = math.nan
    if math.isnan(found):
        remedy = " (if commas are decimal: --decimal comma)" if match and not comma else ""
        raise BadRowError(f"{name} is not a number: {checks.short(text, 40)}{remedy}")
    return found


def has_decimal_commas(texts: Sequence[str]) -> bool:
    """Whether commas in a column are decimal: 0,5 shows it, while 1,000 may be a thousand.

    Examples
    --------
    >>> has_decimal_commas(["1", "0,5"]), has_decimal_commas(["1,000"])
    (True, False)
    """
    if any("." in text for text in texts):
        return False
    there = [match for text in texts if (match := COMMA.fullmatch(text.strip()))]
    return any(
        len(after) != 3 or before.startswith("0") or len(before) > 3
        for before, after in ((match[1].lstrip("+-"), match[2]) for match in there)
    )
