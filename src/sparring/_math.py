"""Floating point with the same bits on every machine, and loops over all arms.

fma, w e^x, logarithm, sine and cosine, ordered sums and extremes: each is written out as operations
that every machine rounds alike. `count`, wherever it occurs: so many arms, from the first on,
padding included.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from sparring._jit import JIT_OFF, compiled_as, inline

LANES = 16  # arms summed as one vector; arrays over arms are allocated to a multiple of it

LN2 = math.log(2.0)
LOG2_E = 1.0 / LN2
LN2_HIGH = float.fromhex("0x1.62e42fefp-1")  # the upper 33 bits of ln 2: n LN2_HIGH is exact
LN2_LOW = float.fromhex("0x1.473de6af278edp-34")
ROUND_TO_INT = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the lowest bits
SMALL_EXPONENT = 2.0**-9  # below, a polynomial of degree 5 is exp(x) - 1 to the last bit

ONE = np.float64(1.0).view(np.uint64)
ROOT_HALF = np.float64(math.sqrt(0.5)).view(np.uint64)
BY_52 = np.uint64(52)
FRACTION = np.uint64(2**52 - 1)  # the bits of a float below its exponent
TO_FLOAT = np.float64(2.0**52).view(np.uint64)  # or-ed to n < 2^52, these are the bits of 2^52 + n
BIAS = 2.0**52 + 1023.0


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
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def fused(typingctx, a, b, c):
        """a b + c, rounded once."""

        def codegen(context, builder, signature, arguments):
            return builder.fma(*arguments)

        return types.float64(types.float64, types.float64, types.float64), codegen

    def sum_of_lanes(lanes: int) -> Any:
        """An intrinsic: the sum of so many consecutive values, halves added pairwise.

        Written as vector code since Numba compiles without LLVM's SLP pass, which leaves lanes
        unrolled by hand scalar.
        """

        @intrinsic
        def sum_lanes(typingctx, values, start):
            def codegen(context, builder, signature, arguments):
                array = context.make_array(signature.args[0])(context, builder, arguments[0])
                vector = ir.VectorType(ir.DoubleType(), lanes).as_pointer()
                first = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector)
                total = builder.load(first, align=8)
                width = lanes
                while width > 1:
                    width //= 2
                    half = ir.VectorType(ir.IntType(32), width)
                    low = ir.Constant(half, list(range(width)))
                    high = ir.Constant(half, list(range(width, 2 * width)))
                    total = builder.fadd(
                        builder.shuffle_vector(total, total, low),
                        builder.shuffle_vector(total, total, high),
                    )
                return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

            return types.float64(values, types.int64), codegen

        return sum_lanes

    def extreme(sign: str) -> Any:
        """An intrinsic: the smaller ("<") or larger (">") of two numbers, which loops vectorise.

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

    lanes_summed, least, most = sum_of_lanes(LANES), extreme("<"), extreme(">")
    compiled_as(fma)(lambda a, b, c: fused(a, b, c))  # type: ignore[call-arg]
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


@inline
def float_of(bits):
    """The float with these bits."""
    return np.uint64(bits).view(np.float64)


@inline
def bits_of(x):
    """The bits of a float."""
    return np.float64(x).view(np.uint64)


@inline
def log_of(v):
    """ln v for normal v > 0: v = 2^e f, sqrt(1/2) <= f < sqrt(2), ln f = 2 atanh((f-1)/(f+1))."""
    bits = bits_of(v) + (ONE - ROOT_HALF)  # the exponent is e + 1023 now
    e = float_of((bits >> BY_52) | TO_FLOAT) - BIAS
    f = float_of((bits & FRACTION) + ROOT_HALF)
    s = (f - 1.0) / (f + 1.0)
    x = s * s
    x2 = x * x
    x4 = x2 * x2
    a = fma(fma(x, 2.0 / 9, 2.0 / 7), x2, fma(x, 2.0 / 5, 2.0 / 3))  # Taylor's series to s^19
    b = fma(fma(x, 2.0 / 17, 2.0 / 15), x2, fma(x, 2.0 / 13, 2.0 / 11))
    tail = fma(fma(x4, 2.0 / 19, b), x4, a)
    return fma(e, LN2, fma(tail * x, s, s + s))


@inline
def sine_of(a):
    """sin a for |a| <= pi / 4, by Taylor's series to a^15."""
    x = a * a
    x2 = x * x
    low = fma(fma(x, -1.0 / 5040, 1.0 / 120), x2, x * (-1.0 / 6))
    high = fma(x, -1.0 / 1307674368000.0, 1.0 / 6227020800.0)
    high = fma(high, x2, fma(x, -1.0 / 39916800, 1.0 / 362880))
    return fma(fma(high, x2 * x2, low), a, a)


@inline
def cosine_of(a):
    """cos a for |a| <= pi / 4, by Taylor's series to a^16."""
    x = a * a
    x2 = x * x
    low = fma(fma(x, 1.0 / 40320, -1.0 / 720), x2, fma(x, 1.0 / 24, -0.5))
    high = fma(x, 1.0 / 20922789888000.0, -1.0 / 87178291200.0)
    high = fma(high, x2, fma(x, 1.0 / 479001600, -1.0 / 3628800))
    return fma(fma(high, x2 * x2, low), x, 1.0)


# The same with the bits of the machine code where it is interpreted, too. Implicit exploration
# divides a loss by the chance it was drawn with, so an arm that rounding made rarer loses more: a
# difference doubles every fifty rounds or so, and after two thousand other arms are drawn. Learners
# that do so need these. All others forget roundings, and the plain fma, which rounds twice and
# takes a tenth of the time, keeps them within 1e-14.

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


def exact_fma(a, b, c):
    """a b + c, rounded once."""
    return FUSED(float(a), float(b), float(c))


@compiled_as(exact_fma)
def fma_in_machine_code(a, b, c):  # compiled: never runs with the JIT off
    """`fma`, which machine code rounds once anyway."""
    return fma(a, b, c)


def _exactly(function: Any, **helpers: Any) -> Any:
    """The same text with the fma above; its machine code had that before."""
    clone = FunctionType(function.__code__, {**globals(), "fma": exact_fma, **helpers})
    compiled_as(clone)(function)
    return clone


exact_grow = _exactly(grow, series=_exactly(series))
exact_log_of = _exactly(log_of)


# Loops over all arms, each in two forms: for NumPy, and below it for the compiler. Interpreted, a
# loop over arms costs a hundred times the machine code; NumPy's form costs about the same for any K
# that people have. Where it is interpreted both give the same bits: they round after the same
# operations.


def blend(a, w, c, p, count):
    """p(k) = a w(k) + c; filled at once, as open duels of the same p may be looked at meanwhile."""
    part = w[:count] * a
    part += c
    p[:count] = part


@compiled_as(blend)
def blend_loop(a, w, c, p, count):
    """`blend`, one arm at a time."""
    for k in range(count):
        p[k] = fma(a, w[k], c)


def spread_little(w, share, total, rate, p, count):
    """w(k) <- w(k) e^(rate / p(k)) + share(k) total, for exponents up to SMALL_EXPONENT."""
    part = w[:count]
    if rate > 0.0:
        x = rate / p[:count]
        part += part * x * small_series(x)
    part += share[:count] * total


@compiled_as(spread_little)
def spread_little_loop(w, share, total, rate, p, count):
    """`spread_little`, one arm at a time."""
    for k in range(count):
        w[k] = fma(share[k], total, grow_small(w[k], rate / p[k]))


def spread(w, share, total, rate, p, count):
    """w(k) <- w(k) e^(rate / p(k)) + share(k) total, for exponents below 700."""
    part = w[:count]
    if rate > 0.0:
        x = rate / p[:count]
        n = (x * LOG2_E + ROUND_TO_INT) - ROUND_TO_INT
        r = -n * LN2_LOW + (-n * LN2_HIGH + x)
        part *= np.ldexp(1.0, n.astype(np.int64))
        part += part * series(r)
    part += share[:count] * total


@compiled_as(spread)
def spread_loop(w, share, total, rate, p, count):
    """`spread`, one arm at a time."""
    for k in range(count):
        w[k] = fma(share[k], total, grow(w[k], rate / p[k]))


def sum_blocks(w, blocks, count):
    """Fill the sums of LANES consecutive weights, so many of them; returns the sum of these."""
    lanes = w[: count * LANES].reshape(count, LANES)
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    blocks[:count] = lanes[:, 0]
    total = 0.0
    for block in lanes[:, 0].tolist():
        total += block
    return total


@compiled_as(sum_blocks)
def sum_blocks_loop(w, blocks, count):
    """`sum_blocks`, one block at a time."""
    total = 0.0
    for block in range(count):
        blocks[block] = sum_lanes(w, block * LANES)
        total += blocks[block]
    return total


def steps_below(w, start, end, rest):
    """How many of the sums w(start), w(start) + w(start + 1), ... before `end` are at most rest."""
    steps, below = 0, 0.0
    for weight in w[start:end].tolist():
        below += weight
        if below > rest:
            break
        steps += 1
    return steps


@compiled_as(steps_below)
def steps_below_loop(w, start, end, rest):
    """`steps_below` without a branch, which would be mispredicted each time."""
    steps = 0
    below = 0.0
    for j in range(start, end):
        below += w[j]
        steps += 1 if below <= rest else 0
    return steps


def first_block(blocks, last, rest):
    """The block in which the sum exceeds rest, or the last one, and what remains of rest there."""
    block = 0
    for weight in blocks[:last].tolist():
        if weight > rest:
            break
        rest -= weight
        block += 1
    return block, rest


@compiled_as(first_block)
def first_block_loop(blocks, last, rest):
    """`first_block`, as machine code has it."""
    block = 0
    while block < last and blocks[block] <= rest:
        rest -= blocks[block]
        block += 1
    return block, rest


def apartness(p, K):
    """D: the chance that two arms drawn from p differ."""
    part = p[:K]
    return float((part * (1.0 - part)).cumsum()[-1])  # in order, where `sum` goes by halves


@compiled_as(apartness)
def apartness_loop(p, K):
    """`apartness`, one arm at a time."""
    D = 0.0
    for k in range(K):
        D += p[k] * (1.0 - p[k])
    return D


def draw_apart(p, K, u, v):
    """A pair from p x p given that its arms differ, from two uniforms.

    The row arm has the chance p (1 - p) / D, the column arm that of p among the others.
    """
    part = p[:K]
    below = (part * (1.0 - part)).cumsum()
    row = int(below[:-1].searchsorted(u * below[-1], "right"))
    others = np.concatenate((part[:row], part[row + 1 :]))[:-1]
    col = int(others.cumsum().searchsorted(v * (1.0 - part[row]), "right"))
    return row, col + 1 if col >= row else col


@compiled_as(draw_apart)
def draw_apart_loop(p, K, u, v):
    """`draw_apart`, one arm at a time."""
    rest = u * apartness(p, K)
    row = 0
    below = 0.0
    for k in range(K - 1):
        below += p[k] * (1.0 - p[k])
        row += 1 if below <= rest else 0
    rest = v * (1.0 - p[row])
    col = 0  # among the others
    below = 0.0
    for k in range(K - 2):
        below += p[k + 1 if k >= row else k]
        col += 1 if below <= rest else 0
    return row, col + 1 if col >= row else col
