"""How matrices move: Gaussian steps, steps of a given size, a budget of sizes, and utilities.

A matrix is kept as its upper triangle, packed row by row, moved there and written out whole.
Random words and normals come from a state that the caller owns, so a path does not depend on how
it is cut into blocks.
"""

import math

import numpy as np

from sparring._jit import inline, kernel
from sparring._math import ONE
from sparring._random import BY_63, CHUNK, next_normals, next_words

WORD = 64  # signs in a random word


@inline
def unpack(triangle, P):
    """Write the packed triangle into P: P(i, j) above, 1 - P(i, j) below, 1/2 on the diagonal."""
    K = P.shape[0]
    start = 0
    for i in range(K):
        P[i, i] = 0.5
        row, below = P[i, i + 1 :], P[i + 1 :, i]
        above = triangle[start : start + K - i - 1]
        for j in range(above.shape[0]):
            row[j] = above[j]
        for j in range(above.shape[0]):
            below[j] = 1.0 - above[j]
        start += K - i - 1


@inline
def step(triangle, z, sigma):
    """Sec. 7.1: P(i, j) + sigma z, clipped to [0, 1]."""
    for i in range(triangle.shape[0]):
        x = triangle[i] + sigma * z[i]
        x = 0.0 if x < 0.0 else x
        triangle[i] = 1.0 if x > 1.0 else x


@kernel
def walk(triangle, P, sigma, state, words, z, position):
    """Write m matrices into P (m, K, K), a Gaussian step behind each.

    position (1,) says how many of the normals in z are used up.
    """
    size = triangle.shape[0]
    for m in range(P.shape[0]):
        unpack(triangle, P[m])
        done = 0
        while done < size:
            if position[0] == CHUNK:
                next_normals(state, words, z)
                position[0] = 0
            used = position[0]
            count = min(size - done, CHUNK - used)
            step(triangle[done : done + count], z[used : used + count], sigma)
            done += count
            position[0] += count


@inline
def spread_signs(word, signs):
    """The bits of a word as signs, +1 or -1."""
    for i in range(signs.shape[0]):
        signs[i] = np.uint64(ONE ^ ((word >> np.uint64(i)) << BY_63)).view(np.float64)


@inline
def move(triangle, signs, size):
    """Move every entry by `size` in the direction of its sign, which turns where it would leave."""
    for i in range(triangle.shape[0]):
        x = triangle[i] + signs[i] * size
        signs[i] = -signs[i] if x < 0.0 or x > 1.0 else signs[i]
        triangle[i] += signs[i] * size


@kernel
def drift(triangle, signs, P, sizes, redraw, state, words, position):
    """Write m matrices into P (m, K, K), behind the m-th a step of sizes[m] at most 1/2.

    With `redraw` the signs are drawn anew for each step; position (1,) says how many of the random
    words are used up.
    """
    for m in range(P.shape[0]):
        unpack(triangle, P[m])
        if redraw:
            for start in range(0, signs.shape[0], WORD):
                if position[0] == CHUNK:
                    next_words(state, words)
                    position[0] = 0
                spread_signs(words[position[0]], signs[start : start + WORD])
                position[0] += 1
        move(triangle, signs, sizes[m])


@kernel
def share_out(u, left, to_come, cap, sizes):
    """Fill sizes with the next parts of a budget of which `left` is left; returns what then is.

    A Dirichlet(1, ..., 1) by stick breaking: of n parts to come the next has the share
    1 - (1 - u)^(1 / (n - 1)) of what is left. No part exceeds the cap, and none leaves more than
    the caps of those after it can hold.
    """
    for i in range(sizes.shape[0]):
        after = to_come - i - 1
        size = left
        if after > 0:
            size = -left * math.expm1(math.log1p(-u[i]) / after)
        sizes[i] = min(max(size, left - cap * after), cap)
        left = max(left - sizes[i], 0.0)
    return left


@kernel
def revert(u, P, keep, step, z):
    """Write m matrices of utilities u (K,) into P (m, K, K), behind each a step to keep u + step z.

    keep, step (K,): those of each arm. P(i, j) = 1/2 + tanh((u(i) - u(j)) / 2) / 2, the logistic
    function without overflow.
    """
    for m in range(P.shape[0]):
        for i in range(u.shape[0]):
            P[m, i, i] = 0.5
            for j in range(i + 1, u.shape[0]):
                P[m, i, j] = 0.5 + 0.5 * math.tanh(0.5 * (u[i] - u[j]))
                P[m, j, i] = 1.0 - P[m, i, j]
        for i in range(u.shape[0]):
            u[i] = keep[i] * u[i] + step[i] * z[m, i]
