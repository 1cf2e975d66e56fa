"""Without drift and prior, strengths are those of choix, which finds them in other ways."""

import numpy as np
import pytest

from sparring.votes import Votes, fit

choix = pytest.importorskip("choix", reason="the dev extra has it: pip install choix")

CLOSE = 1e-6


def some(rng, n, K, *, ties=0.0, **more):
    """Votes on pairs at random, strengths about 1 apart."""
    strengths = rng.standard_normal(K)
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    p = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    outcome = (rng.random(n) < p).astype(float)
    outcome[rng.random(n) < ties] = 0.5
    return Votes(tuple(f"arm {k}" for k in range(K)), first, second, outcome, **more)


@pytest.mark.parametrize(("n", "K"), [(400, 4), (3000, 12), (20_000, 40)])
@pytest.mark.parametrize("way", ["ilsr_pairwise", "opt_pairwise", "mm_pairwise"])
def test_wins_and_losses(rng, n, K, way):
    votes = some(rng, n, K)
    won = votes.outcome == 1
    winners = np.where(won, votes.first, votes.second)
    losers = np.where(won, votes.second, votes.first)
    games = list(zip(winners.tolist(), losers.tolist(), strict=True))
    more = {"alpha": 0.0} if way == "opt_pairwise" else {}
    theirs = getattr(choix, way)(K, games, tol=1e-10, **more)
    np.testing.assert_allclose(fit(votes, ridge=0).strengths, theirs - theirs.mean(), atol=CLOSE)


@pytest.mark.parametrize("weighed", [False, True])
def test_ties_and_weights(rng, weighed):
    """Its dense form takes any counts, so a tie may be half a win, and a vote count for two."""
    weight = rng.uniform(0.2, 3.0, size=2000) if weighed else None
    votes = some(rng, 2000, 10, ties=0.3, weight=weight)
    theirs = choix.ilsr_pairwise_dense(votes.wins, tol=1e-12)
    np.testing.assert_allclose(fit(votes, ridge=0).strengths, theirs - theirs.mean(), atol=CLOSE)
