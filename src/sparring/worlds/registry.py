"""All worlds by name, and from JSON."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sparring import checks
from sparring.worlds.given import Constant, Cyclic, Recorded
from sparring.worlds.protocol import PreferenceSequence
from sparring.worlds.utilities import RotatingWinner, UtilityWalk
from sparring.worlds.walks import BudgetedDrift, GaussianWalk, SwitchingWalk
from sparring.worlds.winners import (
    CondorcetSwitches,
    FreshWinner,
    Newcomer,
    Storm,
)

OWN = (
    GaussianWalk,
    SwitchingWalk,
    BudgetedDrift,
    CondorcetSwitches,
    FreshWinner,
    Storm,
    Newcomer,
    RotatingWinner,
    UtilityWalk,
    Cyclic,
    Constant,
    Recorded,
)
WORLDS: Mapping[str, Any] = MappingProxyType({world.__name__: world for world in OWN})


def is_own(world: PreferenceSequence) -> bool:
    """Whether the world is one of this package's as it was shipped, whose blocks need no check."""
    return type(world) in OWN and "blocks" not in vars(world)


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
    try:
        world: PreferenceSequence = WORLDS[name](**arguments)
    except TypeError as error:
        raise ValueError(f"not a {name} as its to_json writes it: {error}") from None
    return world
