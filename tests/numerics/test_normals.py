"""Normal numbers: words and normals against slow twins written from the published definitions."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from sparring import _random as normals
from sparring._jit import kernel
from sparring._random import CHUNK, LANES

ALL_BITS = 2**64 - 1
ERROR = 5e-16  # relative: two to four units in the last place
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


@kernel
def box_muller(words, z):
    normals.box_muller(words, z)


@kernel
def next_normals(state, words, z):
    normals.next_normals(state, words, z)


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & ALL_BITS


class Xoshiro:
    """xoshiro256++, from the definition in Blackman and Vigna (2021), one stream."""

    def __init__(self, s):
        self.s = [int(word) for word in s]

    def next(self):
        s = self.s
        word = (rotate((s[0] + s[3]) & ALL_BITS, 23) + s[0]) & ALL_BITS
        t = (s[1] << 17) & ALL_BITS
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return word


def series(x, first):
    """x^first / first! - x^(first + 2) / (first + 2)! + ...: cosine from 0, sine from 1."""
    term = total = x if first else Decimal(1)
    n = first
    while abs(term) > Decimal("1e-50"):
        n += 2
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def exact_pair(radius_word, angle_word):
    """Two normals by Box and Muller, to 40 digits.

    The upper 52 bits of the words are v's distance from 1, and a's from -pi/4 in quarter turns.
    """
    with localcontext(prec=50):
        v = 1 - Decimal(int(radius_word) >> 12) / 2**52
        a = (Decimal(int(angle_word) >> 12) / 2**52 - Decimal("0.5")) * PI / 2
        r = (-2 * v.ln()).sqrt() * (-1 if int(angle_word) & 1 else 1)
        pair = r * series(a, 0), r * series(a, 1)
        return pair[::-1] if int(angle_word) & 2 else pair


def exact_normals(words):
    pairs = [exact_pair(*both) for both in zip(*np.split(words, 2), strict=True)]
    return [first for first, _ in pairs] + [second for _, second in pairs]


def relative_errors(z, exact):
    pairs = [(Decimal(float(x)), y) for x, y in zip(z, exact, strict=True)]
    return [abs(x - y) / abs(y) if y else abs(x) for x, y in pairs]


@pytest.fixture
def state(rng):
    return normals.lanes(rng)


def test_the_twin_gives_the_words_of_the_reference_implementation():
    """Words 1, 2, 3 and 10 of the authors' C code (prng.di.unimi.it) from the state 1, 2, 3, 4."""
    stream = Xoshiro([1, 2, 3, 4])
    words = [stream.next() for _ in range(10)]
    assert words[:3] == [41943041, 58720359, 3588806011781223]
    assert words[9] == 10450023813501588000


def test_words_are_those_of_xoshiro_lane_by_lane(state):
    """Word i comes from stream i modulo LANES, to the last bit, sums that overflow included."""
    streams = [Xoshiro(lane) for lane in state.T]
    words = np.empty(3 * CHUNK, np.uint64)
    normals.fill_words(state, words)
    assert words.tolist() == [streams[i % LANES].next() for i in range(words.size)]
    assert state.T.tolist() == [stream.s for stream in streams]


def test_normals_are_box_and_mullers_to_the_last_bits(state):
    """Relative errors of 4 chunks against 40 digits: at most 3.9e-16, with the JIT or without."""
    words, z = np.empty(CHUNK, np.uint64), np.empty(CHUNK)
    for _ in range(4):
        next_normals(state, words, z)
        assert max(relative_errors(z, exact_normals(words))) < ERROR


def corners():
    """Words at the ends of every range: v at its ends and where its exponent changes, a likewise.

    Each of the radius words meets each of the angle words; the rest of the chunk repeats them.
    """
    root = int((1 - math.sqrt(0.5)) * 2**52)
    upper = [0, 1, 2, root - 1, root, root + 1, 2**51 - 1, 2**51, 2**51 + 1, 2**52 - 2, 2**52 - 1]
    angles = [0, 1, 2**51 - 1, 2**51, 2**51 + 1, 2**52 - 1]
    pairs = [(r << 12, a << 12 | low) for r in upper for a in angles for low in (0, 1, 2, 3, 4095)]
    pairs.append((ALL_BITS, ALL_BITS))
    return [np.resize(np.array(half, np.uint64), CHUNK // 2) for half in zip(*pairs, strict=True)]


def test_normals_at_the_extreme_words_are_finite_and_right():
    """No word, all bits zero or all one included, gives more than sqrt(104 ln 2), or a NaN."""
    words, z = np.concatenate(corners()), np.empty(CHUNK)
    box_muller(words, z)
    assert np.isfinite(z).all()
    assert max(relative_errors(z, exact_normals(words))) < ERROR
    assert np.abs(z).max() == pytest.approx(math.sqrt(104 * math.log(2)), rel=1e-15)
    assert np.abs(z).max() < 8.491


def test_pieces_are_the_whole(state):
    """One call for four chunks, four calls, and chunks from within a kernel give the same bits."""
    pieces, chunks = state.copy(), state.copy()
    words, whole, z = np.empty(CHUNK, np.uint64), np.empty(4 * CHUNK), np.empty(CHUNK)
    normals.fill(state, words, whole)
    for start in range(0, whole.size, CHUNK):
        normals.fill(pieces, words, z)
        np.testing.assert_array_equal(z, whole[start : start + CHUNK])
        next_normals(chunks, words, z)
        np.testing.assert_array_equal(z, whole[start : start + CHUNK])
    np.testing.assert_array_equal(pieces, state)
    np.testing.assert_array_equal(chunks, state)


def test_words_in_pieces_are_the_whole(state):
    pieces = state.copy()
    whole, words = np.empty(2 * CHUNK, np.uint64), np.empty(CHUNK, np.uint64)
    normals.fill_words(state, whole)
    for start in (0, CHUNK):
        normals.fill_words(pieces, words)
        np.testing.assert_array_equal(words, whole[start : start + CHUNK])


def test_the_state_is_the_generators_and_lanes_differ(rng):
    state = normals.lanes(rng)
    assert state.shape == (4, LANES) and state.dtype == np.uint64
    assert np.unique(state).size == state.size
    np.testing.assert_array_equal(state, normals.lanes(np.random.default_rng(20220717)))
    assert (state != normals.lanes(rng)).all()


@pytest.mark.compiled
def test_one_signature_whatever_the_length(state):
    words = np.empty(CHUNK, np.uint64)
    for chunks in (1, 2, 5):
        normals.fill(state, words, np.empty(chunks * CHUNK))
        normals.fill_words(state, np.empty(chunks * CHUNK, np.uint64))
    assert len(normals.fill.signatures) == len(normals.fill_words.signatures) == 1
