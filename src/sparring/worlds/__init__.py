"""The worlds: descriptions of P_1, ..., P_T that yield them block by block."""

from sparring.worlds.files import parse_source, world_from_csv
from sparring.worlds.given import Constant, Cyclic, Recorded
from sparring.worlds.protocol import PreferenceSequence
from sparring.worlds.registry import WORLDS, world_from_json
from sparring.worlds.utilities import RotatingWinner, UtilityWalk
from sparring.worlds.walks import BudgetedDrift, GaussianWalk, SwitchingWalk
from sparring.worlds.winners import (
    CondorcetSwitches,
    FreshWinner,
    Newcomer,
    Storm,
)

__all__ = [
    "WORLDS",
    "BudgetedDrift",
    "CondorcetSwitches",
    "Constant",
    "Cyclic",
    "FreshWinner",
    "GaussianWalk",
    "Newcomer",
    "PreferenceSequence",
    "Recorded",
    "RotatingWinner",
    "Storm",
    "SwitchingWalk",
    "UtilityWalk",
    "parse_source",
    "world_from_csv",
    "world_from_json",
]
