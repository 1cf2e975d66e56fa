"""Sums: what a certificate remembers of its duels, in constant size."""

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.certificates._estimates import COUPLING
from sparring.learners.snapshots import Fields
from sparring.problem import LONGEST

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the duels, for G values of beta and K arms."""

    rounds: int
    segments: int
    unanswered: int
    """Duels of different arms that were asked and not answered, where only answered ones count."""
    coupling: Floats
    """(11,): bets that the arms are coupled, as `certificates._estimates` describes."""
    variance: Floats
    """(K,): 16 times that of the estimate's error, at most."""
    wins: Floats
    """(K,): importance-weighted wins, halved."""
    inverse: Floats
    """(K,): 1/p+ + 1/p-."""
    estimate: Floats
    """(K,): of the regret, on the segment that is open."""
    charges: Floats
    """(G, K): (psi+ + psi-) / 2, on the segment that is open."""
    past_estimate: Floats
    past_charges: Floats
    closed: Floats
    """(G,): the largest sums of an arm on the segments before."""

    @classmethod
    def zero(cls, G: int, K: int) -> "Sums":
        """Before the first duel."""
        arrays = {name: np.zeros(shape) for name, shape in _shapes(G, K).items()}
        return cls(rounds=0, segments=1, unanswered=0, **arrays)

    def copy(self) -> "Sums":
        """A copy with its own arrays where the kernel adds to them."""
        growing = ("estimate", "variance", "wins", "inverse", "charges", "coupling")
        return replace(self, **{name: getattr(self, name).copy() for name in growing})

    def growing(self) -> tuple[Floats, ...]:
        """What the kernel adds to, in its order."""
        return (
            self.estimate,
            self.variance,
            self.wins,
            self.inverse,
            self.charges,
            self.coupling,
        )

    def to_json(self) -> dict[str, Any]:
        """The sums for a snapshot; None stands for infinity, which JSON cannot say."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: _plain(value) if isinstance(value, np.ndarray) else value
            for name, value in found.items()
        }

    @classmethod
    def from_json(cls, snapshot: Fields, G: int, K: int) -> "Sums":
        """The sums of a snapshot; some are infinite if an arm had probability 0."""
        found: dict[str, Any] = {
            name: snapshot.read(name, partial(checks.whole, name, low=low, high=LONGEST))
            for name, low in (("rounds", 0), ("segments", 1), ("unanswered", 0))
        }
        for name, shape in _shapes(G, K).items():
            array = snapshot.read(name, _floats)
            snapshot.demand(name, array.shape == shape and bool((array > -np.inf).all()))
            found[name] = array
        return cls(**found)


def _plain(array: Floats) -> Any:
    found = array.astype(object)
    found[~np.isfinite(array)] = None
    return found.tolist()


def _floats(values: Any) -> Floats:
    """An array of numbers, of which None is infinity."""
    array = np.array(values, object)
    array[array == None] = np.inf  # noqa: E711  element by element
    return array.astype(np.float64)


def _shapes(G: int, K: int) -> dict[str, tuple[int, ...]]:
    return {
        "coupling": (COUPLING,),
        "variance": (K,),
        "wins": (K,),
        "inverse": (K,),
        "estimate": (K,),
        "charges": (G, K),
        "past_estimate": (K,),
        "past_charges": (G, K),
        "closed": (G,),
    }
