"""Learners that notice a new winner: Beat the Winner."""

import json

import numpy as np
import pytest

import detector_twins
import sparring
from sparring._kernels.jit import JIT_OFF
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
            o = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0])
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
    learner = sparring.btwr(K, strong=strong, seed=K)
    twin = detector_twins.BeatTheWinner(K, K, strong)
    same_arms(learner, twin, ROUNDS, rng)
    assert (learner.incumbent, learner.streak) == (twin.I, twin.c - 1)


@pytest.mark.parametrize("strong", [None, 1.1])
@pytest.mark.parametrize("K", [2, 5])
def test_beat_the_winner_with_ties_and_late_answers_does_as_its_twin(K, strong, rng):
    learner = sparring.btwr(K, strong=strong, seed=K)
    same_late(learner, detector_twins.BeatTheWinner(K, K, strong), 1_000, rng)


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
def test_the_strong_variant_keeps_the_contract(check):
    check(lambda seed: sparring.btwr(4, strong=1.5, seed=seed), sparring.restore)


def test_the_order_of_arms_is_any():
    """600 seeds of K = 3: each of 6 orders 100 times, give or take 50: a false alarm in 1e6."""
    orders = []
    for seed in range(600):
        learner = sparring.btwr(3, seed=seed)
        duel = learner.ask()
        orders.append(3 * duel.row + duel.col)
    counts = np.bincount(orders)[[1, 2, 3, 5, 6, 7]]
    assert counts.sum() == 600 and (abs(counts - 100) < 50).all()


def test_two_halves_are_a_win_and_the_incumbent_stays():
    learner = sparring.btwr(3, seed=1)
    first = learner.ask()
    learner.tell(first, 0.5)
    second = learner.ask()
    assert second[1:3] == first[1:3]
    learner.tell(second, 0.5)
    assert (learner.incumbent, learner.streak) == (first.row, 1)
    assert learner.ask().col not in first[1:3]


def test_answers_of_an_earlier_pairing_do_not_count():
    learner = sparring.btwr(3, seed=1)
    duels = [learner.ask() for _ in range(5)]
    learner.tell(duels[2], 0.0)
    assert learner.incumbent == duels[0].col
    for duel in (duels[0], duels[1], duels[3]):
        learner.tell(duel, 1.0)
    assert (learner.incumbent, learner.streak) == (duels[0].col, 0)
    assert learner.ask().col != duels[0].row, "the loser is at the back"


def test_self_duels_come_in_stretches_that_grow():
    learner = sparring.btwr(3, strong=2.0, seed=1)
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
    learner = sparring.btwr(2, strong=10.0, seed=1)
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
    learner = sparring.btwr(3, seed=1)
    with pytest.raises(sparring.SnapshotError, match="memory"):
        sparring.restore(damaged(learner, {name: BEAT_DAMAGE[name]}))


@pytest.mark.parametrize("strong", [0.9, 11, "x", float("nan")])
def test_a_bad_growth_is_refused(strong):
    with pytest.raises(ValueError, match="strong must be a number in"):
        sparring.btwr(3, strong=strong)


def test_a_chance_that_is_none_is_refused_and_nothing_is_played():
    learner = sparring.btwr(2, seed=1)
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
        learner = sparring.btwr(10, seed=seed)
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
        learner = sparring.btwr(5, seed=seed)
        coins = np.random.default_rng(seed).random(20_000)
        learner.play(sparring.Block(P[:1], np.array([5_000])), coins[:5_000])
        assert learner.incumbent == 0
        learner.play(sparring.Block(P[1:], np.array([15_000])), coins[5_000:])
        assert learner.incumbent == 4
