"""The chance that a Beta number is above 1/2, and a draw given that it is.

Seeds are fixed; a false-alarm rate says how likely a right program was to fail on a seed chosen
blindly.
"""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc

from sparring import _random as chances
from sparring import _random as draws
from sparring._jit import JIT_OFF, kernel

MANY = 500 if JIT_OFF else 200_000


@kernel
def chance_of(w, l):
    return chances.chance(w, l)


@kernel
def fill_beyond(words, w, l, out):
    for i in range(out.size):
        out[i] = chances.beyond(words, w, l)


def counts(largest, number):
    """Wins and losses, half of them whole, up to six deviations from a draw."""
    rng = np.random.default_rng(round(100 * largest))
    m = largest * rng.random(number)
    lead = np.clip(rng.uniform(-6, 6, number) * np.sqrt(m), -m, m)
    w, l = (m + lead) / 2, (m - lead) / 2
    w[::2], l[::2] = np.rint(w[::2]), np.rint(l[::2])
    return zip(w.tolist(), l.tolist(), strict=True)


@pytest.mark.parametrize("largest", [2, 8, 60, 400, 2_100, 10_000, 10**6, 10**8])
def test_chances_are_those_of_the_incomplete_beta_function(largest):
    """On both sides of what is computed in another way, 7, 8 and 2000, too."""
    for w, l in counts(largest, 20 if JIT_OFF else 2_000):
        assert abs(chance_of(w, l) - betainc(l + 1, w + 1, 0.5)) < 2e-12, (w, l)


def test_chances_by_hand():
    """Of Beta(1, l + 1) it is 2^-(l + 1); between equals 1/2; the rest is sums of coins."""
    for l in range(40):
        assert chance_of(0.0, float(l)) == pytest.approx(2.0 ** -(l + 1), rel=1e-13)
        assert chance_of(float(l), float(l)) == pytest.approx(0.5, rel=1e-13)
    assert chance_of(1.0, 2.0) == pytest.approx(5 / 16, rel=1e-13)
    assert chance_of(2.0, 1.0) == pytest.approx(11 / 16, rel=1e-13)
    assert chance_of(0.0, 1e8) == 0 and chance_of(1e8, 0.0) == 1 and chance_of(0.0, 1e18) == 0


@pytest.mark.parametrize("edge", [2 * chances.LARGE, chances.LARGE, 2 * chances.SHIFT])
def test_where_the_method_changes_the_chance_does_not(edge):
    """One duel in 10^9 more or less, around n = w + l + 2 of that size."""
    for share in (0.47, 0.5, 0.53):
        w, l = share * edge - 1, (1 - share) * edge - 1
        below, above = chance_of(w - 1e-9, l), chance_of(w + 1e-9, l)
        assert 0 < above - below < 1e-9


def test_a_chance_moves_slowly_as_counts_shrink():
    """By at most |ln c| / 2 and 0.65 N, as kept chances need it; c from just below 1 to 0."""
    for largest in (0.01, 2, 60, 2_100, 10**6):
        for w, l in counts(largest, 20 if JIT_OFF else 500):
            for c in (1 - 1e-6, 0.99, 0.8, 0.1, 1e-9):
                moved = abs(betainc(l + 1, w + 1, 0.5) - betainc(c * l + 1, c * w + 1, 0.5))
                assert moved <= min(-0.5 * np.log(c), 0.65 * (w + l)) + 1e-13


SHAPES = [
    (0, 0.6),
    (0, 1),
    (0, 7),
    (1, 4),
    (2.5, 9.25),
    (30, 50),
    (400, 470),
    (10, 90),
    (1e6, 1.004e6),
]


@pytest.mark.parametrize(("w", "l"), SHAPES, ids=str)
def test_a_draw_beyond_a_half_follows_its_law(w, l):
    """Kolmogorov-Smirnov at 1e-7 a pair; 9e-7 in all."""
    assert chances.unlikely(w, l) and not chances.unlikely(l, w)
    out = np.empty(MANY)
    fill_beyond(draws.seeded(np.random.default_rng(1)), float(w), float(l), out)
    assert out.min() >= 0.5 and out.max() < 1
    law = stats.beta(w + 1, l + 1)
    assert stats.kstest(law.sf(out) / law.sf(0.5), "uniform", method="asymp").pvalue > 1e-7
