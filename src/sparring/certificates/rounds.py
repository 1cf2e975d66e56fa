"""Which rounds of which learner a log has; a repeated duel would count twice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks

Ints = NDArray[np.int64]

MOST_RANGES = 10_000_000  # of rounds without a gap: 160 MB; a log in order has one for each gap
MOST_LEARNERS = 100_000


class RepeatedRoundError(ValueError):
    """A round that is in a log twice, and the number of its row, from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class Rounds:
    """The rounds of each learner, as ranges without gaps; small if most rounds are there.

    Examples
    --------
    >>> rounds = Rounds()
    >>> rounds.add(np.array([1, 2, 4]), ["a1", "a1", "a1"])
    >>> rounds.gap(), rounds.missing()
    (('a1', 3), 1)
    >>> rounds.add(np.array([3]), ["a1"])
    >>> rounds.gap() is None
    True
    >>> rounds.add(np.array([5, 2]), ["a1", "a1"])
    Traceback (most recent call last):
    sparring.certificates.rounds.RepeatedRoundError: round 2 of learner 'a1' is there twice
    """

    def __init__(self) -> None:
        self._ranges: dict[str, tuple[Ints, Ints]] = {}  # first and last rounds, both rising
        self._size = 0

    def add(self, t: Ints, learners: list[str]) -> None:
        """Add the round of each row, and the learner that asked; refuses one that was there."""
        places: dict[str, list[int]] = {}
        for row, name in enumerate(learners):
            places.setdefault(name, []).append(row)
        for name, of_it in places.items():
            rows = np.array(of_it, np.int64)
            self._add(name, t[rows], rows)
        if self._size > MOST_RANGES or len(self._ranges) > MOST_LEARNERS:
            found = checks.Shown(f"{self._size:,} ranges of {len(self._ranges):,} learners")
            rule = f"in at most {MOST_RANGES:,} ranges without a gap, of {MOST_LEARNERS:,} learners"
            raise checks.refuse("t", rule, found, "Sort the log by learner and t")

    def gap(self) -> tuple[str, int] | None:
        """A learner, and one of its rounds that is missing between the first and the last."""
        for name, (_, lasts) in self._ranges.items():
            if len(lasts) > 1:
                return name, int(lasts[0]) + 1
        return None

    def missing(self) -> int:
        """How many rounds are missing between the first and the last of their learners."""
        ranges = self._ranges.values()
        return sum(int((firsts[1:] - lasts[:-1] - 1).sum()) for firsts, lasts in ranges)

    def _add(self, name: str, t: Ints, rows: Ints) -> None:
        order = np.argsort(t, kind="stable")
        rising = t[order]
        firsts, lasts = self._ranges.get(name, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
        before = np.searchsorted(firsts, rising, side="right") - 1  # the range that may hold it
        known = (before >= 0) & (rising <= lasts[before]) if len(lasts) else np.zeros(len(t), bool)
        known[1:] |= rising[1:] == rising[:-1]
        if known.any():
            at = int(rows[order[known]].min())
            again = int(t[np.flatnonzero(rows == at)[0]])
            shown = checks.short(name)
            raise RepeatedRoundError(f"round {again:,} of learner {shown} is there twice", at)
        self._size -= len(firsts)
        self._ranges[name] = _joined(firsts, lasts, rising)
        self._size += len(self._ranges[name][0])


def _joined(firsts: Ints, lasts: Ints, rising: Ints) -> tuple[Ints, Ints]:
    """The ranges with new rounds, which are in none of them."""
    low = int(np.searchsorted(lasts, rising[0] - 1))  # those before stay as they are
    high = int(np.searchsorted(firsts, rising[-1] + 1, side="right"))
    all_firsts = np.concatenate([firsts[low:high], rising])
    all_lasts = np.concatenate([lasts[low:high], rising])
    order = np.argsort(all_firsts, kind="stable")
    all_firsts, all_lasts = all_firsts[order], all_lasts[order]
    begins = np.concatenate([[True], all_firsts[1:] != all_lasts[:-1] + 1])
    ends = np.concatenate([begins[1:], [True]])
    parts: Any = (all_firsts[begins], all_lasts[ends])
    return (
        np.concatenate([firsts[:low], parts[0], firsts[high:]]),
        np.concatenate([lasts[:low], parts[1], lasts[high:]]),
    )
