"""Random numbers one at a time: the generator word by word, and the law of each kind of draw.

Seeds are fixed; a false-alarm rate says how likely a right program was to fail on a seed chosen
blindly.
"""

import numpy as np
import pytest
from scipy import stats

from counting_twins import Words, beta_of
from sparring import _random as draws
from sparring._jit import JIT_OFF, kernel

MANY = 500 if JIT_OFF else 20_000


@kernel
def fill_words(words, out):
    for i in range(out.size):
        out[i] = draws.next_word(words)


@kernel
def fill_uniform(words, out):
    for i in range(out.size):
        out[i] = draws.uniform(words)


@kernel
def fill_below(words, n, out):
    for i in range(out.size):
        out[i] = draws.below(words, n)


@kernel
def fill_arm(words, p, out):
    for i in range(out.size):
        out[i] = draws.arm(words, p, p.size)


@kernel
def fill_beta(words, a, b, out):
    for i in range(out.size):
        out[i] = draws.beta(words, a, b)


def seeded(*seed):
    return draws.seeded(np.random.default_rng(seed))


@pytest.mark.parametrize(
    "state", [seeded(1), seeded(2), [1, 2, 3, 4], [2**64 - 1] * 4, [0, 0, 0, 1]], ids=str
)
def test_words_are_xoshiros(state):
    words, twin = np.array(state, np.uint64), Words(state)
    out = np.empty(1000, np.uint64)
    fill_words(words, out)
    assert out.tolist() == [twin.next() for _ in out]
    assert words.tolist() == twin.s


def test_the_first_words_are_those_of_the_reference():
    """From the state (1, 2, 3, 4), by hand: rotl(1 + 4, 23) + 1 = 5 * 2^23 + 1."""
    out = np.empty(1, np.uint64)
    fill_words(np.array([1, 2, 3, 4], np.uint64), out)
    assert out[0] == 5 * 2**23 + 1


def test_a_seed_is_four_words_of_a_generator():
    expected = np.random.default_rng(7).integers(0, 2**64, 4, dtype=np.uint64)
    np.testing.assert_array_equal(draws.seeded(np.random.default_rng(7)), expected)


def test_uniforms_are_the_upper_53_bits_and_follow_their_law():
    """Kolmogorov-Smirnov at 1e-6."""
    out, twin = np.empty(MANY), Words(seeded(3))
    fill_uniform(seeded(3), out)
    assert out[:300].tolist() == [twin.uniform() for _ in range(300)]
    assert out.min() >= 0 and out.max() < 1
    assert stats.kstest(out, "uniform").pvalue > 1e-6


def with_word(word):
    """A state whose next word is this one: s0 = word and s3 = -s0, so that what is rotated is 0."""
    return np.array([word, 1, 1, (2**64 - word) % 2**64], np.uint64)


def test_the_extremes_of_uniform():
    out = np.empty(1)
    for word, expected in ((2**64 - 1, 1 - 2.0**-53), (0, 0.0), (2**11, 2.0**-53), (2**63, 0.5)):
        fill_uniform(with_word(word), out)
        assert out[0] == expected


@pytest.mark.parametrize("n", [1, 2, 3, 7, 1000])
def test_below_takes_all_equally(n):
    """Chi-square at 1e-6."""
    out = np.empty(MANY, np.int64)
    fill_below(seeded(4, n), n, out)
    assert out.min() >= 0 and out.max() < n
    if MANY >= 20 * n > 20:
        assert stats.chisquare(np.bincount(out, minlength=n)).pvalue > 1e-6
    fill_below(with_word(2**64 - 1), n, out[:1])
    assert out[0] == n - 1


def test_arms_follow_p():
    """Chi-square at 1e-6; arms of no chance are never drawn."""
    p = np.array([0.0, 0.1, 0.0, 0.6, 0.3, 0.0])
    out = np.empty(MANY, np.int64)
    fill_arm(seeded(5), p, out)
    drawn = np.bincount(out, minlength=p.size)
    assert drawn[p == 0].sum() == 0
    assert stats.chisquare(drawn[p > 0], p[p > 0] * MANY).pvalue > 1e-6


def test_an_arm_is_drawn_also_where_p_sums_to_less_than_1():
    """The sum may be short of 1 by rounding, and the uniform above it: the last arm."""
    out = np.empty(1, np.int64)
    fill_arm(with_word(2**64 - 1), np.array([0.3, 0.3, 0.3]), out)
    assert out[0] == 2


SHAPES = [1.0, 1 + 2**-52, 1.0001, 1.5, 2.0, 2.5, 3.0, 4.5, 10.0, 40.5]
GRID = [(a, b) for a in SHAPES for b in SHAPES]
GRID += [(1, 500), (500, 1), (300, 2), (2, 300), (1.0001, 800), (1000, 1000), (1e4, 3), (1e6, 2e6)]


@pytest.mark.parametrize(("a", "b"), GRID[::9] if JIT_OFF else GRID, ids=str)
def test_betas_follow_their_law(a, b):
    """Kolmogorov-Smirnov at 1e-7 a pair: 1.1e-5 over the grid."""
    out = np.empty(MANY)
    fill_beta(seeded(6), float(a), float(b), out)
    assert out.min() >= 0 and out.max() <= 1
    assert stats.kstest(out, stats.beta(a, b).cdf).pvalue > 1e-7


@pytest.mark.compiled
@pytest.mark.parametrize(("a", "b"), [(1.0, 4.0), (1.5, 2.5), (30.0, 3.0), (200.0, 180.0)], ids=str)
def test_betas_follow_their_law_to_a_third_digit(a, b):
    """A million of each: KS at 1e-6 finds a law that is off by 0.003 anywhere; 4e-6 in all."""
    out = np.empty(1_000_000)
    fill_beta(seeded(8), a, b, out)
    assert stats.kstest(out, stats.beta(a, b).cdf, method="asymp").pvalue > 1e-6


def test_betas_of_any_shape_come_to_an_end():
    """Shapes a bit from 1 on, up to 1e18, and words that make u = 1 and u = 2^-53."""
    shapes = [*(1 + k * 2.0**-52 for k in range(9)), 1 + 1e-9, 2.0, 1e3, 1e9, 1e15, 1e18]
    for a in shapes:
        for b in shapes:
            for words in (seeded(9), with_word(0), with_word(2**64 - 1)):
                assert 0 <= beta_of(words, a, b) <= 1, (a, b)


def test_betas_mirror():
    """Beta(a, b) and 1 - Beta(b, a) from the same words: to rounding the same numbers."""
    for a, b in ((2.0, 5.0), (1.25, 40.0), (300.0, 2.5)):
        one, other = np.empty(200), np.empty(200)
        fill_beta(seeded(10), a, b, one)
        fill_beta(seeded(10), b, a, other)
        np.testing.assert_allclose(one, 1 - other, rtol=0, atol=1e-15)
