"""Exponential weights with mixing, bias and share: Algorithms 1, 2, 3 of the paper, REX3, D-EXP3.

The functions stand in the order of the paper's lines: `mix` (l. 5), `draw` (l. 7), `gain` (l. 9)
and `update` (l. 11). `ask` is lines 4-7, `tell` lines 9-12, `play` line 3's loop around the two.

**Scale.** The update is homogeneous in W, so W may be rescaled at will; by a power of two that is
exact, and nothing can depend on when it happens. An arm below 2^-512 of a sum of at least 1 has
probability gamma / K to the last bit: it falls asleep, out of the fast arrays, its weight kept
beside them; it wakes above 2^-256. Only learners without share (alpha = 0) have sleepers: with
one, every weight is at least e alpha of the sum.
"""

import math
from typing import NamedTuple

from sparring._kernels import vectors
from sparring._kernels.arithmetic import LANES, fma, grow, grow_small
from sparring._kernels.jit import Floats, Ints, inline, kernel, online, outline

# The estimates: (g-hat), s' of Algorithm 3, REX3's, D-EXP3's, REX3's for two different arms, and
# REX3's with a cap. The last four have one player.
WIN, BORDA, RELATIVE, ROW_BORDA, DIFFER, CAPPED = 0, 1, 2, 3, 4, 5

BIG = 2.0**256
TINY = 2.0**-256
SLEEP = 2.0**-512


class Weights(NamedTuple):
    """What a learner knows. One row a player: two, or one."""

    W: Floats
    """Weights, padded to a multiple of LANES; 0 on the padding and for arms asleep."""
    total: Floats
    """The sum of each row of W, kept in [1, 2^256]."""
    blocks: Floats
    """Sums of LANES consecutive weights, for the draw."""
    Z: Floats
    """An arm asleep weighs Z 2^(-256 depth), Z in [1, 2^256); 0 for arms awake."""
    depth: Ints
    """Above 1 for arms asleep, 0 for arms awake."""
    asleep: Ints
    """How many arms of the player sleep."""


class WeightsNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    estimate: int
    eta: float
    beta: float
    gamma: float
    share: Floats
    """e alpha for every arm, 0 on the padding."""
    small: bool
    """Whether eta beta / p never exceeds SMALL_EXPONENT."""
    votes: bool
    """Whether only duels of two arms count: those of an arm with itself leave all as it is."""


@inline
def padded(K):
    """Arms and padding the loops run over: multiples of four leave no arm outside a vector."""
    return (K + 3) & ~3


@inline
def mix(w, total, n, p):
    """Alg. 1, l. 5: p(k) = (1 - gamma) W(k) / sum W + gamma / K."""
    vectors.blend((1.0 - n.gamma) / total, w, n.gamma / n.K, p, padded(n.K))


@inline
def draw(w, total, blocks, n, u):
    """Alg. 1, l. 7 from one uniform u.

    Any arm alike if u < gamma, else the inverse CDF of the weights at (u - gamma) / (1 - gamma).
    """
    if u < n.gamma:
        return min(int(u * (n.K / n.gamma)), n.K - 1)
    rest = (u - n.gamma) / (1.0 - n.gamma) * total
    start = 0
    end = n.K
    if n.K > 2 * LANES:
        block, rest = vectors.first_block(blocks, (n.K - 1) // LANES, rest)
        start = block * LANES
        end = min(start + LANES, n.K)
    return start + vectors.steps_below(w, start, end - 1, rest)


@inline
def gain(o, row, col, p, q, n):
    """Alg. 1, l. 9: what the two arms that fought gain on top of beta / p.

    Equation (g-hat), s' of Alg. 3, l. 9, or REX3's. The column player's reward is 1 - o, in Alg. 3
    too. A self-duel tells REX3 nothing. D-EXP3 takes s' for the row arm and leaves the other. Where
    arms differ REX3's estimate is D times as large, at a rate of eta / sqrt(D). With a cap nobody's
    chance counts as less than 1 / K.
    """
    if n.estimate == DIFFER:
        lead = math.sqrt(vectors.apartness(p, n.K)) * (2.0 * o - 1.0)
        return lead / (2.0 * p[row]), -lead / (2.0 * p[col])
    if n.estimate == RELATIVE:
        lead = 2.0 * o - 1.0 if row != col else 0.0
        return lead / (2.0 * p[row]), -lead / (2.0 * p[col])
    if n.estimate == CAPPED:
        lead, least = 2.0 * o - 1.0 if row != col else 0.0, 1.0 / n.K
        return lead / (2.0 * max(p[row], least)), -lead / (2.0 * max(p[col], least))
    if n.estimate != WIN:
        return o / (n.K * p[row] * q[col]), (1.0 - o) / (n.K * q[col] * p[row])
    return o / p[row], (1.0 - o) / q[col]


@inline
def spread(w, total, p, n):
    """Alg. 2, l. 11 for every arm as if it had not fought: W e^(eta beta / p) + e alpha sum W."""
    rate = n.eta * n.beta
    if n.small:
        vectors.spread_little(w, n.share, total, rate, p, padded(n.K))
    else:
        vectors.spread(w, n.share, total, rate, p, padded(n.K))


@inline
def exponent(p, k, x, n):
    """Alg. 1, l. 11: eta (x + beta / p) for the arm k that fought and gained x + beta / p."""
    return fma(n.eta, x, n.eta * n.beta / p[k])


@inline
def fought(w, total, p, k, x, n):
    """Alg. 2, l. 11 for the arm k that fought: its new weight."""
    return fma(n.share[k], total, grow(w[k], exponent(p, k, x, n)))


@inline
def sum_up(w, blocks, n):
    """Sum of the weights; the sums of the blocks are kept for `draw`."""
    if n.K <= 4:  # the padding beyond is 0, so these are the bits of the next line
        return (w[0] + w[2]) + (w[1] + w[3])
    if n.K <= 8:
        return ((w[0] + w[4]) + (w[2] + w[6])) + ((w[1] + w[5]) + (w[3] + w[7]))
    return vectors.sum_blocks(w, blocks, (n.K + LANES - 1) // LANES)


@inline
def update(i, k, x, l, y, s, p, n):
    """Alg. 2, l. 11 for player i, whose arm k fought and gained x + beta / p.

    With REX3's estimates both arms belong to one player: l is the other arm and y its gain.
    Elsewhere l is k and y is x, and the compiler drops the repetition.
    """
    w, blocks = s.W[i], s.blocks[i]
    w_k = fought(w, s.total[i], p, k, x, n)
    w_l = fought(w, s.total[i], p, l, y, n)
    if n.beta > 0.0 or n.share[0] > 0.0:
        spread(w, s.total[i], p, n)
    w[k] = w_k
    w[l] = w_l
    if s.asleep[i] > 0 or w_k < SLEEP or w_l < SLEEP:
        update_asleep(k, x, l, y, s.Z[i], s.depth[i], p, n)
        s.asleep[i] = put_to_bed(w, s.Z[i], s.depth[i], n)
    total = sum_up(w, blocks, n)
    if total > BIG or total < 1.0:
        s.asleep[i] = rescale(total, w, blocks, s.Z[i], s.depth[i], n)
        total = sum_up(w, blocks, n)
    s.total[i] = total


@outline
def update_asleep(k, x, l, y, z, depth, p, n):
    """`update` for the arms asleep, by the very expressions of those awake."""
    rate = n.eta * n.beta
    for j in range(n.K):
        if depth[j] > 0:
            if j == k:
                z[j] = grow(z[j], exponent(p, j, x, n))
            elif j == l:
                z[j] = grow(z[j], exponent(p, j, y, n))
            elif n.small:
                z[j] = grow_small(z[j], rate / p[j])
            else:
                z[j] = grow(z[j], rate / p[j])


@outline
def put_to_bed(w, z, depth, n):
    """Arms below 2^-512 fall asleep, arms above 2^-256 wake; returns how many sleep."""
    count = 0
    for k in range(n.K):
        if depth[k] == 0 and w[k] < SLEEP:
            z[k] = w[k]
            w[k] = 0.0
        if z[k] > 0.0:
            while z[k] < 1.0:
                z[k] *= BIG
                depth[k] += 1
            while z[k] >= BIG:
                z[k] *= TINY
                depth[k] -= 1
            if depth[k] > 1:
                count += 1
            else:
                w[k] = z[k] * TINY if depth[k] == 1 else z[k]
                z[k] = 0.0
                depth[k] = 0
    return count


@outline
def rescale(total, w, blocks, z, depth, n):
    """Bring the sum back into [1, 2^256] by steps of 2^256; returns how many arms sleep."""
    asleep = 0
    while total > BIG or total < 1.0:
        for k in range(n.K):
            w[k] *= TINY if total > BIG else BIG
            if depth[k] > 0:
                depth[k] += 1 if total > BIG else -1
        if n.share[0] == 0.0:
            asleep = put_to_bed(w, z, depth, n)
        total = sum_up(w, blocks, n)
    return asleep


@inline
def mix_all(s, p, n):
    """Alg. 1, ll. 4-6: the distribution of every player."""
    mix(s.W[0], s.total[0], n, p[0])
    if s.W.shape[0] > 1:
        mix(s.W[1], s.total[1], n, p[1])


@inline
def draw_both(u, v, s, p, n):
    """Alg. 1, l. 7: the row and the column arm."""
    if n.estimate == DIFFER:
        return vectors.draw_apart(p[0], n.K, u, v)
    last = s.W.shape[0] - 1
    row = draw(s.W[0], s.total[0], s.blocks[0], n, u)
    col = draw(s.W[last], s.total[last], s.blocks[last], n, v)
    return row, col


@inline
def learn(o, row, col, s, p, n):
    """Alg. 1, ll. 9-12 for the outcome o of a duel drawn from the distributions p."""
    if n.votes and row == col:
        return
    x, y = gain(o, row, col, p[0], p[s.W.shape[0] - 1], n)
    if s.W.shape[0] > 1:
        update(0, row, x, row, x, s, p[0], n)
        update(1, col, y, col, y, s, p[1], n)
    elif n.eta > 0.0 or n.share[0] > 0.0:
        if n.estimate == ROW_BORDA:  # whose column arm learns nothing
            col, y = row, x
        update(0, row, x, col, y, s, p[0], n)


# Python hands Weights and WeightsNumbers over as plain tuples: naming them here is free, while
# Numba takes over a microsecond to recognise a named tuple.


@online
def sum_all(weights, numbers):
    """Fill the sums that belong to the weights."""
    s, n = Weights(*weights), WeightsNumbers(*numbers)
    for i in range(s.W.shape[0]):
        s.total[i] = sum_up(s.W[i], s.blocks[i], n)


@online
def distributions(weights, p, numbers):
    """Fill p with what the next `ask` draws from."""
    mix_all(Weights(*weights), p, WeightsNumbers(*numbers))


@online
def ask(u, v, weights, p, numbers):
    """Alg. 1, ll. 4-7: fill p; return the row and column arm drawn with the uniforms u and v."""
    s, n = Weights(*weights), WeightsNumbers(*numbers)
    mix_all(s, p, n)
    return draw_both(u, v, s, p, n)


@online
def tell(o, row, col, weights, p, numbers):
    """Alg. 1, ll. 9-12 for the outcome o of a duel asked with the distributions p."""
    learn(o, row, col, Weights(*weights), p, WeightsNumbers(*numbers))


@kernel
def play(P, hold, u, coins, rows, cols, weights, p, numbers):
    """Alg. 1, l. 3: the loop over rounds; fills rows and cols, and returns the rounds played.

    Matrix P[m] holds for hold[m] rounds; round t uses the uniforms u[t] and the coin coins[t]. An
    entry of P outside [0, 1] ends the loop before its round teaches anything.
    """
    s, n = Weights(*weights), WeightsNumbers(*numbers)
    t = 0
    for m in range(hold.shape[0]):
        for _ in range(hold[m]):
            mix_all(s, p, n)
            row, col = draw_both(u[t, 0], u[t, 1], s, p, n)
            rows[t] = row
            cols[t] = col
            chance = P[m, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, s, p, n)
            t += 1
    return t
