"""The registry: learners by name, and their families by the kind of their snapshots."""

from collections.abc import Callable
from typing import Any, TypeVar

from sparring.learners.protocol import Learner

Function = TypeVar("Function", bound=Callable[..., Learner])

LEARNERS: dict[str, Callable[..., Learner]] = {}
"""Every learner of the package by name, in the order in which `sparring.learners` imports them."""

PLAIN: dict[str, Callable[..., Learner]] = {}
"""Those that can be planned for an epoch, and so be the learner inside of one that restarts."""

KINDS: dict[str, type[Any]] = {}
"""Every family by its KIND; `Frame` enters its subclasses when they are defined."""


def register(function: Function, *, plain: bool = True) -> Function:
    """Enter a learner under the name of its function; use it as a decorator."""
    _enter(LEARNERS, function.__name__, function)
    if plain:
        PLAIN[function.__name__] = function
    return function


def register_unplanned(function: Function) -> Function:
    """`register` for a learner that no epoch can be planned for, or that is made of another."""
    return register(function, plain=False)


def register_family(family: type[Any], kind: str) -> None:
    """Enter a family, whose snapshots `sparring.restore` then reads."""
    _enter(KINDS, kind, family)


def is_own(learner: object) -> bool:
    """Whether the learner is one of this package's as it was shipped."""
    family = type(learner)
    return family.__module__.startswith("sparring.") and family in KINDS.values()


def _enter(entries: dict[str, Any], name: str, entry: Any) -> None:
    """Enter under a new name, or again what a module entered that is loaded a second time."""
    known = entries.get(name, entry)
    if (known.__module__, known.__qualname__) != (entry.__module__, entry.__qualname__):
        raise ValueError(f"{name!r} is taken by {known.__module__}.{known.__qualname__}")
    entries[name] = entry
