"""The alarm: vote by vote or from a file, snapshots, what it prints, and what it refuses."""

import copy
import json
import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
from sparring.checks import SnapshotError
from sparring.votes import Alarm, Votes, alarm
from sparring.votes.alarms import strongest

NAMES = ("ant", "bee", "cat", "dog")


def fallen_leader(n=3000, at=1500, seed=1, time=False):
    """Votes on four arms in random pairs; `ant` beats all by 0.25, and loses by that from `at`."""
    rng = np.random.default_rng(seed)
    i = rng.integers(4, size=n)
    j = (i + rng.integers(1, 4, n)) % 4
    edge = np.where(i == 0, 0.25, np.where(j == 0, -0.25, 0.0))
    outcome = (rng.random(n) < 0.5 + np.where(np.arange(n) < at, edge, -edge)).astype(float)
    outcome[::11] = 0.5
    when = 1.7e9 + 60.0 * np.arange(n) if time else None
    return Votes(NAMES, i, j, outcome, time=when)


def one_by_one(watched, votes):
    found = []
    for t, (i, j, o) in enumerate(votes.rows()):
        at = None if votes.time is None else votes.time[t]
        found += watched.update(i, j, o, at=at)
    return tuple(found)


@pytest.mark.core
@pytest.mark.plain
@pytest.mark.parametrize("time", [False, True])
def test_vote_by_vote_and_all_at_once_are_the_same_to_the_last_bit(time):
    votes = fallen_leader(time=time)
    single, many, parts = (Alarm(NAMES, every=2_000) for _ in range(3))
    rang = one_by_one(single, votes)
    assert rang and rang == many.update_many(votes)
    found = [parts.update_many(votes[cut : cut + 701]) for cut in range(0, len(votes), 701)]
    assert rang == tuple(change for some in found for change in some)
    assert single.snapshot() == many.snapshot() == parts.snapshot()


def test_the_fall_of_a_leader_is_told_with_who_beats_it():
    """A false alarm before the change has a chance of 1,500 / 20,000 at most."""
    found = alarm(fallen_leader(), every=20_000)
    first = next(change for change in found.changes if change.kind == "leader")
    assert first.arms[0] == "ant" and set(first.against) <= {"bee", "cat", "dog"}
    assert first.arms[1] == first.against[0]
    assert 1500 < first.vote < 2500
    assert first.before > 0.6 > 0.4 > first.after
    assert found.favourite != "ant"


def test_places_and_names_are_the_same_arms_in_either_order():
    by_name, by_place, turned = (Alarm(NAMES, every=500, settle=10) for _ in range(3))
    for i, j, o in fallen_leader(800, 400).rows():
        by_name.update(i, j, o)
        by_place.update(NAMES.index(i), np.int64(NAMES.index(j)), o)
        turned.update(j, i, 1 - o)
    assert by_name.snapshot() == by_place.snapshot() == turned.snapshot()


@pytest.mark.core
@pytest.mark.plain
def test_a_snapshot_goes_on_bit_for_bit():
    votes = fallen_leader(time=True)
    for cut in (0, 1, 79, 80, 1700, len(votes)):
        whole, part = Alarm(NAMES, every=2_000), Alarm(NAMES, every=2_000)
        whole.update_many(votes)
        part.update_many(votes[:cut])
        again = Alarm.restore(json.loads(json.dumps(part.snapshot())))
        again.update_many(votes[cut:])
        assert again.snapshot() == whole.snapshot()
        assert again.report().to_json() == whole.report().to_json()


def test_copies_and_pickles_are_by_snapshot():
    one = Alarm(NAMES, every=2_000)
    one.update_many(fallen_leader())
    for other in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other.snapshot() == one.snapshot() and other.report().rung == one.rung


def damaged(snapshot):
    """Snapshots with one field that cannot be."""
    yield {**snapshot, "counts": [*snapshot["counts"][:-1], -1]}
    yield {**snapshot, "arms": [[1, 0], *snapshot["arms"][1:]]}
    yield {**snapshot, "arms": [snapshot["arms"][1], *snapshot["arms"][1:]]}
    yield {**snapshot, "arms": [[0, 9], *snapshot["arms"][1:]]}
    yield {**snapshot, "ends": [[0.0, 2.0], *snapshot["ends"][1:]]}
    yield {**snapshot, "tally": snapshot["tally"][1:]}
    yield {**snapshot, "record": [[1.5, 1.0], *snapshot["record"][1:]]}
    yield {**snapshot, "R": [[-1.0] * 6, *snapshot["R"][1:]]}
    yield {**snapshot, "total": [float("nan")]}
    yield {**snapshot, "width": [0]}
    yield {**snapshot, "favourites": [[3, 17]]}
    yield {**snapshot, "changes": [{"kind": "leader"}]}
    yield {**snapshot, "names": ["ant"]}
    yield {**snapshot, "every": -1.0}
    yield {**snapshot, "every": snapshot["every"] + 1}
    yield {**snapshot, "rung": 7}
    yield {**snapshot, "kind": "tracker"}
    yield {**snapshot, "version": 99}
    yield {**snapshot, "more": 1}
    yield {name: part for name, part in snapshot.items() if name != "born"}
    yield [snapshot]


def test_damaged_snapshots_are_refused():
    one = Alarm(NAMES, every=2_000)
    one.update_many(fallen_leader())
    for snapshot in damaged(json.loads(json.dumps(one.snapshot()))):
        with pytest.raises(SnapshotError):
            Alarm.restore(snapshot)


def test_a_snapshot_of_a_learner_is_no_alarm():
    with pytest.raises(SnapshotError, match="of kind 'adaptive', not 'alarm'"):
        Alarm.restore(sparring.tracker(4, seed=1).snapshot())


@hypothesis.given(st.data())
@hypothesis.settings(max_examples=30)
def test_any_votes_are_taken(data):
    """Few and many arms, any outcomes, tiny A: it rings, begins again and says so, without fail."""
    K = data.draw(st.integers(2, 6))
    n = data.draw(st.integers(0, 300))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    i = rng.integers(K, size=n)
    j = (i + rng.integers(1, K, n)) % K
    outcome = rng.random(n) ** data.draw(st.sampled_from([0.01, 1.0, 30.0]))
    votes = Votes([f"arm {k}" for k in range(K)], i, j, outcome)
    every = data.draw(st.sampled_from([2.0, 10.0, 1e15]))
    found = alarm(votes, every=every, settle=data.draw(st.sampled_from([1, 7, 1000])))
    assert found.votes == n and len(found.changes) == found.rung
    json.dumps(found.to_json(), allow_nan=False)
    assert found.to_table().height == found.rung
    for change in found.changes:
        assert 1 <= change.earliest <= change.since <= change.latest <= change.vote <= n


def test_evidence_is_drawn_up_to_the_threshold():
    votes = fallen_leader(5000, 2500)
    found = alarm(votes, every=20_000, watch="leader")
    shown = found.evidence
    rang = found.changes[0].vote
    assert len(shown) <= 512 and shown.vote[-1] == len(votes)
    assert shown.threshold == pytest.approx(np.log(20_000))
    point = int(np.searchsorted(shown.vote, rang))
    assert shown.leader[point] >= shown.threshold
    assert (shown.leader[:point] < shown.threshold).all()
    assert not shown.pairs.any()
    assert shown.to_table().columns == ["vote", "leader", "pairs"]
    assert set(shown.to_json()) == {"vote", "leader", "pairs", "threshold"}
    assert "rings at 9.9 nats" in repr(shown)


def test_what_is_printed_says_what_rang_and_what_is_promised():
    found = alarm(fallen_leader(), every=20_000)
    told = repr(found)
    assert told.startswith("3,000 votes on 4 arms: rang ")
    assert "ant no longer leads" in told
    assert "At most one false alarm in 20,000 votes on average" in told
    assert "if it never led, the alarm rightly says that the choice was wrong" in told
    assert "the promise begins again with it" in told and "as if never seen" in told
    assert "about a leader" not in alarm(fallen_leader(50, 50), watch="pairs").promise
    quiet = alarm(fallen_leader(50, 50), every=20_000)
    assert "never rang; no favourite yet" in repr(quiet)
    assert "leaders not watched" in repr(alarm(fallen_leader(50, 50), watch="pairs"))
    assert "rang 0 times; favourite None" in repr(Alarm(NAMES))


def test_the_favourites_are_told_with_the_vote_from_which_they_are_watched():
    found = alarm(fallen_leader(), every=20_000, settle=200)
    rang = [change.vote for change in found.changes if change.kind == "leader"]
    assert found.favourites[0] == (200, "ant")
    assert (rang[0], None) in found.favourites  # nobody, until votes have settled again
    assert found.favourites[-1][1] == found.favourite


def test_an_arm_that_never_led_is_an_alarm_that_says_so():
    """In a circle the strongest on the whole is beaten by one arm, and always was."""
    rng = np.random.default_rng(2)
    first, second = np.array([[0, 1], [1, 2], [2, 0]])[np.arange(6000) % 3].T
    chances = np.array([0.9, 0.9, 0.65])[np.arange(6000) % 3]
    votes = Votes(("a", "b", "c"), first, second, (rng.random(6000) < chances) * 1.0)
    found = alarm(votes, every=10_000, watch="leader")
    first = found.changes[0]
    assert first.arms == ("a", "c") and first.all_along
    assert "or all along" in str(first)
    assert found.rung > 1  # as nobody leads, it rings again and again


def test_thousand_arms_need_memory_for_the_pairs_met_only():
    rng = np.random.default_rng(1)
    K = 1000
    i = rng.integers(0, 20, 5000) * 50
    j = i + rng.integers(1, 3, 5000)
    votes = Votes([f"{k}" for k in range(K)], i, j, (rng.random(5000) < 0.6).astype(float))
    watched = Alarm(votes.names)
    watched.update_many(votes)
    assert watched._watching.met == 40
    kept = sum(part.nbytes for part in watched._watching.memory)
    assert kept < 200_000


def test_memory_does_not_grow_with_votes():
    votes = fallen_leader(2000, 1000)
    watched = Alarm(NAMES, every=100)
    watched.update_many(votes)
    before = sum(part.nbytes for part in watched._watching.memory)
    for _ in range(5):
        watched.update_many(votes)
    assert sum(part.nbytes for part in watched._watching.memory) == before
    assert watched.rung > 0 and len(watched._changes) <= 1000


def test_the_strongest_arm_is_that_of_bradley_and_terry():
    """Who beat strong arms leads, though another won more often."""
    arms = np.array([[0, 1], [1, 2], [2, 3]])
    tally = np.array([[40.0, 24.0], [60.0, 54.0], [200.0, 190.0]])
    assert strongest(arms, tally, 4) == 0
    assert strongest(arms, tally * [1, 0], 4) == 3


BAD = [
    (lambda: Alarm("ab"), r"names must be a list of names"),
    (lambda: Alarm(["a"]), r"names must be two or more"),
    (lambda: Alarm(NAMES, every=1), r"every must be a number in"),
    (lambda: Alarm(NAMES, every=float("nan")), r"every must be a number in"),
    (lambda: Alarm(NAMES, settle=0), r"settle must be a whole number of at least 1"),
    (lambda: Alarm(NAMES, watch="leaders"), r"watch must be one of .* Did you mean 'leader'"),
    (lambda: Alarm(NAMES, watch=[]), r"watch must be one or more of"),
    (lambda: alarm([1, 2]), r"votes must be a sparring.votes.Votes; got \[1, 2\]"),
    (lambda: Alarm(NAMES).update_many(3), r"votes must be a sparring.votes.Votes"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_arguments_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


BAD_VOTES = [
    (("ant", "bet", 1.0), {}, r"second must be one of .*; got 'bet'. Did you mean 'bee'\?"),
    (("ant", "ant", 1.0), {}, r"second must be another arm than the first"),
    (("ant", 4, 1.0), {}, r"second must be at most 3; got 4"),
    ((-1, 2, 1.0), {}, r"first must be a whole number of at least 0; got -1"),
    (("ant", "bee", float("nan")), {}, r"outcome must be a number in \[0, 1\]; got nan"),
    (("ant", "bee", 1.5), {}, r"outcome must be a number in \[0, 1\]; got 1.5"),
    (("ant", "bee", "ant"), {}, r"outcome must be a number in \[0, 1\]; got 'ant'"),
    (("ant", "bee", 1.0), {"at": None}, r"at must be given with every vote, as before"),
    (("ant", "bee", 1.0), {"at": 99.0}, r"at must be at least 100.0, the time of the last vote"),
    (("ant", "bee", 1.0), {"at": datetime(2026, 1, 1)}, r"at must be a time with a time zone"),
]


@pytest.mark.parametrize(("vote", "options", "message"), BAD_VOTES)
def test_bad_votes_are_refused_and_leave_everything_as_it_was(vote, options, message):
    watched = Alarm(NAMES)
    watched.update("ant", "bee", 1.0, at=100.0)
    before = watched.snapshot()
    with pytest.raises(ValueError, match=message):
        watched.update(*vote, **{"at": 101.0, **options})
    assert watched.snapshot() == before
    watched.update("ant", "bee", 1.0, at=datetime(2026, 1, 1, tzinfo=UTC))


def test_votes_on_other_names_or_without_the_time_are_refused():
    watched = Alarm(NAMES)
    watched.update_many(fallen_leader(10))
    before = watched.snapshot()
    with pytest.raises(ValueError, match=r"votes\.names must be those of the alarm"):
        watched.update_many(Votes(("a", "b"), [0], [1], [1.0]))
    with pytest.raises(ValueError, match="at must be left out, as before"):
        watched.update_many(fallen_leader(10, time=True))
    with pytest.raises(ValueError, match="at must be left out, as before"):
        watched.update("ant", "bee", 1.0, at=3.0)
    assert watched.snapshot() == before
    assert watched.update_many(fallen_leader(0, 0)) == ()


@pytest.mark.compiled
def test_without_the_compiler_the_numbers_are_the_same():
    """To the last bit, in a process of its own where kernels are interpreted."""
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_alarm import NAMES, fallen_leader\n"
        "from sparring.votes import Alarm\n"
        "one = Alarm(NAMES, every=2_000)\n"
        "one.update_many(fallen_leader())\n"
        "print(json.dumps(one.snapshot()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, os.path.dirname(__file__)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    one = Alarm(NAMES, every=2_000)
    one.update_many(fallen_leader())
    assert json.loads(done.stdout) == one.snapshot()


def test_whatever_comes_an_alarm_goes_on():
    """Also where it rings at almost every vote, about pairs that have just begun again."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        watching = Alarm(["a", "b", "c"], every=2, settle=3)
        for _ in range(60):
            first = int(rng.integers(3))
            watching.update(first, (first + 1 + int(rng.integers(2))) % 3, float(rng.integers(2)))
        assert watching.votes == 60
