"""The law of 1e8 normals: distribution function, cells, moments, tails and correlations.

The seed is fixed, so a test that passes goes on passing; the rate of false alarms says how likely a
right program was to fail on a seed chosen blindly. Draws are tallied as they come, and never kept.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from sparring import _random as normals
from sparring._random import CHUNK, HALF
from sparring.testing.chance import merge_light_cells

pytestmark = pytest.mark.compiled

CHUNKS = 97_657
N = CHUNKS * CHUNK  # 100,000,768
END, FINE = 9, 4096  # cells of width 1 / FINE between -END and END; no normal lies beyond
EDGES = np.arange(-END * FINE, END * FINE + 1) / FINE
LAGS = (1, 2, 32, 512, 1024)  # neighbours, next but one, the same lane, half a chunk, a chunk
FAR = 5.5  # standard errors that no mean may be off: false alarms 4e-8 by the normal law


class Tally(NamedTuple):
    """What is counted and summed over all draws z, and over all pairs x, y that share a radius."""

    cells: np.ndarray
    powers: np.ndarray
    """Sums of z^1 to z^8."""
    products: np.ndarray
    """For each lag, the sum of the products of z with the z so many draws before."""
    squares: np.ndarray
    """The same of z^2 - 1."""
    partners: np.ndarray
    """Sums of xy, (x^2-1)(y^2-1), (x^2-1)y and x(y^2-1)."""
    octants: np.ndarray
    """How many pairs fall in each eighth of the plane."""


@numba.njit(error_model="numpy")  # not on disk: Numba would not notice an edited constant
def add_up(state, words, z, before, t):
    """Draw CHUNKS chunks into z; `before` holds the last chunk and then this one."""
    for _ in range(CHUNKS):
        normals.next_normals(state, words, z)
        before[:CHUNK] = before[CHUNK:]
        before[CHUNK:] = z
        for i in range(CHUNK):
            t.cells[int((z[i] + END) * FINE)] += 1
            power = 1.0
            for j in range(8):
                power *= z[i]
                t.powers[j] += power
        for j, lag in enumerate(LAGS):
            product = square = 0.0
            for i in range(CHUNK):
                x, y = before[CHUNK - lag + i], z[i]
                product += x * y
                square += (x * x - 1.0) * (y * y - 1.0)
            t.products[j] += product
            t.squares[j] += square
        for i in range(HALF):
            x, y = z[i], z[HALF + i]
            t.partners[0] += x * y
            t.partners[1] += (x * x - 1.0) * (y * y - 1.0)
            t.partners[2] += (x * x - 1.0) * y
            t.partners[3] += x * (y * y - 1.0)
            t.octants[4 * (x > 0.0) + 2 * (y > 0.0) + (abs(x) > abs(y))] += 1


@pytest.fixture(scope="module")
def tally():
    state, words = normals.lanes(np.random.default_rng(1)), np.empty(CHUNK, np.uint64)
    z, before = np.empty(CHUNK), np.empty(2 * CHUNK)
    normals.fill(state, words, before)
    counts = np.zeros(EDGES.size - 1, np.int64)
    t = Tally(counts, *(np.zeros(n) for n in (8, len(LAGS), len(LAGS), 4)), np.zeros(8, np.int64))
    add_up(state, words, z, before, t)
    return t


def test_every_draw_was_counted(tally):
    assert tally.cells.sum() == N
    assert tally.octants.sum() == N // 2


def test_the_distribution_function_is_the_normals(tally):
    """Kolmogorov-Smirnov: max |F_N - F| over the edges of cells of mass at most 1e-4.

    N = 1e8. It is at most the supremum over the line, which exceeds e with probability at most
    2 exp(-2 N e^2) for every N (Massart 1990): e = 3.1e-4 for false alarms 1e-8.
    """
    below = np.concatenate([[0], np.cumsum(tally.cells)]) / N
    assert np.abs(below - ndtr(EDGES)).max() < math.sqrt(math.log(2 / 1e-8) / (2 * N))


@pytest.mark.parametrize("width", [1, 64, 512])
def test_cells_are_filled_as_they_should_be(tally, width):
    """Chi-square over cells of 1/4096, 1/64 and 1/8 at 1e-7, N = 1e8.

    Cells that expect less than 50 are merged, so that chi-square's tail is right to a small factor.
    False alarms: below 1e-6 each.
    """
    expected = np.diff(ndtr(EDGES[::width])) * N
    counts = tally.cells.reshape(-1, width).sum(axis=1)
    counts, expected = merge_light_cells(counts, expected)
    assert stats.chisquare(counts, expected, sum_check=False).pvalue > 1e-7


@pytest.mark.parametrize("power", range(1, 9))
def test_moments(tally, power):
    """The mean of z^q over N = 1e8 draws is within FAR standard errors of (q-1)!!, or of 0.

    The variance of z^q is (2q-1)!! less the square of that. False alarms: 4e-8 each, and below
    1e-7 for q = 8, whose sum is still skewed by 0.01.
    """

    def moment(q):
        return math.prod(range(1, q, 2)) if q % 2 == 0 else 0

    error = math.sqrt((moment(2 * power) - moment(power) ** 2) / N)
    assert abs(tally.powers[power - 1] / N - moment(power)) < FAR * error


@pytest.mark.parametrize("sigma", [3, 4, 5])
@pytest.mark.parametrize("side", [-1, 1])
def test_tails(tally, sigma, side):
    """How many of N = 1e8 lie beyond 3, 4 and 5, on either side: binomial, exactly, at 1e-7.

    Expected are 134,991, 3,167 and 28.7. False alarms: at most 1e-7 each.
    """
    outer = EDGES[1:] <= -sigma if side < 0 else EDGES[:-1] >= sigma
    count, law = tally.cells[outer].sum(), stats.binom(N, ndtr(-sigma))
    assert 2 * min(law.cdf(count), law.sf(count - 1)) > 1e-7


@pytest.mark.parametrize("lag", LAGS)
def test_draws_a_lag_apart_are_independent(tally, lag):
    """The mean product of z, and of z^2 - 1, with the one a lag before, over N = 1e8 draws.

    Within FAR standard errors of 0; a product has variance 1, and 4 for squares. False alarms:
    4e-8 each.
    """
    j = LAGS.index(lag)
    assert abs(tally.products[j] / N) < FAR * math.sqrt(1 / N)
    assert abs(tally.squares[j] / N) < FAR * math.sqrt(4 / N)


@pytest.mark.parametrize(("j", "variance"), [(0, 1), (1, 4), (2, 2), (3, 2)])
def test_partners_are_independent(tally, j, variance):
    """Means of xy, (x^2-1)(y^2-1), (x^2-1)y and x(y^2-1) over the 5e7 pairs that share a radius.

    Within FAR standard errors of 0. False alarms: 4e-8 each.
    """
    assert abs(tally.partners[j] / (N / 2)) < FAR * math.sqrt(variance / (N / 2))


def test_partners_fill_the_circle(tally):
    """Signs of both, and which is larger, are eight cells alike: chi-square of 5e7 pairs at 1e-7.

    False alarms: 1e-7.
    """
    assert stats.chisquare(tally.octants).pvalue > 1e-7
