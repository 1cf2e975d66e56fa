"""What to ask of votes next: how many more are needed, and a world like theirs to simulate."""

import itertools
from dataclasses import replace

import numpy as np

from sparring import checks
from sparring.votes.ceilings import ceiling
from sparring.votes.fitted import FittedWorld, world_of
from sparring.votes.fitting import fit, sandwich
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

    The numbers are for strengths that stand still. If they move, votes grow old as others come, and
    there is a `ceiling` to how sure you can be.

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
    planned = plan_for(
        found.strengths,
        found.covariance,
        shares=votes.counts,
        votes=found.counted,
        names=votes.names,
        delta=delta,
        power=power,
        runs=runs,
        seed=seed,
    )
    if found.drift is None:
        return planned
    span = float(votes.clock[-1])
    most = ceiling(
        found.strengths,
        votes.counts,
        (votes.names.index(planned.leader), votes.names.index(planned.second)),
        pace=found.drift.pace,
        rate=len(votes) / span if span > 0 else float(len(votes)),
        delta=delta,
        power=power,
    )
    return replace(planned, ceiling=most)


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
    strengths, errors = [], []
    for begin, end in itertools.pairwise(edges):
        part = votes[begin:end]
        found = fit(part)
        noise = sandwich(part, [found], [1.0])[:-1, :-1]
        # An arm that nobody voted on has no noise in it; what is not known is as wide as the prior.
        unknown = np.diag(found.inverse)[:-1]
        seen = (part.counts.sum(0) > 0) & (np.diag(noise) > 0)
        strengths.append(found.strengths)
        errors.append(np.sqrt(np.where(seen, np.diag(noise), unknown)))
    rounds = n if T is None else T
    return world_of(np.array(strengths), np.array(errors), T=rounds, names=votes.names, seed=seed)
