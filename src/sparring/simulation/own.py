"""Learners of somebody's own by the name module:function, and what tells one text from another."""

import hashlib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparring import checks


def function(name: str) -> Callable[..., Any]:
    """What makes the learner: it is called with a Problem and a Generator."""
    rule = "module:function, which Python can import"
    module, _, attribute = name.partition(":")
    remedy = f"Start where {module or 'the module'}.py is, or install it"
    if module.endswith(".py"):
        remedy = f"Leave out .py: {module.removesuffix('.py')}:{attribute}"
    if not (module.isprintable() and all(module.split("."))):
        raise checks.refuse("learner", rule, name, remedy)
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # one that the module itself needs
        raise checks.refuse("learner", rule, name, remedy) from None
    for part in attribute.split("."):
        found = getattr(found, part, None)  # type: ignore[assignment]
    if not callable(found):
        remedy = f"{module} has no function or class {attribute!r}"
        raise checks.refuse("learner", rule, name, remedy)
    return found


# What each name stands for, and its digest: who edits the file later still runs the old text.
_known: dict[str, tuple[Any, str]] = {}


def digest(name: str) -> str:
    """Of the file that the module is in, as it was when the function was first asked for."""
    found = function(name)
    if name not in _known or _known[name][0] is not found:
        file = getattr(sys.modules[name.partition(":")[0]], "__file__", None)
        text = Path(file).read_bytes() if file else b""
        _known[name] = found, hashlib.sha256(text).hexdigest()[:16]
    return _known[name][1]
