"""Slow twins of the worlds: walks, measures and lower bounds, in plain Python from the paper.

A twin eats the uniforms, normals and random words that the kernels eat. Of the package it uses only
the makers of those, which have twins of their own (test_normals.py).
"""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from sparring import _random as normals
from sparring._random import CHUNK


def expand(world, rng):
    """P_1, ..., P_T of one path, (T, K, K)."""
    return np.concatenate([np.repeat(P, hold, axis=0) for P, hold in world.blocks(rng)])


def matrices(world, rng):
    """The matrices of one path and the rounds each one lasts, over all blocks."""
    blocks = list(world.blocks(rng))
    return np.concatenate([P for P, _ in blocks]), np.concatenate([hold for _, hold in blocks])


# What Sec. 2 and 6 define, and errata E5, by brute force.


def segments(path):
    """One more than S of Sec. 2, the number of t with P_t != P_{t-1} (decision 1)."""
    return 1 + sum(
        any(x != y for x, y in zip(now.flat, before.flat, strict=True))
        for before, now in itertools.pairwise(path)
    )


def variation(path):
    """V_T of Sec. 2: the sum over t of the largest change of an entry."""
    return math.fsum(
        max(abs(float(x) - float(y)) for x, y in zip(now.flat, before.flat, strict=True))
        for before, now in itertools.pairwise(path)
    )


def condorcet_winner(P):
    """The arm i with P(i, j) > 1/2 for all other j, or None."""
    winners = [i for i in range(len(P)) if all(P[i][j] > 0.5 for j in range(len(P)) if j != i)]
    assert len(winners) <= 1
    return winners[0] if winners else None


def borda_scores(P):
    """b(i) = sum over j != i of P(i, j), divided by K - 1."""
    K = len(P)
    return [math.fsum(P[i][j] for j in range(K) if j != i) / (K - 1) for i in range(K)]


def gap(P):
    """Min over pairs a, b of max over j of r(j) = (P(j, a) + P(j, b) - 1) / 2."""
    P = np.asarray(P).tolist()
    arms = range(len(P))
    return min(
        max((P[j][a] + P[j][b] - 1) / 2 for j in arms) for a, b in itertools.product(arms, arms)
    )


def dominating(P, slack=0.0):
    """The arms i with P(i, k) >= P(j, k) for all j, k."""
    arms = range(len(P))
    return [i for i in arms if all(P[i][k] >= P[j][k] - slack for j in arms for k in arms)]


def changes(leaders):
    """How often a sequence of arms changes, Nones left out."""
    seen = [arm for arm in leaders if arm is not None]
    return sum(now != before for before, now in itertools.pairwise(seen))


def borda_changes(path):
    """How often the leader loses its place, which a tie does not take from it."""
    leader, count = None, 0
    for P in path:
        scores = borda_scores(P)
        if leader is None or scores[leader] < max(scores) - 1e-12:
            count += leader is not None
            leader = scores.index(max(scores))
    return count


def boundary(s, T, S):
    """Rounds before segment s: s T / S to the nearest whole number, halves up."""
    return math.floor(Fraction(s * T, S) + Fraction(1, 2))


# The random numbers a world consumes, one after the other.


def normals_of(state):
    """All the normals that follow from a state."""
    words, z = np.empty(CHUNK, np.uint64), np.empty(CHUNK)
    while True:
        normals.fill(state, words, z)
        yield from z.tolist()


def words_of(state):
    """All the random words that follow from a state."""
    words = np.empty(CHUNK, np.uint64)
    while True:
        normals.fill_words(state, words)
        yield from words.tolist()


# Sec. 7: the walks.


def whole_matrix(K, upper):
    """P from its entries with i < j: P(i, i) = 1/2 and P(j, i) = 1 - P(i, j)."""
    P = [[0.5] * K for _ in range(K)]
    for (i, j), chance in upper.items():
        P[i][j], P[j][i] = chance, 1 - chance
    return P


def gaussian_walk(K, count, sigma, rng):
    """Sec. 7.1: P_1(i, j) uniform for i < j, then + N(0, sigma), clipped, mirrored."""
    above = list(itertools.combinations(range(K), 2))
    upper = {pair: rng.random() for pair in above}
    z = normals_of(normals.lanes(rng))
    path = []
    for _ in range(count):
        path.append(whole_matrix(K, upper))
        for pair in above:
            upper[pair] = min(max(upper[pair] + sigma * next(z), 0.0), 1.0)
    return np.array(path)


def budgeted_drift(K, T, V_T, direction, rng):
    """Sec. 7.2 and decision 7: each entry i < j moves by mu_t V_T, up or down, T - 1 times.

    The sign is that of a bit of a random word, a word for 64 pairs, in each step ("random"), or
    kept from the start ("persistent"); it turns where the entry would leave [0, 1].
    """
    above = list(itertools.combinations(range(K), 2))
    upper = {pair: rng.random() for pair in above}
    sign = {pair: -1 if rng.random() < 0.5 else 1 for pair in above}
    words = words_of(normals.lanes(rng))
    sizes = budget(V_T, [rng.random() for _ in range(T - 1)])
    path = [whole_matrix(K, upper)]
    for size in sizes:
        if direction == "random":
            for n, pair in enumerate(above):
                word = next(words) if n % 64 == 0 else word  # noqa: F821  the first has n = 0
                sign[pair] = -1 if word >> (n % 64) & 1 else 1
        for pair in above:
            if not 0 <= upper[pair] + sign[pair] * size <= 1:
                sign[pair] *= -1
            upper[pair] += sign[pair] * size
        path.append(whole_matrix(K, upper))
    return np.array(path), sizes


def budget(V_T, u):
    """V_T mu, mu ~ Dirichlet(1, ..., 1): break the stick at 1 - (1 - u)^(1 / parts after it).

    To 40 digits. No part is above 1/2, and each leaves no more than the rest can hold at 1/2 each.
    """
    with localcontext(prec=40):
        left, half, parts = Decimal(V_T), Decimal("0.5"), []
        for n, x in enumerate(u):
            after = len(u) - n - 1
            share = 1 - (1 - Decimal(x)) ** (Decimal(1) / after) if after else Decimal(1)
            parts.append(min(max(left * share, left - half * after), half))
            left -= parts[-1]
        return [float(part) for part in parts]


# Worlds that the paper does not have.


def fresh_matrices(K, total, margin, rng):
    """Each winner another than the last and uniform among those; all other entries uniform.

    A segment eats a uniform for the winner and one for each i < j, row by row.
    """
    winner, path = math.floor(rng.random() * K), []
    for _ in range(total):
        winner = (winner + 1 + math.floor(rng.random() * (K - 1))) % K
        upper = {}
        for i, j in itertools.combinations(range(K), 2):
            upper[i, j] = 0.5 + margin * (2 * rng.random() - 1)
            if winner in (i, j):
                upper[i, j] = 0.5 + margin if i == winner else 1 - (0.5 + margin)
        path.append(whole_matrix(K, upper))
    return np.array(path)


def utility_walk(K, T, spread, memory, hold, rng, moving=None):
    """P_1, ..., P_T and their utilities, which step every `hold` rounds (Ornstein, Uhlenbeck).

    Given u, the utility d rounds later is normal with mean u exp(-d / memory) and the variance that
    keeps spread^2. P(i, j) is the logistic function of u(i) - u(j). With `moving` only the first so
    many arms of a random order move; the draws of the others are left unused.
    """
    utilities = [spread * rng.standard_normal() for _ in range(K)]
    movers = range(K) if moving is None else rng.permutation(K)[:moving].tolist()
    keep = math.exp(-hold / memory)
    deviation = spread * math.sqrt(1 - keep**2)
    path, history = [], []
    for t in range(T):
        if t > 0 and t % hold == 0:
            z = [rng.standard_normal() for _ in range(K)]
            utilities = [
                keep * u + deviation * z[k] if k in movers else u for k, u in enumerate(utilities)
            ]
        history.append(utilities)
        path.append([[1 / (1 + math.exp(b - a)) for b in utilities] for a in utilities])
    return np.array(path), np.array(history)


def seasons(K, T, period, number, margin, rng):
    """P_1, ..., P_T: the seasons of a cycle in turn, each with a matrix and a winner of its own."""
    winners = rng.permutation(K)[:number].tolist()
    cycle = []
    for winner in winners:
        upper = {}
        for i, j in itertools.combinations(range(K), 2):
            upper[i, j] = 0.5 + margin * (2 * rng.random() - 1)
            if winner in (i, j):
                upper[i, j] = 0.5 + margin if i == winner else 1 - (0.5 + margin)
        cycle.append(whole_matrix(K, upper))
    path, season = [], 0
    for t in range(T):
        while t >= boundary(season + 1, period, number):
            season += 1
        path.append(cycle[season % number])
    return np.array(path), winners


def moving_shares(K, T, groups, spread, swing, memory, hold, rng):
    """P_1, ..., P_T and the shares: Bradley and Terry's matrix of each group, by its share now."""
    u = [[spread * rng.standard_normal() for _ in range(K)] for _ in range(groups)]
    x = [swing * rng.standard_normal() for _ in range(groups)]
    keep = math.exp(-hold / memory)
    path, history = [], []
    for t in range(T):
        if t > 0 and t % hold == 0:
            z = [rng.standard_normal() for _ in range(groups)]
            x = [keep * a + swing * math.sqrt(1 - keep**2) * b for a, b in zip(x, z, strict=True)]
        share = [math.exp(a) / sum(math.exp(b) for b in x) for a in x]
        history.append(share)
        path.append(
            [
                [sum(q / (1 + math.exp(v[j] - v[i])) for q, v in zip(share, u, strict=True))
                 for j in range(K)]
                for i in range(K)
            ]
        )  # fmt: skip
    return np.array(path), np.array(history)


def significant_shifts(path):
    """The rounds, from 1, of the significant shifts: by the definition, over all intervals.

    Of Suk and Agarwal (2023), with the gap to the arm that loses least.
    """
    T, K, _ = path.shape
    worst = path.max(axis=1)
    gaps = worst - worst.min(axis=1, keepdims=True)
    found, begin = [], 1
    while True:
        bad, sums = set(), np.zeros((0, K))
        for t in range(begin, T + 1):
            sums = np.vstack([sums, np.zeros(K)]) + gaps[t - 1]  # over [s, t], for each s
            lengths = np.arange(t - begin + 1, 0, -1)[:, None]
            bad |= set(np.flatnonzero((sums**2 >= K * lengths).any(axis=0)).tolist())
            if len(bad) == K:
                break
        else:
            return found
        found.append(t)
        begin = t


def newcomers(K, S, margin, order):
    """The matrix of each segment: who has risen beats who has not, and who rose before it."""
    path = []
    for s in range(S):
        rank = {arm: place if place <= s else -1 for place, arm in enumerate(order)}
        upper = {
            (i, j): 0.5
            if rank[i] == rank[j]
            else 0.5 + margin
            if rank[i] > rank[j]
            else 1 - (0.5 + margin)
            for i, j in itertools.combinations(range(K), 2)
        }
        path.append(whole_matrix(K, upper))
    return np.array(path)


# Sec. 5 and errata 3.6: the hard instances.


def hard_matrix(K, winner, epsilon, family):
    """The matrix of one segment as printed in Sec. 5, or that of the simpler family.

    The paper's arm 1 is arm 0 here; "j in {1, j^s}" says j = j^s, as i < j (errata U16).
    """
    P = [[0.5] * K for _ in range(K)]
    for i, j in itertools.combinations(range(K), 2):
        if i == winner or (family == "paper" and i == 0 and j != winner):
            P[i][j] = 0.5 + epsilon
        elif j == winner:
            P[i][j] = 0.5 - epsilon
        P[j][i] = 1 - P[i][j]
    return P


def constants(family, K, D):
    """The chance to miss the winner, and b of segments of D rounds (errata 3.6)."""
    if family == "simple":
        return (K - 1) / K, math.sqrt(8 * math.log(4 / 3) * D / K)
    return (K - 2) / (K - 1), math.sqrt(4 * math.log(3) * D / (K - 1))


def lower_bound(family, K, T, D, epsilon):
    """T epsilon (rho - b epsilon)."""
    rho, b = constants(family, K, D)
    return T * epsilon * (rho - b * epsilon)


def lower_switching(family, K, T, S):
    """The bound for S segments, and its epsilon."""
    D = math.ceil(T / S)
    rho, b = constants(family, K, D)
    epsilon = min(0.25, rho / (2 * b))
    return lower_bound(family, K, T, D, epsilon), epsilon


def lower_continuous(family, K, T, V_T):
    """The highest bound over all D in 1, ..., T with 2 epsilon (ceil(T / D) - 1) <= V_T."""
    best = 0.0
    for D in range(1, T + 1):
        rho, b = constants(family, K, D)
        n = math.ceil(T / D) - 1
        epsilon = min(0.25, rho / (2 * b), V_T / (2 * n) if n else 0.25)
        best = max(best, lower_bound(family, K, T, D, epsilon))
    return best
