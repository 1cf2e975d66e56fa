"""Arms that come and go while a learner is in service."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.learners import registry
from sparring.learners.duels import OpenDuels
from sparring.learners.journal import Journal
from sparring.learners.snapshots import Fields

LARGEST_BOOST = 1000.0
KEPT = ("_seed", "_rng", "_lock", "_doing", "_recipe")  # what a change of arms leaves as it is


class ChangingArms(Journal):
    """The part of `Frame` for names, new arms and arms that leave.

    A family that supports it defines `_inherit`: how the state of the old arms becomes that of the
    new.
    """

    COPIED_ONCE: ClassVar[bool] = False
    """Whether several arms can come at once; then boosts mean nothing."""
    _K: int
    _book: OpenDuels
    _recipe: registry.Recipe | None = None  # how it was made, if by name

    @property
    def arms(self) -> tuple[str, ...] | tuple[int, ...]:
        """The names of the arms by position; numbers if no names were given."""
        names = self._book.names
        return tuple(range(self._K)) if names is None else names

    def named(self, names: Sequence[str]) -> Self:
        """Give the arms names, by position; returns the learner.

        From then on a duel has the names of its arms, and `tell` also takes the winner's name. Arms
        keep their names, in snapshots too. Where they have names, the same ones in any order change
        nothing, and others are refused: a list that was reordered would swap what was learnt.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.tracker(3, seed=1).named(["plain", "polite", "terse"])
        >>> duel = learner.ask()
        >>> learner.tell(duel, duel.names[0])
        """
        found = checks.names("names", names)
        with self._turn:
            known = self._book.names
            if known is not None and set(found) != set(known):
                remedy = "add() and withdraw() change arms; a restored learner has its names"
                raise checks.refuse("names", f"those it has, {list(known)}", found, remedy)
            if len(found) != self._K:
                raise checks.refuse("names", f"{self._K} names, one for each arm", found)
            if known is None:
                self._book.names = tuple(found)
        return self

    def add(self, name: str | None = None, *, boost: float = 1.0) -> None:
        """Add an arm after the others.

        If arms have weights, it begins with the mean weight of the others times the boost. If the
        learner counts duels, it begins with none. All that depends on the number of arms is
        computed again, so the learner continues like one that was made for that many arms.

        Parameters
        ----------
        name
            Its name, if arms have names.
        boost
            How many times the mean its first weight is.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.steady(3, seed=1)
        >>> learner.add(boost=2)
        >>> learner.K, bool(learner.p[0, 3] > learner.p[0, 0])
        (4, True)
        """
        boost = checks.real("boost", boost, low=1 / LARGEST_BOOST, high=LARGEST_BOOST)
        with self._turn:
            self._settle()
            names = self._book.names
            if (names is None) != (name is None):
                remedy = "named() gives names" if names is None else "Its other arms have one"
                raise checks.refuse("name", "None" if names is None else "a name", name, remedy)
            if names is not None:
                names = tuple(checks.names("name", [*names, name]))
            self._regroup([*range(self._K), None], names, boost)

    def add_all(self, boosts: Sequence[float]) -> None:
        """Add arms without names, one for each boost: the same as to `add` them one by one.

        A family whose numbers for old arms are many copies them once, and not for each new arm.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.tracker(3, seed=1)
        >>> learner.add_all([1.0, 1.0])
        >>> learner.K
        5
        """
        for boost in boosts:
            checks.real("boost", boost, low=1 / LARGEST_BOOST, high=LARGEST_BOOST)
        if self.COPIED_ONCE and self._book.names is None and boosts:
            with self._turn:
                self._settle()
                self._regroup([*range(self._K), *[None] * len(boosts)], None, 1.0)
        else:
            for boost in boosts:
                self.add(boost=boost)

    def withdraw(self, arm: int | str) -> None:
        """Remove an arm, by name or position; the arms after it move up by one.

        It is not shown again. Its open duels are forgotten, so telling them is an error.
        """
        with self._turn:
            self._settle()
            position = self._position(arm)
            if self._K == 2:
                raise checks.refuse("arm", "one of at least three", arm, "A duel needs two arms")
            kept: list[int | None] = [k for k in range(self._K) if k != position]
            names = self._book.names
            rest = None if names is None else names[:position] + names[position + 1 :]
            self._regroup(kept, rest, 1.0)

    def _position(self, arm: int | str) -> int:
        if isinstance(arm, str):
            if arm not in self.arms:
                raise checks.refuse("arm", f"one of {list(self.arms)}", arm)
            return self.arms.index(arm)
        return checks.whole("arm", arm, low=0, high=self._K - 1)

    # What a family brings.

    def _alike(self, K: int) -> Self:
        """A new learner of K arms with the same numbers."""
        raise self._fixed()

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        """Give the heir this learner's state; `before` has the earlier place of each of its arms.

        None stands for a new arm.
        """
        raise self._fixed()

    def _fixed(self) -> ValueError:
        return ValueError(
            f"the arms of a {type(self).__name__} cannot change: begin a new learner, or use one "
            "whose arms can, such as tracker or steady"
        )

    def _renoted(self, note: Any, before: list[int | None]) -> Any:
        """The note of an open duel, for the heir's arms."""
        return note

    # What a snapshot has of it: only what there is, so that plain learners' are short.

    def _saved_arms(self) -> dict[str, Any]:
        book = self._book
        earlier = [[t, row, col] for t, (row, col) in book.earlier.items()]
        found = {
            "names": None if book.names is None else list(book.names),
            "earlier": earlier or None,
            "lost": [list(ends) for ends in book.lost] or None,
            "recipe": None if self._recipe is None else list(self._recipe),
        }
        return {name: value for name, value in found.items() if value is not None}

    def _restore_arms(self, fields: Fields) -> None:
        if fields.has("names"):
            names = fields.read("names", lambda names: checks.names("names", names))
            fields.demand("names", len(names) == self._K)
            self._book.names = tuple(names)
        if fields.has("earlier"):
            earlier = fields.array("earlier", np.int64, (None, 3)).tolist()
            self._book.earlier = {t: (row, col) for t, row, col in earlier}
        if fields.has("lost"):
            lost = fields.array("lost", np.int64, (None, 2)).tolist()
            latest, waiting = self._book.latest, fields.array("open", np.int64, (None, None))
            rounds = [t for t, *_ in waiting.tolist()]
            for first, last in lost:
                apart = not any(first <= t <= last for t in rounds)
                fields.demand("lost", 0 < first <= last <= latest and apart)
            self._book.lost = [(first, last) for first, last in lost]
        self._recipe = fields.read("recipe", _recipe) if fields.has("recipe") else None

    def _regroup(
        self, before: list[int | None], names: tuple[str, ...] | None, boost: float
    ) -> None:
        """Continue with other arms."""
        recipe, K = self._recipe, len(before)
        heir: Any = self._alike(K) if recipe is None else recipe.follow(K)
        if not isinstance(heir, type(self)):
            raise ValueError(f"the recipe {recipe} is not of a {type(self).__name__}")
        shown = heir._shown  # type: ignore[attr-defined]  # a frame's
        self._inherit(heir, before, boost)
        book = self._book.regrouped(before, names)
        for t, duel in self._book.duels.items():
            if duel.row in before and duel.col in before:
                note = self._renoted(self._book.notes[t], before)
                row, col = before.index(duel.row), before.index(duel.col)
                book.enter(t, row, col, shown(note), note)
        state = {name: part for name, part in vars(heir).items() if name not in KEPT}
        vars(self).update({**state, "_book": book})  # all at once


def _recipe(parts: Any) -> registry.Recipe:
    name, options = parts
    if name not in registry.LEARNERS or not isinstance(options, dict):
        raise ValueError(f"no recipe: {checks.short(parts)}")
    return registry.Recipe(name, options)


def regrouped(
    old: NDArray[Any], new: NDArray[Any], axes: Sequence[int], before: list[int | None]
) -> None:
    """Copy from `old` to `new` what concerns the arms that stay; arms lie along these axes."""
    here = [k for k, place in enumerate(before) if place is not None]
    there = [place for place in before if place is not None]
    target: list[Any] = [slice(None)] * new.ndim
    source: list[Any] = [slice(None)] * old.ndim
    for number, axis in enumerate(axes):
        shape = [1] * len(axes)
        shape[number] = -1
        target[axis] = np.reshape(here, shape)
        source[axis] = np.reshape(there, shape)
    new[tuple(target)] = old[tuple(source)]
