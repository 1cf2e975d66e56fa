"""Arms described by features, whose weights drift: contexts that change in every round."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.problem import Block, segments
from sparring.segments import lengths
from sparring.worlds.protocol import World, cut
from sparring.worlds.registry import register

CHUNK = 1024  # rounds whose features are drawn at once, from a stream of their own
MOST_NUMBERS = 20_000  # K times d: a chunk has no more than 164 MB


@register
@dataclass(frozen=True)
class LinearUtilities(World):
    """Each round has new features X (K, d), and P(i, j) = 1 / (1 + exp(-(x(i) - x(j)) theta)).

    Features are standard normal, divided by sqrt(d), and known to all: they come from the seed
    `contexts` and not from the path, so that a learner can get them (`features`). The weights theta
    have length `scale`. They are drawn again for each of S segments, or, with walk=True, turn
    slowly from one direction to the next. A learner is told neither.

    Examples
    --------
    >>> world = LinearUtilities(K=5, T=1000, d=3, segments=2)
    >>> world.features(10, 12).shape
    (2, 5, 3)
    >>> next(world.blocks(np.random.default_rng(1))).P.shape
    (1000, 5, 5)
    """

    d: int
    segments: int = 1
    walk: bool = False
    scale: float = 4.0
    contexts: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("d", checks.whole("d", self.d, low=1, high=1000))
        if self.K * self.d > MOST_NUMBERS:
            found = checks.Shown(f"{self.K:,} times {self.d:,}")
            raise checks.refuse("K times d", f"at most {MOST_NUMBERS:,}", found)
        self._set("segments", segments(self.segments, self.T))
        self._set("walk", checks.flag("walk", self.walk))
        self._set("scale", checks.real("scale", self.scale, low=0, high=100))
        self._set("contexts", checks.whole("contexts", self.contexts, low=0, high=2**63 - 1))

    def features(self, start: int, stop: int) -> NDArray[np.float64]:
        """(stop - start, K, d): the features of rounds start + 1, ..., stop."""
        chunks = range(start // CHUNK, -(-stop // CHUNK))
        drawn = [self._chunk(number) for number in chunks]
        first = chunks.start * CHUNK
        return np.concatenate(drawn)[start - first : stop - first]

    def _chunk(self, number: int) -> NDArray[np.float64]:
        # In the place of T stands d: features of more rounds begin with those of fewer.
        seed = self.contexts
        rng = streams.keyed(seed, "contexts", experiment="", K=self.K, T=self.d, run=number)
        return np.asarray(rng.standard_normal((CHUNK, self.K, self.d)) / np.sqrt(self.d))

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path, with one matrix for each round."""
        turns = self._directions(rng)
        for start, stop in cut(self.T, self.K):
            theta = self._weights(np.arange(start, stop), turns)
            u = np.einsum("tkd,td->tk", self.features(start, stop), theta)
            P = 0.5 + 0.5 * np.tanh(0.5 * (u[:, :, None] - u[:, None, :]))
            yield Block(P, np.ones(stop - start, np.int64))

    def _directions(self, rng: Generator) -> NDArray[np.float64]:
        """(segments, d), one more for a walk: unit vectors."""
        drawn = rng.standard_normal((self.segments + int(self.walk), self.d))
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))

    def _weights(self, t: NDArray[np.int64], turns: NDArray[np.float64]) -> NDArray[np.float64]:
        """theta of rounds t, from 0."""
        ends = np.cumsum(lengths(0, self.segments, self.T, self.segments))
        segment = np.searchsorted(ends, t, side="right")
        if not self.walk:
            return np.asarray(self.scale * turns[segment])
        begins = np.concatenate([[0], ends[:-1]])
        share = ((t - begins[segment]) / (ends - begins)[segment])[:, None]
        mixed = (1 - share) * turns[segment] + share * turns[segment + 1]
        norm = np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9)
        return np.asarray(self.scale * mixed / norm)
