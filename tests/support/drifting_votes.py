"""Votes from strengths that are known at every moment: still, slow, sudden."""

import numpy as np

from sparring.votes import Votes

KINDS = ("nil", "slow", "sudden", "trend")


def path(kind, n, K, rng):
    """(n, K): strengths at every vote."""
    begin = rng.normal(size=K) * 0.6
    still = np.repeat(begin[None], n, axis=0)
    if kind == "slow":
        return begin + np.cumsum(rng.normal(size=(n, K)) * 0.01, axis=0)
    if kind == "sudden":
        still[rng.integers(n // 4, max(3 * n // 4, n // 4 + 1)) :] = rng.permutation(begin)
    if kind == "trend":
        still = begin + np.linspace(0, 1, n)[:, None] * rng.normal(size=K)
    return still


def votes(strengths, rng, **more):
    """Votes on pairs that are drawn evenly."""
    n, K = strengths.shape
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    lead = strengths[np.arange(n), first] - strengths[np.arange(n), second]
    outcome = rng.random(n) < 1 / (1 + np.exp(-lead))
    return Votes(tuple(f"m{k}" for k in range(K)), first, second, outcome, **more)
