"""Duels drawn at random or played by a learner, and the certificate of them."""

import numpy as np

from sparring import Duel
from sparring.certificates import Certificate


def logged(K, n, rng, players=2, concentration=1.0):
    """n duels of arms drawn independently: rows, cols, outcomes (ties among them), p."""
    p = rng.dirichlet(np.full(K, concentration), (n, players))
    p = 0.95 * p + 0.05 / K
    rows, cols = draw(p[:, 0], rng), draw(p[:, -1], rng)
    return rows, cols, rng.integers(3, size=n) / 2, p


def draw(p, rng):
    """An arm from each row of p."""
    below = p.cumsum(axis=-1) < rng.random((*p.shape[:-1], 1))
    return np.minimum(below.sum(axis=-1), p.shape[-1] - 1)


def tokens(rows, cols, outcomes, p):
    """The same as duels for `add`."""
    for t, (row, col, outcome) in enumerate(zip(rows, cols, outcomes, strict=True)):
        yield Duel(t + 1, int(row), int(col), p[t]), float(outcome)


def play(learner, P, n, rng):
    """n rounds of ask and tell on a matrix: rows, cols, outcomes, p."""
    duels, outcomes, coins = [], [], rng.random(n)
    for coin in coins:
        duel = learner.ask()
        outcomes.append(float(coin < P[duel.row, duel.col]))
        learner.tell(duel, outcomes[-1])
        duels.append(duel)
    rows, cols = (np.array([getattr(duel, name) for duel in duels]) for name in ("row", "col"))
    return rows, cols, np.array(outcomes), np.array([duel.p for duel in duels])


def certified(duels, K, *arguments, **options):
    certificate = Certificate(K, *arguments, **options)
    certificate.add_many(*duels)
    return certificate


ARRAYS = ("estimates", "standard_errors", "regret_bounds", "lemma_bounds")
NUMBERS = ("static", "dynamic", "vacuous", "rounds", "segments", "K", "delta")
PROPERTIES = (*ARRAYS, "static", "dynamic", "vacuous")


def assert_same(certificate, again):
    """Bit for bit: all that is remembered, and all that is said."""
    assert again.snapshot() == certificate.snapshot()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(certificate, name))
    for name in NUMBERS:
        assert getattr(again, name) == getattr(certificate, name), name
