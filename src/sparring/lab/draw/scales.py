"""Where a logarithmic axis begins, ends and has its ticks: plain numbers, no drawing."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparring.lab.summaries import Curve

# Ticks within each decade, from coarse to fine.
WITHIN = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7))
FEWEST = 3  # ticks, from which one sees that an axis is logarithmic
DEEPEST = 3  # times lower than the lowest mean may a band pull the axis: it may go down to 0
MARGIN = 0.05  # of the axis, on either side
CLOSEST = 1 / 14  # of the axis, for two ticks with numbers


def shows(curves: Sequence[Curve]) -> bool:
    """Whether a logarithmic axis can show any of the means."""
    return any((curve.mean > 0).any() for curve in curves)


def left_out(curves: Sequence[Curve]) -> int:
    """How many of the means a logarithmic axis cannot show."""
    return sum(int((curve.mean <= 0).sum()) for curve in curves)


def heights(
    curves: Sequence[Curve], also: Sequence[float] | NDArray[np.float64] = ()
) -> tuple[float, float]:
    """From where to where a logarithmic axis shows all positive means, and their bands in part."""
    means = np.concatenate([*(curve.mean for curve in curves), also])
    edges = np.concatenate([curve.mean + sign * curve.sd for curve in curves for sign in (-1, 1)])
    edges = np.append(edges[edges > 0], means[means > 0])
    lowest = float(means[means > 0].min())
    return around(max(float(edges.min()), lowest / DEEPEST), float(edges.max()))


def around(low: float, high: float) -> tuple[float, float]:
    """A little more than from low to high; something also if they are one."""
    pad = max((high / low) ** MARGIN, 1.05)
    return low / pad, high * pad


def ticks(low: float, high: float) -> list[float]:
    """Round numbers of a logarithmic axis, few but enough.

    Examples
    --------
    >>> ticks(9e3, 2e6), ticks(90, 700), ticks(0.95, 1.25)
    ([10000.0, 100000.0, 1000000.0], [100.0, 200.0, 500.0], [1.0, 1.1, 1.2])
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for within in WITHIN:
        candidates = [float(f"{step}e{decade}") for decade in decades for step in within]
        found = [tick for tick in candidates if low <= tick <= high]
        if len(found) >= FEWEST:
            return thinned(found, low, high)
    return _even(low, high)


def _even(low: float, high: float) -> list[float]:
    """Round numbers at equal distances, where an axis is so short that it looks linear."""
    digits = -math.floor(math.log10(high - low))
    found: list[float] = []
    for parts in (1, 2, 5):
        step = 10.0**-digits / parts
        steps = range(math.ceil(low / step), math.floor(high / step) + 1)
        found = [round(i * step, digits + 1) for i in steps]
        if len(found) >= FEWEST:
            break
    return found


def thinned(candidates: Sequence[float], low: float, high: float) -> list[float]:
    """Rising candidates without those whose numbers would touch the one before."""
    closest = (high / low) ** CLOSEST
    found = list[float]()
    for tick in candidates:
        if not found or tick / found[-1] >= closest:
            found.append(tick)
    return found


def band(curve: Curve, floor: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The edges one standard deviation from the mean, and none below the floor."""
    return np.maximum(curve.mean - curve.sd, floor), np.maximum(curve.mean + curve.sd, floor)
