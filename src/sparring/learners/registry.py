"""The registry: learners by name, and their families by the kind of their snapshots."""

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from sparring import checks
from sparring.learners.gone import GONE
from sparring.learners.protocol import Learner

Function = TypeVar("Function", bound=Callable[..., Learner])

LEARNERS: dict[str, Callable[..., Learner]] = {}
"""Every learner of the package by name, in the order in which `sparring.learners` imports them."""

PLAIN: dict[str, Callable[..., Learner]] = {}
"""The learners that can be planned for an epoch, and so be inside one that restarts."""

KINDS: dict[str, type[Any]] = {}
"""Every family by its KIND; `Frame` enters its subclasses when they are defined."""


class Recipe(NamedTuple):
    """How a learner was made by name: enough to make another for more or fewer arms."""

    name: str
    options: dict[str, Any]
    """All but K and seed, as JSON."""

    def follow(self, K: int) -> Learner:
        """A new learner of K arms."""
        return LEARNERS[self.name](K, **self.options, seed=0)


def register(function: Function, *, plain: bool = True) -> Function:
    """Enter a learner under the name of its function; use it as a decorator.

    The learner remembers how it was made, if JSON can hold that.
    """
    if function.__name__ in GONE:
        rule = "one that no earlier release had for another learner"
        raise checks.refuse("the name of a learner", rule, function.__name__)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def make(*args: Any, **options: Any) -> Learner:
        learner: Any = function(*args, **options)
        given = _given(signature.bind(*args, **options))
        try:
            if json.loads(json.dumps(given)) == given:
                learner._recipe = Recipe(function.__name__, given)
        except (AttributeError, TypeError, ValueError):
            pass  # made of what JSON cannot hold: it keeps its numbers when its arms change
        return cast(Learner, learner)

    _enter(LEARNERS, function.__name__, make)
    if plain:
        PLAIN[function.__name__] = make
    return cast(Function, make)


def _given(bound: inspect.BoundArguments) -> dict[str, Any]:
    """The arguments of a learner by name, except K and seed, with Python's own numbers."""
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        collects = bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
        found |= value if collects else {name: value}
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in found.items()
        if name not in ("K", "seed")
    }


def register_unplanned(function: Function) -> Function:
    """`register` for a learner that no epoch can be planned for, or that is made of another."""
    return register(function, plain=False)


def register_family(family: type[Any], kind: str) -> None:
    """Enter a family, so that `sparring.restore` reads its snapshots."""
    _enter(KINDS, kind, family)


def is_own(learner: object) -> bool:
    """Whether the learner is one of this package's own."""
    family = type(learner)
    return family.__module__.startswith("sparring.") and family in KINDS.values()


def _enter(entries: dict[str, Any], name: str, entry: Any) -> None:
    """Enter under a new name; a module that is loaded again may repeat its entry."""
    known = entries.get(name, entry)
    if (known.__module__, known.__qualname__) != (entry.__module__, entry.__qualname__):
        raise ValueError(f"{name!r} is taken by {known.__module__}.{known.__qualname__}")
    entries[name] = entry
