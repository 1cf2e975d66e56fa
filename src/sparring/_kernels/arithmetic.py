"""Floating point with the same bits on every machine: fma, w e^x, ordered sums, extremes."""

import math

import numpy as np

from sparring._kernels.jit import COMPILER, JIT_OFF, compiled_as, inline

LANES = 16  # arms summed as one vector; arrays over arms are allocated to a multiple of it

LOG2_E = 1.0 / math.log(2.0)
LN2_HIGH = float.fromhex("0x1.62e42fefp-1")  # the upper 33 bits of ln 2: n LN2_HIGH is exact
LN2_LOW = float.fromhex("0x1.473de6af278edp-34")
ROUND_TO_INT = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the lowest bits
SMALL_EXPONENT = 2.0**-9  # below, a polynomial of degree 5 is exp(x) - 1 to the last bit


def fma(a, b, c):
    """a b + c; rounded once in machine code, twice where it is interpreted."""
    return a * b + c


def sum_lanes(values, start):
    """Sum of LANES consecutive values, halves added pairwise: one order on every machine."""
    lanes = values[start : start + LANES]
    while lanes.size > 1:
        lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
    return lanes[0]


def smaller(a, b):
    """The smaller of two numbers."""
    return min(a, b)


def larger(a, b):
    """The larger of two numbers."""
    return max(a, b)


if not JIT_OFF:  # compiled: never runs with the JIT off
    fused, lanes_summed = COMPILER.fma, COMPILER.sum_of_lanes(LANES)
    least, most = COMPILER.extreme("<"), COMPILER.extreme(">")
    compiled_as(fma)(lambda a, b, c: fused(a, b, c))
    compiled_as(sum_lanes)(lambda values, start: lanes_summed(values, start))
    compiled_as(smaller)(lambda a, b: least(a, b))
    compiled_as(larger)(lambda a, b: most(a, b))


def power_of_two(shifted):
    """2^n, for n + ROUND_TO_INT with -1022 <= n <= 1023."""
    return math.ldexp(1.0, int(shifted - ROUND_TO_INT))


@compiled_as(power_of_two)
def power_by_bits(shifted):
    """`power_of_two`, by what is in the lowest bits."""
    power = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52)
    return power.view(np.float64)


@inline
def series(r):
    """e^r - 1 for |r| <= ln(2) / 2: Taylor's series to r^13, summed in pairs (Estrin)."""
    r2 = r * r
    r4 = r2 * r2
    a = fma(r, 1.0 / 6, 1.0 / 2)
    b = fma(r, 1.0 / 120, 1.0 / 24)
    c = fma(r, 1.0 / 5040, 1.0 / 720)
    d = fma(r, 1.0 / 362880, 1.0 / 40320)
    e = fma(r, 1.0 / 39916800, 1.0 / 3628800)
    f = fma(r, 1.0 / 6227020800.0, 1.0 / 479001600)
    tail = fma(fma(f, r2, e), r4 * r4, fma(fma(d, r2, c), r4, fma(b, r2, a)))
    return fma(tail, r2, r)


@inline
def small_series(x):
    """(e^x - 1) / x for 0 <= x <= SMALL_EXPONENT."""
    return fma(fma(fma(fma(x, 1.0 / 120, 1.0 / 24), x, 1.0 / 6), x, 1.0 / 2), x, 1.0)


@inline
def grow(w, x):
    """w e^x for |x| < 700, as v + v (e^r - 1) with v = w 2^n exact.

    A factor e^x near 1, rounded before it is multiplied, would err the same way in each of 1e8
    rounds.
    """
    w, x = float(w), float(x)  # Python's are quicker than NumPy's
    shifted = fma(x, LOG2_E, ROUND_TO_INT)
    n = shifted - ROUND_TO_INT
    r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    v = w * power_of_two(shifted)
    return fma(v, series(r), v)


@inline
def grow_small(w, x):
    """w e^x for 0 <= x <= SMALL_EXPONENT."""
    return fma(w * x, small_series(x), w)
