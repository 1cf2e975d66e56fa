"""Random numbers one at a time, for kernels that cannot say in advance how many they need.

`words` (4,), uint64, wherever it occurs: the state of xoshiro256++ (Blackman and Vigna 2021), drawn
by a Generator when a learner is made. It is part of what the learner knows, so blocks of any
length, asking and telling, and a restored learner draw the same numbers.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.arithmetic import grow
from sparring._kernels.jit import inline
from sparring._kernels.normals import (
    BIT_1,
    BY_17,
    BY_19,
    BY_23,
    BY_41,
    BY_45,
    BY_63,
    QUARTER_TURN,
    bits_of,
    cosine_of,
    float_of,
    log_of,
    sine_of,
)
from sparring._kernels.normals import uniform as from_one_to_two

BY_11 = np.uint64(11)
STEP = 2.0**-53
LN4 = math.log(4.0)
SURE = 1.0 + math.log(5.0)  # Cheng's constant for a quick acceptance


def seeded(rng: np.random.Generator) -> NDArray[np.uint64]:
    """A state to start from; the only draw from a Generator, and outside all kernels."""
    return rng.integers(0, 2**64, 4, dtype=np.uint64)


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
    radius = math.sqrt(-2.0 * log_of(2.0 - from_one_to_two(next_word(words))))
    word = next_word(words)
    angle = (from_one_to_two(word) - 1.5) * QUARTER_TURN
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
        accepted = s + SURE >= 5.0 * z
        if not accepted:
            log_z = log_of(z)
            accepted = s >= log_z or r + both * log_of(both / (most + w)) >= log_z
        if accepted:
            return w / (most + w) if least == a else most / (most + w)


@inline
def power(x, exponent):
    """x^exponent for 0 < x <= 1."""
    return grow(1.0, exponent * log_of(x))
