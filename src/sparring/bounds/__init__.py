"""Bounds: what the theorems say in numbers, printed and corrected, and when they say nothing.

>>> from sparring import bounds
>>> found = bounds.dex3p(K=10, T=1_000_000)
>>> round(found.probable.value), round(found.printed.value)
(20333, 43844)
>>> bounds.dex3s_known(K=10, T=[1e4, 1e6, 1e8], S=10, corrected=True).probable.vacuous
array([ True, False, False])
"""

from sparring.bounds.beyond import sym_exp3s
from sparring.bounds.implicit import LikelyUpper, sym_exp3six
from sparring.bounds.lower import lower_continuous, lower_switching
from sparring.bounds.upper import (
    borda_dex3s,
    borda_dex3s_continuous,
    dex3p,
    dex3s_condorcet,
    dex3s_continuous,
    dex3s_known,
    dex3s_unknown,
    informative_from,
)
from sparring.bounds.values import Bound, Lower, PrintedLower, Upper

__all__ = [
    "Bound",
    "LikelyUpper",
    "Lower",
    "PrintedLower",
    "Upper",
    "borda_dex3s",
    "borda_dex3s_continuous",
    "dex3p",
    "dex3s_condorcet",
    "dex3s_continuous",
    "dex3s_known",
    "dex3s_unknown",
    "informative_from",
    "lower_continuous",
    "lower_switching",
    "sym_exp3s",
    "sym_exp3six",
]
