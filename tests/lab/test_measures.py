"""Statistics of panels: exact where they can be, and intervals that cover as often as they say."""

import math

import numpy as np
import pytest
from scipy import stats

from sparring.lab import measures

pytestmark = pytest.mark.compiled  # no kernel is tested here

RUNS = 10


def power_law(power, points=(10, 100, 1000), factor=3.0):
    return list(points), [np.full(4, factor * x**power) for x in points]


@pytest.mark.parametrize("power", [0.5, 2 / 3, 1.0, -0.25])
def test_growth_is_the_exponent_of_a_power_law(power):
    assert measures.growth(*power_law(power)) == pytest.approx((power, power, power), abs=1e-12)


def test_growth_is_the_least_squares_slope_of_the_logs_of_the_means():
    rng = np.random.default_rng(1)
    points = [5, 10, 20, 40]
    values = [rng.gamma(5, x, size=RUNS) for x in points]
    line = stats.linregress(np.log(points), [math.log(runs.mean()) for runs in values])
    assert measures.growth(points, values).value == pytest.approx(line.slope)


def test_growth_is_unknown_where_a_mean_is_not_positive_or_there_is_one_point():
    positive, negative = np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    assert math.isnan(measures.growth([1, 2], [positive, negative]).value)
    assert math.isnan(measures.growth([1], [positive]).value)


def test_one_run_has_no_interval():
    found = measures.growth([1, 2], [np.array([1.0]), np.array([2.0])])
    assert found.value == pytest.approx(1)
    assert math.isnan(found.low) and math.isnan(found.high)


def test_a_difference_is_the_paired_t_interval():
    rng = np.random.default_rng(2)
    path = rng.normal(0, 100, RUNS)
    first, second = path + rng.normal(3, 1, RUNS), path + rng.normal(0, 1, RUNS)
    low, high = stats.ttest_rel(first, second).confidence_interval(0.95)
    found = measures.difference(first, second)
    assert found == pytest.approx(((first - second).mean(), low, high))


def test_a_fall_is_welchs_interval():
    rng = np.random.default_rng(3)
    first, second = rng.normal(3, 1, 8), rng.normal(0, 5, 12)
    low, high = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    assert measures.fall(first, second) == pytest.approx((first.mean() - second.mean(), low, high))


def test_a_ratio_does_not_depend_on_the_unit_and_turns_over():
    rng = np.random.default_rng(4)
    first, second = rng.gamma(50, 2, RUNS), rng.gamma(50, 1, RUNS)
    found, scaled = measures.ratio(first, second), measures.ratio(7 * first, 7 * second)
    assert scaled == pytest.approx(found)
    other = measures.ratio(second, first)
    assert (1 / other.value, 1 / other.high, 1 / other.low) == pytest.approx(found)


def test_the_intervals_cover_the_truth_as_often_as_they_say():
    """2000 trials each. A count below 1860 has chance 3e-4 if intervals cover in 95%; the delta
    method costs a little for ratios, so 1840 (chance 1e-10 at 95%, 0.01 at 93%) is the limit."""
    rng = np.random.default_rng(5)
    points = np.array([1e4, 3e4, 1e5, 3e5])
    covered = {"growth": 0, "paired growth": 0, "difference": 0, "fall": 0, "ratio": 0}
    for _ in range(2000):
        values = [x**0.5 * rng.normal(1, 0.3, RUNS) for x in points]
        growth = measures.growth(points, values)
        covered["growth"] += growth.low <= 0.5 <= growth.high
        luck = rng.normal(1, 0.3, RUNS)  # the same at all points, as along S
        values = [x**0.5 * (luck + rng.normal(0, 0.1, RUNS)) for x in points]
        growth = measures.growth(points, values, paired=True)
        covered["paired growth"] += growth.low <= 0.5 <= growth.high
        first, second = rng.normal(2, 0.5, RUNS), rng.normal(1, 0.2, RUNS)
        for name, truth in (("difference", 1), ("fall", 1), ("ratio", 2)):
            found = getattr(measures, name)(first, second)
            covered[name] += found.low <= truth <= found.high
    assert min(covered.values()) >= 1840, covered
    assert max(covered.values()) <= 1980, covered  # nor are they so wide that they say nothing


def test_a_ratio_next_to_nothing_has_no_end():
    found = measures.ratio(np.array([-1000.0, 1001.0]), np.array([5.0, 6.0]))
    assert found.high == math.inf and found.low == 0


@pytest.mark.parametrize(("ones", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (18, 20), (7, 200)])
def test_a_share_has_wilsons_interval(ones, n):
    found = measures.share(np.repeat([1.0, 0.0], [ones, n - ones]))
    exact = stats.binomtest(ones, n).proportion_ci(method="wilson")
    assert found == pytest.approx((ones / n, exact.low, exact.high), abs=1e-12)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_a_share_of_nothing_is_unknown():
    assert all(np.isnan(measures.share(np.array([]))))
