"""When it changed: the best cut by brute force, moments, tables, and cuts from memory alone."""

import itertools
import json
import math
from datetime import UTC, datetime

import numpy as np
import pytest

from sparring.formats import Dates
from sparring.votes import Alarm, Votes, changes
from sparring.votes.alarm_report import DROP, split


def log_likelihood(scores):
    """Of scores with their own mean as the chance, in plain arithmetic."""
    n, won = len(scores), math.fsum(scores)
    found = 0.0
    for count in (won, n - won):
        found += count * math.log(count / n) if count else 0.0
    return found


def brute_split(scores, falling=False):
    """Cuts within DROP of the best, the best, and whether no cut at all is within it."""
    found = {}
    for cut in range(1, len(scores)):
        before, after = scores[:cut], scores[cut:]
        if falling and np.mean(after) >= np.mean(before):
            continue
        found[cut] = log_likelihood(before) + log_likelihood(after)
    if not found:
        return 0, 0, 0, True
    best = max(found, key=lambda cut: (found[cut], -cut))
    near = [cut for cut, value in found.items() if value >= found[best] - DROP]
    return best, min(near), max(near), log_likelihood(scores) >= found[best] - DROP


@pytest.mark.parametrize("falling", [False, True])
def test_the_best_cut_is_that_of_brute_force(falling, rng):
    for n, p, q in itertools.product((2, 5, 40, 150), (0.1, 0.5, 1.0), (0.0, 0.5, 0.9)):
        chances = np.where(np.arange(n) < n // 2, p, q)
        scores = rng.choice([0.0, 0.5, 1.0], n) if p == q else (rng.random(n) < chances) * 1.0
        before = np.concatenate([[0.0], np.cumsum(scores)])
        found = split(np.arange(n) * 1.0, before[:-1], n, before[-1], falling=falling)
        assert tuple(found) == brute_split(scores.tolist(), falling)


def sudden(n=4000, at=2500, p=0.75, q=0.4, seed=0, time=True):
    """Two pairs in turn; one of them changes at vote `at`, from 0."""
    rng = np.random.default_rng(seed)
    first, second = np.arange(n) % 2 * 2, np.arange(n) % 2 * 2 + 1
    chances = np.where((np.arange(n) >= at) & (first == 0), q, p)
    outcome = (rng.random(n) < chances).astype(float)
    # The first of each pair is shown second now and then, as in any file.
    turned = rng.random(n) < 0.5
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    outcome = np.where(turned, 1 - outcome, outcome)
    start = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    when = start + 3600.0 * np.arange(n) if time else None
    return Votes(("a", "b", "c", "d"), first, second, outcome, time=when)


def test_a_pair_that_changed_is_told_with_when_and_by_how_much():
    votes = sudden()
    (change,) = changes(votes, every=100_000, watch="pairs")
    assert change.kind == "pair" and change.arms == ("a", "b") and change.against == ()
    assert change.earliest <= 2501 <= change.latest < change.vote
    assert change.before == pytest.approx(0.75, abs=0.06)
    assert change.after == pytest.approx(0.4, abs=0.1)
    assert change.votes_before + change.votes_after == (change.vote + 1) // 2
    assert not change.all_along


def test_the_cut_is_that_of_all_votes_on_the_two():
    votes = sudden()
    (change,) = changes(votes, every=100_000, watch="pairs")
    on = np.flatnonzero(np.minimum(votes.first, votes.second) == 0)
    on = on[on < change.vote]
    scores = np.where(votes.first[on] == 0, votes.outcome[on], 1 - votes.outcome[on])
    best, low, high, _ = brute_split(scores.tolist())
    assert change.since == on[best] + 1
    assert (change.earliest, change.latest) == (on[low - 1] + 2, on[high] + 1)
    assert change.before == pytest.approx(scores[:best].mean())
    assert change.after == pytest.approx(scores[best:].mean())


def test_moments_are_those_of_the_votes():
    votes = sudden()
    (change,) = changes(votes, every=100_000, watch="pairs")
    assert change.rang_at == votes.time[change.vote - 1]
    assert change.since_at == votes.time[change.since - 1]
    assert change.latest_at == votes.time[change.latest - 1]
    assert change.earliest_at == votes.time[change.earliest - 2]  # after that vote on the two
    moments = Dates(change.earliest_at, change.rang_at)
    assert f"since {moments.full(change.since_at)} (between " in str(change)
    (untimed,) = changes(sudden(time=False), every=100_000, watch="pairs")
    assert untimed.rang_at is untimed.since_at is None
    assert f"since vote {untimed.since:,} (" in str(untimed)


def test_after_an_alarm_only_later_votes_on_the_two_count():
    """A second change is dated by votes since the first one rang."""
    there, back = sudden(seed=3), sudden(seed=4, p=0.4, q=0.8)
    columns = {
        name: np.concatenate([getattr(there, name), getattr(back, name)])
        for name in ("first", "second", "outcome")
    }
    votes = Votes(there.names, **columns)
    found = [change for change in changes(votes, every=1e6, watch="pairs") if "a" in change.arms]
    first, last = found[0], found[-1]
    assert len(found) == 2 and first.vote < last.earliest
    assert last.earliest <= 6501 <= last.latest
    assert last.before < 0.5 < last.after


def test_from_memory_alone_the_interval_is_wider_and_lies_around():
    """Vote by vote, the cuts are where sequences began; the true vote is within, here as there."""
    for seed in range(5):
        votes = sudden(seed=seed)
        (exact,) = changes(votes, every=100_000, watch="pairs")
        (coarse,) = Alarm(votes.names, every=100_000, watch="pairs").update_many(votes)
        assert (coarse.vote, coarse.arms) == (exact.vote, exact.arms)
        assert coarse.earliest <= 2501 <= coarse.latest
        assert coarse.latest - coarse.earliest > exact.latest - exact.earliest


def test_a_leader_that_fell_after_its_pair_rang_is_dated_as_the_pair_was():
    """The pair has begun again by then, and knows nothing of what was before."""
    for names, won in ((("a", "b"), 1.0), (("b", "a"), 0.0)):
        alarm = Alarm(names, every=1_000, settle=20)
        found = []
        for vote in range(200):
            found += alarm.update("a", "b", won if vote < 100 else 1 - won, at=1000.0 + vote)
        pair, leader = found[:2]
        first = "a" if won else "b"
        assert (pair.kind, leader.kind) == ("pair", "leader") and leader.vote > pair.vote
        assert leader.arms[0] == first and leader.against == leader.arms[1:]
        assert (leader.since, leader.earliest_at) == (pair.since, pair.earliest_at)
        assert leader.before == 1.0 and leader.after < 0.5
        assert leader.rang_at == 1000.0 + leader.vote - 1


def test_a_pair_older_than_all_its_sequences_is_dated_all_the_same():
    rng = np.random.default_rng(0)
    n = 70_000
    chances = np.where(np.arange(n) < 69_000, 0.5, 0.75)
    votes = Votes(("a", "b"), np.zeros(n, int), np.ones(n, int), (rng.random(n) < chances) * 1.0)
    (change,) = Alarm(votes.names, every=1e6, watch="pairs").update_many(votes)
    assert change.earliest <= 69_001 <= change.latest


def test_tables_and_json_have_all_of_it():
    found = changes(sudden(), every=100_000)
    table = found.to_table()
    assert table.height == len(found) == len(list(found))
    row = table.row(0, named=True)
    assert (row["kind"], row["first"], row["since"]) == ("pair", "a", found[0].since)
    assert row["since_at"].timestamp() == found[0].since_at
    told = json.loads(json.dumps(found.to_json()))
    assert told["changes"][0]["arms"] == ["a", "b"] and told["every"] == 100_000
    nothing = changes(sudden(50), every=100_000)
    assert nothing.to_table().schema == table.schema and nothing.to_table().height == 0
    assert "0 changes in 50 votes; false ones on average at most 0.0005" in repr(nothing)
    assert repr(found).count("\n") == len(found)
