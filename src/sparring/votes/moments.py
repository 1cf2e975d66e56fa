"""When a vote was cast, from text: ISO 8601, seconds since 1970, or dates as people write them."""

import math
import re
from datetime import UTC, datetime
from typing import Any

from sparring import checks
from sparring.votes.refusing import BadRowError

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
