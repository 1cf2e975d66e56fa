"""The yardstick everyone has: DEX3.S as a competent researcher writes it in NumPy."""

import math

import numpy as np


def dex3s(P, rounds, eta, gamma, beta, alpha, seed=0):
    """Algorithm 2 on one matrix; returns how often each arm was the row and the column arm."""
    rng = np.random.default_rng(seed)
    K = len(P)
    W = np.ones((2, K))
    counts = np.zeros((2, K), int)
    for _ in range(rounds):
        total = W.sum(axis=1, keepdims=True)
        p = (1 - gamma) * W / total + gamma / K
        row, col = rng.choice(K, p=p[0]), rng.choice(K, p=p[1])
        o = float(rng.random() < P[row, col])
        gain = beta / p
        gain[0, row] += o / p[0, row]
        gain[1, col] += (1 - o) / p[1, col]
        W = W * np.exp(eta * gain) + math.e * alpha * total
        W /= W.max(axis=1, keepdims=True)
        counts[0, row] += 1
        counts[1, col] += 1
    return counts
