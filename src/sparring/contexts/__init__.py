"""Contexts: arms with features, and groups of voters with tastes of their own."""

from sparring.contexts.features import FeatureDuel, Features
from sparring.contexts.groups import GroupDuel, Grouped
from sparring.contexts.playing import FeaturesEntrant

__all__ = ["FeatureDuel", "Features", "FeaturesEntrant", "GroupDuel", "Grouped"]
