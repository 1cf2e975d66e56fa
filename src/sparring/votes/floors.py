"""Floors: lower bounds for the mean of non-negative numbers, valid at all times at once."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# One of them suits any sum of squares from some tens to 1e12, and twenty cost ln 20 at most.
RATES = 2.0 ** -np.arange(1, 21)
PRICES = -np.log1p(-RATES) - RATES
STEPS = 50  # of Newton's; it ends after some ten


def floor(values: ArrayLike, delta: float) -> float:
    """A lower bound for the mean of the values' expectations.

    Let X_1, X_2, ... be at least 0, and m_t the mean of X_t given all before it, at most 1. For
    0 < l < 1 let psi(l) = -ln(1 - l) - l, and let c_t in [0, 1] be a guess from before X_t: here
    (1/2 + X_1 + ... + X_{t-1}) / t. With probability 1 - delta, for all n at once,

        sum of m_t >= sum of X_t - s(v, delta),        v = sum of (X_t - c_t)^2,

    where s solves: mean over l in `RATES` of exp(l s - psi(l) v) = 1 / delta. X needs no upper
    limit, the m_t may drift, and n may depend on the X: looking early costs nothing.

    *Proof.* For x >= -1, exp(l x - psi(l) x^2) <= 1 + l x (Fan, Grama and Liu, 2015). With
    x = X_t - c_t, which is at least -1, the mean of exp(l (X_t - m_t) - psi(l) (X_t - c_t)^2) given
    the past is at most exp(-l (m_t - c_t)) (1 + l (m_t - c_t)) <= 1. So each product over t is a
    supermartingale that begins at 1, and so is the mean over l of them; by Ville's inequality it
    reaches 1 / delta with probability delta at most. It rises with the sum of X_t - m_t. (The
    empirical Bernstein bound of Howard and others, 2021, and Waudby-Smith and Ramdas, 2024, with
    rates that are mixed instead of fitted on the way: theirs would bound a mean weighted by them.)

    Parameters
    ----------
    values
        (n,): X, in the order in which they came.
    delta
        How often the floor may be above the mean, at any n.

    Returns
    -------
    The bound divided by n, and at least 0.

    Examples
    --------
    >>> round(floor(np.tile([1.0, 1.0, 0.0, 1.0], 250), delta=0.05), 3)  # mean 0.75
    0.699
    """
    X = np.asarray(values, np.float64)
    n = len(X)
    if n == 0:
        return 0.0
    total = float(X.sum())
    return max(0.0, (total - float(slack(squares(X), delta))) / n)


def squares(X: Floats) -> float:
    """v: the sum of the squared errors of the earlier guesses."""
    before = np.cumsum(X) - X
    guess = np.minimum((0.5 + before) / np.arange(1, len(X) + 1), 1.0)
    wrong = X - guess
    return float(wrong @ wrong)


def slack(v: ArrayLike, delta: float) -> Floats:
    """s: how far a sum may exceed its expectation, for a sum of squares v.

    The equation's left side rises and is convex in s, so Newton's method from a point above stays
    above, which is the safe side.

    Examples
    --------
    >>> [round(float(slack(v, 0.05)), 1) for v in (1, 100, 10_000)]
    [12.1, 38.2, 342.9]
    """
    v = np.asarray(v, np.float64)[..., None]
    wanted = math.log(1 / delta) + math.log(len(RATES))
    s = ((PRICES * v + wanted) / RATES).min(axis=-1)  # where one rate alone would do
    for _ in range(STEPS):
        powers = RATES * s[..., None] - PRICES * v
        top = powers.max(axis=-1, keepdims=True)
        terms = np.exp(powers - top)
        total = terms.sum(axis=-1)
        reached = top[..., 0] + np.log(total) - wanted
        step = reached * total / (terms @ RATES)
        s = s - step
        if np.all(step <= 1e-9 * s):
            break
    return np.asarray(s * (1 + 1e-9))
