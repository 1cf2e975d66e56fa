"""Tunings: the parameters each theorem prescribes, and those that make its bound smallest."""

from sparring.tunings.bases import Exp3, Exp3SIX, TsallisINF
from sparring.tunings.beyond import (
    d_exp3,
    sym_exp3s,
    sym_exp3s_continuous,
    sym_exp3s_known,
    sym_exp3s_unknown,
)
from sparring.tunings.endless import apart, least_memory, steady
from sparring.tunings.optimal import best
from sparring.tunings.theorems import (
    NoTuningError,
    borda_dex3s,
    dex3p,
    dex3s,
    dex3s_continuous,
    dex3s_known,
    dex3s_unknown,
    rand,
    rex3,
)

__all__ = [
    "Exp3",
    "Exp3SIX",
    "NoTuningError",
    "TsallisINF",
    "apart",
    "best",
    "borda_dex3s",
    "d_exp3",
    "dex3p",
    "dex3s",
    "dex3s_continuous",
    "dex3s_known",
    "dex3s_unknown",
    "least_memory",
    "rand",
    "rex3",
    "steady",
    "sym_exp3s",
    "sym_exp3s_continuous",
    "sym_exp3s_known",
    "sym_exp3s_unknown",
]
