"""ANACONDA and METASWIFT: against their slow twins, and that they drop, keep and notice."""

import json
import math

import numpy as np
import pytest

import sparring
from elimination_twins import Anaconda, Metaswift, grid
from sparring._jit import JIT_OFF
from sparring.learners.elimination import Elimination, threshold
from sparring.learners.monitored import KEPT
from sparring.learners.snapshots import digest
from worlds import random_matrices

TWINS = {"anaconda": Anaconda, "metaswift": Metaswift}
RULES = list(TWINS)
ROUNDS = 500 if JIT_OFF else 3_000


def ladder(K, best, margin=0.4):
    """A matrix in which arm `best` beats all others, who are equal."""
    P = np.full((K, K), 0.5)
    P[best] += margin
    P[:, best] -= margin
    P[best, best] = 0.5
    return P


def play(learner, P, rounds, seed):
    block = sparring.Block(P[None], np.array([rounds]))
    return learner.play(block, np.random.default_rng(seed).random(rounds))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("K", "T", "scale", "replays"), [(2, 3_000, 0.12, 0.3), (4, 900, 0.1, 1)])
def test_same_arms_as_the_twin(rule, K, T, scale, replays):
    """Six winners in turn, and past T; arms leave, replays are stacked, episodes begin."""
    options = {"T": T, "scale": scale, "replays": replays, "seed": 5}
    learner, twin = Elimination(K, rule=rule, **options), TWINS[rule](K, **options)
    rng = np.random.default_rng([K, T])
    for segment in range(6):
        P, coins = ladder(K, segment % K), rng.random(ROUNDS // 6)
        plays = learner.play(sparring.Block(P[None], np.array([len(coins)])), coins)
        for t, coin in enumerate(coins):
            asked = twin.ask()
            assert (plays.rows[t], plays.cols[t]) == asked[:2], twin.t
            twin.tell(asked, float(coin < P[asked[0], asked[1]]))
        np.testing.assert_array_equal(learner.p, twin.p())
        assert learner.active == tuple(sorted(twin.runs[-1].A))
    assert learner.alarms == tuple(twin.alarms)[-KEPT:]
    assert twin.rejected > 5
    assert len(twin.alarms) > 1
    assert twin.replayed > 5
    assert 2 < twin.deepest <= twin.last + 1
    assert rule == "anaconda" or twin.switches > 1


@pytest.mark.parametrize("rule", RULES)
def test_same_as_the_twin_with_ties_and_late_answers(rule):
    """Up to thirty duels are open: each counts with the set, and for the candidate, of its time."""
    options = {"T": 1_000, "scale": 0.1, "replays": 0.5, "seed": 8}
    learner, twin = Elimination(3, rule=rule, **options), TWINS[rule](3, **options)
    rng = np.random.default_rng(4)
    waiting = []
    for t in range(1_500):
        duel, asked = learner.ask(), twin.ask()
        assert (duel.row, duel.col) == asked[:2], t
        np.testing.assert_array_equal(duel.p, twin.p())
        waiting.append((duel, asked))
        while len(waiting) > 30 * (t // 100 % 2):
            duel, asked = waiting.pop(rng.integers(len(waiting)))
            margin = (duel.col - duel.row) / 4 * (-1) ** (t // 250)  # first is best, then last
            o = float(np.clip(0.5 + margin + rng.integers(-1, 2) / 4, 0, 1))
            learner.tell(duel, o)
            twin.tell(asked, o)
    assert learner.alarms == tuple(twin.alarms)
    assert twin.rejected > 5
    assert rule == "anaconda" or twin.stale > 5


def first_rejection(drift, beginnings, limit):
    """The first round in which a sum over the rounds after one of `beginnings` exceeds it."""
    sums = np.concatenate([[0.0], np.cumsum(drift)])
    for t in range(1, len(sums)):
        starts = np.array([c for c in beginnings(t) if c >= 0])
        if (sums[t] - sums[starts] > limit(t - starts)).any():
            return t
    raise AssertionError("never")


@pytest.mark.parametrize("change", [0, 1, 63, 64, 65, 500, 1_000, 1_023, 1_024, 1_025])
def test_the_grid_takes_at_most_four_times_as_long_as_all_intervals(change):
    """After a change to a steady margin; intervals begin at multiples of 2^4 and more."""
    drift = np.where(np.arange(6_000) < change, -0.3, 0.2)
    for offset in (1.0, 10.0):

        def limit(n, offset=offset):
            return np.sqrt(n) + offset

        everywhere = first_rejection(drift, range, limit) - change
        assert 4 * everywhere >= 32  # long enough for the grid's finest step
        on_grid = first_rejection(drift, lambda t: grid(t, 4, 13) | {0}, limit) - change
        assert everywhere <= on_grid <= 4 * everywhere


def test_thresholds_by_hand():
    """K = 10, T = 1e5: L = 34.539 + 4.605 = 39.144, and 34.539 + 2.303 = 36.841."""
    assert threshold(10, 10**5, "anaconda") == pytest.approx((44.240, 652.40), rel=1e-4)
    assert threshold(10, 10**5, "metaswift") == pytest.approx((19.194, 122.80), rel=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize("rule", RULES)
def test_estimates_have_mean_P(rule):
    """G / n is P, over 50,000 rounds with all arms: each entry within 6 standard errors, 2e-7."""
    K, rounds = 4, 50_000
    P = random_matrices(1, K, np.random.default_rng(2))[0]
    learner = Elimination(K, rule=rule, T=10**9, scale=100, seed=3)
    play(learner, P, rounds, 7)
    G = learner._memory.G / rounds
    assert learner.active == tuple(range(K))
    c = int(learner._memory.candidate[0])
    others = [k for k in range(K) if k != c]
    if rule == "anaconda":
        off = ~np.eye(K, dtype=bool)
        assert np.abs(G - P)[off].max() < 6 * math.sqrt(K**2 / 2 / rounds)
    else:
        error = 6 * math.sqrt(K / rounds)
        assert np.abs(G[0] - P[c])[others].max() < error
        assert np.abs(G[1] - P[:, c])[others].max() < error


@pytest.mark.compiled
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_the_winner_is_found_and_a_change_is_noticed(rule, seed):
    """Margin 0.4. In 100 runs with other coins all gave one alarm, no share below 3/4."""
    learner = Elimination(3, rule=rule, T=60_000, scale=0.3, replays=0.5, seed=seed)
    for segment, best in enumerate((2, 1)):
        plays = play(learner, ladder(3, best), 30_000, [segment, seed])
        late = np.concatenate([plays.rows[-10_000:], plays.cols[-10_000:]])
        assert (late == best).mean() > 0.6
        assert len(learner.alarms) == segment
    assert 30_000 < learner.alarms[0] < 50_000


@pytest.mark.compiled
@pytest.mark.parametrize("rule", RULES)
def test_no_false_alarm_where_nothing_changes(rule):
    """At scale 1 a winner is lost with chance 1/T a run: 4e-4 for the twenty."""
    for seed in range(20):
        learner = Elimination(3, rule=rule, T=50_000, seed=seed)
        play(learner, ladder(3, 2), 50_000, seed)
        assert learner.alarms == ()
        assert 2 in learner.active
        assert learner._memory.active[0].tolist() == [0, 0, 1]  # and the others were dropped


@pytest.mark.compiled
def test_alarms_are_a_ring_of_the_latest():
    learner = Elimination(2, rule="metaswift", T=100, scale=1e-6, seed=1)
    play(learner, np.full((2, 2), 0.5), 30_000, 1)
    assert learner._memory.restarts[0] > KEPT
    assert len(learner.alarms) == KEPT
    assert np.all(np.diff(learner.alarms) > 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rule": "python"}, r"rule must be one of \['anaconda', 'metaswift'\]; got 'python'"),
        ({"rule": 3}, "rule must be"),
        ({"T": 0}, "T must be"),
        ({"T": None}, "T must be"),
        ({"scale": 0}, "scale must be"),
        ({"scale": math.nan}, "scale must be"),
        ({"replays": -1}, "replays must be"),
        ({"K": 1}, "K must be"),
    ],
)
def test_bad_options_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Elimination(**{"K": 3, "rule": "anaconda", "T": 100, **change})


def test_tiny_horizons_and_a_bad_chance():
    for rule in RULES:
        for T in (1, 2, 3):
            learner = Elimination(5, rule=rule, T=T, scale=0.01, seed=1)
            play(learner, ladder(5, 1), 200, 1)
        before = json.dumps(learner.snapshot())
        with pytest.raises(ValueError, match="a probability"):
            play(learner, np.full((5, 5), 2.0), 3, 1)
        assert json.dumps(learner.snapshot()) == before


def damaged(learner, name, place, value):
    """A snapshot with one number of its memory changed, and a digest to match."""
    snapshot = json.loads(json.dumps(learner.snapshot()))
    part = np.array(snapshot["memory"][name])
    part[place] = value
    snapshot["memory"][name] = part.tolist()
    return {**snapshot, "digest": digest(snapshot)}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("candidate", 0, 4),
        ("candidate", 0, -1),
        ("depth", 0, 0),
        ("depth", 0, 99),
        ("told", 0, -1),
        ("told", 0, 2**62),
        ("restarts", 0, -1),
        ("positions", 1, 10**9),
        ("positions", 1, -2),
        ("active", (0, 0), 2),
        ("active", 0, 0),
        ("active", (1, slice(None)), 0),
        ("starts", 0, -1),
        ("starts", 1, 10**9),
        ("ends", 1, 1),
        ("ends", 2, 10**9),
    ],
)
def test_damaged_snapshots_are_refused(rule, name, place, value):
    learner = stacked(rule)
    sparring.restore(damaged(learner, "told", 0, learner.t))  # the damage is the only fault
    with pytest.raises(sparring.SnapshotError):
        sparring.restore(damaged(learner, name, place, value))


def stacked(rule):
    """A learner in the middle of a replay of a replay."""
    learner = Elimination(4, rule=rule, T=1_000, scale=0.3, replays=2, seed=3)
    while learner._memory.depth[0] < 3:
        learner.tell(learner.ask(), 0.5)
    return learner


@pytest.mark.parametrize("rule", RULES)
def test_a_note_from_outside_harms_nobody(rule):
    """A duel whose saved p is impossible counts as drawn from all arms."""
    learner = Elimination(4, rule=rule, T=100, seed=1)
    learner.ask()
    snapshot = json.loads(json.dumps(learner.snapshot()))
    snapshot["notes"] = [[0.0] * len(note) for note in snapshot["notes"]]
    again = sparring.restore({**snapshot, "digest": digest(snapshot)})
    again.tell(again.open[1], 1.0)
    assert again._memory.G.max() <= 8.0
