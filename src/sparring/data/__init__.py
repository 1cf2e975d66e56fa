"""Preferences to try things on: matrices of the literature, and histories that were generated."""

from sparring.data.registry import load, names
from sparring.data.values import Dataset

__all__ = ["Dataset", "load", "names"]
