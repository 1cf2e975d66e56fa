"""Family: what lets a learner last. Arms come and go, and all it knows is saved and restored."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.checks import SnapshotError, short
from sparring.learners import snapshots
from sparring.learners.frame import KINDS, LEARNERS, Frame, OpenDuels, Recipe, State, enter
from sparring.learners.protocol import OnlineLearner
from sparring.problem import Duel, arms

LARGEST_BOOST = 1000.0


class Family(Frame):
    """A frame with a KIND, which marks its snapshots.

    A family says in `_possible` which memory its kernels can work on, in `_largest` how large its
    largest array is, if that grows with more than K, and in ARMS where its arms are, if they may
    change. docs/compiled_learner.py is a small one to copy.
    """

    KIND: ClassVar[str]
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = None
    """The axes of its arrays along which the arms lie; None if arms cannot change."""
    COPIED_ONCE: ClassVar[bool] = False
    """Whether several arms can come at once; then boosts mean nothing."""
    COLUMNS: ClassVar[int] = 3  # of an open duel in a snapshot: the round, the row and column arm

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "KIND" in vars(cls):
            enter(KINDS, cls.KIND, cls)

    @abstractmethod
    def _possible(self) -> bool:
        """Whether kernels can work on this memory; a damaged snapshot may hold anything."""

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        """Put the heir's memory in order; it has what is known of the arms that stay."""

    # Arms that come and go.

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

        A family whose numbers for old arms are many copies them once, and not for each new arm
        (COPIED_ONCE): an interrupt leaves all new arms added, or none. In other families, or where
        arms have names, it keeps those added so far.

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
            if isinstance(arm, str) and arm not in self.arms:
                raise checks.refuse("arm", f"one of {list(self.arms)}", arm)
            place = self.arms.index(arm) if isinstance(arm, str) else self._place("arm", arm)
            if self._K == 2:
                raise checks.refuse("arm", "one of at least three", arm, "A duel needs two arms")
            names = self._book.names
            rest = None if names is None else names[:place] + names[place + 1 :]
            self._regroup([k for k in range(self._K) if k != place], rest, 1.0)

    def _regroup(
        self, before: list[int | None], names: tuple[str, ...] | None, boost: float
    ) -> None:
        """Continue with other arms; `before` has the earlier place of each, None for a new one.

        All is prepared in the heir; the one update is what counts.
        """
        recipe, K = self._recipe, len(before)
        heir: Any = self._alike(K) if recipe is None else recipe.follow(K)
        if not isinstance(heir, type(self)):
            raise ValueError(f"the recipe {recipe} is not of a {type(self).__name__}")
        self._inherit(heir, before, boost)
        book = self._book.copy(before, names)
        for t, duel in self._book.duels.items():
            if duel.row in before and duel.col in before:
                note = self._renoted(self._book.notes[t], before)
                row, col = before.index(duel.row), before.index(duel.col)
                book.enter(t, row, col, heir._shown(note), note)
        kept = ("_seed", "_rng", "_lock", "_recipe")
        state = {name: part for name, part in vars(heir).items() if name not in kept}
        vars(self).update({**state, "_book": book})  # in C, and so all at once

    def _alike(self, K: int) -> Self:
        """A new learner of K arms with the same numbers."""
        return type(self)(K, **self._options, seed=0)

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        """Give the heir this learner's memory."""
        if self.ARMS is None:
            raise ValueError(
                f"the arms of a {type(self).__name__} cannot change: begin a new learner, or use "
                "one whose arms can, such as tracker or steady"
            )
        for name, old in self._memory._asdict().items():
            new = getattr(heir._memory, name)
            if name in self.ARMS:
                regrouped(old, new, self.ARMS[name], before)
            elif old.shape == new.shape:
                new[...] = old
        self._put_in_order(heir, before, boost)

    def _renoted(self, note: Any, before: list[int | None]) -> Any:
        """The note of an open duel, for the heir's arms."""
        players, K = self._players, len(before)
        p = np.zeros((players, K))
        regrouped(note[: players * self.K].reshape(players, self.K), p, (1,), before)
        return np.concatenate([p.ravel(), note[players * self.K :]])

    # Snapshots.

    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; `sparring.restore` continues from it."""
        while True:
            book = self._book
            found = self.snapshot_later()()
            if self._book is book:  # else an arm came or went while it was written
                return found

    def snapshot_later(self) -> Callable[[], dict[str, Any]]:
        """A quick copy of everything; what it returns makes the snapshot, in any thread.

        The learner may ask and be told meanwhile, but no arm may come or go.
        """
        with self._turn:
            self._settle()
            book, names = self._book, self._book.names
            notes = [book.notes[t] for t in book.duels]
            earlier = [[t, *pair] for t, pair in book.earlier.items() if t in book.duels]
            fields = {
                "id": book.owner,
                "K": self.K,
                "t": book.latest,
                "seed": streams.seed_to_json(self._seed),
                "names": None if names is None else list(names),
                "earlier": earlier or None,
                "lost": [list(ends) for ends in book.lost] or None,
                "recipe": None if self._recipe is None else list(self._recipe),
            }
            return partial(self._sealed, fields, list(book.duels.values()), notes, self._kept())

    def _sealed(
        self, fields: dict[str, Any], asked: list[Duel], notes: list[Any], kept: Any
    ) -> dict[str, Any]:
        """The snapshot of a moment; of names and the like only what there is."""
        duels = [[duel.t, duel.row, duel.col] for duel in asked]
        optional = ("names", "earlier", "lost", "recipe")
        given = {n: part for n, part in fields.items() if part is not None or n not in optional}
        return snapshots.seal(
            self.KIND, {**given, "open": duels, **self._saved(kept, duels, notes)}
        )

    def _kept(self) -> Any:
        """A quick copy of all that changes, as others wait."""
        return self._state.copy().memory

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Any]) -> dict[str, Any]:
        """The family's fields of a snapshot of what was `_kept`, with these open duels."""
        return {
            "options": self._options,
            "memory": {name: snapshots.listed(part) for name, part in kept._asdict().items()},
            "notes": [note.tolist() for note in notes],
        }

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The learner that the snapshot was taken from; `sparring.restore` calls this."""
        fields = snapshots.Fields(snapshot, cls.KIND)
        K = fields.read("K", arms)
        learner = cls._restored(fields, K)
        learner._seed = fields.read("seed", streams.seed_from_json)
        latest = fields.read("t", lambda t: checks.whole("t", t, low=0))
        differ = learner.differ
        book = learner._book = OpenDuels(fields.read("id", str), latest=latest)
        book.differ = differ
        duels = fields.array("open", np.int64, (None, cls.COLUMNS)).tolist()
        for t, row, col, *_ in duels:
            fields.demand("open", 0 < t <= latest and 0 <= row < K and 0 <= col < K)
        learner._restore_book(fields, [t for t, *_ in duels])
        for (t, row, col, *_), note in zip(duels, learner._notes(fields, duels), strict=True):
            book.enter(t, row, col, learner._shown(note), note)
        fields.verify(learner.snapshot())
        return learner

    def _restore_book(self, fields: snapshots.Fields, waiting: list[int]) -> None:
        """Names, earlier numbers of arms, lost rounds and the recipe, where there are any."""
        book = self._book
        if fields.has("names"):
            names = fields.read("names", lambda names: checks.names("names", names))
            fields.demand("names", len(names) == self._K)
            book.names = tuple(names)
        if fields.has("earlier"):
            earlier = fields.array("earlier", np.int64, (None, 3)).tolist()
            book.earlier = {t: (row, col) for t, row, col in earlier}
        if fields.has("lost"):
            lost = fields.array("lost", np.int64, (None, 2)).tolist()
            for first, last in lost:
                apart = not any(first <= t <= last for t in waiting)
                fields.demand("lost", 0 < first <= last <= book.latest and apart)
            book.lost = [(first, last) for first, last in lost]
        self._recipe = fields.read("recipe", _recipe) if fields.has("recipe") else None

    @classmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        """A learner with the state in these fields, all checked; the book comes later."""
        # First of all the sizes: those of a damaged snapshot might not fit into memory.
        room = fields.read("memory", lambda parts: max(map(snapshots.count, parts.values())))
        fields.demand("K", room >= K - 1)
        fields.demand("options", fields.read("options", lambda it: cls._largest(K, **it)) <= room)
        learner = fields.read("options", lambda it: cls(K, **it, seed=0))
        fields.demand_names("options", learner._options)
        memory = learner._memory
        found = fields.read("memory", lambda parts: snapshots.arrays(parts, memory._asdict()))
        learner._state = State.of(memory._make(found), learner._state.clock)
        fields.demand("memory", bool(learner._memory.words.any()) and learner._possible())
        return learner

    def _notes(self, fields: snapshots.Fields, duels: list[list[int]]) -> Iterable[Any]:
        """The notes of these open duels, all checked."""
        found = fields.array("notes", np.float64, (len(duels), self._note))
        notes = [note.copy() for note in found]
        for (_, row, col), note in zip(duels, notes, strict=True):
            fields.demand("notes", self._fits(row, col, note))
        return notes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by snapshot: a copy answers for the same open duels."""
        return type(self).from_snapshot, (self.snapshot(),)


def restore(snapshot: dict[str, Any]) -> OnlineLearner:
    """The learner that a snapshot was taken from; it continues bit for bit, with its open duels.

    Snapshots of earlier versions are converted.

    Examples
    --------
    >>> import json, sparring
    >>> learner = sparring.dex3s(K=10, T=1_000_000, S=10, seed=7)
    >>> duel = learner.ask()
    >>> copy = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    >>> copy.tell(duel, 1.0)
    """
    snapshot = snapshots.migrate(snapshot)
    kind = snapshots.kind_of(snapshot)
    if kind not in KINDS:
        raise SnapshotError(
            f"the snapshot is of an unknown kind of learner, {short(kind)}: known are "
            f"{sorted(KINDS)}. Import the module that defines a learner of your own first"
        )
    learner: OnlineLearner = KINDS[kind].from_snapshot(snapshot)
    return learner


def regrouped(
    old: NDArray[Any], new: NDArray[Any], axes: Sequence[int], before: list[int | None]
) -> None:
    """Copy what is known of the arms that stay; arms lie along these axes."""
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


def _recipe(parts: Any) -> Recipe:
    name, options = parts
    if name not in LEARNERS or not isinstance(options, dict):
        raise ValueError(f"no recipe: {short(parts)}")
    return Recipe(name, options)
