"""A logistic model of utility differences that forgets, and four rules that choose pairs by it.

P(i beats j) = 1 / (1 + exp(-z theta)) with z = x(i) - x(j). Each of M memories keeps the Gaussian
that one Newton step after each answer gives: mean theta, covariance V. With `keep` < 1 the
precision fades and the prior comes back, one coordinate an answer, so V never grows beyond bounds.
The memories are weighed by how well they predicted, and the heaviest one chooses.

The arrays, wherever they occur:

- `X` (K, d): features of the arms of a round; `z` (d,): the difference of the two that met.
- `u` (K,): utilities; `N` (K, K): deviations of utility differences; `Y` (K, d): X V.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._jit import Floats, Ints, inline, kernel, online
from sparring._math import grow, log_of
from sparring._random import normals, uniform

MAX_PAIR, COLSTIM, THOMPSON, MAX_INFORMATIVE = 0, 1, 2, 3
FLOOR = 1e-12  # of a chance, in the loss


class Linear(NamedTuple):
    """What a learner knows."""

    theta: Floats
    """(M, d): the mean of each memory."""
    V: Floats
    """(M, d, d): its covariance."""
    weight: Floats
    """(M,): how much each memory is trusted; they sum to 1."""
    told: Ints
    """(1,): answers learnt."""
    words: NDArray[np.uint64]
    """(4,): the random state."""


class LinearNumbers(NamedTuple):
    """What tunes it."""

    d: int
    rule: int
    keep: Floats
    """(M,): what an answer leaves of the precision before it."""
    ridge: float
    """The precision of the prior in each coordinate."""
    width: float
    """Deviations that a rule explores."""
    share: float
    """What a memory's weight gives to the others with each answer, so that any can come back."""


@inline
def heaviest(weight):
    """The memory that predicted best."""
    best = 0
    for m in range(1, weight.shape[0]):
        if weight[m] > weight[best]:
            best = m
    return best


@inline
def utilities(X, theta, u):
    """u = X theta."""
    for k in range(X.shape[0]):
        total = 0.0
        for i in range(X.shape[1]):
            total += X[k, i] * theta[i]
        u[k] = total


@inline
def deviations(X, V, Y, N):
    """N(i, j), the deviation of u(i) - u(j); on the diagonal that of u(i)."""
    K, d = X.shape
    for k in range(K):
        for i in range(d):
            total = 0.0
            for j in range(d):
                total += X[k, j] * V[j, i]
            Y[k, i] = total
    for k in range(K):
        for l in range(k + 1):
            total = 0.0
            for i in range(d):
                total += Y[k, i] * X[l, i]
            N[k, l] = total
            N[l, k] = total
    for k in range(K):
        for l in range(k):
            apart = math.sqrt(max(N[k, k] + N[l, l] - 2.0 * N[k, l], 0.0))
            N[k, l] = apart
            N[l, k] = apart
    for k in range(K):
        N[k, k] = math.sqrt(max(N[k, k], 0.0))


@inline
def max_pair(u, N, width):
    """MaxPairUCB (Di et al. 2024): the pair with most of u(i) + u(j) + width N(i, j).

    An arm may meet itself, which has no deviation.
    """
    K = u.shape[0]
    row, col, highest = 0, 0, -math.inf
    for i in range(K):
        for j in range(i + 1):
            value = u[i] + u[j] + (width * N[i, j] if j < i else 0.0)
            if value > highest:
                row, col, highest = j, i, value
    return row, col


@inline
def max_informative(u, N, width):
    """MaxInP (Saha 2021): of arms that may beat all others, the two known least about."""
    K = u.shape[0]
    row, col, widest = -1, -1, -1.0
    for i in range(K):
        if may_win(u, N, width, i):
            if row < 0:
                row, col = i, i
            for j in range(i):
                if N[i, j] > widest and may_win(u, N, width, j):
                    row, col, widest = j, i, N[i, j]
    return row, col


@inline
def may_win(u, N, width, i):
    """Whether arm i may be at least as good as each other one."""
    found = True
    for j in range(u.shape[0]):
        found = found and (j == i or u[i] - u[j] + width * N[i, j] >= 0.0)
    return found


@inline
def colstim(u, N, width, words):
    """CoLSTIM (Bengs et al. 2022): a perturbed winner, and whoever may beat it most."""
    K = u.shape[0]
    row, highest = 0, -math.inf
    for k in range(K):
        # Gumbel's law, cut off at the width as in the paper, in the deviations of each arm.
        gumbel = -log_of(max(-log_of(1.0 - uniform(words)), FLOOR))
        value = u[k] + min(max(gumbel, -width), width) * N[k, k]
        if value > highest:
            row, highest = k, value
    col, highest = row, 0.0
    for k in range(K):
        value = u[k] - u[row] + width * N[row, k] if k != row else 0.0
        if value > highest:
            col, highest = k, value
    return row, col


@inline
def thompson(X, theta, V, width, words, L, u):
    """Two draws of theta, and the winner under each."""
    d = theta.shape[0]
    cholesky(V, L)
    row = winner_of_draw(X, theta, width, words, L, u, d)
    return row, winner_of_draw(X, theta, width, words, L, u, d)


@inline
def cholesky(V, L):
    """L with L L' = V, lower triangular; the rest of L is not touched."""
    d = V.shape[0]
    for i in range(d):
        for j in range(i + 1):
            total = V[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = math.sqrt(max(total, 0.0)) if i == j else total / max(L[j, j], FLOOR)


@inline
def winner_of_draw(X, theta, width, words, L, u, d):
    """The best arm under theta + width L z, z standard normal; it is kept in the last row of L."""
    draw = L[d]
    for i in range(d):
        draw[i] = theta[i]
    for j in range(0, d, 2):
        a, b = normals(words)
        for i in range(j, d):
            draw[i] += width * L[i, j] * a
            if j < d - 1 and i > j:
                draw[i] += width * L[i, j + 1] * b
    utilities(X, draw, u)
    best = 0
    for k in range(1, X.shape[0]):
        if u[k] > u[best]:
            best = k
    return best


@inline
def choose(X, s, n, u, N, Y, L):
    """The row and the column arm."""
    m = heaviest(s.weight)
    if n.rule == THOMPSON:
        return thompson(X, s.theta[m], s.V[m], n.width, s.words, L, u)
    utilities(X, s.theta[m], u)
    deviations(X, s.V[m], Y, N)
    if n.rule == MAX_PAIR:
        return max_pair(u, N, n.width)
    if n.rule == MAX_INFORMATIVE:
        return max_informative(u, N, n.width)
    return colstim(u, N, n.width, s.words)


@inline
def observe(theta, V, z, precision, error, y):
    """Condition a Gaussian on z theta: its precision there grows; error is what theta missed."""
    d = theta.shape[0]
    spread = 0.0
    for i in range(d):
        total = 0.0
        for j in range(d):
            total += V[i, j] * z[j]
        y[i] = total
    for i in range(d):
        spread += z[i] * y[i]
    scale = 1.0 / (1.0 + precision * spread)
    for i in range(d):
        theta[i] += scale * error * y[i]
        for j in range(i + 1):
            V[i, j] -= scale * precision * y[i] * y[j]
            V[j, i] = V[i, j]


@inline
def recall(theta, V, i, precision, y):
    """`observe` that coordinate i is 0: what was forgotten of the prior comes back."""
    d = theta.shape[0]
    for j in range(d):
        y[j] = V[j, i]
    scale = precision / (1.0 + precision * y[i])
    missed = theta[i]
    for j in range(d):
        theta[j] -= scale * missed * y[j]
        for k in range(j + 1):
            V[j, k] -= scale * y[j] * y[k]
            V[k, j] = V[j, k]


@inline
def learn(o, z, s, n, y):
    """Learn the outcome o of a duel whose arms differed by z."""
    total = 0.0
    for m in range(s.weight.shape[0]):
        lead = 0.0
        for i in range(n.d):
            lead += z[i] * s.theta[m, i]
        tail = grow(1.0, -abs(lead))
        chance = (1.0 if lead >= 0.0 else tail) / (1.0 + tail)
        likely = o * chance + (1.0 - o) * (1.0 - chance)
        s.weight[m] *= max(likely, FLOOR)
        total += s.weight[m]
        if n.keep[m] < 1.0:
            for i in range(n.d):
                for j in range(n.d):
                    s.V[m, i, j] /= n.keep[m]
            back = (1.0 - n.keep[m]) * n.ridge * n.d
            recall(s.theta[m], s.V[m], s.told[0] % n.d, back, y)
        observe(s.theta[m], s.V[m], z, chance * (1.0 - chance), o - chance, y)
    for m in range(s.weight.shape[0]):
        s.weight[m] = (1.0 - n.share) * s.weight[m] / total + n.share / s.weight.shape[0]
    s.told[0] += 1


@online
def ask(X, memory, scratch, numbers):
    """Choose the row and the column arm among arms with features X."""
    u, N, Y, L = scratch
    return choose(X, Linear(*memory), LinearNumbers(*numbers), u, N, Y, L)


@online
def tell(o, z, memory, y, numbers):
    """Learn the outcome o of a duel whose arms differed by z."""
    learn(o, z, Linear(*memory), LinearNumbers(*numbers), y)


@kernel
def play(P, hold, X, coins, rows, cols, memory, scratch, y, numbers):
    """Ask and tell for each coin; X has the features of each round. Returns the rounds played."""
    s, n = Linear(*memory), LinearNumbers(*numbers)
    u, N, Y, L = scratch
    z = L[n.d + 1]
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(X[t], s, n, u, N, Y, L)
            rows[t] = row
            cols[t] = col
            if not 0.0 <= P[part, row, col] <= 1.0:
                return t
            if row != col:
                for i in range(n.d):
                    z[i] = X[t, row, i] - X[t, col, i]
                learn(1.0 if coins[t] < P[part, row, col] else 0.0, z, s, n, y)
            t += 1
    return t
