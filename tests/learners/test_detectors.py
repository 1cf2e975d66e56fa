"""Learners that notice a new winner: Beat the Winner, and those that monitor all pairs."""

import json

import numpy as np
import pytest

import detector_twins
import sparring
from sparring._jit import JIT_OFF
from sparring.learners.snapshots import digest
from sparring.testing import LEARNER_CHECKS
from worlds import ladder, random_matrices

ROUNDS = 600 if JIT_OFF else 20_000


def same_arms(learner, twin, rounds, rng):
    """Play eight random matrices, half of them of zeros and ones, beside the twin."""
    P = np.concatenate(
        [random_matrices(4, learner.K, rng), random_matrices(4, learner.K, rng, extreme=True)]
    )
    hold = np.full(8, rounds // 8)
    coins = rng.random(hold.sum())
    plays = learner.play(sparring.Block(P, hold), coins)
    for t, (row, col, coin) in enumerate(zip(*plays, coins, strict=True)):
        asked = twin.ask()
        assert (row, col) == asked[:2], f"round {t + 1}"
        twin.tell(asked[2], float(coin < P[t // hold[0], row, col]))


def same_late(learner, twin, rounds, rng):
    """ask and tell with up to nine open duels, ties and fractions, told in any order."""
    waiting = []
    for _ in range(rounds):
        duel, asked = learner.ask(), twin.ask()
        assert (duel.row, duel.col) == asked[:2], f"round {duel.t}"
        waiting.append((duel, asked[2]))
        while len(waiting) > rng.integers(9):
            duel, kept = waiting.pop(rng.integers(len(waiting)))
            o = rng.choice([0.0, 0.5, 1.0, rng.random()])
            learner.tell(duel, o)
            twin.tell(kept, o)


def damaged(learner, changes):
    """The learner's snapshot with parts of its memory changed, and a digest that fits."""
    snapshot = json.loads(json.dumps(learner.snapshot()))
    snapshot["memory"].update(changes)
    return {**snapshot, "digest": digest(snapshot)}


@pytest.mark.parametrize("strong", [None, 1.3])
@pytest.mark.parametrize("K", [2, 3, 10])
def test_beat_the_winner_plays_as_its_twin(K, strong, rng):
    learner = sparring.learners.btwr(K, strong=strong, seed=K)
    twin = detector_twins.BeatTheWinner(K, K, strong)
    same_arms(learner, twin, ROUNDS, rng)
    assert (learner.incumbent, learner.streak) == (twin.I, twin.c - 1)


@pytest.mark.parametrize("strong", [None, 1.1])
@pytest.mark.parametrize("K", [2, 5])
def test_beat_the_winner_with_ties_and_late_answers_does_as_its_twin(K, strong, rng):
    learner = sparring.learners.btwr(K, strong=strong, seed=K)
    same_late(learner, detector_twins.BeatTheWinner(K, K, strong), 1_000, rng)


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
def test_the_strong_variant_keeps_the_contract(check):
    check(lambda seed: sparring.learners.btwr(4, strong=1.5, seed=seed), sparring.restore)


def test_the_order_of_arms_is_any():
    """600 seeds of K = 3: each of 6 orders 100 times, give or take 50: a false alarm in 1e6."""
    orders = []
    for seed in range(600):
        learner = sparring.learners.btwr(3, seed=seed)
        duel = learner.ask()
        orders.append(3 * duel.row + duel.col)
    counts = np.bincount(orders)[[1, 2, 3, 5, 6, 7]]
    assert counts.sum() == 600 and (abs(counts - 100) < 50).all()


def test_two_halves_are_a_win_and_the_incumbent_stays():
    learner = sparring.learners.btwr(3, seed=1)
    first = learner.ask()
    learner.tell(first, 0.5)
    second = learner.ask()
    assert second[1:3] == first[1:3]
    learner.tell(second, 0.5)
    assert (learner.incumbent, learner.streak) == (first.row, 1)
    assert learner.ask().col not in first[1:3]


def test_answers_of_an_earlier_pairing_do_not_count():
    learner = sparring.learners.btwr(3, seed=1)
    duels = [learner.ask() for _ in range(5)]
    learner.tell(duels[2], 0.0)
    assert learner.incumbent == duels[0].col
    for duel in (duels[0], duels[1], duels[3]):
        learner.tell(duel, 1.0)
    assert (learner.incumbent, learner.streak) == (duels[0].col, 0)
    assert learner.ask().col != duels[0].row, "the loser is at the back"


def test_self_duels_come_in_stretches_that_grow():
    learner = sparring.learners.btwr(3, strong=2.0, seed=1)
    lengths = []
    for _ in range(5):
        duel = learner.ask()
        length = 0
        while duel.row == duel.col:
            learner.tell(duel, 0.5)
            length += 1
            duel = learner.ask()
        lengths.append(length)
        learner.tell(duel, 0.0)  # decides, as c is 1
    assert lengths == [0, 2, 4, 8, 16]


def test_stretches_end_where_doubles_count_no_further():
    learner = sparring.learners.btwr(2, strong=10.0, seed=1)
    almost = damaged(learner, {"stretch": [2.0**52]})
    learner = sparring.restore(almost)
    learner.tell(learner.ask(), 1.0)
    assert learner.snapshot()["memory"]["stretch"] == [2.0**53]


BEAT_DAMAGE = {
    "incumbent": [3],
    "queue": [0, 0],
    "head": [2],
    "goal": [0],
    "wins": [5.0, 0.0],
    "pairing": [-1],
    "stretch": [0.5],
    "rest": [2.0],
}


@pytest.mark.parametrize("name", BEAT_DAMAGE)
def test_a_damaged_arena_is_refused(name):
    learner = sparring.learners.btwr(3, seed=1)
    with pytest.raises(sparring.SnapshotError, match="memory"):
        sparring.restore(damaged(learner, {name: BEAT_DAMAGE[name]}))


@pytest.mark.parametrize("strong", [0.9, 11, "x", float("nan")])
def test_a_bad_growth_is_refused(strong):
    with pytest.raises(ValueError, match="strong must be a number in"):
        sparring.learners.btwr(3, strong=strong)


def test_a_chance_that_is_none_is_refused_and_nothing_is_played():
    learner = sparring.learners.btwr(2, seed=1)
    P = np.array([[[0.5, 2.0], [2.0, 0.5]]])
    with pytest.raises(ValueError, match="a probability in"):
        learner.play(sparring.Block(P, np.array([3])), np.zeros(3))
    assert learner.t == 0


@pytest.mark.compiled
def test_weak_regret_of_beat_the_winner_is_flat_and_strong_regret_is_not():
    """Where an arm beats all others with 0.7 it is soon in every pair, and another one beside it.

    With c >= 100 a challenger has c wins of 2 c - 1 duels with chance at most exp(-0.08 (2 c - 1))
    by Hoeffding's inequality: over all c from 100, and ten runs, that is below 1e-5.
    """
    P, hold = ladder(10, 0.2)[None], np.array([100_000])
    for seed in range(10):
        learner = sparring.learners.btwr(10, seed=seed)
        coins = np.random.default_rng(seed).random((2, 100_000))
        learner.play(sparring.Block(P, hold), coins[0])
        assert learner.incumbent == 0 and learner.streak >= 100
        rows, cols = learner.play(sparring.Block(P, hold), coins[1])
        assert (rows == 0).all() and (cols != 0).all()


@pytest.mark.compiled
def test_beat_the_winner_finds_a_new_winner():
    """5,000 rounds make a streak of about 80; the fifth arm, now the best, ends it soon."""
    P = np.stack([ladder(5, 0.2), ladder(5, 0.2)[::-1, ::-1]])
    for seed in range(20):
        learner = sparring.learners.btwr(5, seed=seed)
        coins = np.random.default_rng(seed).random(20_000)
        learner.play(sparring.Block(P[:1], np.array([5_000])), coins[:5_000])
        assert learner.incumbent == 0
        learner.play(sparring.Block(P[1:], np.array([15_000])), coins[5_000:])
        assert learner.incumbent == 4


MONITORED = {
    f"{base}, {window}, {gamma:g}{', fed' * feed}": {
        "base": base,
        "window": window,
        "threshold": threshold,
        "gamma": gamma,
        "feed": feed,
    }
    for base, window, threshold, gamma, feed in (
        ("rucb", 20, 3.5, 0.4, False),
        ("rucb", 2, 0.5, 1.0, False),
        ("rmed1", 24, 4.0, 0.3, False),
        ("rmed1", 12, 4.0, 0.7, True),
        ("thompson", 16, 3.0, 0.2, False),
        ("thompson", 6, 1.0, 0.05, True),
    )
}


@pytest.mark.parametrize("options", MONITORED.values(), ids=MONITORED)
@pytest.mark.parametrize("K", [2, 5])
def test_monitored_plays_as_its_twin(K, options, rng):
    learner = sparring.learners.Monitored(K, **options, seed=K)
    twin = detector_twins.Monitored(K, K, **options)
    same_arms(learner, twin, min(ROUNDS, 8_000), rng)
    assert learner.alarms == tuple(twin.alarms)[-1_000:]
    np.testing.assert_array_equal(learner.wins, twin.base.wins)


@pytest.mark.parametrize("options", MONITORED.values(), ids=MONITORED)
def test_monitored_with_ties_and_late_answers_does_as_its_twin(options, rng):
    learner = sparring.learners.Monitored(4, **options, seed=4)
    twin = detector_twins.Monitored(4, 4, **options)
    same_late(learner, twin, 1_500, rng)
    assert learner.alarms == tuple(twin.alarms) != ()


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["rucb, 2, 1", "rmed1, 12, 0.7, fed", "thompson, 6, 0.05, fed"])
def test_monitored_keeps_the_contract_also_with_alarms(name, check):
    check(
        lambda seed: sparring.learners.Monitored(5, **MONITORED[name], seed=seed), sparring.restore
    )


def monitored_by_hand(**options):
    """Two arms, a window of 4, an alarm where one half has two wins more than the other."""
    options = {"base": "rucb", "window": 4, "threshold": 1.5, "gamma": 1.0, **options}
    return sparring.learners.Monitored(2, **options, seed=1)


def test_an_alarm_by_hand():
    """Nothing before the window is full, and nothing of before the alarm after it."""
    learner = monitored_by_hand()
    for o in (1, 1, 0, 0):
        assert learner.alarms == ()
        learner.tell(learner.ask(), o)
    assert learner.alarms == (4,)
    for o in (0, 1, 0, 0, 1, 1):
        learner.tell(learner.ask(), o)
    assert learner.alarms == (4, 10), "0 0 against 1 1, and not before"


def test_ties_count_by_halves():
    learner = monitored_by_hand(threshold=1.0)
    for o in (0.5, 1.0, 0.5, 0.0, 0.0):  # 1.5 - 0.5 is not above 1; 1.5 - 0 is
        assert learner.alarms == ()
        learner.tell(learner.ask(), o)
    assert learner.alarms == (5,)


def test_answers_from_before_an_alarm_are_dropped():
    learner = monitored_by_hand()
    early = [learner.ask() for _ in range(8)]
    for duel, o in zip(early, (1, 1, 0, 0, 1, 1, 0, 0), strict=True):
        learner.tell(duel, o)
    assert learner.alarms == (4,), "the last four would have raised another"
    for o in (0, 0, 1, 1):
        learner.tell(learner.ask(), o)
    assert learner.alarms == (4, 12), "rounds count all that was told"


def test_after_an_alarm_the_base_knows_nothing_and_a_sweep_begins():
    learner = sparring.learners.Monitored(
        3, base="rmed1", window=2, threshold=0.5, gamma=0.5, seed=1
    )
    sweep = [learner.ask() for _ in range(3)]
    assert {duel[1:3] for duel in sweep} == {(0, 1), (0, 2), (1, 2)}
    for duel in sweep:
        learner.tell(duel, 1.0)
    assert learner.wins.sum() == 0, "the base is not fed"
    for _ in range(3):
        learner.tell(learner.ask(), 1.0)
    assert learner.wins.sum() == 3
    learner.tell(learner.ask(), 0.0)
    assert learner.alarms == (7,) and learner.wins.sum() == 0
    assert [learner.ask()[1:3] for _ in range(3)] == [duel[1:3] for duel in sweep]


def test_the_base_can_be_fed():
    learner = sparring.learners.Monitored(
        3, base="rucb", window=2, threshold=2.0, gamma=1.0, feed=True, seed=1
    )
    for _ in range(9):
        learner.tell(learner.ask(), 1.0)
    np.testing.assert_array_equal(learner.wins, np.triu(np.full((3, 3), 3.0), 1))


def test_the_latest_thousand_alarms_are_kept():
    """A window of 2 and outcomes that alternate: an alarm every two rounds."""
    learner = monitored_by_hand(window=2, threshold=0.5)
    for t in range(2_020):
        learner.tell(learner.ask(), t % 2)
    assert learner.alarms == tuple(range(22, 2_021, 2))


MONITOR_DAMAGE = {
    "pairs": [[1, 0]],
    "rings": [[0.0, 0.0, 0.0, 2.0]],
    "halves": [[0.0, 3.0]],
    "seen": [-1],
    "turn": [-1],
    "rounds": [-1],
    "epoch": [-1],
    "favourite": [2],
    "place": [0, 0, 1],
}


@pytest.mark.parametrize("name", MONITOR_DAMAGE)
def test_damaged_windows_are_refused(name):
    with pytest.raises(sparring.SnapshotError, match="memory"):
        sparring.restore(damaged(monitored_by_hand(), {name: MONITOR_DAMAGE[name]}))


def test_a_damaged_note_of_a_pair_that_is_none_harms_nobody():
    learner = monitored_by_hand()
    duel = learner.ask()
    snapshot = json.loads(json.dumps(learner.snapshot()))
    snapshot["open"] = [[1, 1, 1]]
    learner = sparring.restore({**snapshot, "digest": digest(snapshot)})
    learner.tell(learner.open[duel.t], 1.0)
    assert learner.snapshot()["memory"]["seen"] == [0]


def test_bad_parts_are_refused():
    for change, rule in (
        ({"base": "rand"}, "base must be one of"),
        ({"base": 3}, "base must be one of"),
        ({"window": 3}, "window must be even"),
        ({"window": 1}, "window must be a whole number"),
        ({"threshold": -1}, "threshold must be a number in"),
        ({"gamma": 0}, "gamma must be a number in"),
        ({"gamma": 1.5}, "gamma must be a number in"),
        ({"feed": 1}, "feed must be True or False"),
        ({"alpha": -1}, "alpha must be a number in"),
    ):
        with pytest.raises(ValueError, match=rule):
            monitored_by_hand(**change)
    with pytest.raises(ValueError, match="window must be at most 200 for the 499500 pairs"):
        sparring.learners.monitored_db(1_000, 10**15, window=10**6)


def test_a_chance_that_is_none_is_refused_by_the_monitors_too():
    learner = monitored_by_hand()
    P = np.array([[[0.5, 2.0], [2.0, 0.5]]])
    with pytest.raises(ValueError, match="a probability in"):
        learner.play(sparring.Block(P, np.array([3])), np.zeros(3))
    assert learner.t == 0


def test_the_paper_s_numbers_by_hand():
    """K = 10, T = 1e6, S = 10, change = 0.3: C = 18.66, w = 1660, b = 124.4, gamma = 0.580."""
    shown = repr(sparring.learners.monitored_db(10, 1e6, S=10))
    assert "window=1660, threshold=124.4" in shown and "gamma=0.579" in shown, shown


def test_what_is_given_is_taken_and_the_rest_follows():
    C = np.log((4e6 + 2) * 1e3 / (np.sqrt(10) * 10))
    learner = sparring.learners.monitored_db(10, 1e6, S=10, scale=0.5, window=500)
    options = learner.snapshot()["options"]
    assert options["window"] == 500
    assert options["threshold"] == pytest.approx(np.sqrt(500 * C / 4))
    assert options["gamma"] == pytest.approx(4.5 * np.sqrt(10 * 500 / 1e6))
    learner = sparring.learners.monitored_db(
        10, 1e6, threshold=7, gamma=0.25, base="rucb", feed=True
    )
    options = learner.snapshot()["options"]
    assert (options["threshold"], options["gamma"], options["feed"]) == (7.0, 0.25, True)


def test_monitoring_all_rounds_is_said():
    with pytest.warns(sparring.TheoremWarning, match="gamma = 1.06 is capped at 1"):
        learner = sparring.learners.monitored_db(10, 100_000, S=4, seed=1)
    assert learner.snapshot()["options"]["gamma"] == 1.0
    sweep = [learner.ask()[1:3] for _ in range(90)]
    assert sweep[:45] == sweep[45:] and len(set(sweep)) == 45


def test_bad_sizes_are_refused():
    for change, rule in (
        ({"T": 9}, "T must be at least K = 10"),
        ({"change": 0}, "change must be a number in"),
        ({"scale": 0}, "scale must be a number in"),
        ({"S": 0}, "S must be a whole number"),
        ({"window": 7}, "window must be even"),
    ):
        with pytest.raises(ValueError, match=rule):
            sparring.learners.monitored_db(**{"K": 10, "T": 10**6, **change})


@pytest.mark.compiled
def test_false_alarms_are_as_rare_as_promised():
    """Where nothing changes a test fails with chance at most 2 exp(-2 b^2 / w), by Hoeffding.

    With C = 9 and at most 2,000 tests of a run that is q = 0.49 a run, by the union bound, where
    tests of one window are counted as if they were different luck. More than 75 of 100 runs with an
    alarm would have chance below 1e-6.
    """
    w, T = 200, 4_000
    b = np.sqrt(w * 9 / 2)
    P, hold = np.full((1, 3, 3), 0.5), np.array([T])
    with_alarm = 0
    for seed in range(100):
        learner = sparring.learners.Monitored(
            3, base="rucb", window=w, threshold=b, gamma=0.5, seed=seed
        )
        learner.play(sparring.Block(P, hold), np.random.default_rng(seed).random(T))
        with_alarm += len(learner.alarms) > 0
    assert with_alarm <= 75


@pytest.mark.compiled
def test_a_large_change_is_detected_in_time():
    """Half a window after a change by at least `change` the alarm comes.

    Once the newer half has only new outcomes the halves' means lie w change / 2 apart, which is at
    least 2 b: by Hoeffding no alarm has chance at most exp(-C), C = 17.9, below 1e-6 in 20 runs.
    A false alarm before, of 5,500 tests at 2 exp(-C), has chance below 0.004 in 20 runs.
    """
    K, T, N = 4, 200_000, 6
    P = np.stack([ladder(K, 0.2), ladder(K, 0.2)[::-1, ::-1]])  # changes by 0.4
    for seed in range(20):
        learner = sparring.learners.monitored_db(K, T, S=2, change=0.4, seed=seed)
        options = learner.snapshot()["options"]
        period = int(N / options["gamma"])
        before = options["window"] * period + 1_000  # all windows are full
        delay = (options["window"] // 2 + 1) * period
        assert before + delay < T
        coins = np.random.default_rng(seed).random(before + delay)
        learner.play(sparring.Block(P, np.array([before, delay])), coins)
        assert len(learner.alarms) == 1 and before < learner.alarms[0] <= before + delay
