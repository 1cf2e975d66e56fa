"""The worlds: descriptions of P_1, ..., P_T that yield them block by block.

Each world registers itself where it is defined, so the order of the imports is that of WORLDS.
"""

# ruff: noqa: I001
from sparring.worlds.protocol import PreferenceSequence as PreferenceSequence
from sparring.worlds.registry import WORLDS as WORLDS, register as register
from sparring.worlds.registry import world_from_json as world_from_json

from sparring.worlds.walks import GaussianWalk as GaussianWalk, SwitchingWalk as SwitchingWalk
from sparring.worlds.walks import BudgetedDrift as BudgetedDrift
from sparring.worlds.winners import CondorcetSwitches as CondorcetSwitches
from sparring.worlds.winners import FreshWinner as FreshWinner, Storm as Storm, Newcomer as Newcomer
from sparring.worlds.utilities import RotatingWinner as RotatingWinner, UtilityWalk as UtilityWalk
from sparring.worlds.crowds import MovingShares as MovingShares
from sparring.worlds.seasons import Seasonal as Seasonal
from sparring.worlds.utilities import UtilitySwitches as UtilitySwitches
from sparring.worlds.described import LinearUtilities as LinearUtilities
from sparring.worlds.given import Cyclic as Cyclic, Constant as Constant, Recorded as Recorded
from sparring.worlds.answers import Late as Late, Silent as Silent, Spoiled as Spoiled
from sparring.worlds.rigging import Rigged as Rigged
from sparring.worlds.files import parse_source as parse_source, world_from_csv as world_from_csv
