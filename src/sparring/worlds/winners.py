"""Worlds with a winner that changes: hard instances of Sec. 5, fresh matrices, newcomers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks
from sparring.problem import Block, segments
from sparring.segments import boundary, lengths
from sparring.worlds.hard import FAMILIES, hardest, lower_bound
from sparring.worlds.protocol import Segmented, World, beginnings, cut, pairs
from sparring.worlds.registry import register


@register
@dataclass(frozen=True)
class CondorcetSwitches(World):
    """Sec. 5: in each segment a random arm beats all others with chance 1/2 + epsilon.

    In the paper's family the winner is one of the arms 1, ..., K - 1, and arm 0 beats all other
    arms with chance 1/2 + epsilon; it needs three arms. In the simple family any arm may win and
    all other pairs tie. Give S, the number of segments, or V_T, the variation they may use. Unless
    given, epsilon, and with V_T the number of segments, are those of the highest lower bound
    (docs/errata.md, E7 and E9).

    Examples
    --------
    >>> world = CondorcetSwitches(K=10, T=10_000, S=10)
    >>> world.segments, round(world.margin, 4)
    (10, 0.0297)
    >>> CondorcetSwitches(K=10, T=10_000, V_T=1).segments
    17
    """

    S: int | None = None
    V_T: float | None = None
    family: str = "simple"
    epsilon: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.S is None) == (self.V_T is None):
            raise ValueError(f"give S or V_T, one of them; got S={self.S!r}, V_T={self.V_T!r}")
        if not isinstance(self.family, str) or self.family not in FAMILIES:
            raise checks.refuse("family", f"one of {sorted(FAMILIES)}", self.family)
        if self.family == "paper" and self.K < 3:
            raise checks.refuse("K", "at least 3 in the paper's family", self.K)
        if self.S is not None:
            self._set("S", segments(self.S, self.T))
        else:
            self._set("V_T", checks.real("V_T", self.V_T, low=0, high=self.T))
        if self.epsilon is not None:
            self._set("epsilon", positive("epsilon", self.epsilon))

    @property
    def margin(self) -> float:
        """Epsilon: by how much a winner's chance exceeds 1/2."""
        return self._instance()[0]

    @property
    def segments(self) -> int:
        """Into how many segments the rounds are divided."""
        return self._instance()[1]

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds, from 1, in which another matrix may begin."""
        return beginnings(lengths(0, self.segments, self.T, self.segments))

    @property
    def lower_bound(self) -> float:
        """A lower bound on every learner's expected regret to the winners (errata E7 and E9)."""
        return lower_bound(self.family, self.K, self.T, self.segments, self.margin)

    def _instance(self) -> tuple[float, int]:
        return hardest(self.family, self.K, self.T, self.S, self.V_T, self.epsilon)

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each segment; neighbours may have the same winner."""
        first = 1 if self.family == "paper" else 0
        epsilon, total = self._instance()
        for start, stop in cut(total, self.K):
            winners = first + (rng.random(stop - start) * (self.K - first)).astype(np.int64)
            P = np.full((stop - start, self.K, self.K), 0.5)
            if first == 1:
                crown(P, np.zeros_like(winners), 0.5 + epsilon)
            crown(P, winners, 0.5 + epsilon)
            yield Block(P, lengths(start, stop, self.T, total))


@register
@dataclass(frozen=True)
class FreshWinner(Segmented):
    """S segments, each with a new matrix and a new Condorcet winner: switches that matter.

    The winner, never that of the segment before, beats every arm with chance 1/2 + margin. The
    other entries are uniform in [1/2 - margin, 1/2 + margin]. So the winner has the highest Borda
    score and dominates: no arm does better against any opponent.

    Examples
    --------
    >>> FreshWinner(K=5, T=1000, S=4).margin
    0.2
    """

    margin: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("margin", positive("margin", self.margin))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each segment."""
        for start, stop, P in fresh(self.K, self.S, self.margin, rng):
            yield Block(P, self._hold(start, stop))


@register
@dataclass(frozen=True)
class Storm(Segmented):
    """Calm, then a storm: one segment of round(calm T) rounds, and S - 1 equal ones in the rest.

    The matrices are those of `FreshWinner`. A learner that has settled in the calm must notice that
    it is over; a learner that keeps exploring for the storm pays for it in the calm.

    Examples
    --------
    >>> Storm(K=5, T=1000, S=5).changes
    (501, 626, 751, 876)
    """

    calm: float = 0.5
    margin: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("calm", checks.real("calm", self.calm, low=0, high=1))
        self._set("margin", positive("margin", self.margin))
        remedy = "S counts segments: the calm and those of the storm"
        self._set("S", checks.whole("S", self.S, low=2, remedy=remedy))
        calm = self._before(1)
        if not 1 <= calm <= self.T - self.S + 1:
            found = checks.Shown(f"{self.calm!r}, {calm} of T = {self.T} rounds")
            rule = f"such that it and each of the {self.S - 1} segments behind it have a round"
            raise checks.refuse("calm", rule, found, "Take a larger T or a smaller S")

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each segment."""
        for start, stop, P in fresh(self.K, self.S, self.margin, rng):
            yield Block(P, self._hold(start, stop))

    def _hold(self, start: int, stop: int) -> NDArray[np.int64]:
        """The lengths of segments start, ..., stop - 1."""
        return np.diff([self._before(s) for s in range(start, stop + 1)]).astype(np.int64)

    def _before(self, s: int) -> int:
        """Rounds before segment s, from 0; the calm is segment 0."""
        if s == 0:
            return 0
        # From the decimals, for any T: 0.61 of 150 rounds are 91.5, though the double is below.
        calm = math.floor(Fraction(str(self.calm)) * self.T + Fraction(1, 2))
        return calm + boundary(s - 1, self.T - calm, self.S - 1)


@register
@dataclass(frozen=True)
class Newcomer(Segmented):
    """S segments, and at the beginning of each but the first a weak arm rises to the top.

    The arms rise one after the other in a random order, each once, so S is at most K. An arm that
    has risen beats, with chance 1/2 + margin, all that have not risen and all that rose before it;
    arms yet to rise tie. So the newest has the highest Borda score and dominates. The past does not
    tell which arm is next: a change shows only in duels with the one arm that rises, which had lost
    to the leaders until then.

    Examples
    --------
    >>> world = Newcomer(K=3, T=900, S=3)
    >>> world.changes
    (301, 601)
    >>> P = next(world.blocks(np.random.default_rng(0))).P
    >>> [int(P[s].mean(axis=1).argmax()) for s in range(3)]
    [2, 0, 1]
    """

    margin: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.S > self.K:
            raise checks.refuse("S", f"at most K = {self.K}", self.S, "Each arm rises once")
        self._set("margin", positive("margin", self.margin))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each segment."""
        order = rng.permutation(self.K)
        for start, stop in cut(self.S, self.K):
            P = np.full((stop - start, self.K, self.K), 0.5)
            for segment in range(stop):  # whoever rises later is crowned over the others
                since = P[max(segment - start, 0) :]
                crown(since, np.full(len(since), order[segment]), 0.5 + self.margin)
            yield Block(P, self._hold(start, stop))


def fresh(
    K: int, total: int, margin: float, rng: Generator
) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """The matrices of fresh winners, in pieces: from which segment, to which, and P."""
    winner = int(rng.random() * K)
    above = np.triu_indices(K, 1)
    for start, stop in cut(total, K):
        # One row of uniforms a segment, so that the path does not depend on the blocks.
        u = rng.random((stop - start, 1 + pairs(K)))
        winners = (winner + np.cumsum(1 + (u[:, 0] * (K - 1)).astype(np.int64))) % K
        winner = int(winners[-1])
        P = np.full((stop - start, K, K), 0.5)
        P[:, above[0], above[1]] = 0.5 + margin * (2 * u[:, 1:] - 1)
        P[:, above[1], above[0]] = 1 - P[:, above[0], above[1]]
        crown(P, winners, 0.5 + margin)
        yield start, stop, P


def crown(P: NDArray[np.float64], winners: NDArray[np.int64], chance: float) -> None:
    """Make winners[m] beat every other arm of P[m] with this chance."""
    every = np.arange(len(P))
    P[every, winners, :] = chance
    P[every, :, winners] = 1 - chance
    P[every, winners, winners] = 0.5


def positive(name: str, margin: float) -> float:
    """A margin, checked: it is at most 1/2, since probabilities end at 1."""
    number = checks.real(name, margin, low=0, high=0.5)
    if 0.5 + number == 0.5:
        raise checks.refuse(name, "above 0, and not lost beside 1/2", number, "No arm would win")
    return number
