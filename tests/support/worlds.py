"""Preference matrices for the tests."""

import numpy as np


def random_matrices(m, K, rng, extreme=False):
    """m matrices with P + P' = 1; extreme ones have entries 0 and 1 only."""
    draws = rng.random((m, K, K))
    upper = np.triu(draws.round() if extreme else draws, 1)
    return upper + np.tril(1 - np.swapaxes(upper, 1, 2), -1) + np.eye(K) / 2


def ladder(K, margin=0.5):
    """Arm i beats each later arm with probability 1/2 + margin: arm 0 is the Condorcet winner."""
    upper = np.triu(np.full((K, K), 0.5 + margin), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(K) / 2
