"""Worlds of given matrices: one fixed matrix, one without a winner, and a recorded history."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks, preferences
from sparring.problem import Block, rounds
from sparring.worlds.forms import long_form
from sparring.worlds.protocol import Still, Value, World, beginnings, cut
from sparring.worlds.registry import register
from sparring.worlds.sheets import read_sheet


@register
@dataclass(frozen=True)
class Cyclic(Still, World):
    """Rock, paper, scissors for K >= 3 arms: there is no Condorcet winner.

    An odd number of arms stand in a circle, and each beats the half behind it with chance
    (1 + gap) / 2; if K is even, the last arm loses to all. Against every pair of arms the best
    response gains at least gap / 4, so no learner's regret to the best response of each round is
    below T gap / 4 (errata E5).

    Examples
    --------
    >>> from sparring import preferences
    >>> [preferences.irreducible(Cyclic(K=K, T=1).matrix) for K in (3, 4, 9)]
    [0.25, 0.25, 0.25]
    """

    gap: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.K < 3:
            raise checks.refuse("K", "at least 3", self.K, "Two arms make no cycle")
        self._set("gap", checks.real("gap", self.gap, low=0, high=1))

    @property
    def matrix(self) -> NDArray[np.float64]:
        """P, which holds for all rounds."""
        circle = self.K - 1 + self.K % 2
        behind = (np.arange(circle)[None, :] - np.arange(circle)[:, None]) % circle
        P = np.full((self.K, self.K), 0.5 + self.gap / 2)  # all beat the last, if it is left over
        P[-1] = 0.5 - self.gap / 2
        wins = (behind >= 1) & (behind <= circle // 2)
        P[:circle, :circle] = 0.5 + np.where(wins, 0.5, -0.5) * self.gap
        np.fill_diagonal(P, 0.5)
        return P

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """The one path there is."""
        yield Block(self.matrix[None], np.array([self.T]))


class Given(Value):
    """What worlds made of arrays share: they are values, compared and hashed by their contents."""

    label: str | None

    @property
    def name(self) -> str:
        """The label, or what tells these matrices from others."""
        return super().name if self.label is None else str(self.label)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by its arguments, since a copied array could be written to."""
        return _remake, (type(self), self._fields())

    def _content(self) -> tuple[Any, ...]:
        """All that makes the world, hashable."""
        return tuple(
            (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value
            for value in self._fields().values()
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._content() == self._content()

    def __hash__(self) -> int:
        return hash(self._content())


@register
@dataclass(frozen=True, eq=False, repr=False)
class Constant(Still, Given):
    """One matrix for all rounds.

    Examples
    --------
    >>> Constant([[0.5, 0.7], [0.3, 0.5]], T=100)
    Constant(K=2, T=100)
    """

    P: Any
    T: int
    label: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._set("P", _frozen("P", self.P))
        if self.P.ndim != 2:
            remedy = "Recorded takes several"
            raise checks.refuse("P", "one matrix", checks.Shown(f"shape {self.P.shape}"), remedy)
        self._set("T", rounds(self.T))

    def __repr__(self) -> str:
        return f"Constant(K={self.K}, T={self.T})"

    @property
    def K(self) -> int:
        """Number of arms."""
        return int(self.P.shape[0])

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """The one path there is."""
        yield Block(self.P[None].copy(), np.array([self.T]))


@register
@dataclass(frozen=True, eq=False, repr=False)
class Recorded(Given):
    """A history of matrices, stretched over T rounds.

    Parameters
    ----------
    matrices
        (periods, K, K), in time order.
    T
        Number of rounds.
    interpolate
        If False, round t has matrix floor((t - 1) periods / T), so not all are used if T is below
        their number. If True, entries move in straight lines from the middle of one period to the
        middle of the next.
    arms
        Names of the arms.
    label
        What tables call this world, instead of a digest of its matrices.

    Examples
    --------
    >>> matrices = [[[0.5, 0.7], [0.3, 0.5]], [[0.5, 0.4], [0.6, 0.5]]]
    >>> world = Recorded(matrices, T=1000, arms=("tea", "coffee"))
    >>> world.S, world
    (2, Recorded(K=2, T=1000, periods=2, interpolate=False))
    """

    matrices: Any
    T: int
    interpolate: bool = field(default=False, kw_only=True)
    arms: Sequence[str] | None = field(default=None, kw_only=True)
    label: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._set("matrices", _frozen("matrices", self.matrices))
        if self.matrices.ndim != 3:
            found = checks.Shown(f"shape {self.matrices.shape}")
            raise checks.refuse("matrices", "of shape (periods, K, K)", found, "Constant takes one")
        self._set("T", rounds(self.T))
        self._set("interpolate", checks.flag("interpolate", self.interpolate))
        if self.arms is not None:
            several = isinstance(self.arms, Iterable) and not isinstance(self.arms, str)
            names = tuple(str(name) for name in self.arms) if several else ()
            if not len(names) == len(set(names)) == self.K:
                raise checks.refuse("arms", f"{self.K} different names", names or self.arms)
            self._set("arms", names)

    @classmethod
    def from_csv(
        cls, path: str | Path, T: int, *, column: str | None = None, interpolate: bool = False
    ) -> "Recorded":
        """Read a table in long form, one row for each period and pair: `period, i, j, p`.

        p is the chance that i beats j. Periods and arms come in the order in which they first
        appear. If the file has other columns, `column` says which one holds p.
        """
        arms, matrices, column = long_form(read_sheet(Path(path)), column)
        label = f"{Path(path).stem} {column}" + (", interpolated" if interpolate else "")
        return cls(matrices, T, interpolate=interpolate, arms=arms, label=label)

    def __repr__(self) -> str:
        sizes = f"K={self.K}, T={self.T}, periods={len(self.matrices)}"
        return f"Recorded({sizes}, interpolate={self.interpolate})"

    @property
    def K(self) -> int:
        """Number of arms."""
        return int(self.matrices.shape[1])

    @cached_property
    def S(self) -> int | None:
        """Segments; None if entries move all the time."""
        return None if self.changes is None else 1 + len(self.changes)

    @cached_property
    def changes(self) -> tuple[int, ...] | None:
        """The rounds, from 1, in which another matrix begins; None if entries move all the time.

        Equal neighbours are one segment.
        """
        if self.interpolate:
            return None
        hold = self._hold()
        shown = self.matrices[hold > 0]
        new = (shown[1:] != shown[:-1]).any(axis=(1, 2))
        return tuple(np.array(beginnings(hold[hold > 0]), np.int64)[new].tolist())

    @cached_property
    def winner_changes(self) -> tuple[int, ...] | None:
        """The rounds, from 1, in which the best arm is no longer the best; None as for `changes`.

        The best is as in `preferences.best_arms`. Of several that tie, the one that stays best
        longest counts, so following a best arm takes no more changes than this.
        """
        if self.changes is None:
            return None
        hold = self._hold()
        best = preferences.best_arms(self.matrices[hold > 0])
        still, found = best[0], list[int]()
        for start, now in zip(beginnings(hold[hold > 0]), best[1:], strict=True):
            if not (still & now).any():
                found.append(start)
                still = now
            still = still & now
        return tuple(found)

    @cached_property
    def V_T(self) -> float | None:
        """The variation over all periods, no less than that of the path; None with segments."""
        if not self.interpolate:
            return None
        steps = np.abs(np.diff(self.matrices, axis=0)).max(axis=(1, 2), initial=0.0)
        return min(float(steps.sum()), float(self.T))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """The one path there is."""
        if self.interpolate:
            for start, stop in cut(self.T, self.K):
                P = self._between(np.arange(start, stop))
                yield Block(P, np.ones(stop - start, np.int64))
        else:
            hold = self._hold()
            shown = np.flatnonzero(hold)
            for start, stop in cut(len(shown), self.K):
                yield Block(self.matrices[shown[start:stop]], hold[shown[start:stop]])

    def _hold(self) -> NDArray[np.int64]:
        """How many rounds each period lasts: period m begins with round ceil(m T / periods)."""
        periods = len(self.matrices)
        return np.diff([-(-m * self.T // periods) for m in range(periods + 1)]).astype(np.int64)

    def _between(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        """The matrices of rounds t, from 0."""
        last = len(self.matrices) - 1
        x = np.clip((t + 0.5) * (last + 1) / self.T - 0.5, 0, last)
        m = np.minimum(x.astype(np.int64), max(last - 1, 0))
        share = (x - m)[:, None, None]
        here, there = self.matrices[m], self.matrices[np.minimum(m + 1, last)]
        return np.asarray(here + share * (there - here))  # between equals nothing moves


def _remake(world: Any, arguments: dict[str, Any]) -> Any:
    return world(**arguments)


def _frozen(name: str, P: Any) -> NDArray[np.float64]:
    """A checked copy that cannot be written."""
    copy = preferences.valid(P, name).copy()
    copy.flags.writeable = False
    return copy
