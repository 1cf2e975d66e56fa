"""Chi-square with a tail that is as light as stated."""

import math
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]


def merge_light_cells(counts: Numbers, expected: Numbers, least: float = 50) -> list[Numbers]:
    """Cells that expect less than `least`, merged: they would make chi-square's tail heavier."""
    group, sums = np.empty(len(expected), int), [0.0]
    for cell in np.argsort(expected):
        if sums[-1] >= least:
            sums.append(0.0)
        group[cell] = len(sums) - 1
        sums[-1] += expected[cell]
    if sums[-1] < least:  # what is left over joins the last but one
        group[group == len(sums) - 1] = max(len(sums) - 2, 0)
    return [np.bincount(group, weights=cells) for cells in (counts, expected)]


def chi_square_limit(freedom: int, z: float = 6.0) -> float:
    """Chi-square's quantile at 1e-9 (z = 6 normal deviations), by Wilson and Hilferty's cube.

    With cells of at least 50 the true rate is a few times that; 1e-7 is stated.
    """
    if freedom == 0:
        return 0.0
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + z * math.sqrt(spread)) ** 3
