"""Choices from several arms: you show a set and get back one winner or a ranking."""

from sparring.choices.models import MODELS, chances, pairs, plackett_luce, ranked
from sparring.choices.playing import ShowingEntrant
from sparring.choices.showing import Choice, Showing

__all__ = [
    "MODELS",
    "Choice",
    "Showing",
    "ShowingEntrant",
    "chances",
    "pairs",
    "plackett_luce",
    "ranked",
]
