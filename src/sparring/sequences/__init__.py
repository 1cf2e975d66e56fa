"""The worlds: descriptions of P_1, ..., P_T that yield them block by block."""

from sparring.sequences.files import parse_source, world_from_csv
from sparring.sequences.given import Constant, Cyclic, Recorded
from sparring.sequences.protocol import PreferenceSequence
from sparring.sequences.registry import WORLDS, world_from_json
from sparring.sequences.utilities import RotatingWinner, UtilityWalk
from sparring.sequences.walks import BudgetedDrift, GaussianWalk, SwitchingWalk
from sparring.sequences.winners import (
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
