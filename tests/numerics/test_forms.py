"""Both forms of what is written twice: NumPy's and the loop, and the two ways to round an fma."""

import math
import sys
from fractions import Fraction

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from sparring import _math
from sparring._jit import kernel
from sparring._math import LANES, SMALL_EXPONENT

pytestmark = [pytest.mark.core, pytest.mark.plain]


@kernel
def blend(a, w, c, p, count):
    _math.blend(a, w, c, p, count)


@kernel
def spread_little(w, share, total, rate, p, count):
    _math.spread_little(w, share, total, rate, p, count)


@kernel
def spread(w, share, total, rate, p, count):
    _math.spread(w, share, total, rate, p, count)


@kernel
def sum_blocks(w, blocks, count):
    return _math.sum_blocks(w, blocks, count)


@kernel
def first_block(blocks, last, rest):
    block, left = _math.first_block(blocks, last, rest)
    return block, left


@kernel
def steps_below(w, start, end, rest):
    return _math.steps_below(w, start, end, rest)


@kernel
def apartness(p, K):
    return _math.apartness(p, K)


@kernel
def draw_apart(p, K, u, v):
    row, col = _math.draw_apart(p, K, u, v)
    return row, col


@kernel
def grow_exactly(w, x):
    return _math.exact_grow(w, x)


@kernel
def fma_exactly(a, b, c):
    return _math.exact_fma(a, b, c)


ARMS = (1, 4, 16, 17, 100, 1000)


def arrays(rng, K):
    """Weights of many sizes, chances and shares, in the width that learners have."""
    width = -(-K // LANES) * LANES
    w = np.exp(rng.normal(size=width) * 5)
    w[K:] = 0.0
    return w, np.full(width, 1e-5) * (np.arange(width) < K), rng.uniform(0.01, 1, width)


def outcome(function, *given):
    """What a function returns and what it makes of its arrays, all as one list."""
    copies = [part.copy() if isinstance(part, np.ndarray) else part for part in given]
    returned = function(*copies)
    return [
        np.asarray(part)
        for part in (*copies, *(np.atleast_1d(returned) if returned is not None else ()))
    ]


def cases(rng, K):
    w, share, p = arrays(rng, K)
    total, blocks = w.sum(), np.zeros(len(w) // LANES)
    _math.sum_blocks(w, blocks, len(blocks))
    little = 0.009 * SMALL_EXPONENT
    yield "blend", (0.9 / total, w, 0.1 / K, p, K)
    yield "spread_little", (w, share, total, little, p, K)
    yield "spread_little", (w, share, total, 0.0, p, K)
    yield "spread", (w, share, total, 0.3, p, K)
    yield "spread", (w, share, total, 0.0, p, K)
    yield "sum_blocks", (w, np.zeros_like(blocks), len(blocks))
    for rest in (0.0, w[0], 0.3 * total, 2 * total):
        yield "first_block", (blocks, len(blocks) - 1, rest)
        yield "steps_below", (w, 0, min(K, LANES) - 1, rest)
    if K > 1:
        chances = p / p[:K].sum()
        yield "apartness", (chances, K)
        for u, v in rng.random((20, 2)).tolist():
            yield "draw_apart", (chances, K, u, v)


@pytest.mark.parametrize("K", ARMS)
def test_the_numpy_form_is_the_loop_to_the_last_bit(K, rng):
    for name, given in cases(rng, K):
        by_numpy = outcome(getattr(_math, name), *given)
        by_loop = outcome(getattr(_math, f"{name}_loop"), *given)
        assert all(map(np.array_equal, by_numpy, by_loop)), name


@pytest.mark.compiled
@pytest.mark.parametrize("K", ARMS)
def test_the_machine_code_is_the_numpy_form_to_four_roundings(K, rng):
    """One of 2^-53 each in a product, a sum, a series and the share; only sums are alike."""
    for name, given in cases(rng, K):
        plain, compiled = (outcome(f, *given) for f in (getattr(_math, name), globals()[name]))
        exactly = name in ("sum_blocks", "first_block", "steps_below", "apartness", "draw_apart")
        for one, other in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(one, other, rtol=0 if exactly else 2.0**-51, atol=0)


def test_a_power_of_two_by_its_bits():
    for n in (-1022, -700, -1, 0, 1, 52, 1023):
        shifted = n + _math.ROUND_TO_INT
        assert _math.power_of_two(shifted) == _math.power_by_bits(shifted) == 2.0**n


def exact_sum(a, b, c):
    return float(Fraction(a) * Fraction(b) + Fraction(c))


NUMBERS = st.floats(-1e60, 1e60, allow_subnormal=False)


@hypothesis.given(a=NUMBERS, b=NUMBERS, c=NUMBERS, nearby=st.integers(-2, 2))
@hypothesis.example(a=1 + 2.0**-52, b=1 + 2.0**-52, c=0.0, nearby=0)  # all but cancels
@hypothesis.example(a=2.0**-30, b=2.0**-30 + 2.0**-80, c=1 + 2.0**-52, nearby=3)  # near a tie
@hypothesis.example(a=2.0**-500, b=2.0**-500, c=1.0, nearby=3)  # too small to split
def test_an_fma_in_python_is_rounded_once(a, b, c, nearby):
    """Also where the sum all but cancels: c is then a few steps from -a b."""
    if abs(nearby) < 2 and 1e-200 < abs(a * b) < 1e60:
        c = -(a * b) * (1 + nearby * 2.0**-52)
    assert _math.split_fma(a, b, c) == exact_sum(a, b, c)
    assert _math.exact_fma(a, b, c) == fma_exactly(a, b, c) == exact_sum(a, b, c)


def test_an_fma_between_two_floats_is_rounded_by_what_is_left():
    """Half a step and a little more or less, which a sum of three floats rounds away."""
    for sign in (-1.0, 1.0):
        for tiny in (2.0**-80, 2.0**-120, 2.0**-160):
            a, b = 1.0 + 2.0**-40, 2.0**-53 * (1.0 + sign * tiny * 2.0**40)
            for c in (1.0, 1.0 + 2.0**-52, math.pi):
                assert _math.split_fma(a, b, c) == exact_sum(a, b, c)


@hypothesis.given(w=st.floats(1e-100, 1e100), x=st.floats(-350, 350))
def test_exact_growth_has_the_bits_of_the_machine_code(w, x):
    assert _math.exact_grow(w, x) == grow_exactly(w, x)


def test_a_distribution_is_filled_at_once():
    """Duels asked without a tell between share it: whoever looks meanwhile sees what it was."""
    w, p, seen = np.array([1.0, 2.0, 3.0, 2.0]), np.empty(4), []
    _math.blend(0.9 / 8, w, 0.1 / 4, p, 4)
    before = p.copy()

    def look(frame, event, arg):
        frame.f_trace_opcodes = True
        seen.append(p.copy())
        return look

    others = sys.gettrace()
    sys.settrace(look)
    try:
        _math.blend(0.9 / 8, w, 0.1 / 4, p, 4)
    finally:
        sys.settrace(others)
    assert len(seen) > 3, "hardly anybody looked"
    np.testing.assert_array_equal(seen, [before] * len(seen))
