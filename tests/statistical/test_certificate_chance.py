"""Certificates are as good as promised: unbiased, sharp, and right as often as they say."""

import itertools
import math

import numpy as np
import pytest

import sparring
from logged_duels import certified, draw, play, tokens
from sparring.certificates import Certificate
from worlds import ladder

pytestmark = pytest.mark.compiled


CYCLE = np.array([[0.5, 0.9, 0.2], [0.1, 0.5, 0.7], [0.8, 0.3, 0.5]])


def regret(P, rows, cols):
    """(n, K): 1/2 (P(j, a) + P(j, b) - 1)."""
    return (P[:, rows] + P[:, cols] - 1).T / 2


def one_duel_s_error(j, P, p_row, p_col):
    """E (estimate - regret)^2 of one duel, over all arms and outcomes."""
    total = 0.0
    for a, b, o in itertools.product(range(len(P)), range(len(P)), (0, 1)):
        chance = p_row[a] * p_col[b] * (P[a, b] if o else 1 - P[a, b])
        told = 0.5 if a == b else o
        estimate = ((a == j) * (told - 0.5) / p_row[j] + (b == j) * (0.5 - told) / p_col[j]) / 2
        total += chance * (estimate - (P[j, a] + P[j, b] - 1) / 2) ** 2
    return total


def test_estimates_are_unbiased_and_standard_errors_tell_how_far_off(rng):
    """2,000 runs of 50 duels, K = 3: mean error within 4 standard errors of 0 for each arm.

    False alarm of the means: 3 arms, 6e-5 each. The mean squared error, enumerated for one duel, is
    between half of what `standard_errors` says and all of it: not too small, and not for nothing.
    That of 2,000 runs is within 16% of it, five deviations (sqrt(2 / 2000) is one): 2e-6.
    """
    runs, T, K = 2_000, 50, 3
    p = np.array([[0.5, 0.3, 0.2], [0.25, 0.25, 0.5]])
    errors, squares = np.empty((runs, K)), np.empty((runs, K))
    for run in range(runs):
        rows, cols = (draw(np.broadcast_to(q, (T, K)), rng) for q in p)
        outcomes = rng.random(T) < CYCLE[rows, cols]
        duels = (rows, cols, outcomes, np.broadcast_to(p, (T, 2, K)))
        certificate = certified(duels, K, beta=0.1)
        errors[run] = certificate.estimates - regret(CYCLE, rows, cols).sum(axis=0)
        squares[run] = certificate.standard_errors**2
    deviation = errors.std(axis=0, ddof=1) / math.sqrt(runs)
    assert (np.abs(errors.mean(axis=0)) < 4 * deviation).all()
    exact = T * np.array([one_duel_s_error(j, CYCLE, *p) for j in range(K)])
    assert (squares.mean(axis=0) / 2 <= exact).all() and (exact <= squares.mean(axis=0)).all()
    np.testing.assert_allclose((errors**2).mean(axis=0), exact, rtol=0.16)


def test_the_bounds_are_sharper_than_the_lemma_s(rng):
    """rand, K = 10, T = 20,000: what chance adds is less than a third of what the lemma adds.

    By the formulas 2 sqrt(K T L / 16) against 2 sqrt(K T L'), so a fourth; 0.23 to 0.27 here.
    """
    P, T, K = ladder(10, margin=0.2), 20_000, 10
    rows, cols = rng.integers(K, size=T), rng.integers(K, size=T)
    outcomes = rng.random(T) < P[rows, cols]
    certificate = certified((rows, cols, outcomes, np.full((T, 1, K), 1 / K)), K)
    true = regret(P, rows, cols).sum(axis=0)
    sharp, lemma = certificate.regret_bounds, certificate.lemma_bounds
    assert (true <= sharp).all()
    assert (sharp < lemma).all() and (lemma < T / 2).all()
    assert ((sharp - certificate.estimates) / (lemma - certificate.estimates) < 1 / 3).all()
    assert not certificate.vacuous
    assert certificate.static < 1.3 * true.max(), "the true regret is 3,597"


def smallest_unlikely(n, chance, alarm):
    """The least count that a binomial variable reaches with probability below `alarm`."""
    tail, count = 1.0, 0
    while tail >= alarm:
        tail -= math.comb(n, count) * chance**count * (1 - chance) ** (n - count)
        count += 1
    return count


def test_the_bounds_hold_at_every_moment():
    """201 runs of 250 duels; the bound of an arm is below its regret at some moment in few runs.

    At most delta = 0.2 of the runs, by binomial tail with a false alarm of 1e-6. Power: estimates
    alone are below the regret at some moment in nearly all runs, and the bounds say something in
    the end.
    """
    P, K, T, delta = ladder(3), 3, 250, 0.2
    beta = math.sqrt(math.log(K / delta) / (16 * K * T))
    failed = bare = telling = 0
    makers = {
        "rand": lambda seed: sparring.rand(K, seed=seed),
        "rex3": lambda seed: sparring.rex3(K, T, seed=seed),
        "dex3s": lambda seed: sparring.dex3s(
            K, tuning=sparring.Tuning(0.03, 0.3, 0.01, 1e-4), seed=seed
        ),
    }
    for make in makers.values():
        for seed in range(67):
            duels = play(make(seed), P, T, np.random.default_rng((seed, 5)))
            true = regret(P, *duels[:2]).cumsum(axis=0)
            certificate = Certificate(K, delta, beta)
            gaps, bare_gaps = np.empty((2, T))
            for t, (duel, outcome) in enumerate(tokens(*duels)):
                certificate.add(duel, outcome)
                gaps[t] = (true[t] - certificate.regret_bounds).max()
                bare_gaps[t] = (true[t] - certificate.estimates).max()
            failed += gaps.max() > 1e-9
            bare += bare_gaps.max() > 1e-9
            telling += not certificate.vacuous
    assert failed < smallest_unlikely(201, delta, 1e-6)
    assert bare > 190
    assert telling > 100
