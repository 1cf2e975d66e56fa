"""Statistics of a panel, with intervals over runs: growth, differences, ratios.

All intervals are t intervals, at 95% unless said otherwise, whose degrees of freedom are Welch's
and Satterthwaite's; logs of means go by the delta method. They measure the chance in the runs, not
how well a power law fits.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sparring.formats import Estimate

LEVEL = 0.95

Values = NDArray[np.float64]  # of one entrant at one point, a number a run


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def growth(
    points: Sequence[float],
    values: Sequence[Values],
    *,
    paired: bool = False,
    level: float = LEVEL,
) -> Estimate:
    """The exponent of the growth of the mean along an axis: a least squares line through the logs.

    It is unknown with one point, or if a mean is not positive or there is no run. `paired` says
    that a run has the same luck at all points, as worlds of the same K and T have; otherwise points
    are independent.

    Examples
    --------
    >>> found = growth([1, 100], [np.array([2.0, 2.2]), np.array([20.0, 22.0])])
    >>> f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
    '0.50 (0.44 to 0.56)'
    """
    if len(points) < 2 or not all(len(runs) and runs.mean() > 0 for runs in values):
        return UNKNOWN
    x = np.log(np.array(points, float))
    weights = (x - x.mean()) / np.square(x - x.mean()).sum()
    logs = [math.log(runs.mean()) for runs in values]
    scaled = [weight * runs / runs.mean() for weight, runs in zip(weights, values, strict=True)]
    if paired and len({len(runs) for runs in values}) == 1:
        scaled = [np.sum(scaled, axis=0)]
    return around(float(weights @ logs), scaled, level)


def difference(first: Values, second: Values) -> Estimate:
    """How much higher the first is on average than the second, run by run on the same paths."""
    if not len(first):
        return UNKNOWN
    return around(float((first - second).mean()), [first - second])


def ratio(first: Values, second: Values, *, level: float = LEVEL) -> Estimate:
    """The mean of the first over the mean of the second, run by run on the same paths."""
    if not len(first):
        return UNKNOWN
    above, below = float(first.mean()), float(second.mean())
    if not (above > 0 and below > 0):
        return UNKNOWN
    log = around(math.log(above / below), [first / above - second / below], level)
    with np.errstate(over="ignore"):  # next to 0 the interval may have no end
        return Estimate(*(float(np.exp(number)) for number in log))


def share(hits: Values, *, level: float = LEVEL) -> Estimate:
    """The share of ones among zeros and ones, with Wilson's interval (1927); unknown of none.

    Examples
    --------
    >>> found = share(np.array([1.0] * 18 + [0.0] * 2))
    >>> f"{found.value:.2f} ({found.low:.3f} to {found.high:.3f})"
    '0.90 (0.699 to 0.972)'
    """
    n = len(hits)
    if n == 0:
        return UNKNOWN
    z, p = float(special.ndtri((1 + level) / 2)), float(hits.mean())
    middle, scale = p + z**2 / (2 * n), 1 + z**2 / n
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = (middle - half) / scale, (middle + half) / scale
    return Estimate(p, min(max(low, 0.0), p), max(min(high, 1.0), p))


def fall(first: Values, second: Values) -> Estimate:
    """How much higher the first is on average than the second, on separate paths."""
    if not (len(first) and len(second)):
        return UNKNOWN
    return around(float(first.mean() - second.mean()), [first, -second])


def around(value: float, samples: Sequence[Values], level: float = LEVEL) -> Estimate:
    """The interval of a value that varies like the sum of the means of the samples."""
    variances = np.array(
        [runs.var(ddof=1) / len(runs) if len(runs) > 1 else np.nan for runs in samples]
    )
    if np.isnan(variances).any():
        return Estimate(value, math.nan, math.nan)  # one run tells nothing about chance
    total = float(variances.sum())
    if total == 0:
        return Estimate(value, value, value)
    freedom = np.array([len(runs) - 1 for runs in samples])
    degrees = total**2 / float((variances**2 / freedom).sum())
    half = float(special.stdtrit(degrees, (1 + level) / 2)) * math.sqrt(total)
    return Estimate(value, value - half, value + half)
