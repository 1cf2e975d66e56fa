"""What a bound is, and how one formula for numbers also serves arrays."""

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring import checks

Number = Any  # a float, or an array of them where sizes were arrays
Found = TypeVar("Found", bound=tuple[Any, ...])


class Bound(NamedTuple):
    """One bound on a regret."""

    value: Number
    """The smaller of the bound and the trivial one."""
    raw: Number
    """The bound as its formula gives it; infinite if a condition fails."""
    trivial: Number
    """What no learner exceeds: T/2, and T for Borda regret."""
    vacuous: Number
    """Whether the bound says no more than the trivial one."""

    @classmethod
    def of(cls, raw: float, trivial: float) -> "Bound":
        """The bound from its formula's value."""
        return cls(min(raw, trivial), raw, trivial, raw >= trivial)


class Upper(NamedTuple):
    """Upper bounds on a learner's regret, in four senses, and what the paper printed."""

    probable: Bound
    """With probability 1 - delta, for every choice of arms on segments fixed in advance."""
    hindsight_cuts: Bound
    """With probability 1 - delta, for every choice of arms and of the cuts between segments."""
    mean: Bound
    """The mean of the regret to the best arms on segments fixed in advance."""
    mean_fixed: Bound
    """The mean of the regret to a comparator fixed in advance."""
    printed: Bound
    """As the paper's proof prints it, claimed with probability 1 - delta; may be wrong."""
    tuning: Any
    """The tuning it is about; None if there is none for this problem."""
    unmet: Any
    """A condition that the tuning does not meet, or why there is none; empty if all is well."""
    block: Any
    """Rounds in a block of the comparator, for a continuous variation; otherwise 0. That of
    `probable` if that is bounded."""

    @classmethod
    def none(cls, trivial: float, why: str) -> "Upper":
        """The result if there is no tuning."""
        nothing = Bound.of(math.inf, trivial)
        return cls(nothing, nothing, nothing, nothing, nothing, None, why, 0)


SENSES = ("probable", "hindsight_cuts", "mean", "mean_fixed", "printed")


class PrintedLower(NamedTuple):
    """A lower bound as the paper's proof prints it."""

    value: Number
    epsilon: Number
    length: Number
    """Rounds in a segment; not always a whole number, and not always at least one."""
    reached: Number
    """A mean regret that is reached there: by one candidate, always against itself."""
    refuted: Number
    """Whether the printed value is above that."""


class Lower(NamedTuple):
    """A lower bound on every learner's mean regret, averaged over the instances of a family."""

    value: Number
    epsilon: Number
    """The margin of the Condorcet winner there."""
    length: Number
    """Rounds of the longest segment."""
    segments: Number
    printed: PrintedLower


def over_arrays(function: Callable[..., Found]) -> Callable[..., Found]:
    """Let a function of numbers take arrays of sizes and return arrays in every field."""
    parameters = inspect.signature(function).parameters
    sizes = [name for name in parameters if name in ("K", "T", "S", "V_T", "delta")]

    @functools.wraps(function)
    def broadcast(*given: Any, **options: Any) -> Found:
        bound = inspect.signature(function).bind(*given, **options)
        bound.apply_defaults()
        arguments = bound.arguments
        arrays = {name: _size(name, arguments[name]) for name in sizes}
        if not any(array.ndim for array in arrays.values()):
            return function(**{**arguments, **{name: it.item() for name, it in arrays.items()}})
        try:
            together = np.broadcast(*arrays.values())
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise ValueError(f"sizes must have shapes that fit together; got {shapes}") from None
        found = [
            function(**{**arguments, **dict(zip(sizes, point, strict=True))}) for point in together
        ]
        if not found:
            raise checks.refuse("sizes", "one or more", checks.Shown("none"))
        stacked: Found = _stack(found, together.shape)
        return stacked

    return broadcast


def _size(name: str, value: Any) -> NDArray[Any]:
    """A size, or many of them, as an array; other things are left to later checks."""
    if isinstance(value, np.ma.MaskedArray):
        remedy = "Drop the masked entries"
        raise checks.refuse(name, "numbers", checks.Shown("a masked array"), remedy)
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        raise checks.refuse(name, "a number or an array of numbers", value) from None
    if array.ndim and array.dtype.kind not in "iuf":
        raise checks.refuse(name, "numbers", checks.Shown(f"dtype {array.dtype}"))
    if array.ndim == 0 and array.dtype.kind not in "iuf":
        array = np.empty((), object)
        array[()] = value
    return array


def _stack(found: list[Any], shape: tuple[int, ...]) -> Any:
    """The same field of all of them in one array."""
    if isinstance(found[0], tuple):
        kind: Any = type(found[0])
        return kind(*(_stack(list(field), shape) for field in zip(*found, strict=True)))
    if isinstance(found[0], (bool, int, float)):
        return np.array(found).reshape(shape)
    objects = np.empty(len(found), object)
    objects[:] = found
    return objects.reshape(shape)
