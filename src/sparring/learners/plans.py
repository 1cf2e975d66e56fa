"""Plan: which learner starts again, with which options, and at which rounds."""

from bisect import bisect_right
from dataclasses import dataclass
from inspect import signature
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sparring import checks
from sparring.learners.registry import PLAIN
from sparring.problem import LONGEST

MOST = 10**6  # rounds to start again at, if they are given one by one
NEVER = 2**63


class Period(NamedTuple):
    """The rounds between two restarts, one epoch."""

    number: int
    """From 0."""
    start: int
    """Rounds before it."""
    length: int
    """How many rounds its learner is planned for."""
    end: int
    """Rounds told when it is over; never for the last."""


@dataclass(frozen=True)
class Plan:
    """The arguments of a `Restarting` besides K and seed, checked, and as JSON."""

    learner: str
    options: dict[str, Any]
    every: int | None
    changes: Any
    T: int | None

    def __post_init__(self) -> None:
        if not isinstance(self.learner, str) or self.learner not in PLAIN:
            raise checks.unknown("learner", self.learner, sorted(PLAIN))
        self._set("options", _options(self.learner, self.options))
        if (self.every is None) is (self.changes is None):
            raise ValueError("give every or changes, and not both")
        if self.T is not None and self.changes is None:
            raise checks.refuse("T", "given only with changes", self.T, "every needs no end")
        for name in ("every", "T"):
            value = getattr(self, name)
            if value is not None:
                self._set(name, checks.whole(name, value, low=1, high=LONGEST))
        if self.changes is not None:
            self._set("changes", _changes(self.changes, self.T))

    def _set(self, name: str, value: Any) -> None:
        """Store a checked argument, which a frozen dataclass allows only like this."""
        object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """Copies of the arguments that make it."""
        changes = None if self.changes is None else list(self.changes)
        return {**vars(self), "options": dict(self.options), "changes": changes}

    def period(self, told: int) -> Period:
        """The present epoch after this many rounds were told."""
        last = False
        if self.every is not None:
            number = told // self.every
            start, length = number * self.every, self.every
        else:
            number = bisect_right(self.changes, told + 1)
            last = number == len(self.changes)
            start = self.changes[number - 1] - 1 if number else 0
            length = (self.T or 0) - start if last else self.changes[number] - 1 - start
        return Period(number, start, length, NEVER if last else start + length)

    def extremes(self) -> tuple[int, ...]:
        """The lengths of the shortest and the longest epoch: the hardest to plan for."""
        if not self.changes:
            return ()
        lengths = [b - a for a, b in pairwise([1, *self.changes, (self.T or 0) + 1])]
        return min(lengths), max(lengths)


def _options(inside: str, given: Any) -> dict[str, Any]:
    """The options of the learner inside, with plain numbers for those of NumPy."""
    if not isinstance(given, dict):
        raise checks.refuse("options", "a dictionary", given)
    takes = set(signature(PLAIN[inside]).parameters) - {"K", "T", "seed", "tuning"}
    for name in given:
        if name not in takes:
            raise checks.refuse("options", f"among {sorted(takes)} for {inside}", name)
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in given.items()
    }


def _changes(given: Any, T: int | None) -> tuple[int, ...]:
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
