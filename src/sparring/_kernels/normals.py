"""Normal numbers by the chunk: xoshiro256++ in lanes side by side, then Box-Muller, no branches.

**Words.** xoshiro256++ (Blackman and Vigna 2021), in as many streams as there are lanes; each has
its own state, drawn by a Generator, and all step together, as one vector.

**Normals.** Box and Muller (1958): sqrt(-2 ln v) is the radius of a pair of normals, v uniform on
(0, 1] in steps of 2^-52, so that no normal exceeds sqrt(104 ln 2) < 8.491; its angle is uniform.
Logarithm, sine and cosine are Taylor's series with explicit fma: the same bits on every machine.

The arrays, wherever they occur:

- `state` (4, LANES), uint64: the streams, one a column.
- `words` (CHUNK,), uint64: random bits; the first half for radii, the second for angles.
- `z` (CHUNK,), float64: the normals; i and i + HALF share a radius.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.arithmetic import fma
from sparring._kernels.jit import inline, kernel

LANES = 32  # with fewer, a step waits for the one before it: 8 lanes take twice as long
CHUNK = 1024  # words and normals together are 16 KB, and stay in the fastest cache
HALF = CHUNK // 2

# Words stay unsigned in Numba only among their like, so what meets them is a uint64 as well.
BIT_1 = np.uint64(2)
BY_12, BY_17, BY_52, BY_63 = np.uint64(12), np.uint64(17), np.uint64(52), np.uint64(63)
BY_19, BY_45 = np.uint64(19), np.uint64(45)  # together a rotation by 45
BY_23, BY_41 = np.uint64(23), np.uint64(41)  # together a rotation by 23

ONE = np.float64(1.0).view(np.uint64)
ROOT_HALF = np.float64(math.sqrt(0.5)).view(np.uint64)
FRACTION = np.uint64(2**52 - 1)  # the bits of a float below its exponent
TO_FLOAT = np.float64(2.0**52).view(np.uint64)  # or-ed to n < 2^52, these are the bits of 2^52 + n
BIAS = 2.0**52 + 1023.0

LN2 = math.log(2.0)
QUARTER_TURN = math.pi / 2.0


def lanes(rng: np.random.Generator) -> NDArray[np.uint64]:
    """A state to start from; the only draw from a Generator, and outside all kernels."""
    return rng.integers(0, 2**64, (4, LANES), dtype=np.uint64)


@inline
def next_words(state, words):
    """Fill words, a row of LANES at a time, and move the state on."""
    for start in range(0, CHUNK, LANES):
        row = words[start : start + LANES]
        for lane in range(LANES):
            s0, s1, s2, s3 = state[0, lane], state[1, lane], state[2, lane], state[3, lane]
            # np.add wraps around without a word, where + would warn with the JIT off.
            total = np.add(s0, s3)
            row[lane] = np.add((total << BY_23) | (total >> BY_41), s0)
            shifted = s1 << BY_17
            s2 ^= s0
            s3 ^= s1
            state[1, lane] = s1 ^ s2
            state[0, lane] = s0 ^ s3
            state[2, lane] = s2 ^ shifted
            state[3, lane] = (s3 << BY_45) | (s3 >> BY_19)


@inline
def float_of(bits):
    """The float with these bits."""
    return np.uint64(bits).view(np.float64)


@inline
def bits_of(x):
    """The bits of a float."""
    return np.float64(x).view(np.uint64)


@inline
def uniform(word):
    """A number in [1, 2) with the upper 52 bits of the word behind the point."""
    return float_of((word >> BY_12) | ONE)


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


@inline
def radius(words, z):
    """Fill the first half of z with sqrt(-2 ln v)."""
    for i in range(HALF):
        z[i] = math.sqrt(-2.0 * log_of(2.0 - uniform(words[i])))


@inline
def circle(words, z):
    """Turn the radii into pairs: an angle in a quarter of the circle, then one of the four.

    The angle's word has twelve bits to spare: the lowest is the sign of both, the next swaps them.
    """
    for i in range(HALF):
        word = words[HALF + i]
        a = (uniform(word) - 1.5) * QUARTER_TURN
        sine, cosine = sine_of(a), cosine_of(a)
        signed = float_of(bits_of(z[i]) | (word << BY_63))
        swap = (word & BIT_1) == BIT_1
        z[i] = signed * (sine if swap else cosine)
        z[HALF + i] = signed * (cosine if swap else sine)


@inline
def box_muller(words, z):
    """Normals from words; in two loops, as one would need more registers than there are."""
    radius(words, z)
    circle(words, z)


@inline
def next_normals(state, words, z):
    """Fill words and z with the next CHUNK of each."""
    next_words(state, words)
    box_muller(words, z)


@kernel
def fill_words(state, words):
    """Fill words, here of any multiple of CHUNK."""
    for start in range(0, words.size, CHUNK):
        next_words(state, words[start : start + CHUNK])


@kernel
def fill(state, words, z):
    """Fill z, here of any multiple of CHUNK; words is scratch of CHUNK."""
    for start in range(0, z.size, CHUNK):
        next_normals(state, words, z[start : start + CHUNK])
