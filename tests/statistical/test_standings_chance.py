"""How often standings are wrong, with few votes and with many.

Each test counts runs of an event that has at most a stated chance, and fails if there are so many
that this happens less than once in 20,000 times. Seeds are those of the run.
"""

import numpy as np
import pytest
from scipy.stats import binom

import drifting_votes
from sparring.votes import Votes, standings

pytestmark = pytest.mark.compiled  # what is tested is the statistics, and interpreted it takes long

RUNS = 120
RARE = 1 / 20_000


def most(chance):
    """How often an event of this chance may come in all runs."""
    return int(binom.isf(RARE, RUNS, chance))


@pytest.mark.parametrize(("n", "K"), [(1, 2), (4, 2), (12, 5), (40, 10), (400, 5)])
def test_rank_sets_hold_at_once(n, K):
    """Of strengths that stay, drawn for each run: some rank is outside in one of twenty runs."""
    false = 0
    for run in range(RUNS):
        rng = np.random.default_rng([run, n, K])
        strengths = drifting_votes.path("nil", n, K, rng)
        votes = drifting_votes.votes(strengths, rng)
        linked = votes.only(votes.groups()[0])
        own = [votes.names.index(name) for name in linked.names]
        ranks = (-strengths[-1, own]).argsort().argsort() + 1
        rank = dict(zip(linked.names, ranks.tolist(), strict=True))
        now = standings(linked)
        false += any(
            not place.ranks[0] <= rank[place.name] <= place.ranks[1] for place in now.places
        ) and len(now.places) == len(linked.names)
    assert false <= most(0.05)


@pytest.mark.parametrize("wins", [1, 2, 4])
def test_a_lucky_newcomer_is_seldom_above_an_equal(wins):
    """An arm as strong as four others, which has few votes."""
    false = 0
    for run in range(RUNS):
        rng = np.random.default_rng([run, wins])
        old = drifting_votes.votes(np.zeros((800, 4)), rng)
        first, second = np.full(wins, 4), rng.integers(4, size=wins)
        votes = Votes(
            (*old.names, "new"),
            np.append(old.first, first),
            np.append(old.second, second),
            np.append(old.outcome, rng.integers(2, size=wins)),
        )
        (new,) = (place for place in standings(votes).places if place.name == "new")
        false += new.ranks != (1, 5)
    assert false <= most(0.05)


def test_intervals_hold_where_nothing_moves():
    """Of 95%: the interval of one arm, drawn for each run, misses in one of twenty at most."""
    missed = 0
    for run in range(RUNS):
        rng = np.random.default_rng([run, 7])
        strengths = drifting_votes.path("nil", 600, 4, rng)
        votes = drifting_votes.votes(strengths, rng)
        truth, arm = strengths[-1] - strengths[-1].mean(), int(rng.integers(4))
        place = next(one for one in standings(votes).places if one.name == votes.names[arm])
        missed += not place.low <= truth[arm] <= place.high
    assert missed <= most(0.05)
