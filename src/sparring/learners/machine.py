"""Machine: a learner whose memory is a tuple of arrays and whose rounds are compiled."""

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring._kernels import draws
from sparring.learners import blocks, snapshots
from sparring.learners.bookkeeping import Bookkeeping, refused_chance, told
from sparring.learners.duels import OpenDuels
from sparring.problem import Block, Duel, Plays, arms

Memory = tuple[NDArray[Any], ...]


class Kernels(Protocol):
    """What a machine runs on: a module of `_kernels` with these three.

    `note` is what an answer needs of the moment of asking, kept with the duel until it comes.
    """

    def ask(self, memory: Memory, note: NDArray[np.float64], numbers: Any) -> tuple[int, int]:
        """Choose the row and the column arm, and fill the note."""
        ...

    def tell(
        self, o: float, row: int, col: int, note: NDArray[np.float64], memory: Memory, numbers: Any
    ) -> None:
        """Learn the outcome o of a duel asked with this note."""
        ...

    def play(
        self,
        P: NDArray[np.float64],
        hold: NDArray[np.int64],
        coins: NDArray[np.float64],
        rows: NDArray[np.int64],
        cols: NDArray[np.int64],
        memory: Memory,
        note: NDArray[np.float64],
        numbers: Any,
    ) -> int:
        """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
        ...


class Built(NamedTuple):
    """A machine's parts."""

    memory: Any
    """A named tuple of arrays, one of them `words`, the random state: all that changes."""
    numbers: Any
    """A named tuple of what tunes it."""
    players: int
    """1 or 2 distributions the arms are drawn from, independently; 0 if they are coupled."""
    note: int
    """How many numbers an open duel keeps; with players, their distributions."""


class Machine(Bookkeeping):
    """A learner whose memory is a tuple of arrays and whose rounds are compiled.

    A subclass has a KIND, its KERNELS, and says in `_build` what it is made of.

    Parameters
    ----------
    K
        Number of arms.
    options
        What else makes it, by name, as JSON has it.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.
    """

    KERNELS: ClassVar[Kernels]

    def __init__(self, K: int, options: dict[str, Any], seed: streams.Seed) -> None:
        super().__init__(K, seed)
        self._options = options
        built = self._build(**options)
        built.memory.words[:] = draws.seeded(self._rng)
        self._memory, self._numbers = built.memory, tuple(built.numbers)
        self._players, self._note = built.players, built.note
        self._notes: dict[int, NDArray[np.float64]] = {}

    @abstractmethod
    def _build(self, **options: Any) -> Built:
        """The parts for these options, all checked."""

    @abstractmethod
    def _possible(self) -> bool:
        """Whether kernels can work on this memory: of a damaged snapshot it may be anything."""

    def _distributions(self) -> NDArray[np.float64]:
        """(players, K): what the next `ask` draws from."""
        return np.empty((0, self.K))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        state = f"t={self.t}, {len(self.open)} open"
        return f"<{type(self).__name__} K={self.K}{options}; {state}>"

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K), read-only: what the next `ask` draws from; no row if arms are coupled."""
        with self._turn:
            p = self._distributions().copy()
        p.flags.writeable = False
        return p

    def ask(self) -> Duel:
        """Choose the next pair."""
        with self._turn:
            note = np.empty(self._note)
            row, col = self.KERNELS.ask(tuple(self._memory), note, self._numbers)
            self._t += 1
            return self._enter(self._t, row, col, note)

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn the outcome of a duel, as of the moment it was asked.

        Parameters
        ----------
        duel
            What `ask` returned. Answers may come late and in any order; each duel is told once.
        outcome
            1 if the row arm won, 0 if the column arm did, 0.5 for a tie; anything in [0, 1].
        """
        o = told(outcome)
        with self._turn:
            asked = self._book.find(duel)
            note = self._notes[asked.t]
            memory = tuple(self._memory)
            self.KERNELS.tell(o, asked.row, asked.col, note, memory, self._numbers)
            self._book.close(asked)
            del self._notes[asked.t]

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all asked before a round; returns how many were dropped.

        Call it now and then where answers may never come, and memory stays bounded.
        """
        with self._turn:
            dropped = self._book.forget(duel, before=before)
            if duel is not None:  # one at a time, thousands must not take the square of that
                del self._notes[duel.t]
            else:
                self._notes = {t: self._notes[t] for t in self.open}
        return dropped

    def play(self, block: Block, coins: NDArray[np.float64], *, out: Plays | None = None) -> Plays:
        """Play a whole block; to the last bit what asking and telling would do.

        Parameters
        ----------
        block
            P of shape (m, K, K) and hold of shape (m,), the rounds each matrix lasts.
        coins
            One number in [0, 1] a round: the row arm wins if it is below P[row, col].
        out
            Arrays to fill and return, one entry a round; new ones if None.
        """
        (P, hold), coins = blocks.checked(block, coins, self.K)
        rows, cols = out = blocks.room(out, len(coins))
        with self._turn:
            memory = self._memory._make(array.copy() for array in self._memory)
            note = np.empty(self._note)
            played = self.KERNELS.play(
                P, hold, coins, rows, cols, tuple(memory), note, self._numbers
            )
            if played < len(coins):
                raise refused_chance(P, hold, rows, cols, played)
            self._memory = memory
            self._t += played
        return out

    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; `sparring.restore` goes on from it."""
        with self._turn:
            duels = self._book.duels.values()
            fields = {
                "id": self._book.owner,
                "K": self.K,
                "options": self._options,
                "t": self.t,
                "memory": {name: _listed(part) for name, part in self._memory._asdict().items()},
                "seed": streams.seed_to_json(self._seed),
                "open": [[duel.t, duel.row, duel.col] for duel in duels],
                "notes": [self._notes[duel.t].tolist() for duel in duels],
            }
        return snapshots.seal(self.KIND, fields)

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The learner a snapshot was taken of; `sparring.restore` calls this."""
        fields = snapshots.Fields(snapshot, cls.KIND)
        K = fields.read("K", arms)
        # Some part has an entry for each arm but one: a damaged K might not fit into memory.
        fields.demand("K", fields.read("memory", _widest) >= K - 1)
        learner = fields.read("options", lambda options: cls(K, **options, seed=0))
        learner._memory = fields.read("memory", learner._remembered)
        fields.demand("memory", bool(learner._memory.words.any()) and learner._possible())
        learner._seed = fields.read("seed", streams.seed_from_json)
        learner._t = fields.read("t", lambda t: checks.whole("t", t, low=0))
        learner._book = OpenDuels(fields.read("id", str), latest=learner.t)
        duels = fields.array("open", np.int64, (None, 3)).tolist()
        notes = fields.array("notes", np.float64, (len(duels), learner._note))
        for (t, row, col), note in zip(duels, notes, strict=True):
            fields.demand("open", 0 < t <= learner.t and 0 <= row < K and 0 <= col < K)
            learner._enter(t, row, col, note.copy())
        fields.verify(learner.snapshot())
        return learner

    def _enter(self, t: int, row: int, col: int, note: NDArray[np.float64]) -> Duel:
        """Enter a duel into the book, its note beside it."""
        self._notes[t] = note
        p = note[: self._players * self.K].reshape(self._players, self.K)
        return self._book.open(t, row, col, p)

    def _remembered(self, parts: dict[str, Any]) -> Any:
        """A memory from a snapshot, of the shapes it has to have."""
        if parts.keys() != self._memory._asdict().keys():
            raise ValueError(f"it has {sorted(parts)}")
        return self._memory._make(
            _array(name, parts[name], like) for name, like in self._memory._asdict().items()
        )


def _widest(parts: dict[str, Any]) -> int:
    """The length of the longest list in the memory of a snapshot, lists in lists by their first."""
    widest = 0
    for part in parts.values():
        while isinstance(part, list) and part:
            widest, part = max(widest, len(part)), part[0]
    return widest


def _listed(part: NDArray[Any]) -> Any:
    """An array as lists; words as text, since JSON elsewhere has 53 bits."""
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
