"""Your own learners and worlds by module:name, and digests that tell versions apart."""

import hashlib
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sparring import checks

Options = tuple[tuple[str, Any], ...]


def function(name: str, what: str = "learner") -> Callable[..., Any]:
    """The function or class that makes the learner or the world."""
    found: Callable[..., Any] = attribute(name, what)
    if not callable(found):
        raise _nothing(name, what)
    return found


def attribute(name: str, what: str) -> Any:
    """What module:name stands for."""
    rule = "module:function, which Python can import"
    module, _, inside = name.partition(":")
    remedy = f"Start where {module or 'the module'}.py is, or install it"
    if module.endswith(".py"):
        remedy = f"Leave out .py: {module.removesuffix('.py')}:{inside}"
    if not (module.isprintable() and all(module.split("."))):
        raise checks.refuse(what, rule, name, remedy)
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # one that the module itself needs
        raise checks.refuse(what, rule, name, remedy) from None
    for part in inside.split("."):
        found = getattr(found, part, None)  # type: ignore[assignment]
    if found is None:
        raise _nothing(name, what)
    return found


def _nothing(name: str, what: str) -> ValueError:
    module, _, inside = name.partition(":")
    remedy = f"{module} has no function or class {inside!r}"
    return checks.refuse(what, "module:function, which Python can import", name, remedy)


# What each name stands for, and its digest: who edits the file later still runs the old text.
_known: dict[str, tuple[Any, str]] = {}


def digest(name: str, what: str = "learner") -> str:
    """A digest of the module's file and of the file that defines the function, when first used."""
    found = function(name, what)
    if name not in _known or _known[name][0] is not found:
        homes = dict.fromkeys((name.partition(":")[0], getattr(found, "__module__", "")))
        files = [getattr(sys.modules.get(home), "__file__", None) for home in homes]
        text = b"".join(Path(file).read_bytes() for file in files if file)
        _known[name] = found, hashlib.sha256(text).hexdigest()[:16]
    return _known[name][1]


def unchanged(name: str, source: str, value: Any, what: str = "learner") -> Callable[..., Any]:
    """The function, if its text is still the one from which `value` was made."""
    maker = function(name, what)
    if digest(name, what) != source:
        rule, remedy = f"as it was when {value!r} was made", "Make it again"
        raise checks.refuse("the file", rule, checks.Shown("another text"), remedy)
    return maker


def plain(options: dict[str, Any]) -> Options:
    """Options as a value: sorted by name, with arrays and lists as tuples.

    Examples
    --------
    >>> plain({"window": 500, "rates": [0.1, 0.2]})
    (('rates', (0.1, 0.2)), ('window', 500))
    """
    return tuple(sorted((name, _plain(value)) for name, value in options.items()))


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    return tuple(map(_plain, value)) if isinstance(value, (list, tuple)) else value


def demand_json(options: Options) -> None:
    """Refuse options that would not come back from JSON as they are."""
    for name, value in options:
        try:
            same = hash(value) == hash(_plain(json.loads(json.dumps(value, allow_nan=False))))
        except (TypeError, ValueError):
            same = False
        if not same:
            rule = "a number, a text, True, False, None or a list of these"
            raise checks.refuse(f"option {name!r}", rule, value)


def called(options: Options) -> str:
    """Options as you would type them.

    Examples
    --------
    >>> called((("memory", 2000),))
    'memory=2000'
    """
    return ", ".join(f"{name}={value!r}" for name, value in options)
