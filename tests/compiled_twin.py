"""The slow twin of DEX3.P once more, compiled, for runs of 1e8 rounds; imports no kernel."""

import math

import numba
import numpy as np


@numba.njit
def two_sum(a, b):
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@numba.njit
def exact_play(P, uniforms, coins, eta, gamma, beta, high, low, rows, cols):
    """Algorithm 1 on one matrix; high + low are the log-weights, one row a player; both change."""
    K = P.shape[0]
    p = np.empty((2, K))
    arms = np.empty(2, np.int64)
    for t in range(coins.size):
        for i in range(2):
            top = 0
            for k in range(K):
                if high[i, k] > high[i, top]:
                    top = k
            total = 0.0
            for k in range(K):
                p[i, k] = math.exp((high[i, k] - high[i, top]) + (low[i, k] - low[i, top]))
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
        rows[t], cols[t] = arms
        o = 1.0 if coins[t] < P[arms[0], arms[1]] else 0.0
        for i in range(2):
            reward = o if i == 0 else 1 - o
            for k in range(K):
                gain = ((reward if k == arms[i] else 0.0) + beta) / p[i, k]
                total, rest = two_sum(high[i, k], eta * gain)
                high[i, k], low[i, k] = two_sum(total, low[i, k] + rest)
