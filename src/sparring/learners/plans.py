"""What a learner that starts again is planned with, checked: options of the one inside, rounds."""

from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np

from sparring import checks
from sparring.learners.registry import PLAIN
from sparring.problem import LONGEST

MOST = 10**6  # rounds to start again at, if they are given one by one


def learner(name: Any) -> str:
    """The name of the learner inside."""
    if not isinstance(name, str) or name not in PLAIN:
        raise checks.refuse("learner", f"one of {sorted(PLAIN)}", name)
    return name


def options(inside: str, given: Any) -> dict[str, Any]:
    """The options of the learner inside, with plain numbers for those of NumPy."""
    found = {} if given is None else given
    if not isinstance(found, dict):
        raise checks.refuse("options", "a dictionary", given)
    takes = set(signature(PLAIN[inside]).parameters) - {"K", "T", "seed", "tuning"}
    for name in found:
        if name not in takes:
            raise checks.refuse("options", f"among {sorted(takes)} for {inside}", name)
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in found.items()
    }


def rounds(name: str, value: Any) -> int:
    """A number of rounds to plan for."""
    return checks.whole(name, value, low=1, high=LONGEST)


def changes(given: Any, T: int | None) -> tuple[int, ...]:
    """The rounds at whose beginning a learner starts again."""
    rule = "ascending rounds from 2 to T"
    if T is None:
        raise checks.refuse("T", "given with changes", None, "It is the last round planned for")
    try:
        found = tuple(checks.whole("changes", change, low=2, high=T) for change in given)
    except TypeError:
        raise checks.refuse("changes", rule, given) from None
    if len(found) > MOST or any(a >= b for a, b in pairwise(found)):
        raise checks.refuse("changes", rule, given)
    return found
