"""Durations as people write them: 90, "30min", "14d"."""

import re

from sparring import checks

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
LONGEST = 100 * 366 * 86_400  # a century


def duration(name: str, value: float | str) -> float:
    """A duration in seconds.

    Examples
    --------
    >>> duration("lifetime", "14d")
    1209600.0
    """
    rule = f"seconds, or a number with one of {', '.join(SECONDS)}, such as 14d"
    if isinstance(value, str):
        found = re.fullmatch(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(SECONDS)})\s*", value)
        if found is None:
            raise checks.refuse(name, rule, value)
        value = float(found[1]) * SECONDS[found[2]]
    return checks.real(name, value, low=1e-3, high=LONGEST, remedy=f"Give {rule}")
