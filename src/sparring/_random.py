"""Random numbers for kernels: uniform, normal and Beta, one at a time or by the chunk.

**Words.** xoshiro256++ (Blackman and Vigna 2021). `words` (4,), uint64, wherever it occurs: its
state, drawn by a Generator when a learner is made. It is part of what the learner knows, so blocks
of any length, asking and telling, and a restored learner draw the same numbers. For chunks, `state`
(4, LANES) has as many streams as there are lanes; all step together, as one vector.

**Normals.** Box and Muller (1958): sqrt(-2 ln v) is the radius of a pair of normals, v uniform on
(0, 1] in steps of 2^-52, so that no normal exceeds sqrt(104 ln 2) < 8.491; its angle is uniform.
For chunks, the first half of `words` (CHUNK,) is for radii and the second for angles; `z` (CHUNK,)
are the normals, of which i and i + HALF share a radius.
"""

import math

import numpy as np

from sparring._jit import Words, inline, kernel
from sparring._math import (
    ONE,
    bits_of,
    cosine_of,
    float_of,
    grow,
    log_of,
    sine_of,
)

LANES = 32  # with fewer, a step waits for the one before it: 8 lanes take twice as long
CHUNK = 1024  # words and normals together are 16 KB, and stay in the fastest cache
HALF = CHUNK // 2

# Words stay unsigned in Numba only among their like, so what meets them is a uint64 as well.
BIT_1, BY_11, BY_12 = np.uint64(2), np.uint64(11), np.uint64(12)
BY_17, BY_63 = np.uint64(17), np.uint64(63)
BY_19, BY_45 = np.uint64(19), np.uint64(45)  # together a rotation by 45
BY_23, BY_41 = np.uint64(23), np.uint64(41)  # together a rotation by 23

STEP = 2.0**-53
QUARTER_TURN = math.pi / 2.0
LN4 = math.log(4.0)
CHENG = 1.0 + math.log(5.0)  # his constant for a quick acceptance

SURE = 40.0  # e^-40 is less than a uniform can tell from 0
LARGE = 2000.0
STEPS = 1000  # far more than any n up to LARGE takes
CLOSE = 1e-15
SHIFT = 8  # Stirling's series has 14 digits from here on
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
ROOT_2PI = math.sqrt(2.0 * math.pi)


def seeded(rng: np.random.Generator) -> Words:
    """A state to start from; the only draw from a Generator, and outside all kernels."""
    return rng.integers(0, 2**64, 4, dtype=np.uint64)


@inline
def from_one(word):
    """A number in [1, 2) with the upper 52 bits of the word behind the point."""
    return float_of((word >> BY_12) | ONE)


@inline
def next_word(words):
    """The next 64 bits."""
    s0, s1, s2, s3 = words[0], words[1], words[2], words[3]
    total = np.add(s0, s3)  # wraps around without a word, where + would warn with the JIT off
    word = np.add((total << BY_23) | (total >> BY_41), s0)
    shifted = s1 << BY_17
    s2 ^= s0
    s3 ^= s1
    words[1] = s1 ^ s2
    words[0] = s0 ^ s3
    words[2] = s2 ^ shifted
    words[3] = (s3 << BY_45) | (s3 >> BY_19)
    return word


@inline
def uniform(words):
    """A number in [0, 1), a multiple of 2^-53."""
    return np.float64(np.int64(next_word(words) >> BY_11)) * STEP


@inline
def below(words, n):
    """One of 0, ..., n - 1."""
    return min(int(uniform(words) * n), n - 1)


@inline
def arm(words, p, K):
    """An arm drawn from p."""
    left = uniform(words)
    k = 0
    while k < K - 1 and left >= p[k]:
        left -= p[k]
        k += 1
    return k


@inline
def normals(words):
    """Two independent numbers of the normal law, as the chunks of `normals` have them."""
    radius = math.sqrt(-2.0 * log_of(2.0 - from_one(next_word(words))))
    word = next_word(words)
    angle = (from_one(word) - 1.5) * QUARTER_TURN
    sine, cosine = sine_of(angle), cosine_of(angle)
    signed = float_of(bits_of(radius) | (word << BY_63))
    swap = (word & BIT_1) == BIT_1
    return signed * (sine if swap else cosine), signed * (cosine if swap else sine)


@inline
def beta(words, a, b):
    """A number of the law Beta(a, b), a, b >= 1: Cheng's BB (1978), or a power where one is 1."""
    if a <= 1.0:
        return 1.0 - power(1.0 - uniform(words), 1.0 / b)
    if b <= 1.0:
        return power(1.0 - uniform(words), 1.0 / a)
    least, most, both = min(a, b), max(a, b), a + b
    slope = math.sqrt((both - 2.0) / (2.0 * a * b - both))
    rate = least + 1.0 / slope
    while True:
        u = 1.0 - uniform(words)
        v = slope * log_of(u / (1.0 - u)) if u < 1.0 else 0.0
        w = least * grow(1.0, v)
        z = u * u * (1.0 - uniform(words))
        r = rate * v - LN4
        s = least + r - w
        accepted = s + CHENG >= 5.0 * z
        if not accepted:
            log_z = log_of(z)
            accepted = s >= log_z or r + both * log_of(both / (most + w)) >= log_z
        if accepted:
            return w / (most + w) if least == a else most / (most + w)


@inline
def power(x, exponent):
    """x^exponent for 0 < x <= 1."""
    return grow(1.0, exponent * log_of(x))


# The chance that a number of Beta(w + 1, l + 1) is above 1/2, to about 1e-13, and one that is known
# to be; n = w + l + 2. Up to LARGE it is a continued fraction of the incomplete beta function
# (Press et al. 1986); beyond, where that takes too many steps, an integral from 1/2 on. Both need
# x^a (1 - x)^b / B(a, b) at x = 1/2, by Stirling's series.


@inline
def bend(half, lead, t):
    """half ln(1 - t^2) - lead atanh t for |t| <= 0.2, by Taylor's series to t^24 and t^23."""
    x = t * t
    even, odd = 0.0, 0.0
    for k in range(12, 0, -1):
        even = even * x + 1.0 / k
        odd = odd * x + 1.0 / (2 * k - 1)
    return -half * (even * x) - lead * (odd * t)


@inline
def stirling(z):
    """ln Gamma(z) - (z - 1/2) ln z + z - ln(2 pi) / 2 for z >= SHIFT."""
    y = 1.0 / z
    x = y * y
    tail = 1.0 / 1680 - x * (1.0 / 1188 - x * (691.0 / 360360 - x * (1.0 / 156)))
    return y * (1.0 / 12 - x * (1.0 / 360 - x * (1.0 / 1260 - x * tail)))


@inline
def at_half(a, b):
    """2^-(a + b) / B(a, b)."""
    factor, n = 1.0, a + b
    if min(a, b) < SHIFT:
        for k in range(SHIFT):
            factor *= 4.0 * (a + k) * (b + k) / ((n + 2 * k) * (n + 2 * k + 1.0))
        a, b, n = a + SHIFT, b + SHIFT, n + 2.0 * SHIFT
    if n < LARGE:
        divergence = a * log_of(2.0 * a / n) + b * log_of(2.0 * b / n)
    else:
        divergence = bend(0.5 * n, b - a, (a - b) / n)
    rest = stirling(n) - stirling(a) - stirling(b) - divergence
    return grow(factor * math.sqrt(a * b / n) / ROOT_2PI, rest)


@inline
def fraction(a, b):
    """a B(a, b) 2^(a + b) times the chance that Beta(a, b) is below 1/2, for a >= b."""
    n = a + b
    A, B, last, value = 1.0, 1.0, 0.0, 1.0  # of the convergents before and present
    scale = 1.0 - 0.5 * n / (a + 1.0)
    k = 0
    while abs(value - last) > CLOSE * value and k < STEPS:
        k += 1
        even = 0.5 * k * (b - k) / ((a + 2 * k - 1.0) * (a + 2 * k))
        odd = -0.5 * (a + k) * (n + k) / ((a + 2 * k) * (a + 2 * k + 1.0))
        A, B = value + even * A, scale + even * B
        last, value = value, A + odd * value
        inverse = 1.0 / (B + odd * scale)
        A, B, value, scale = A * inverse, B * inverse, value * inverse, 1.0
    return value


@inline
def integral(w, l):
    """Of (1 - t)^w (1 + t)^l over t > 0, for w >= l and large sums: Gauss and Legendre's rule."""
    m, lead = w + l, w - l
    steep = lead / math.sqrt(m)
    end = (math.sqrt(steep * steep + 2.0 * SURE) - steep) / math.sqrt(m)
    total = 0.0
    for k in range(NODES.size):
        t = 0.5 * end * (1.0 + NODES[k])
        total += WEIGHTS[k] * grow(1.0, bend(0.5 * m, lead, t))
    return 0.5 * end * total


@inline
def chance(w, l):
    """P(theta > 1/2) for theta ~ Beta(w + 1, l + 1)."""
    if w == l:
        return 0.5
    a, b = max(w, l) + 1.0, min(w, l) + 1.0
    n, lead = a + b, a - b
    # Beta(a, b) has tails like a normal of variance 1 / (4 (n + 1)) (Marchal and Arbel 2017).
    if lead * lead * (n + 1.0) >= 2.0 * SURE * n * n:
        lesser = 0.0
    elif n < LARGE:
        lesser = at_half(a, b) * fraction(a, b) / a
    else:
        lesser = 2.0 * at_half(a, b) * integral(a - 1.0, b - 1.0)
    return lesser if w < l else 1.0 - lesser


@inline
def unlikely(w, l):
    """Whether theta is so seldom above 1/2 that `beyond` is quick."""
    return l > w and 2.0 * (l - w) * (l - w) > w + l


@inline
def beyond(words, w, l):
    """A draw of theta given that it is above 1/2, if that is unlikely.

    The logarithm of its density is concave, so beyond 1/2 it is below its tangent there: an
    exponential tail is accepted in the right proportion.
    """
    slope = 2.0 * (l - w)
    while True:
        y = -log_of(1.0 - uniform(words)) / slope
        z = 1.0 - uniform(words)
        if y < 0.5:
            rise = w * log_of(1.0 + 2.0 * y) + l * log_of(1.0 - 2.0 * y) + slope * y
            if log_of(z) <= rise:
                return 0.5 + y


# By the chunk: in lanes side by side, without branches.


def lanes(rng: np.random.Generator) -> Words:
    """A state for chunks to start from."""
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
def radius(words, z):
    """Fill the first half of z with sqrt(-2 ln v)."""
    for i in range(HALF):
        z[i] = math.sqrt(-2.0 * log_of(2.0 - from_one(words[i])))


@inline
def circle(words, z):
    """Turn the radii into pairs: an angle in a quarter of the circle, then one of the four.

    The angle's word has twelve bits to spare: the lowest is the sign of both, the next swaps them.
    """
    for i in range(HALF):
        word = words[HALF + i]
        a = (from_one(word) - 1.5) * QUARTER_TURN
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
