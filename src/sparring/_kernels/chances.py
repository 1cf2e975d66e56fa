"""The chance that a Beta number is above 1/2, to about 1e-13, and one that is known to be.

For a number of Beta(w + 1, l + 1), and n = w + l + 2. Up to LARGE it is a continued fraction of the
incomplete beta function (Press et al. 1986); beyond, where that takes too many steps, an integral
from 1/2 on. Both need x^a (1 - x)^b / B(a, b) at x = 1/2, by Stirling's series.
"""

import math

import numpy as np

from sparring._kernels.arithmetic import grow
from sparring._kernels.draws import uniform
from sparring._kernels.jit import inline
from sparring._kernels.normals import log_of

SURE = 40.0  # e^-40 is less than a uniform can tell from 0
LARGE = 2000.0
STEPS = 1000  # far more than any n up to LARGE takes
CLOSE = 1e-15
SHIFT = 8  # Stirling's series has 14 digits from here on
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
ROOT_2PI = math.sqrt(2.0 * math.pi)


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
