"""Floating point with the same bits on every machine: fma, w e^x, ordered sums, extremes."""

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sparring._kernels.jit import JIT_OFF, inline

LANES = 16  # arms summed as one vector; arrays over arms are allocated to a multiple of it

LOG2_E = 1.0 / math.log(2.0)
LN2_HIGH = float.fromhex("0x1.62e42fefp-1")  # the upper 33 bits of ln 2: n LN2_HIGH is exact
LN2_LOW = float.fromhex("0x1.473de6af278edp-34")
ROUND_TO_INT = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the lowest bits
SMALL_EXPONENT = 2.0**-9  # below, a polynomial of degree 5 is exp(x) - 1 to the last bit

if JIT_OFF:

    def fma(a, b, c):
        """a b + c."""
        return a * b + c

    def sum_lanes(values, start):
        """Sum of LANES consecutive values, halves added pairwise."""
        lanes = values[start : start + LANES]
        while lanes.size > 1:
            lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
        return lanes[0]

    smaller, larger = min, max

else:  # compiled: never runs as Python

    @intrinsic
    def fma(typingctx, a, b, c):
        """a b + c, rounded once."""

        def codegen(context, builder, signature, arguments):
            return builder.fma(*arguments)

        return types.float64(types.float64, types.float64, types.float64), codegen

    @intrinsic
    def sum_lanes(typingctx, values, start):
        """Sum of LANES consecutive values, halves added pairwise: one order on every machine.

        Written as vector code since Numba compiles without LLVM's SLP pass, which leaves lanes
        unrolled by hand scalar.
        """

        def codegen(context, builder, signature, arguments):
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            vector = ir.VectorType(ir.DoubleType(), LANES).as_pointer()
            first = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector)
            lanes = builder.load(first, align=8)
            width = LANES
            while width > 1:
                width //= 2
                half = ir.VectorType(ir.IntType(32), width)
                low = ir.Constant(half, list(range(width)))
                high = ir.Constant(half, list(range(width, 2 * width)))
                lanes = builder.fadd(
                    builder.shuffle_vector(lanes, lanes, low),
                    builder.shuffle_vector(lanes, lanes, high),
                )
            return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))

        return types.float64(values, types.int64), codegen

    def extreme(sign):
        """The smaller ("<") or the larger (">") of two numbers, in a form that loops can vectorise.

        LLVM must be told that there is no NaN and that 0 equals -0. As a minimum is exact in any
        order, no bit depends on that.
        """

        @intrinsic
        def pick(typingctx, a, b):
            def codegen(context, builder, signature, arguments):
                promise = ("nnan", "nsz")
                first = builder.fcmp_ordered(sign, *arguments, flags=promise)
                return builder.select(first, *arguments, flags=promise)

            return types.float64(types.float64, types.float64), codegen

        return pick

    smaller, larger = extreme("<"), extreme(">")


@inline
def grow(w, x):
    """w e^x for |x| < 700, as v + v (e^r - 1) with v = w 2^n exact.

    A factor e^x near 1, rounded before it is multiplied, would err the same way in each of 1e8
    rounds.
    """
    shifted = fma(x, LOG2_E, ROUND_TO_INT)
    n = shifted - ROUND_TO_INT
    r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    r2 = r * r
    r4 = r2 * r2
    a = fma(r, 1.0 / 6, 1.0 / 2)  # Taylor's series to r^13, summed in pairs (Estrin)
    b = fma(r, 1.0 / 120, 1.0 / 24)
    c = fma(r, 1.0 / 5040, 1.0 / 720)
    d = fma(r, 1.0 / 362880, 1.0 / 40320)
    e = fma(r, 1.0 / 39916800, 1.0 / 3628800)
    f = fma(r, 1.0 / 6227020800.0, 1.0 / 479001600)
    tail = fma(fma(f, r2, e), r4 * r4, fma(fma(d, r2, c), r4, fma(b, r2, a)))
    power = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52)
    v = w * power.view(np.float64)
    return fma(v, fma(tail, r2, r), v)


@inline
def grow_small(w, x):
    """w e^x for 0 <= x <= SMALL_EXPONENT."""
    tail = fma(fma(fma(fma(x, 1.0 / 120, 1.0 / 24), x, 1.0 / 6), x, 1.0 / 2), x, 1.0)
    return fma(w * x, tail, w)
