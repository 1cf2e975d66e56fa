"""Intervals from logged votes hold, for every learner of ours whose probabilities are known.

The truth is that of the simulated world, which drifts. 14 runs of each of the learners, at delta =
0.1. A claim that holds is refused with probability 1e-6 at most, by the binomial tail over all runs
together; runs are independent. What these runs would have refuted stands beside each.
"""

import collections

import numpy as np
import pytest
from scipy import stats

import fitted_worlds
import off_policy
import sparring
from sparring.votes import Votes, replay
from sparring.votes.borda_scores import floor, slack
from worlds import ladder

FALSE_ALARM = 1e-6
DELTA = 0.1


@pytest.fixture(scope="module")
def counts():
    total = collections.Counter()
    for make in off_policy.loggers().values():
        total.update(off_policy.measure(make, 14, delta=DELTA, rounds=700))
    return total


@pytest.mark.compiled
def test_borda_intervals_hold(counts):
    """All windows and arms of a run together: it fails with probability delta at most.

    Power: they fail in more runs than allowed if they are a third as wide.
    """
    allowed = stats.binom.isf(FALSE_ALARM, counts["runs"], DELTA)
    assert counts["borda fails"] <= allowed < counts["borda fails, a third as wide"]
    assert counts["borda says"] > counts["runs"] / 10  # who is certainly above whom


@pytest.mark.compiled
def test_finite_sample_intervals_hold(counts):
    """Two policies a run, which are not independent: the first alone is counted.

    Power: they fail in more runs than allowed if they are a quarter as wide.
    """
    allowed = stats.binom.isf(FALSE_ALARM, counts["first values"], DELTA)
    failed = counts["importance weighting fails, first"]
    assert failed <= allowed < counts["importance weighting fails, a quarter as wide"]


@pytest.mark.compiled
def test_normal_intervals_hold_nearly_as_often_as_they_say(counts):
    """The claim is that those of 90% hold in 87% of the logs at least, in all together.

    Power: intervals half as wide would be refuted.
    """
    allowed = stats.binom.isf(FALSE_ALARM, counts["first values"], 0.13)
    for kind in ("self-normalised", "doubly robust"):
        assert counts[f"{kind} fails, first"] <= allowed < counts[f"{kind} fails, half as wide"]


def test_floors_hold_at_all_times(rng):
    """400 runs of 1,500 heavy weights whose means drift; a run fails if any n does.

    Power: the normal bound of 90%, looked at each time, fails in more runs than allowed.
    """
    n, runs, failed, naive = 1_500, 400, 0, 0
    chance = 0.04
    means = 0.5 + 0.4 * np.sin(np.arange(n) / 200)
    sums = np.arange(1, n + 1)
    for _ in range(runs):
        X = (rng.random(n) < chance) * (rng.random(n) < means) / chance
        before = np.cumsum(X) - X
        v = np.cumsum((X - np.minimum((0.5 + before) / sums, 1)) ** 2)
        lower = (np.cumsum(X) - slack(v, DELTA)) / sums
        truth = np.cumsum(means) / sums
        failed += (lower > truth).any()
        late = slice(200, None)
        spread = np.sqrt(np.maximum(np.cumsum(X**2) / sums - (np.cumsum(X) / sums) ** 2, 0) / sums)
        naive += ((np.cumsum(X) / sums - 1.2816 * spread)[late] > truth[late]).any()
        assert floor(X, DELTA) == pytest.approx(max(0, lower[-1]), rel=1e-6)
    allowed = stats.binom.isf(FALSE_ALARM, runs, DELTA)
    assert failed <= allowed < naive


def uniform_votes(n, P, rng):
    K = len(P)
    first = rng.integers(0, K, n)
    second = (first + rng.integers(1, K, n)) % K
    won = rng.random(n) < P[first, second]
    return Votes(tuple("abcd"[:K]), first, second, won.astype(float))


@pytest.mark.compiled
def test_replay_is_like_service(rng):
    """The mean score of the arms shown in 60 rounds, 250 logs beside 250 runs in service.

    Two means, by Welch's z: 4.9 has a false alarm of 1e-6. And the value estimated from the votes
    is that of the arms asked for, by the world's truth. Power: a replay that never tells the
    learner anything is more than 4.9 away.
    """
    P, K, rounds = ladder(3, 0.3), 3, 60
    scores = (P.sum(axis=1) - 0.5) / (K - 1)
    replayed, served, deaf, wrong = [], [], [], []
    for seed in range(250):
        votes = uniform_votes(300, P, rng)
        found = replay(votes, sparring.tracker(K, differ=True, seed=seed))
        met = found.history.votes >= 0
        shown = scores[np.stack([found.history.rows[met], found.history.cols[met]])].mean(axis=0)
        assert len(shown) > rounds
        replayed.append(shown[:rounds].mean())
        waited = np.repeat(shown, np.diff(found.history.votes[met], prepend=-1))
        rest = len(votes) - len(waited)  # the pair it waits for when the log ends
        last = found.learner.open[max(found.learner.open)]
        waited = np.append(waited, np.full(rest, scores[[last.row, last.col]].mean()))
        wrong.append(found.evaluation.estimates[0].value - waited.mean())
        learner, silent = (sparring.tracker(K, differ=True, seed=10_000 + seed) for _ in range(2))
        of_learner, of_silent = [], []
        for _ in range(rounds):
            duel = learner.ask()
            learner.tell(duel, float(rng.random() < P[duel.row, duel.col]))
            of_learner.append(scores[[duel.row, duel.col]].mean())
            duel = silent.ask()
            silent.tell(duel, 0.5)
            of_silent.append(scores[[duel.row, duel.col]].mean())
        served.append(np.mean(of_learner))
        deaf.append(np.mean(of_silent))
    assert abs(welch(replayed, served)) < 4.9
    assert abs(welch(replayed, deaf)) > 4.9
    assert abs(np.mean(wrong)) < 4.9 * np.std(wrong) / np.sqrt(len(wrong))


def welch(one, two):
    spread = np.var(one, ddof=1) / len(one) + np.var(two, ddof=1) / len(two)
    return (np.mean(one) - np.mean(two)) / np.sqrt(spread)


def test_error_bars_of_the_variation():
    """40 walks each of no drift, of some and of much; bars of 90%.

    The claim is that they hold in 75% of the walks at least, at every drift. Power: what is
    observed is above the bars in more walks than allowed.
    """
    allowed = stats.binom.isf(FALSE_ALARM, 40, 0.25)
    for drift in (0.0, 0.1, 0.3):
        failed = above = 0
        for seed in range(40):
            _, found, truth = fitted_worlds.walk(drift, seed)
            failed += not fitted_worlds.holds(found, truth)
            above += found.observed > found.V_T_high
        assert failed <= allowed < above
