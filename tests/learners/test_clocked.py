"""Memory in votes and in time: the vote rate changes nothing, and calm weeks forget."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

import sparring
from sparring.learners.symmetric import Clocked

DAY = 86_400.0
NOW = 1_794_873_600.0


def wins(duel, rng, best=2):
    return float(rng.random() < 0.5 + 0.25 * ((duel.row == best) - (duel.col == best)))


def vote(learner, votes, rng, rate, at=None, every=0.0):
    """So many votes, of which comes one for `rate` duels of two arms; self-duels are all told."""
    while votes:
        duel = learner.ask()
        if duel.row == duel.col:
            learner.tell(duel, 0.5, at=at)
        elif rng.random() < rate:
            learner.tell(duel, wins(duel, rng), at=at)
            votes -= 1
            at = None if at is None else at + every
        else:
            learner.forget(duel)
    return at


@pytest.mark.parametrize("rate", [1.0, 0.03])
def test_weights_are_a_function_of_the_votes(rate):
    """Whatever is told of self-duels between them, and however many duels are never answered."""
    learner, twin = (
        sparring.steady(4, memory="3000 votes", seed=1),
        Clocked(4, "3000 votes", seed=2),
    )
    rng = np.random.default_rng(5)
    for _ in range(200):
        duel = learner.ask()
        if duel.row == duel.col:
            learner.tell(duel, 0.5)
        elif rng.random() < rate:
            outcome = wins(duel, rng)
            learner.tell(duel, outcome)
            twin.tell(twin.watch(duel.row, duel.col, duel.p), outcome)
    assert np.array_equal(learner.p, twin.p)


@pytest.mark.compiled
def test_a_low_vote_rate_does_not_make_it_forget():
    """What counts duels told forgets with every self-duel between two votes; votes do not."""
    shares = {}
    for memory in (2000, "2000 votes"):
        for rate in (1.0, 0.1):
            learner = sparring.steady(4, memory=memory, seed=1)
            vote(learner, 1200, np.random.default_rng(1), rate)
            shares[memory, rate] = learner.p[0, 2]
    assert shares["2000 votes", 0.1] > 0.97 * shares["2000 votes", 1.0]
    assert shares[2000, 0.1] < 0.95 * shares[2000, 1.0]


def test_play_counts_votes_too():
    """Asking and telling does what play does, to the last bit."""
    one, other = (sparring.steady(5, memory="2000 votes", seed=3) for _ in range(2))
    P, coins = np.full((1, 5, 5), 0.5), np.random.default_rng(1).random(3000)
    P[0, 2], P[0, :, 2] = 0.8, 0.2
    P[0, 2, 2] = 0.5
    one.play(sparring.Block(P, np.array([3000])), coins)
    for coin in coins:
        duel = other.ask()
        other.tell(duel, float(coin < P[0, duel.row, duel.col]))
    assert np.array_equal(one.p, other.p)


@pytest.mark.compiled
def test_a_time_learns_the_rate_of_votes():
    """Votes that come twice as fast make the tuning of a memory with twice as many votes."""
    for rate in (50, 100):
        learner, rng = sparring.steady(4, memory="14d", seed=1), np.random.default_rng(1)
        vote(learner, 60 * rate, rng, 1.0, at=NOW, every=DAY / rate)
        expected = sparring.tunings.steady(4, memory=14 * rate)
        assert learner.tuning.eta == pytest.approx(expected.eta, rel=0.03)


@pytest.mark.compiled
def test_calm_weeks_forget():
    learner, rng = sparring.steady(4, memory="7d", seed=1), np.random.default_rng(1)
    at = vote(learner, 3000, rng, 1.0, at=NOW, every=60.0)
    sure = learner.p[0, 2]
    before = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    duel = before.ask()
    while duel.row == duel.col or 2 in (duel.row, duel.col):
        before.forget(duel)
        duel = before.ask()
    before.tell(duel, 0.5, at=at + 60 * DAY)
    assert before.p[0, 2] < 0.8 * sure
    assert before.favourite == 2


def test_snapshots_and_arms():
    learner, rng = sparring.steady(4, memory="14d", seed=1), np.random.default_rng(1)
    at = vote(learner, 500, rng, 0.5, at=NOW, every=600.0)
    copy = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    assert copy.snapshot() == learner.snapshot()
    for one in (learner, copy):
        one.add()
        vote(one, 200, np.random.default_rng(2), 1.0, at=at, every=600.0)
    assert np.array_equal(learner.p, copy.p)
    assert learner.memory == "14d"


def test_a_clock_that_jumps_back_or_a_datetime():
    learner = sparring.steady(3, memory="1h", seed=1)
    learner.tell(learner.watch(0, 1, [1 / 3] * 3), 1.0, at=datetime(2026, 11, 17, tzinfo=UTC))
    learner.tell(learner.watch(0, 1, [1 / 3] * 3), 1.0, at=NOW - 5 * DAY)
    learner.tell(learner.watch(0, 1, [1 / 3] * 3), 1.0, at=NOW)
    assert learner.favourite == 0


@pytest.mark.parametrize(
    ("memory", "match"),
    [
        ("3 votes", "memory must be"),
        ("14 days ago", 'memory must be a number of duels, "5000 votes", or a time'),
        ("", "memory"),
        ("-3d", "memory"),
        ("1e9d", "memory"),
    ],
)
def test_bad_memories(memory, match):
    with pytest.raises(ValueError, match=match):
        sparring.steady(4, memory=memory)


@pytest.mark.parametrize("at", [None, "now", float("nan"), -1, datetime(2026, 11, 17)])
def test_bad_moments(at):
    learner = sparring.steady(4, memory="14d", seed=1)
    duel = learner.watch(0, 1, [0.25] * 4)
    with pytest.raises(ValueError, match="at must be"):
        learner.tell(duel, 1.0, at=at)
    assert duel.t in learner.open


def test_a_simulation_has_no_clock():
    learner = sparring.steady(4, memory="14d", seed=1)
    with pytest.raises(ValueError, match="no clock"):
        learner.play(sparring.Block(np.full((1, 4, 4), 0.5), np.array([3])), np.zeros(3))
