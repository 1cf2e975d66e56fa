"""Preferences to try things on: matrices from the literature, and generated histories."""

from sparring.data.registry import load, names
from sparring.data.values import Dataset

__all__ = ["Dataset", "load", "names"]
