"""The whole sampler draws from what it says: getting it right, after Geweke (2004).

If all that is unknown is drawn from the prior, then votes given it, and then unknowns and votes in
turn, each given the other, the unknowns still have the prior's distribution after any number of
turns. This holds only if each step draws from its exact conditional distribution.
"""

import importlib
import math

import numpy as np
import pytest

from sparring.votes import Votes
from sparring.votes import _segments as kernels

own = importlib.import_module("sparring.votes.histories")  # the package has a function of that name
pytestmark = pytest.mark.compiled  # what is tested is the statistics, and interpreted it takes long

RUNS, TURNS, PRIOR = 600, 15, 4_000
APART = 4.5  # standard errors: of twenty statistics one is that far by chance once in 7,000 times
SHARE = np.array([0.0, 0.25, 0.15, 0.3, 0.3])
B, K = len(SHARE), 4


def cells():
    """Cells of four arms in five bins: the last comes in the second, another pauses."""
    pairs = [(i, j, b) for i in range(K) for j in range(i + 1, K) for b in range(B)]
    kept = sorted(
        (b, i, j)
        for i, j, b in pairs
        if not (j == 3 and b < 1) and not (i == 1 and b in (1, 2)) and not (j == 1 and b in (1, 2))
    )
    bins, first, second = (np.array(one) for one in zip(*kept, strict=True))
    met = 1.0 + (np.arange(len(bins)) % 3)
    return own.arranged(first, second, bins, met, met / 2, K, SHARE)


def from_prior(sampler, rng):
    """Draw all unknowns, as the model says, into the first chain."""
    c, cells = sampler.chains, sampler.cells
    c.tau2[0] = np.clip(own.TAU2[1] / rng.gamma(own.TAU2[0]), own.LEAST_TAU2, own.MOST_TAU2)
    c.jumps[0] = rng.gamma(own.JUMPS[0]) / own.JUMPS[1]
    c.storms[0] = max(rng.gamma(own.STORMS[0]) / own.STORMS[1], own.LEAST_RATE)
    c.side[0] = rng.normal() / math.sqrt(own.SIDE_PRECISION)
    common = np.maximum(rng.dirichlet(own.PACES_PRIOR), 1e-12)
    c.belief[0] = np.log(common)
    c.pace[0] = rng.choice(len(common), K, p=common / common.sum())
    c.storm[0] = (rng.random(B) < -np.expm1(-c.storms[0] * SHARE)) & (cells.alive >= kernels.CROWD)
    theta, jumped = c.theta[0].reshape(K, B), c.jumped[0].reshape(K, B)
    for k in range(K):
        begin = cells.bins[k, 0]
        for b in range(begin, B):
            hazard = kernels.STORMY if c.storm[0, b] else -math.expm1(-c.jumps[0] * SHARE[b])
            jumped[k, b] = b == begin or rng.random() < hazard
            walked = own.PACES[c.pace[0, k]] * math.sqrt(SHARE[b])
            step = math.sqrt(c.tau2[0]) if jumped[k, b] else walked
            theta[k, b] = step * rng.normal() + (0.0 if jumped[k, b] else theta[k, b - 1])
        theta[k, :begin] = theta[k, begin]


def vote(sampler, rng):
    """Draw the votes given all unknowns."""
    c, cells = sampler.chains, sampler.cells
    lead = c.theta[0, cells.first] - c.theta[0, cells.second] + c.side[0]
    won = rng.binomial(cells.votes.astype(int), 1 / (1 + np.exp(-lead)))
    cells.kappa[:] = won - cells.votes / 2


def statistics(sampler):
    """Bounded ones, as some priors have no variance."""
    c, cells = sampler.chains, sampler.cells
    theta, jumped = c.theta[0].reshape(K, B), c.jumped[0].reshape(K, B)
    later = np.array([jumped[k, cells.bins[k, 0] + 1 :].sum() for k in range(K)])
    lead = np.tanh(theta[0] - theta[2])
    return [
        *(c.tau2[0] < limit for limit in (0.15, 0.4, 1.2)),
        *(c.jumps[0] < limit for limit in (0.2, 0.7, 1.7)),
        *(c.storms[0] < limit for limit in (0.05, 0.4)),
        np.tanh(c.side[0]),
        np.tanh(c.side[0]) ** 2,
        later[0],
        later[1],
        later[3],
        later.sum() ** 2 / 10,
        c.storm[0].sum(),
        (c.pace[0] == 0).mean(),
        (c.pace[0] >= 5).mean(),
        lead[-1] ** 2,
        lead[0] * lead[-1],
        np.tanh(theta[1, 0] - theta[1, -1]) ** 2,
        np.tanh(theta.mean()) ** 2,
    ]


def test_getting_it_right():
    rng = np.random.default_rng(20)
    votes = Votes(tuple("abcd"), [0], [1], [1.0])
    before, after = [], []
    for run in range(RUNS):
        sampler = own.Sampler(cells(), votes, side=True, seed=run)
        one = slice(0, 1)
        parts = (own.rows_of(part, one) for part in (sampler.chains, sampler.luck, sampler.filter))
        chains, luck, filter_ = parts
        from_prior(sampler, rng)
        vote(sampler, rng)
        rng.standard_gamma(sampler.cells.votes, out=luck.weight[0])
        kernels.draw_weights(sampler.cells, chains, luck)
        for turn in range(TURNS):
            sampler.sweep(chains, luck, filter_, sampler.rngs[:1], turn)
            vote(sampler, rng)
            rng.standard_gamma(sampler.cells.votes, out=luck.weight[0])
            kernels.draw_weights(sampler.cells, chains, luck)
        after.append(statistics(sampler))
    for _ in range(PRIOR):
        from_prior(sampler, rng)
        before.append(statistics(sampler))
    one, other = np.array(before, float), np.array(after, float)
    error = np.sqrt(one.var(0) / len(one) + other.var(0) / len(other))
    score = (other.mean(0) - one.mean(0)) / error
    assert (np.abs(score) < APART).all(), np.round(score, 1)
