"""Numbers and moments of a column at once; nan where only one by one can be told.

Each may be timid, and never generous: what it reads is what reading the texts one by one gives.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.tables.blocks import Column, coded, pl, texts

Floats = NDArray[np.float64]
FEW = 20_000  # distinct texts that are read one by one
EXACT = 2**53
LOOKED_AT = 1_000  # rows whose lengths tell how moments are written
NUMBER = r"^[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?$"
EPOCH = r"^[0-9]{9,16}(?:\.[0-9]+)?$"
DAYS = np.array([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
# Where digits stand, and what stands between them.
ISO = "0000-00-00T00:00:00"
WRITTEN = "00.00.0000T00:00:00"
EARLIEST, LATEST = -62_104_060_800, 253_370_764_800  # the years 2 and 9999; zones are within them
LENGTHS = (10, 16, 19)  # of a day, with minutes, with seconds


def per_text(column: Column, read: Callable[[str], float]) -> Floats:
    """What a function says of each distinct text; nan if it raises ValueError."""
    kinds, codes = coded(column)
    says = np.full(len(kinds), np.nan)
    for place, text in enumerate(kinds):
        with suppress(ValueError):
            says[place] = read(text)
    return says[codes]


def are_few(column: Column) -> bool:
    """Whether a column has so few distinct texts that each can be read by itself."""
    return bool(column.n_unique() <= FEW)


def numbers(column: Column, *, comma: bool = False) -> Floats:
    """Plain numbers, or nan. `comma`: it is decimal, and a point is none of a number."""
    if column.dtype.is_numeric():
        return _floats(column)
    found = texts(column)
    if comma:
        found = found.str.replace_all(".", "?", literal=True)
        found = found.str.replace(r"^(\s*[+-]?[0-9]+),([0-9]+\s*)$", "${1}.${2}")
    plain = found.str.contains(NUMBER).to_numpy()
    return np.where(plain, _floats(found), np.nan)


def moments(column: Column, order: str | None, read: Callable[[str], float]) -> Floats:
    """Seconds since 1970, or nan. `order` is that of day and month; `read` reads one text."""
    if column.dtype in (pl.Date, pl.Datetime):
        found = _floats(column.dt.epoch("us")) / 1e6
        with np.errstate(invalid="ignore"):
            return np.where((found >= EARLIEST) & (found < LATEST), found, np.nan)
    if column.dtype.is_numeric():
        found = _scaled(_floats(column))
        return _the_rest(found, texts(column), read)
    column = texts(column)
    found = np.full(len(column), np.nan)
    lengths = column.str.len_bytes().to_numpy()
    for length in np.unique(lengths[:LOOKED_AT]).tolist():
        there = lengths == length
        part = column if there.all() else column.filter(pl.Series(there))
        if (shape := _shape_of(part[0], length, order)) is not None:
            found[there] = _shaped(part, shape)
    left = np.isnan(found)
    if left.any():
        part = column.filter(pl.Series(left))
        if part.str.contains(EPOCH).all():
            found[left] = _scaled(_floats(part))
    return _the_rest(found, column, read)


def joined(day: Column, clock: Column) -> Column:
    """Days with the time of day that stands beside each, if one does."""
    both = texts(day).str.strip_chars() + " " + texts(clock).str.strip_chars()
    return both.str.strip_chars()


def _the_rest(found: Floats, column: Column, read: Callable[[str], float]) -> Floats:
    """Read what is left one by one, if it is not too much."""
    left = np.isnan(found)
    if left.any():
        part = column.filter(pl.Series(left))
        if are_few(part):
            found[left] = per_text(part, read)
    return found


def _floats(column: Column) -> Floats:
    found = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    return np.require(found, np.float64, "W")  # the caller may write to it


def _scaled(given: Floats) -> Floats:
    """Seconds, milli-, micro- or nanoseconds as seconds."""
    found = np.full(len(given), np.nan)
    for scale in (1e9, 1e6, 1e3, 1.0):
        with np.errstate(invalid="ignore"):
            scaled = given / scale
            fits = (scaled >= 1e8) & (scaled < 1e10)
        found = np.where(fits, scaled, found)
    return found


class _Shape:
    """How a moment is written, with two digits everywhere."""

    def __init__(self, iso: bool, day_first: bool, base: int, fraction: int, zone: int) -> None:
        self.iso, self.day_first, self.base = iso, day_first, base
        self.fraction, self.zone = fraction, zone
        self.length = base + fraction + zone


def _shape_of(text: str, length: int, order: str | None) -> _Shape | None:
    """The shape of a text of so many bytes; None if it has none that is read at once."""
    if not text.isascii() or length < LENGTHS[0]:
        return None
    if text[4] != "-":
        known = order is not None and text[2] in "./-" and length in LENGTHS
        return _Shape(False, order == "day-first", length, 0, 0) if known else None
    if length in LENGTHS:
        return _Shape(True, False, length, 0, 0)
    tail = re.fullmatch(r"(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?", text[19:])
    if length < 19 or tail is None:
        return None
    return _Shape(True, False, 19, len(tail[1] or ""), len(tail[2] or ""))


def _shaped(column: Column, shape: _Shape) -> Floats:
    """The moments that are written in this way, which all have its length."""
    octets = np.frombuffer(column.str.join("").item().encode(), np.uint8).reshape(-1, shape.length)
    digits = octets - np.uint8(48)
    good = np.ones(len(octets), np.bool_)
    for place, mark in enumerate((ISO if shape.iso else WRITTEN)[: shape.base]):
        found = octets[:, place]
        if mark == "0":
            good &= digits[:, place] < 10
        elif mark == "T":
            good &= (found == ord(" ")) | (found == ord("T"))
        elif mark == ".":
            good &= found == octets[0, 2]  # the first text has . or / or -
        else:
            good &= found == ord(mark)

    def two(place: int) -> NDArray[np.int64]:
        return digits[:, place].astype(np.int64) * 10 + digits[:, place + 1]

    if shape.iso:
        year, month, day = two(0) * 100 + two(2), two(5), two(8)
    else:
        one, other = two(0), two(3)
        day, month = (one, other) if shape.day_first else (other, one)
        year = two(6) * 100 + two(8)
    zero = np.zeros(len(octets), np.int64)
    hour, minute = (two(11), two(14)) if shape.base > LENGTHS[0] else (zero, zero)
    second = two(17) if shape.base == LENGTHS[2] else zero
    good &= (year > 1) & (year < 9999) & (month >= 1) & (month <= 12) & (day >= 1)
    good &= day <= DAYS[np.where(good, month, 1) - 1]
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    good &= (month != 2) | (day <= 28) | leap
    good &= (hour < 24) & (minute < 60) & (second < 60)
    whole = _days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    if shape.zone > 1:
        away, is_zone = _away(octets, digits, two, shape.length)
        whole, good = whole - away, good & is_zone
    elif shape.zone:
        good &= octets[:, -1] == ord("Z")
    if not shape.fraction:
        return np.where(good, whole, np.nan)
    micro = zero
    good &= octets[:, 19] == ord(".")
    for place in range(20, 19 + shape.fraction):
        good &= digits[:, place] < 10
        if place < 26:  # Python's moments end there
            micro = micro * 10 + digits[:, place]
    total = whole * 1_000_000 + micro * 10 ** max(0, 7 - shape.fraction)
    return np.where(good & (np.abs(total) < EXACT), total / 1e6, np.nan)


def _away(octets: Any, digits: Any, two: Any, length: int) -> tuple[Any, Any]:
    """The seconds of a zone such as +01:00, and where it is one."""
    sign, hours, minutes = octets[:, length - 6], two(length - 5), two(length - 2)
    good = ((sign == ord("+")) | (sign == ord("-"))) & (octets[:, length - 3] == ord(":"))
    for place in (length - 5, length - 4, length - 2, length - 1):
        good &= digits[:, place] < 10
    good &= (hours < 24) & (minutes < 60)
    return np.where(sign == ord("+"), 1, -1) * (hours * 3600 + minutes * 60), good


def _days(year: Any, month: Any, day: Any) -> NDArray[np.int64]:
    """Days since 1970: the year begins in March, so that the leap day is its last."""
    year = year - (month <= 2)
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    leaps = of_era // 4 - of_era // 100
    return np.asarray(era * 146_097 + of_era * 365 + leaps + of_year - 719_468, np.int64)
