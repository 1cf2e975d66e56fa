"""What to ask of votes next: how many more are needed, and a world like theirs to simulate."""

import itertools

import numpy as np

from sparring import checks
from sparring.votes.fitted import FittedWorld, world_of
from sparring.votes.fitting import fit
from sparring.votes.histories import coins
from sparring.votes.planning import VotePlan, plan_for
from sparring.votes.standings import Standings, standings
from sparring.votes.values import Votes

MOST_PERIODS = 100
ENOUGH = 20  # votes an arm in a period


def plan(
    votes: Votes,
    now: Standings | None = None,
    *,
    delta: float = 0.05,
    power: float = 0.8,
    runs: int = 2000,
    seed: int = 0,
) -> VotePlan:
    """How many more votes tell the first two arms apart, by a formula and by simulation.

    The numbers are for strengths that stand still from now on. The votes so far count as many as
    would make the gap as sure as it is, if nothing had ever moved.

    Parameters
    ----------
    votes
        The votes so far; further pairs are taken to come in the same shares.
    now
        Their standings, if you have them already.
    delta, power, runs, seed
        As for `sparring.votes.planning.plan_for`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=100)
    >>> outcome = np.where(first == 0, rng.random(100) < 0.52, rng.random(100) < 0.48)
    >>> plan(Votes(("tea", "coffee"), first, 1 - first, outcome), runs=100).more > 100
    True
    """
    found = standings(votes) if now is None else now
    here = np.flatnonzero(found.histories.here)
    pairs = np.ix_(here, here)
    met, strengths, covariance = votes.counts[pairs], found.strengths[here], found.covariance[pairs]
    first, second = np.argsort(-strengths, kind="stable")[:2].tolist()
    direction = np.zeros(len(here))
    direction[first], direction[second] = 1.0, -1.0
    p = 1 / (1 + np.exp(strengths[None] - strengths[:, None]))
    told = met / met.sum() * p * (1 - p)  # each pair is there twice: half of it, twice
    information = np.diag(2 * told.sum(axis=1)) - 2 * told
    alone = direction @ np.linalg.pinv(information, hermitian=True) @ direction
    return plan_for(
        strengths,
        covariance,
        shares=met,
        votes=min(float(alone / (direction @ covariance @ direction)), float(met.sum() / 2)),
        names=tuple(votes.names[arm] for arm in here),
        delta=delta,
        power=power,
        runs=runs,
        seed=seed,
    )


def world(
    votes: Votes, T: int | None = None, *, periods: int | None = None, seed: int = 0
) -> FittedWorld:
    """A world like the one the votes came from, without mistaking noise for drift.

    The votes are cut into periods of equal numbers, each period is fitted alone, and the strengths
    are smoothed over periods (`sparring.votes.fitted.world_of`).

    Parameters
    ----------
    votes
        The votes.
    T
        Number of rounds of the world; the number of votes if None.
    periods
        The number of periods; by default so many that an arm has about forty votes in each, at most
        100.
    seed
        Seed of the paths drawn for the interval of V_T.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=2000)
    >>> tea = rng.random(2000) < 0.7
    >>> votes = Votes(("tea", "coffee"), first, 1 - first, np.where(first == 0, tea, ~tea))
    >>> found = world(votes, periods=20)
    >>> found.world, found.V_T < found.observed
    (Recorded(K=2, T=2000, periods=20, interpolate=True), True)
    """
    n = len(votes)
    if not n:
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    if periods is None:
        periods = min(max(n // (ENOUGH * votes.K), 1), MOST_PERIODS)
    periods = checks.whole("periods", periods, low=1, high=n)
    edges = np.linspace(0, n, periods + 1).astype(int).tolist()
    strengths, errors, noise = [], [], coins(votes)
    for begin, end in itertools.pairwise(edges):
        part = votes[begin:end]
        found = fit(part)
        strengths.append(found.strengths)
        less = np.eye(votes.K) - 1 / votes.K
        errors.append(np.sqrt(np.diag(less @ found.inverse[:-1, :-1] @ less) * noise))
    rounds = n if T is None else T
    return world_of(np.array(strengths), np.array(errors), T=rounds, names=votes.names, seed=seed)
