"""How bad input is refused: each message gives name, rule, value and remedy."""

import difflib
import math
import operator
import sys
import warnings
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind")

FEW = 8  # names that an error lists, although it knows which one was meant


class DuelError(ValueError):
    """A duel that this learner did not ask, or that is no longer open."""


class SnapshotError(ValueError):
    """A snapshot of another version, or one that was damaged."""


class UnknownNameError(ValueError):
    """A name that is not known; the message suggests the nearest."""


class SimulationError(RuntimeError):
    """An entrant or a world failed; the message says which, in which run and which round."""


class TheoremWarning(UserWarning):
    """The parameters can be used, but the theorem was not proved for them."""


def warn(message: str) -> None:
    """Give a TheoremWarning at the line outside this package that led here."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sparring."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, TheoremWarning, stacklevel=level)


class Shown(str):
    """What is wrong with a value, to be shown instead of the value."""


def short(value: object, length: int = 80) -> str:
    """A value as one short line, whatever its `repr` does."""
    try:
        shown = str(value) if isinstance(value, Shown) else repr(value)
    except ValueError:  # Python writes no whole number of more than a few thousand digits
        shown = "a huge number"
    except Exception:
        shown = f"a {type(value).__name__} without a repr"
    shown = " ".join(shown.split())
    return shown if len(shown) <= length else f"{shown[: length - 3]}..."


def refuse(name: str, rule: str, value: object, remedy: str = "") -> ValueError:
    """The error for a bad argument, to be raised by the caller."""
    shown = short(value)
    return ValueError(f"{name} must be {rule}; got {shown}" + (f". {remedy}" if remedy else ""))


def unknown(name: str, value: object, known: Iterable[str], remedy: str = "") -> UnknownNameError:
    """The error for a name that is not known; it suggests the nearest."""
    names = list(known)
    advice = meant(str(value), names)
    # With many names it would drown.
    shown = f"{len(names)} names" if advice and len(names) > FEW else names
    advice = " ".join(filter(None, (advice, remedy)))
    return UnknownNameError(str(refuse(name, f"one of {shown}", value, advice)))


def meant(value: str, known: Iterable[str]) -> str:
    """A question with the nearest names, or nothing."""
    close = nearest(value, known)
    return f"Did you mean {' or '.join(map(repr, close))}?" if close else ""


def nearest(value: str, known: Iterable[str]) -> list[str]:
    """Up to three names that may have been meant, the likeliest first.

    Examples
    --------
    >>> nearest("--s", ["--S", "--scale", "--seed"]), nearest("dex", ["rex3", "dex3p", "dex3s"])
    (['--S'], ['dex3p', 'dex3s'])
    """
    names = list(known)
    same = [name for name in names if name.casefold() == value.casefold()]
    if same:
        return same
    begun = [name for name in names if value and name.startswith(value)]
    # Dashes would make all options alike: --left is not near --quiet.
    bare = {name.lstrip("-"): name for name in names}
    close = difflib.get_close_matches(value.lstrip("-"), bare, n=3)
    return list(dict.fromkeys([*begun, *(bare[name] for name in close)]))[:3]


def whole(
    name: str, value: Any, *, low: int | None, high: int | None = None, remedy: str = ""
) -> int:
    """A whole number of at least `low`; 1e6 will do, True and 2.5 will not."""
    rule = "a whole number" + ("" if low is None else f" of at least {low}")
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise refuse(name, rule, value, remedy) from None
    if isinstance(value, (bool, np.bool_)) or (low is not None and number < low):
        raise refuse(name, rule, value, remedy)
    if high is not None and number > high:
        raise refuse(name, f"at most {high:g}", value)
    return number


def real(name: str, value: Any, *, low: float, high: float, remedy: str = "") -> float:
    """A finite number in [low, high]; True and False count as 1 and 0."""
    rule = (
        f"a number in [{low:g}, {high:g}]"
        if math.isfinite(high)
        else f"a number of at least {low:g}"
    )
    texts = (str, bytes, bytearray, memoryview)
    kind = getattr(getattr(value, "dtype", None), "kind", "f")  # of NumPy's scalars and arrays
    if isinstance(value, texts) or kind not in "biuf":
        raise refuse(name, rule, value, remedy)
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        raise refuse(name, rule, value, remedy) from None
    if not (math.isfinite(number) and low <= number <= high):
        raise refuse(name, rule, value, remedy)
    return number


def outcome(value: Any) -> float:
    """The outcome of a duel, in [0, 1]."""
    if type(value) is float and 0.0 <= value <= 1.0:  # as most are, and every tell comes here
        return value
    remedy = "1 is a win of the row arm, 0 of the column arm, 0.5 a tie"
    return real("outcome", value, low=0, high=1, remedy=remedy)


LONGEST_NAME = 200
TIE = "tie"


def text(name: str, value: Any) -> str:
    """Text that can be a name."""
    rule = f"text of 1 to {LONGEST_NAME} characters"
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        raise refuse(name, rule, value)
    if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value):
        raise refuse(name, rule, value, "Files cannot hold a null, nor half a character of UTF-16")
    return value


def names(name: str, values: Any) -> list[str]:
    """Names of arms, all different."""
    if isinstance(values, str):
        raise refuse(name, "a list of names", values, f"Did you mean [{values!r}, ...]?")
    try:
        given = list(values)
    except TypeError:
        raise refuse(name, "a list of names", values, 'Such as ["plain", "polite"]') from None
    found = [text(name, value) for value in given]
    seen = set[str]()
    for value in found:
        if value in seen:
            raise refuse(name, "names that differ", value, "It is there twice")
        if value == TIE:
            raise refuse(name, f"names other than {TIE!r}", value, "That is an answer")
        seen.add(value)
    return found


def flag(name: str, value: Any) -> bool:
    """True or False, and nothing that is merely truthy."""
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(name, "True or False", value)
    return bool(value)


def instance(name: str, value: Any, kind: type[Kind], remedy: str) -> Kind:
    """The value, if it is of the kind."""
    if not isinstance(value, kind):
        raise refuse(name, f"a sparring.{kind.__name__}", value, remedy)
    return value


def array(name: str, value: Any, dtype: type, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """A C-ordered, writeable array of the dtype and shape; None in the shape stands for any length.

    There is one layout and one dtype, since kernels are compiled again for each further one.
    """
    ready = type(value) is np.ndarray and value.dtype == dtype and value.flags.carray
    if ready and _fits(value.shape, shape):
        return value  # type: ignore[no-any-return]
    kind = "whole numbers" if np.issubdtype(dtype, np.integer) else "numbers"
    lengths = ", ".join("any" if n is None else str(n) for n in shape)
    rule = f"an array of {kind} of shape ({lengths})"
    if isinstance(value, np.ma.MaskedArray):
        raise refuse(name, rule, Shown("a masked array"), "Fill or drop the masked entries")
    try:
        given = np.asarray(value)
    except ValueError:  # a ragged list
        raise refuse(name, rule, value) from None
    if given.dtype == object and dtype is np.float64:  # whole numbers beyond 64 bits, from JSON
        try:
            given = np.asarray(value, np.float64)
        except (OverflowError, TypeError, ValueError):
            raise refuse(name, rule, value) from None
    if given.shape == (0,) and shape[0] in (None, 0):  # an empty list has no shape of its own
        given = np.empty([n or 0 for n in shape], dtype)
    if given.dtype.kind not in "biuf" or (dtype is np.int64 and given.dtype.kind == "f"):
        raise refuse(name, rule, Shown(f"dtype {given.dtype}"))
    if not _fits(given.shape, shape):
        one_short = given.ndim == len(shape) - 1 and _fits((1, *given.shape), shape)
        remedy = f"For a single one pass {name.split('.')[-1]}[None]" if one_short else ""
        raise refuse(name, rule, Shown(f"shape {given.shape}"), remedy)
    return np.require(given, dtype=dtype, requirements=["C", "A", "W"])


def _fits(given: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    if len(given) != len(wanted):
        return False
    for n, m in zip(wanted, given, strict=True):  # noqa: SIM110  a plain loop takes a third
        if n is not None and n != m:
            return False
    return True
