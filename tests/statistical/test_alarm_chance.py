"""The alarm's promise in runs: no more false alarms than one in A votes, whoever chooses the pairs.

Chances are compared by binomial tails and means by their standard errors, each with a false alarm
of 1e-6 for the test. The last case shows that each test fails where the threshold is too low.
"""

import numpy as np
import pytest
from scipy import stats

import sparring
from sparring.votes import Alarm, Votes, alarm, changes

pytestmark = pytest.mark.compiled

RUNS = 400
A, N = 1_000, 500  # so that a false alarm within N votes may have a chance of 1/2
MOST = stats.binom.isf(1e-6, RUNS, N / A)  # runs with one
FAR = stats.norm.isf(1e-6)  # standard errors
LEAD = 200  # votes that make the first arm the favourite


def uniform_pairs(K, n, rng):
    first = rng.integers(K, size=n)
    return first, (first + rng.integers(1, K, n)) % K


def named(K):
    return [f"arm {k}" for k in range(K)]


def coins_against_the_leader(run, every=A):
    """The first of two arms wins LEAD votes and leads; all later votes are coins."""
    rng = np.random.default_rng((run, 1))
    outcome = np.r_[np.ones(LEAD), rng.random(N) < 0.5]
    n = len(outcome)
    votes = Votes(named(2), np.zeros(n, int), np.ones(n, int), outcome)
    return alarm(votes, every=every, watch="leader", settle=LEAD).rung > 0


def coins_where_it_hurts(run):
    """Five arms, all votes are coins on the favourite and whoever has most evidence against it."""
    rng = np.random.default_rng((run, 2))
    K = 5
    watched = Alarm(named(K), every=A, watch="leader", settle=LEAD)
    for t in range(LEAD):
        watched.update(0, 1 + t % (K - 1), 1.0)
    means = watched._watching.memory.means
    for coin in rng.random(N):
        if watched.update(0, 1 + int(np.argmax(means[1:])), float(coin < 0.5)):
            return True
    return False


def coins_on_all_pairs(run, chance=0.5):
    """Four arms in random pairs, and no pair ever changes."""
    rng = np.random.default_rng((run, 3))
    first, second = uniform_pairs(4, N, rng)
    outcome = (rng.random(N) < np.where(first < second, chance, 1 - chance)) * 1.0
    return alarm(Votes(named(4), first, second, outcome), every=A, watch="pairs").rung > 0


def lopsided_pairs(run):
    return coins_on_all_pairs(run, chance=0.93)


def the_narrowest_pair(run):
    """Three arms, coins; shown is always the pair of which the least is left that fits."""
    rng = np.random.default_rng((run, 4))
    watched = Alarm(named(3), every=A, watch="pairs")
    pairs = [(0, 1), (0, 2), (1, 2)]
    for i, j in pairs:
        watched.update(i, j, float(rng.random() < 0.5))
    ends = watched._watching.memory.ends[:3]
    for coin in rng.random(N - 3):
        i, j = pairs[int(np.argmin(ends[:, 1] - ends[:, 0]))]
        if watched.update(i, j, float(coin < 0.5)):
            return True
    return False


def pairs_of_a_learner(run):
    """`tracker` chooses the pairs of four arms, of which the first beats all with 0.6; both
    watches. An alarm about another favourite is no false one."""
    P = np.full((4, 4), 0.5)
    P[0, 1:], P[1:, 0] = 0.6, 0.4
    rng = np.random.default_rng((run, 5))
    learner = sparring.tracker(4, differ=True, seed=run)
    coins = rng.random(N)
    rows, cols = learner.play(sparring.Block(P[None], np.array([N])), coins)
    votes = Votes(named(4), rows, cols, (coins < P[rows, cols]) * 1.0)
    return any(change.arms[0] == "arm 0" for change in changes(votes, every=A))


CASES = [
    coins_against_the_leader,
    coins_where_it_hurts,
    coins_on_all_pairs,
    lopsided_pairs,
    the_narrowest_pair,
    pairs_of_a_learner,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_false_alarms_within_n_votes_have_a_chance_of_n_over_a(case):
    """400 runs of 500 votes, A = 1,000: at most half of the runs ring, up to chance."""
    assert sum(case(run) for run in range(RUNS)) <= MOST


def counted_alarms(run, watch, n, every=A):
    """Alarms in n coins on two arms, each of them false: both lead, and nothing changes."""
    outcome = (np.random.default_rng((run, 6)).random(n) < 0.5) * 1.0
    votes = Votes(named(2), np.zeros(n, int), np.ones(n, int), outcome)
    found = alarm(votes, every=every, watch=watch, settle=10)
    first = found.changes[0].vote if found.rung else n
    return found.rung, first


@pytest.mark.parametrize("watch", ["leader", "pairs"])
def test_begun_again_there_are_no_more_false_alarms_than_one_in_a_votes(watch):
    """400 runs of 10 A votes: at most ten alarms on average, and the first not before A votes in
    the mean (of those that never rang, the 10 A are counted)."""
    found = np.array([counted_alarms(run, watch, 10 * A) for run in range(RUNS)], float)
    alarms, first = found.mean(axis=0)
    errors = found.std(axis=0, ddof=1) / np.sqrt(RUNS)
    assert alarms <= 10 + FAR * errors[0]
    assert first >= A - FAR * errors[1]
    assert alarms > 0.5  # it is awake


def test_both_watches_together_keep_the_promise():
    """400 runs of 10 A coins on two arms with both: at most ten alarms on average."""
    found = [counted_alarms(run, ("leader", "pairs"), 10 * A)[0] for run in range(RUNS)]
    assert np.mean(found) <= 10 + FAR * np.std(found, ddof=1) / np.sqrt(RUNS)


def test_the_tests_above_fail_where_the_threshold_is_too_low():
    """A third of A is too little for the leader. For pairs it takes a tenth: their sequences are
    spent on six scales and both sides, and ring far more rarely than promised."""
    assert sum(coins_against_the_leader(run, A / 3) for run in range(RUNS)) > MOST
    found = [counted_alarms(run, "pairs", 10 * A, A / 10)[0] for run in range(RUNS)]
    assert np.mean(found) > 10 + FAR * np.std(found, ddof=1) / np.sqrt(RUNS)


@pytest.mark.parametrize(("p", "q", "n"), [(0.7, 0.4, 1000), (0.6, 0.45, 3000)])
def test_the_interval_has_the_change(p, q, n):
    """A sudden change after n votes is in the interval in 95% of 400 runs, by binomial tail with a
    false alarm of 1e-6. In one a third as wide it is not."""
    inside = third = 0
    for run in range(RUNS):
        rng = np.random.default_rng((run, 7))
        chances = np.where(np.arange(4 * n) < n, p, q)
        votes = Votes(named(2), [0] * (4 * n), [1] * (4 * n), (rng.random(4 * n) < chances) * 1.0)
        change = next(it for it in changes(votes, every=100_000, watch="pairs") if it.vote > n)
        inside += change.earliest <= n + 1 <= change.latest
        third += 3 * abs(n + 1 - change.since) <= (change.latest - change.earliest) / 2
    assert inside >= stats.binom.ppf(1e-6, RUNS, 0.95)
    assert third < stats.binom.ppf(1e-6, RUNS, 0.95)
