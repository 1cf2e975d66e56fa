"""The book of open duels: what was asked and not yet told."""

import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.checks import DuelError, Shown, refuse, short, whole
from sparring.problem import Duel

MOST_LOST = 10_000  # ranges of lost rounds; the oldest are given up
_new = tuple.__new__  # makes a named tuple in half the time


class OpenDuels:
    """Duels that were asked and not yet told, by round. Each learner keeps one; yours may, too.

    Parameters
    ----------
    owner
        The name that marks this learner's duels; made up if not given.
    latest
        The last round asked before this book began.

    Examples
    --------
    >>> book = OpenDuels()
    >>> duel = book.open(t=1, row=0, col=2, p=np.full((2, 3), 1 / 3))
    >>> book.take(duel).col
    2
    >>> book.take(duel)
    Traceback (most recent call last):
    sparring.checks.DuelError: the duel of round 1 is not open: it was already told or forgotten
    """

    def __init__(self, owner: str | None = None, *, latest: int = 0) -> None:
        # Two learners of one seed ask the same duels, so the mark is drawn apart from the seed.
        self.owner = secrets.token_hex(8) if owner is None else owner
        self.names: tuple[str, ...] | None = None  # of the arms, if they have names
        self.differ = False  # whether arms are drawn given that they differ
        self.notes: dict[int, Any] = {}  # what the learner keeps with an open duel, by round
        self.earlier: dict[int, tuple[int, int]] = {}  # arms as they were numbered when asked
        self.lost: list[tuple[int, int]] = []  # rounds, from and to, that a crash made forget
        self._duels: dict[int, Duel] = {}
        self.latest = latest  # round that was asked

    @property
    def duels(self) -> Mapping[int, Duel]:
        """The open duels by round, in the order they were asked; a live view."""
        return MappingProxyType(self._duels)

    def open(self, t: int, row: int, col: int, p: NDArray[np.float64], note: Any = None) -> Duel:
        """Enter a duel and return it, with p, one row a player, frozen."""
        p = np.asarray(p, dtype=np.float64)
        if p.ndim != 2:
            raise refuse(
                "p", "an array of one row a player", Shown(f"shape {p.shape}"), "Use p[None]"
            )
        if p.flags.writeable:
            p = p.copy()
            p.flags.writeable = False
        return self.enter(int(t), int(row), int(col), p, note)

    def enter(self, t: int, row: int, col: int, p: NDArray[np.float64], note: Any) -> Duel:
        """`open` for numbers and a read-only p that need no check; may be repeated."""
        names = None if self.names is None else (self.names[row], self.names[col])
        duel = _new(Duel, (t, row, col, p, self.owner, names, self.differ, ()))
        self.notes[t] = note
        self._duels[t] = duel
        if t > self.latest:
            self.latest = t
        return duel

    def find(self, duel: Duel) -> Duel:
        """The open duel that this token stands for, as it was asked; refuses any other."""
        if not isinstance(duel, Duel):
            raise DuelError(
                f"expected the Duel that ask() returned; got {short(duel)}. From JSON make it with "
                "Duel.from_json(fields), from its round take learner.open[round]"
            )
        if duel.learner != self.owner:
            raise DuelError(
                f"this duel was asked by another learner ({short(duel.learner)}, not "
                f"{short(self.owner)}); after a restart, restore the snapshot of the one that asked"
            )
        t = int(duel.t) if isinstance(duel.t, (int, np.integer)) else 0
        known = self._duels.get(t)
        if known is None:
            if 1 <= t <= self.latest:
                raise DuelError(
                    f"the duel of round {duel.t} is not open: it was already told or forgotten"
                )
            raise DuelError(
                f"no duel was asked in round {short(duel.t)}: the latest was {self.latest}"
            )
        if known is not duel and not self._is(duel, known):
            raise DuelError(
                f"this is not the duel asked in round {duel.t}: arms or distributions differ"
            )
        return known

    def _is(self, duel: Duel, known: Duel) -> bool:
        """Whether it is the duel that was asked, with the numbers arms have now or had then."""
        return _same(known, duel) or duel[1:3] == self.earlier.get(known.t)

    def regrouped(self, before: list[int | None], names: tuple[str, ...] | None) -> "OpenDuels":
        """An empty book for other arms, which remembers the numbers of the arms in open duels."""
        book = OpenDuels(self.owner, latest=self.latest)
        book.names, book.differ, book.lost = names, self.differ, self.lost
        book.earlier = {
            t: self.earlier.get(t, (duel.row, duel.col))
            for t, duel in self._duels.items()
            if duel.row in before and duel.col in before
        }
        return book

    def lose(self, first: int, last: int) -> None:
        """Remember that these rounds may have been asked and then lost in a crash."""
        self.lost = [*self.lost, (first, last)][-MOST_LOST:]
        self.latest = max(self.latest, last)

    def is_lost(self, t: Any) -> bool:
        """Whether a duel of this round may have been asked, and was neither told nor adopted."""
        return isinstance(t, (int, np.integer)) and any(a <= t <= b for a, b in self.lost)

    def find_again(self, t: int) -> None:
        """The lost round is no longer lost."""
        parts = [((a, t - 1), (t + 1, b)) if a <= t <= b else ((a, b),) for a, b in self.lost]
        self.lost = [(a, b) for ranges in parts for a, b in ranges if a <= b][-MOST_LOST:]

    def awaits(self, duel: Duel) -> bool:
        """Whether the learner would learn from an answer to it."""
        return duel.learner == self.owner and (duel.t in self._duels or self.is_lost(duel.t))

    def take(self, duel: Duel) -> Duel:
        """`find` the duel and close it."""
        known = self.find(duel)
        self.close(known)
        return known

    def close(self, known: Duel) -> None:
        """Strike out a duel that `find` returned; may be repeated."""
        self._duels.pop(known.t, None)
        self.notes.pop(known.t, None)
        self.earlier.pop(known.t, None)

    def stale(self, duel: Duel | None = None, *, before: int | None = None) -> list[Duel]:
        """The open duels that `forget` would drop."""
        if (duel is None) == (before is None):
            raise ValueError("forget takes a duel or before=ROUND, one of the two")
        if duel is not None:
            return [self.find(duel)]
        limit = whole("before", before, low=None)
        return [known for t, known in self._duels.items() if t < limit]

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop one duel, or all asked before a round; returns how many were dropped."""
        stale = self.stale(duel, before=before)
        for known in stale:
            self.close(known)
        return len(stale)


def _same(known: Duel, duel: Duel) -> bool:
    """Whether a duel, perhaps from JSON, is the known one; not if its arms are not numbers."""
    return all(isinstance(arm, (int, np.integer)) for arm in duel[1:3]) and known == duel
