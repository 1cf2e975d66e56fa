"""Tunings: the parameters each theorem prescribes, and those that make its bound smallest."""

from sparring.tunings.optimal import best
from sparring.tunings.theorems import (
    NoTuningError,
    borda_dex3s,
    dex3p,
    dex3s_continuous,
    dex3s_known,
    dex3s_unknown,
    rand,
    rex3,
)

__all__ = [
    "NoTuningError",
    "best",
    "borda_dex3s",
    "dex3p",
    "dex3s_continuous",
    "dex3s_known",
    "dex3s_unknown",
    "rand",
    "rex3",
]
