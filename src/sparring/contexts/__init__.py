"""Contexts: arms with features, and groups of voters with their own tastes."""

from sparring.contexts.features import FeatureDuel, Features
from sparring.contexts.groups import GroupDuel, Grouped
from sparring.contexts.playing import FeaturesEntrant

__all__ = ["FeatureDuel", "Features", "FeaturesEntrant", "GroupDuel", "Grouped"]
