"""How bad input is refused: each message gives name, rule, value and remedy."""

import math
import operator
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DuelError(ValueError):
    """A duel that this learner did not ask, or that is no longer open."""


class SnapshotError(ValueError):
    """A snapshot of another version, or one that was damaged."""


class TheoremWarning(UserWarning):
    """The parameters are usable, but outside what the theorem was proved for."""


def warn(message: str) -> None:
    """Give a TheoremWarning at the line outside this package that led here."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sparring."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, TheoremWarning, stacklevel=level)


def refuse(name: str, rule: str, value: object, remedy: str = "") -> ValueError:
    """The error for a bad argument, to be raised by the caller."""
    try:
        shown = repr(value)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        shown = "a huge number"
    if len(shown) > 80:
        shown = f"{shown[:77]}..."
    return ValueError(f"{name} must be {rule}; got {shown}" + (f". {remedy}" if remedy else ""))


def whole(
    name: str, value: Any, *, low: int | None, high: int | None = None, remedy: str = ""
) -> int:
    """A whole number of at least `low`; 1e6 will do, True and 2.5 will not."""
    rule = "a whole number" + ("" if low is None else f" of at least {low}")
    rule += "" if high is None else f" and at most {high:g}"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise refuse(name, rule, value, remedy) from None
    too_low, too_high = low is not None and number < low, high is not None and number > high
    if isinstance(value, (bool, np.bool_)) or too_low or too_high:
        raise refuse(name, rule, value, remedy)
    return number


def real(name: str, value: Any, *, low: float, high: float, remedy: str = "") -> float:
    """A finite number in [low, high]; True and False count as 1 and 0."""
    rule = (
        f"a number in [{low:g}, {high:g}]"
        if math.isfinite(high)
        else f"a number of at least {low:g}"
    )
    if isinstance(value, (str, bytes)):
        raise refuse(name, rule, value, remedy)
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        raise refuse(name, rule, value, remedy) from None
    if not (math.isfinite(number) and low <= number <= high):
        raise refuse(name, rule, value, remedy)
    return number


def array(name: str, value: Any, dtype: type, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """A C-ordered, writeable array of the dtype and shape; None in the shape stands for any length.

    One layout and one dtype, since each further kind would compile its own machine code.
    """
    ready = type(value) is np.ndarray and value.dtype == dtype and value.flags.carray
    if ready and _fits(value.shape, shape):
        return value  # type: ignore[no-any-return]
    kind = "whole numbers" if np.issubdtype(dtype, np.integer) else "numbers"
    lengths = ", ".join("any" if n is None else str(n) for n in shape)
    rule = f"an array of {kind} of shape ({lengths})"
    if isinstance(value, np.ma.MaskedArray):
        raise refuse(name, rule, "a masked array", "Fill or drop what is masked")
    try:
        given = np.asarray(value)
    except ValueError:  # a ragged list
        raise refuse(name, rule, value) from None
    if given.size == 0 and shape[0] is None:  # an empty list has no shape of its own
        given = np.empty([n or 0 for n in shape], dtype)
    if given.dtype.kind not in "biuf" or (dtype is np.int64 and given.dtype.kind == "f"):
        raise refuse(name, rule, f"dtype {given.dtype}")
    if not _fits(given.shape, shape):
        raise refuse(name, rule, f"shape {given.shape}")
    return np.require(given, dtype=dtype, requirements=["C", "A", "W"])


def _fits(given: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(given) == len(wanted) and all(
        n is None or n == m for n, m in zip(wanted, given, strict=True)
    )
