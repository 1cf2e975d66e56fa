"""Durations and moments as people write them: 90, "30min", "14d"; seconds since 1970."""

import re
from datetime import datetime
from typing import Any

from sparring import checks

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
LONGEST = 100 * 366 * 86_400  # a century

Moment = float | datetime


def duration(name: str, value: float | str, rule: str = "") -> float:
    """A duration in seconds; `rule` says what is allowed, if that is more.

    Examples
    --------
    >>> duration("lifetime", "14d")
    1209600.0
    """
    rule = rule or f"seconds, or a number with one of {', '.join(SECONDS)}, such as 14d"
    if isinstance(value, str):
        found = re.fullmatch(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(SECONDS)})\s*", value)
        if found is None:
            raise checks.refuse(name, rule, value)
        value = float(found[1]) * SECONDS[found[2]]
    return checks.real(name, value, low=1e-3, high=LONGEST, remedy=f"Give {rule}")


def moment(name: str, value: Any) -> float:
    """A moment in seconds since 1970.

    Examples
    --------
    >>> from datetime import UTC
    >>> moment("at", datetime(2026, 11, 17, tzinfo=UTC))
    1794873600.0
    """
    remedy = "Give seconds since 1970, or a datetime with a time zone"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise checks.refuse(name, "a time with a time zone", value, remedy)
        value = value.timestamp()
    return checks.real(name, value, low=0, high=1e11, remedy=remedy)
