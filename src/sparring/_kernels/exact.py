"""fma, w e^x and ln with the bits of the machine code where they are interpreted, too.

Implicit exploration divides a loss by the chance it was drawn with, so an arm that rounding made
rarer loses more: a difference doubles every fifty rounds or so, and after two thousand other arms
are drawn. Learners that do so need these. All others forget roundings, and the plain fma, which
rounds twice and takes a tenth of the time, keeps them within 1e-14.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType
from typing import Any

from sparring._kernels import arithmetic, normals
from sparring._kernels.jit import compiled_as

SPLIT = 2.0**27 + 1.0  # cuts 53 bits into two halves
SMALLEST, LARGEST = 2.0**-900, 2.0**900  # products between have errors that are floats, too


def split_fma(a: float, b: float, c: float) -> float:
    """a b + c, rounded once: the product with its error (Dekker), then the sum with its (Knuth)."""
    product = a * b
    if not SMALLEST < abs(product) < LARGEST:
        return by_fractions(a, b, c)
    a_high = SPLIT * a - (SPLIT * a - a)
    b_high = SPLIT * b - (SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    lost = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    total = product + c
    part = total - product
    lost_then = (product - (total - part)) + (c - part)
    rest = lost + lost_then
    # The rest is rounded once more than it should be. Seldom is that enough to matter.
    low, high = total + math.nextafter(rest, -math.inf), total + math.nextafter(rest, math.inf)
    return low if low == high else by_fractions(a, b, c)


def by_fractions(a: float, b: float, c: float) -> float:
    """a b + c, rounded once, slowly."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


FUSED: Callable[[float, float, float], float] = getattr(math, "fma", split_fma)  # of Python 3.13


def fma(a, b, c):
    """a b + c, rounded once."""
    return FUSED(float(a), float(b), float(c))


@compiled_as(fma)
def fma_in_machine_code(a, b, c):  # compiled: never runs with the JIT off
    """`fma`, which machine code rounds once anyway."""
    return arithmetic.fma(a, b, c)


def _exactly(function: Any, **helpers: Any) -> Any:
    """The same text with the fma above; its machine code had that before."""
    clone = FunctionType(function.__code__, {**function.__globals__, "fma": fma, **helpers})
    compiled_as(clone)(function)
    return clone


grow = _exactly(arithmetic.grow, series=_exactly(arithmetic.series))
log_of = _exactly(normals.log_of)
