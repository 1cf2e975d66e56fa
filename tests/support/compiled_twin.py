"""The slow twins once more, compiled, for runs of up to 1e8 rounds; imports no kernel."""

import math

import numba
import numpy as np


@numba.njit
def two_sum(a, b):
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@numba.njit
def multiply(high, low, exponent):
    """ln W + exponent, in twice the precision."""
    total, rest = two_sum(high, exponent)
    return two_sum(total, low + rest)


@numba.njit
def exact_play(name, P, uniforms, coins, eta, gamma, beta, high, low, rows, cols):
    """Algorithm 1 (dex3p), Algorithm 3 without share (borda_dex3s) or REX3 (rex3) on one matrix.

    high + low are the log-weights, one row a player; both change.
    """
    K = P.shape[0]
    p = np.empty((2, K))
    arms = np.empty(2, np.int64)
    for t in range(coins.size):
        for i in range(2):
            player = min(i, high.shape[0] - 1)
            top = 0
            for k in range(K):
                if high[player, k] > high[player, top]:
                    top = k
            total = 0.0
            for k in range(K):
                lead = high[player, k] - high[player, top]
                lead += low[player, k] - low[player, top]
                p[i, k] = 0.0  # what exp gives below the least double, after a long while
                if lead > -800.0:
                    p[i, k] = 1.0 if k == top else math.exp(lead)
                total += p[i, k]
            u = uniforms[t, i]
            if u < gamma:
                arms[i] = min(int(u * K / gamma), K - 1)
            else:
                target = (u - gamma) / (1 - gamma) * total
                below = 0.0
                arms[i] = K - 1
                for k in range(K):
                    below += p[i, k]
                    if target < below:
                        arms[i] = k
                        break
            for k in range(K):
                p[i, k] = (1 - gamma) * p[i, k] / total + gamma / K
        row, col = arms
        rows[t], cols[t] = row, col
        o = 1.0 if coins[t] < P[row, col] else 0.0
        if name == "rex3":
            if row != col:
                step = eta * (2 * o - 1) / 2
                high[0, row], low[0, row] = multiply(high[0, row], low[0, row], step / p[0, row])
                high[0, col], low[0, col] = multiply(high[0, col], low[0, col], -step / p[1, col])
            continue
        for i in range(2):
            reward = o if i == 0 else 1 - o
            if name == "borda_dex3s":
                reward /= K * p[1 - i, arms[1 - i]]
            for k in range(K):
                gain = ((reward if k == arms[i] else 0.0) + beta) / p[i, k]
                high[i, k], low[i, k] = multiply(high[i, k], low[i, k], eta * gain)
