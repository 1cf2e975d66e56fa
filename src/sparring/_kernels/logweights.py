"""Distributions over arms: log-weights as compensated sums, and weights that are normalised.

`high` and `low` (K,), wherever they occur: sums whose value is high + low, so that 1e8 small steps
leave no trace of rounding. `p` (K,): a distribution, or what becomes one.
"""

from sparring._kernels.exact import fma, grow
from sparring._kernels.jit import inline

LEAST = -700.0  # below, e^x is nothing beside 1


@inline
def add(high, low, k, x):
    """Add x to the sum of arm k, with what rounding loses (Knuth's two-sum, then Dekker's)."""
    before = high[k]
    total = before + x
    part = total - before
    rest = (before - (total - part)) + (x - part) + low[k]
    high[k] = total + rest
    low[k] = rest - (high[k] - total)


@inline
def shrunk(w, x):
    """w e^x for x <= 0, 0 if that is e^-700 or less."""
    return grow(w, x) if x > LEAST else 0.0


@inline
def normalise(p, uniform):
    """p(k) <- (1 - uniform) p(k) / sum p + uniform / K."""
    total = 0.0
    for k in range(p.size):
        total += p[k]
    scale = (1.0 - uniform) / total
    floor = uniform / p.size
    for k in range(p.size):
        p[k] = fma(scale, p[k], floor)


@inline
def mix(high, low, uniform, p):
    """p(k) = (1 - uniform) w(k) / sum w + uniform / K, with ln w = high + low."""
    top = 0
    for k in range(p.size):
        if high[k] > high[top]:
            top = k
    for k in range(p.size):
        p[k] = shrunk(1.0, min((high[k] - high[top]) + (low[k] - low[top]), 0.0))
    normalise(p, uniform)
