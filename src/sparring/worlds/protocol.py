"""What a world is: a description of P_1, ..., P_T that yields them as blocks when asked."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring.problem import Block, arms, rounds, segments
from sparring.segments import lengths

BLOCK_BYTES = 3_000_000  # of matrices in a block: more would not stay near the processor
LONGEST_BLOCK = 4096  # matrices
UNNAMED = ("K", "T", "arms", "label")  # fields that do not go into the name of a world


@runtime_checkable
class PreferenceSequence(Protocol):
    """A world: K, T and a generator of blocks.

    If it has attributes `S` or `V_T`, a learner may know them in advance: `simulate` passes them on
    in the `Problem`. If matrices can change only in fixed rounds, `changes` lists these, counted
    from 1; no learner is told. If something happens to answers on their way, `answers` says what,
    as in `Late`. `sparring.testing.check_world` checks whether a class keeps the protocol.
    """

    @property
    def K(self) -> int:
        """Number of arms."""
        ...

    @property
    def T(self) -> int:
        """Number of rounds."""
        ...

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path: blocks of matrices whose holds sum to T; all randomness comes from rng."""
        ...


def name_of(world: PreferenceSequence) -> str:
    """What a table calls a world: its `name`, or its class."""
    return str(getattr(world, "name", type(world).__name__))


def shown(world: PreferenceSequence) -> str:
    """What a message calls a world: its `repr`, or its name if the `repr` is just an address."""
    if type(world).__repr__ is object.__repr__:
        return name_of(world)
    return checks.short(world, 200)


class Value:
    """What all worlds of this package are: immutable values, with a name for tables."""

    def _set(self, name: str, value: Any) -> None:
        """Store a checked argument, which a frozen dataclass allows only like this."""
        object.__setattr__(self, name, value)

    def _fields(self) -> dict[str, Any]:
        """What the world was made of."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """The world without its K and T, for which tables have their own columns."""
        named = {key: value for key, value in self._fields().items() if key not in UNNAMED}
        parts = [f"{key}={brief(value)!r}" for key, value in named.items() if value is not None]
        return f"{type(self).__name__}({', '.join(parts)})"

    def to_json(self) -> dict[str, Any]:
        """The world as a dictionary for `json.dumps`; `world_from_json` makes it again."""
        plain = {key: _listed(value) for key, value in self._fields().items()}
        return {"world": type(self).__name__, **plain}


class Still:
    """What worlds with one matrix for all rounds share."""

    @property
    def S(self) -> int:
        """Segments: 1."""
        return 1

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds in which another matrix begins: none."""
        return ()


def _listed(value: Any) -> Any:
    """A list in place of an array or a tuple, for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def brief(value: Any) -> Any:
    """A digest in place of an array, which tells it from others."""
    if not isinstance(value, np.ndarray):
        return value
    return hashlib.sha256(value.tobytes()).hexdigest()[:8]


@dataclass(frozen=True)
class World(Value):
    """What worlds described by numbers share: two sizes."""

    K: int
    T: int

    def __post_init__(self) -> None:
        self._set("K", arms(self.K))
        self._set("T", rounds(self.T))


@dataclass(frozen=True)
class Segmented(World):
    """What worlds with a matrix for each of S segments share."""

    S: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("S", segments(self.S, self.T))

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds, from 1, in which another matrix may begin."""
        return beginnings(self._hold(0, self.S))

    def _hold(self, start: int, stop: int) -> NDArray[np.int64]:
        """The lengths of segments start, ..., stop - 1."""
        return lengths(start, stop, self.T, self.S)


def beginnings(hold: NDArray[np.int64]) -> tuple[int, ...]:
    """The first rounds, counted from 1, of all segments of these lengths but the first."""
    return tuple((1 + np.cumsum(hold[:-1])).tolist())


def pairs(K: int) -> int:
    """Entries above the diagonal."""
    return K * (K - 1) // 2


def block_length(K: int) -> int:
    """How many matrices of K arms make a block."""
    return min(max(BLOCK_BYTES // (8 * K * K), 1), LONGEST_BLOCK)


def cut(total: int, K: int) -> Iterator[tuple[int, int]]:
    """The ranges of matrices that make the blocks of a path of this many matrices."""
    length = block_length(K)
    for start in range(0, total, length):
        yield start, min(start + length, total)
