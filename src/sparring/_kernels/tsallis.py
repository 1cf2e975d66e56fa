"""Tsallis-INF (Zimmert and Seldin 2021): the distribution that belongs to losses."""

import math

from sparring._kernels.jit import inline

CLOSE = 2.0**-30  # after a relative step of this size, the error is 1.5 times its square


@inline
def settle(high, low, t, p):
    """p(k) = 4 / (eta (L(k) - x))^2, eta = 2 / sqrt t, L = high + low, with the x for sum p = 1.

    With a(k) = (L(k) - min L) eta / 2 and u = (min L - x) eta / 2 it is p(k) = 1 / (a(k) + u)^2,
    and 1 <= u <= sqrt K. (sum p)^(-1/2) is increasing and concave in u, so Newton's steps for its
    value 1 from u = 1 never overshoot: there is nothing to fall back to. They are few, as it is
    nearly linear (linear if all a are equal).
    """
    least = 0
    for k in range(p.size):
        if high[k] < high[least]:
            least = k
    scale = 1.0 / math.sqrt(t)
    for k in range(p.size):
        p[k] = scale * max((high[k] - high[least]) + (low[k] - low[least]), 0.0)
    u = 1.0
    step = 1.0
    while step > CLOSE * u:
        squares = 0.0
        cubes = 0.0
        for k in range(p.size):
            z = 1.0 / (p[k] + u)
            squares += z * z
            cubes += z * z * z
        step = squares * (math.sqrt(squares) - 1.0) / cubes
        u += step
    for k in range(p.size):
        z = 1.0 / (p[k] + u)
        p[k] = z * z
