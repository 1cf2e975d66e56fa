"""The registry: worlds by name, and from JSON."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from sparring import checks
from sparring.worlds.protocol import PreferenceSequence

Kind = TypeVar("Kind", bound=type[Any])

_worlds: dict[str, type[Any]] = {}

WORLDS: Mapping[str, type[Any]] = MappingProxyType(_worlds)
"""Every world by the name of its class, in the order in which `sparring.worlds` imports them."""


def register(world: Kind) -> Kind:
    """Enter a world under the name of its class; use it as a decorator."""
    name = world.__name__
    if _worlds.setdefault(name, world).__module__ != world.__module__:
        raise ValueError(f"{name!r} is taken by {_worlds[name].__module__}.{name}")
    _worlds[name] = world
    return world


def is_own(world: PreferenceSequence) -> bool:
    """Whether the world is one of this package's own, whose blocks need no check."""
    kind = type(world)
    ours = kind.__module__.startswith("sparring.") and kind in WORLDS.values()
    inside = getattr(world, "inside", None)  # whose blocks they are, if there is one
    return ours and "blocks" not in vars(world) and (inside is None or is_own(inside))


def world_from_json(fields: dict[str, Any]) -> PreferenceSequence:
    """The world that its `to_json` described.

    Examples
    --------
    >>> from sparring import GaussianWalk
    >>> world_from_json(GaussianWalk(K=3, T=10).to_json())
    GaussianWalk(K=3, T=10, sigma=0.002)
    """
    name = fields.get("world") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in WORLDS:
        rule = f"the dictionary of a world's to_json, of one of {sorted(WORLDS)}"
        raise checks.refuse("fields", rule, fields, "A world of your own needs its own function")
    arguments = {key: value for key, value in fields.items() if key != "world"}
    if isinstance(arguments.get("inside"), dict):
        arguments["inside"] = world_from_json(arguments["inside"])
    try:
        world: PreferenceSequence = WORLDS[name](**arguments)
    except TypeError as error:
        raise ValueError(f"not a {name} as its to_json writes it: {error}") from None
    return world
