"""Compiled: the frame of learners whose state is arrays and whose rounds are compiled."""

from abc import abstractmethod
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring._kernels import draws
from sparring.durations import Moment
from sparring.learners import adopting, blocks, changing, snapshots
from sparring.learners.frame import Frame
from sparring.learners.journal import machine_code
from sparring.problem import Block, Duel, Plays

# The most numbers an array of a learner may have that is made to check a snapshot; None for any.
ROOM: ContextVar[int | None] = ContextVar("ROOM", default=None)

State = tuple[NDArray[Any], ...]
Note = NDArray[np.float64]


class Kernels(Protocol):
    """What a compiled learner runs on: a module with these three functions.

    `note` holds what the answer will need from the moment of asking; it is kept with the duel.
    """

    def ask(self, memory: State, note: Note, numbers: Any) -> tuple[int, int]:
        """Choose the row and the column arm, and fill the note."""
        ...

    def tell(self, o: float, row: int, col: int, note: Note, memory: State, numbers: Any) -> None:
        """Learn the outcome o of a duel asked with this note."""
        ...

    def play(
        self,
        P: NDArray[np.float64],
        hold: NDArray[np.int64],
        coins: NDArray[np.float64],
        rows: NDArray[np.int64],
        cols: NDArray[np.int64],
        memory: State,
        note: Note,
        numbers: Any,
    ) -> int:
        """Ask and tell for each coin.

        Returns the rounds played, fewer if an entry of P is not a probability.
        """
        ...


class Built(NamedTuple):
    """The parts of a compiled learner."""

    memory: Any
    """A named tuple of arrays, one of them `words`, the random state: all that changes."""
    numbers: Any
    """A named tuple of what tunes it."""
    players: int
    """1 or 2 distributions the arms are drawn from, independently; 0 if they are coupled."""
    note: int
    """How many numbers an open duel keeps; with players, their distributions come first."""


class Compiled(Frame):
    """A learner whose memory is a tuple of arrays and whose rounds are compiled.

    A subclass has a KIND and KERNELS. It says in `_build` what it is made of, in `_possible` which
    memory its kernels can work on, and in `_largest` how large its largest array is, if that grows
    with more than K. With players, `_distributions` shows what they draw from.
    docs/compiled_learner.py is a small one to copy.

    Parameters
    ----------
    K
        Number of arms.
    options
        Its other options by name, as JSON.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.
    """

    KERNELS: ClassVar[Kernels]
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = None
    """The axes of its arrays along which the arms lie; None if arms cannot change."""
    WATCHES: ClassVar[bool] = False
    """Whether it can learn from duels that others chose, given p."""

    def __init__(self, K: int, options: dict[str, Any], seed: streams.Seed) -> None:
        super().__init__(K, seed)
        room, largest = ROOM.get(), self._largest(self.K, **options)
        if room is not None and largest > room:
            raise checks.refuse("its largest array", f"at most {room:,} numbers", largest)
        self._options = options
        built = self._build(**options)
        built.memory.words[:] = draws.seeded(self._rng)
        self._numbers = tuple(built.numbers)
        self._players, self._note = built.players, built.note
        self._adopt(built.memory)
        self._coupled = np.empty((0, self.K))
        self._coupled.flags.writeable = False

    @abstractmethod
    def _build(self, *_: Any, **options: Any) -> Built:
        """The parts for these options, all checked."""

    @abstractmethod
    def _possible(self) -> bool:
        """Whether kernels can work on this memory; a damaged snapshot may hold anything."""

    @classmethod
    def _largest(cls, K: int, *_: Any, **options: Any) -> int:
        """How many numbers the largest array of the memory has, so that no snapshot claims more."""
        return K - 1

    def _size(self) -> int:
        return max(int(part.size) for part in self._memory)

    def _fits(self, row: int, col: int, note: Note) -> bool:
        """Whether a duel of these arms can have been asked with this note."""
        return True

    def _distributions(self) -> NDArray[np.float64]:
        return self._coupled

    def _state(self) -> Any:
        return self._memory

    def _adopt(self, state: Any) -> None:
        self._memory = state
        self._arrays = tuple(state)  # as the kernels take it: it costs time to make one each round

    def _copied_memory(self) -> Any:
        return self._memory._make(array.copy() for array in self._memory)

    def _choose(self, t: int) -> Duel:
        note, code = np.empty(self._note), machine_code(self.KERNELS.ask)
        copy = self._copied_memory() if code is None else None
        arguments = (self._arrays if copy is None else tuple(copy), note, self._numbers)
        duel: Duel = self._do(self._asked, (t, note, copy), code or self.KERNELS.ask, arguments)
        return duel

    def glimpse(self) -> tuple[int, int]:
        """The arms of the duel that `ask` would choose, entered nowhere; its luck moves on.

        What `ask` and `forget` would do at once, but that no round passes.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.tracker(3, differ=True, seed=1)
        >>> row, col = learner.glimpse()
        >>> row != col, learner.t
        (True, 0)
        """
        note, code = np.empty(self._note), machine_code(self.KERNELS.ask)
        with self._turn:
            self._settle()
            copy = self._copied_memory() if code is None else None
            arguments = (self._arrays if copy is None else tuple(copy), note, self._numbers)
            chosen: tuple[int, int] = self._do(
                self._glimpsed, copy, code or self.KERNELS.ask, arguments
            )
            return chosen

    def teach(self, row: int, col: int, outcome: float) -> None:
        """Learn from a duel that somebody else chose and that is answered: `watch` and `tell`.

        No round passes. Learners with a `p` need it, so they are not taught.

        Parameters
        ----------
        row, col
            The positions of its arms.
        outcome
            1 if the row arm won, 0 if the column arm did, 0.5 for a tie; anything in [0, 1].

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.learners.double_thompson(3, seed=1)
        >>> learner.teach(0, 2, 1.0)
        >>> int(learner.wins[0, 2]), learner.t
        (1, 0)
        """
        high, o = self._K - 1, checks.outcome(outcome)
        row = checks.whole("row", row, low=0, high=high)
        col = checks.whole("col", col, low=0, high=high)
        with self._turn:
            self._settle()
            note, code = self._note_of(row, col, None), machine_code(self.KERNELS.tell)
            copy = self._copied_memory() if code is None else None
            arrays = self._arrays if copy is None else tuple(copy)
            arguments = (o, row, col, note, arrays, self._numbers)
            self._do(self._taught, copy, code or self.KERNELS.tell, arguments)

    def _glimpsed(self, copy: Any, chosen: tuple[int, int]) -> tuple[int, int]:
        """Finish looking; may be repeated."""
        if copy is not None:
            self._adopt(copy)
        row, col = chosen
        return int(row), int(col)

    def _taught(self, copy: Any, _: None) -> None:
        """Finish teaching; may be repeated."""
        if copy is not None:
            self._adopt(copy)

    def _asked(self, kept: tuple[int, Note, Any], chosen: tuple[int, int]) -> Duel:
        t, note, copy = kept
        row, col = chosen
        if copy is not None:
            self._adopt(copy)
            row, col = int(row), int(col)  # without the compiler they are NumPy's
        return self._book.enter(t, row, col, self._shown(note), note)

    def _shown(self, note: Note) -> NDArray[np.float64]:
        if not self._players:
            return self._coupled
        p = note[: self._players * self._K].reshape(self._players, self._K)
        p.flags.writeable = False
        return p

    def _learn(self, o: float, asked: Duel, note: Note, at: Moment | None) -> None:
        code = machine_code(self.KERNELS.tell)
        copy = self._copied_memory() if code is None else None
        arrays = self._arrays if copy is None else tuple(copy)
        arguments = (o, asked.row, asked.col, note, arrays, self._numbers)
        self._do(self._learnt, (asked, copy), code or self.KERNELS.tell, arguments)

    def _learnt(self, kept: tuple[Duel, Any], _: None) -> None:
        asked, copy = kept
        if copy is not None:
            self._adopt(copy)
        self._book.close(asked)

    def _play(self, block: Block, coins: NDArray[np.float64], out: Plays) -> Any:
        memory, note = self._copied_memory(), np.empty(self._note)
        played = self.KERNELS.play(*block, coins, *out, tuple(memory), note, self._numbers)
        if played < len(coins):
            raise blocks.refused_chance(block, out, played)
        return memory

    def _note_of(self, row: int, col: int, p: Any) -> Note:
        if not self.WATCHES or self._note != self._players * self.K:
            return super()._note_of(row, col, p)  # type: ignore[no-any-return]
        if not self._players:
            return np.empty(0)
        note = adopting.distributions(p, self._players, self.K, 0.0).ravel()
        if not self._fits(row, col, note):
            raise checks.refuse("p", "what this learner could have drawn the arms from", p)
        return note

    def _alike(self, K: int) -> Self:
        return type(self)(K, **self._options, seed=0)

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        if self.ARMS is None:
            super()._inherit(heir, before, boost)
            return
        for name, old in self._memory._asdict().items():
            new = getattr(heir._memory, name)
            if name in self.ARMS:
                changing.regrouped(old, new, self.ARMS[name], before)
            elif old.shape == new.shape:
                new[...] = old
        self._put_in_order(heir, before, boost)

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        """Put the heir's memory in order; it has what is known of the arms that stay."""

    def _renoted(self, note: Note, before: list[int | None]) -> Note:
        players, K = self._players, len(before)
        p = np.zeros((players, K))
        changing.regrouped(note[: players * self.K].reshape(players, self.K), p, (1,), before)
        return np.concatenate([p.ravel(), note[players * self.K :]])

    def _described(self) -> str:
        return "".join(f", {name}={value!r}" for name, value in self._options.items())

    def _kept(self) -> Any:
        return self._copied_memory()

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Note]) -> dict[str, Any]:
        return {
            "options": self._options,
            "memory": {name: _listed(part) for name, part in kept._asdict().items()},
            "notes": [note.tolist() for note in notes],
        }

    @classmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        # First of all the sizes: those of a damaged snapshot might not fit into memory.
        room = fields.read("memory", lambda parts: max(map(_count, parts.values())))
        fields.demand("K", room >= K - 1)
        fields.demand("options", fields.read("options", lambda it: cls._largest(K, **it)) <= room)
        learner = fields.read("options", lambda options: cls(K, **options, seed=0))
        fields.demand_names("options", learner._options)
        learner._adopt(fields.read("memory", learner._remembered))
        fields.demand("memory", bool(learner._memory.words.any()) and learner._possible())
        return learner

    def _notes(self, fields: snapshots.Fields, duels: list[list[int]]) -> Iterable[Note]:
        notes = [
            note.copy() for note in fields.array("notes", np.float64, (len(duels), self._note))
        ]
        for (_, row, col), note in zip(duels, notes, strict=True):
            fields.demand("notes", self._fits(row, col, note))
        return notes

    def _remembered(self, parts: dict[str, Any]) -> Any:
        """A memory from a snapshot, with the right shapes."""
        if parts.keys() != self._memory._asdict().keys():
            raise ValueError(f"it has {sorted(parts)}")
        return self._memory._make(
            _array(name, parts[name], like) for name, like in self._memory._asdict().items()
        )


def _count(part: Any) -> int:
    """How many numbers lists in lists hold."""
    if not isinstance(part, list):
        return 1
    return len(part) if not part or not isinstance(part[0], list) else sum(map(_count, part))


def _listed(part: NDArray[Any]) -> Any:
    """An array as lists; words as text, since other readers of JSON keep only 53 bits."""
    return [hex(word) for word in part.tolist()] if part.dtype == np.uint64 else part.tolist()


def _array(name: str, values: Any, like: NDArray[Any]) -> NDArray[Any]:
    """The array that `_listed` wrote, finite and of the shape and kind it had."""
    if like.dtype == np.uint64:
        words = np.array([int(word, 16) for word in values], np.uint64)
        return checks.array(name, words, np.uint64, like.shape)
    array = checks.array(name, values, like.dtype.type, like.shape)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    return array
