"""Duels that a learner did not choose, or lost in a crash: it can learn from them, too."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.checks import DuelError
from sparring.learners.duels import OpenDuels
from sparring.learners.journal import Journal
from sparring.problem import Duel

AHEAD = 1_000_000  # rounds that may have been asked after a snapshot, and lost in a crash


class AdoptingDuels(Journal):
    """The part of `Frame` for duels that come from elsewhere."""

    _K: int
    _book: OpenDuels

    def watch(self, row: int, col: int, p: Any = None) -> Duel:
        """Enter a duel that someone else chose; tell its outcome like any other.

        Parameters
        ----------
        row, col
            The positions of its arms.
        p
            (players, K): the distributions they were drawn from, independently, or given that they
            differ if the learner's own arms always differ; or (K,), if both come from one
            distribution. Needed by learners that divide by the chances of the arms, which are all
            learners with a `p`.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.steady(3, seed=1)
        >>> duel = learner.watch(0, 2, p=[1 / 3, 1 / 3, 1 / 3])  # a pair drawn uniformly
        >>> learner.tell(duel, 1.0)
        """
        high = self._K - 1
        row = checks.whole("row", row, low=0, high=high)
        col = checks.whole("col", col, low=0, high=high)
        with self._turn:
            self._settle()
            note = self._note_of(row, col, p)
            duel: Duel = self._do(
                self._entered, note, _unchanged, (self._book.latest + 1, row, col)
            )
            return duel

    def adopt(self, duel: Duel) -> Duel:
        """Accept a duel that was lost in a crash, once; returns it, open.

        This learner must have asked it after the snapshot that `sparring.replay` started from, and
        it must carry the distributions of its arms, as `Duel.to_json` writes them.
        """
        if not isinstance(duel, Duel):
            raise DuelError(f"expected a Duel; got {checks.short(duel)}")
        with self._turn:
            self._settle()
            if duel.learner != self._book.owner or not self._book.is_lost(duel.t):
                return self._book.find(duel)  # or says why it cannot be told
            self._demand_names(duel)
            try:
                row = checks.whole("row", duel.row, low=0, high=self._K - 1)
                col = checks.whole("col", duel.col, low=0, high=self._K - 1)
                note = self._note_of(row, col, duel.p)
            except ValueError as error:
                raise DuelError(f"the duel of round {duel.t} cannot be adopted: {error}") from None
            adopted: Duel = self._do(self._entered, note, _unchanged, (int(duel.t), row, col))
            return adopted

    def _demand_names(self, duel: Duel) -> None:
        """Refuse a duel of arms that have other numbers by now."""
        names = self._book.names
        if names is not None:
            places = [arm for arm in (duel.row, duel.col) if 0 <= arm < len(names)]
            if duel.names != tuple(names[arm] for arm in places):
                raise DuelError(
                    f"the duel of round {duel.t} is of {duel.names}, and arms have changed since "
                    "the snapshot: take one whenever they do"
                )

    def _entered(self, note: Any, asked: tuple[int, int, int]) -> Duel:
        """Finish entering a duel; may be repeated."""
        t, row, col = asked
        self._book.find_again(t)
        return self._book.enter(t, row, col, self._shown(note), note)

    def _note_of(self, row: int, col: int, p: Any) -> Any:
        """The note of a duel of these arms, drawn from p, all checked."""
        raise ValueError(f"a {type(self).__name__} learns only from the duels it asks")

    @abstractmethod
    def _shown(self, note: Any) -> NDArray[np.float64]:
        """(players, K): what the arms of a duel with this note were drawn from."""

    def _lose_track(self, asked: int) -> None:
        """Leave numbers free for rounds that were asked after the snapshot and lost."""
        with self._turn:
            if asked > self._book.latest:
                self._book.lose(self._book.latest + 1, asked + AHEAD)


def _unchanged(*arguments: Any) -> Any:
    return arguments


def distributions(p: Any, players: int, K: int, least: float) -> NDArray[np.float64]:
    """(players, K): what the arms of a duel were drawn from, each entry at least `least`."""
    remedy = "Give what its arms were drawn from, such as [1 / K] * K for a uniform pair"
    if p is None:
        raise checks.refuse("p", "given for this learner", p, remedy)
    rows = checks.array("p", np.atleast_2d(np.asarray(p, np.float64)), np.float64, (None, K))
    if len(rows) == 1:
        rows = np.repeat(rows, players, axis=0)
    if len(rows) != players:
        raise checks.refuse("p", f"of {players} rows", checks.Shown(f"{len(rows)} rows"), remedy)
    if not (np.isfinite(rows).all() and (rows >= least).all() and (rows <= 1).all()):
        raise checks.refuse("p", f"of chances from {least:g} to 1", p, remedy)
    return rows.copy()
