"""Loops over all arms, each in two forms: for NumPy, and below it for the compiler.

Interpreted, a loop over arms costs a hundred times the machine code; NumPy's form costs about the
same for any K that people have. Where it is interpreted both give the same bits: they round after
the same operations. `count`, wherever it occurs: so many arms, from the first on, padding included.
"""

import numpy as np

from sparring._kernels.arithmetic import (
    LANES,
    LN2_HIGH,
    LN2_LOW,
    LOG2_E,
    ROUND_TO_INT,
    fma,
    grow,
    grow_small,
    series,
    small_series,
    sum_lanes,
)
from sparring._kernels.jit import compiled_as


def blend(a, w, c, p, count):
    """p(k) = a w(k) + c."""
    part = p[:count]
    np.multiply(w[:count], a, out=part)
    part += c


@compiled_as(blend)
def blend_loop(a, w, c, p, count):
    """`blend`, one arm at a time."""
    for k in range(count):
        p[k] = fma(a, w[k], c)


def spread_little(w, share, total, rate, p, count):
    """w(k) <- w(k) e^(rate / p(k)) + share(k) total, for exponents up to SMALL_EXPONENT."""
    part = w[:count]
    if rate > 0.0:
        x = rate / p[:count]
        part += part * x * small_series(x)
    part += share[:count] * total


@compiled_as(spread_little)
def spread_little_loop(w, share, total, rate, p, count):
    """`spread_little`, one arm at a time."""
    for k in range(count):
        w[k] = fma(share[k], total, grow_small(w[k], rate / p[k]))


def spread(w, share, total, rate, p, count):
    """w(k) <- w(k) e^(rate / p(k)) + share(k) total, for exponents below 700."""
    part = w[:count]
    if rate > 0.0:
        x = rate / p[:count]
        n = (x * LOG2_E + ROUND_TO_INT) - ROUND_TO_INT
        r = -n * LN2_LOW + (-n * LN2_HIGH + x)
        part *= np.ldexp(1.0, n.astype(np.int64))
        part += part * series(r)
    part += share[:count] * total


@compiled_as(spread)
def spread_loop(w, share, total, rate, p, count):
    """`spread`, one arm at a time."""
    for k in range(count):
        w[k] = fma(share[k], total, grow(w[k], rate / p[k]))


def sum_blocks(w, blocks, count):
    """Fill the sums of LANES consecutive weights, so many of them; returns the sum of these."""
    lanes = w[: count * LANES].reshape(count, LANES)
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    blocks[:count] = lanes[:, 0]
    total = 0.0
    for block in lanes[:, 0].tolist():
        total += block
    return total


@compiled_as(sum_blocks)
def sum_blocks_loop(w, blocks, count):
    """`sum_blocks`, one block at a time."""
    total = 0.0
    for block in range(count):
        blocks[block] = sum_lanes(w, block * LANES)
        total += blocks[block]
    return total


def steps_below(w, start, end, rest):
    """How many of the sums w(start), w(start) + w(start + 1), ... before `end` are at most rest."""
    steps, below = 0, 0.0
    for weight in w[start:end].tolist():
        below += weight
        if below > rest:
            break
        steps += 1
    return steps


@compiled_as(steps_below)
def steps_below_loop(w, start, end, rest):
    """`steps_below` without a branch, which would be mispredicted each time."""
    steps = 0
    below = 0.0
    for j in range(start, end):
        below += w[j]
        steps += 1 if below <= rest else 0
    return steps


def first_block(blocks, last, rest):
    """The block in which the sum exceeds rest, or the last one, and what remains of rest there."""
    block = 0
    for weight in blocks[:last].tolist():
        if weight > rest:
            break
        rest -= weight
        block += 1
    return block, rest


@compiled_as(first_block)
def first_block_loop(blocks, last, rest):
    """`first_block`, as machine code has it."""
    block = 0
    while block < last and blocks[block] <= rest:
        rest -= blocks[block]
        block += 1
    return block, rest


def apartness(p, K):
    """D: the chance that two arms drawn from p differ."""
    part = p[:K]
    return float((part * (1.0 - part)).cumsum()[-1])  # in order, where `sum` goes by halves


@compiled_as(apartness)
def apartness_loop(p, K):
    """`apartness`, one arm at a time."""
    D = 0.0
    for k in range(K):
        D += p[k] * (1.0 - p[k])
    return D


def draw_apart(p, K, u, v):
    """A pair from p x p given that its arms differ, from two uniforms.

    The row arm has the chance p (1 - p) / D, the column arm that of p among the others.
    """
    part = p[:K]
    below = (part * (1.0 - part)).cumsum()
    row = int(below[:-1].searchsorted(u * below[-1], "right"))
    others = np.concatenate((part[:row], part[row + 1 :]))[:-1]
    col = int(others.cumsum().searchsorted(v * (1.0 - part[row]), "right"))
    return row, col + 1 if col >= row else col


@compiled_as(draw_apart)
def draw_apart_loop(p, K, u, v):
    """`draw_apart`, one arm at a time."""
    rest = u * apartness(p, K)
    row = 0
    below = 0.0
    for k in range(K - 1):
        below += p[k] * (1.0 - p[k])
        row += 1 if below <= rest else 0
    rest = v * (1.0 - p[row])
    col = 0  # among the others
    below = 0.0
    for k in range(K - 2):
        below += p[k + 1 if k >= row else k]
        col += 1 if below <= rest else 0
    return row, col + 1 if col >= row else col
