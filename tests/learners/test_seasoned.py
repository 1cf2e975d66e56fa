"""seasoned: what it learns beside a slow twin, whom it shows, and that it knows seasons again."""

import itertools
import json

import numpy as np
import pytest

import sparring
from seasons_twin import Seasons
from sparring import Block
from sparring._jit import JIT_OFF
from sparring.learners import Counting, Seasoned
from sparring.learners import seasons as kernels
from sparring.learners.snapshots import digest
from worlds import ladder


def crowned(K, best):
    """Arm `best` beats all others with 0.9, which tie."""
    P = np.full((K, K), 0.5)
    P[best], P[:, best] = 0.9, 0.1
    P[best, best] = 0.5
    return P


@pytest.mark.parametrize("states", [2, 3, 6])
@pytest.mark.parametrize("hazard", [0.25, 1.0])
def test_it_learns_what_its_twin_learns(states, hazard):
    """Over three winners in turns, so that states come, go and lead again."""
    K, rounds, rng = 3, 200, np.random.default_rng(states)
    learner = Seasoned(K, states=states, hazard=hazard, seed=states)
    twin, led = Seasons(K, states, hazard), []
    for season in range(1 if JIT_OFF else 9):
        P, coins = crowned(K, season % 3), rng.random(rounds)
        plays = learner.play(Block(P[None], np.array([rounds])), coins)
        for coin, row, col in zip(coins, plays.rows.tolist(), plays.cols.tolist(), strict=True):
            twin.tell(row, col, float(coin < P[row, col]))
            led.append(twin.lead)
        agrees(learner, twin)
    assert JIT_OFF or sum(a != b for a, b in itertools.pairwise(led)) >= 2


@pytest.mark.parametrize("states", [2, 3])
def test_beliefs_sum_to_one_also_when_a_slot_is_used_again(states):
    """In each round: else what is missing would be drawn as belief in the last slot."""
    learner, rng = Seasoned(3, states=states, hazard=1.0, seed=2), np.random.default_rng(5)
    used_again = 0
    for t in range(900):
        before = learner._memory.counter.copy()
        row, col = rng.permutation(3)[:2]
        wins = rng.random() < crowned(3, t // 150 % 3)[row, col]
        learner.tell(learner.watch(row, col), float(wins))
        full = before[kernels.ACTIVE] == states
        used_again += full and before[kernels.BLANK] != learner._memory.counter[kernels.BLANK]
        assert learner.beliefs.sum() == pytest.approx(1.0, abs=1e-12)
    assert used_again >= 2


def test_a_state_that_leads_again_takes_no_slot():
    learner = Seasoned(3, states=4, seed=2)
    memory = kernels.Seasons(*(part.copy() for part in learner._memory))
    numbers = kernels.SeasonsNumbers(*learner._numbers)
    first = int(memory.counter[kernels.LEADING])
    kernels.follow(int(memory.counter[kernels.BLANK]), memory, numbers)
    blank, active = memory.counter[[kernels.BLANK, kernels.ACTIVE]]
    kernels.follow(first, memory, numbers)
    assert memory.counter[kernels.LEADING] == first
    assert (memory.counter[[kernels.BLANK, kernels.ACTIVE]] == (blank, active)).all()


def agrees(learner, twin):
    assert learner.state == twin.lead
    states, K = len(learner.beliefs), learner.K
    found = [twin.belief.get(s, 0.0) for s in range(states)]
    np.testing.assert_allclose(learner.beliefs, found, rtol=1e-9, atol=1e-90)
    for s in twin.duels:
        W = [[twin.wins(s, i, j) for j in range(K)] for i in range(K)]
        np.testing.assert_allclose(learner._memory.W[s], W, atol=1e-9)


def test_late_and_undecided_answers_count_when_they_are_told():
    learner, twin = Seasoned(3, states=3, seed=1), Seasons(3, 3, 0.25)
    rng, waiting = np.random.default_rng(2), []
    for _ in range(60):
        waiting.append(learner.ask())
        if len(waiting) > 5:
            duel = waiting.pop(int(rng.integers(len(waiting))))
            outcome = float(rng.choice([0.0, 0.3, 0.5, 1.0]))
            learner.tell(duel, outcome)
            twin.tell(duel.row, duel.col, outcome)
    agrees(learner, twin)


def test_while_one_state_holds_it_is_double_thompson_sampling():
    """With the same counts and random numbers, of which it takes two to draw the state."""
    learner, plain = Seasoned(5, seed=3), Counting(5, rule="thompson", seed=3)
    rng = np.random.default_rng(1)
    W = rng.integers(0, 30, (5, 5)).astype(float)
    np.fill_diagonal(W, 0.0)
    for memory, counts, mass in (
        (learner._memory, learner._memory.W[0], learner._memory.mass[:1]),
        (plain._memory, plain._memory.W, plain._memory.mass),
    ):
        counts[:], mass[:] = W, 400.0
        memory.words[:] = [1, 2, 3, 4]
    first = [(duel.row, duel.col) for duel in (learner.ask() for _ in range(40))]
    second = []
    for _ in range(40):
        for _ in range(2):
            kernels.arm(plain._memory.words, learner._memory.belief, 2)
        duel = plain.ask()
        second.append((duel.row, duel.col))
    assert first == second


def test_two_states_send_their_champions():
    """Half the belief each, in ladders of opposite order: the ends meet in half of the rounds."""
    learner = Seasoned(4, seed=5)
    m = learner._memory
    m.counter[[kernels.BLANK, kernels.ACTIVE]] = 2, 3
    m.W[0] = 400 * ladder(4, 0.4) - 200 * np.eye(4)
    m.W[1] = m.W[0][::-1, ::-1]
    m.mass[:2], m.belief[:3] = 2000.0, (0.5, 0.5, 0.0)
    pairs = [(duel.row, duel.col) for duel in (learner.ask() for _ in range(400))]
    apart = sum(set(pair) == {0, 3} for pair in pairs)
    assert abs(apart - 200) < 60, "six deviations"
    assert {pair for pair in pairs if set(pair) != {0, 3}} == {(0, 0), (3, 3)}


@pytest.mark.compiled
def test_a_season_that_comes_back_is_known():
    """After two rounds of both, the lead goes back and forth between the same two states."""
    learner, rng = sparring.learners.seasoned(5, seed=2), np.random.default_rng(4)
    led = []
    for season in range(8):
        P = crowned(5, 1 + season % 2)
        learner.play(Block(P[None], np.array([2000])), rng.random(2000))
        assert learner.favourite == 1 + season % 2
        led.append(learner.state)
    assert led[4] == led[6] != led[5] == led[7]


@pytest.mark.parametrize(
    ("options", "match"),
    [({"states": 1}, "states"), ({"states": 65}, "states"), ({"hazard": 0}, "hazard"),
     ({"hazard": 2}, "hazard"), ({"K": 1}, "K")],
)  # fmt: skip
def test_bad_input(options, match):
    with pytest.raises(ValueError, match=match):
        sparring.learners.seasoned(**{"K": 3, **options})


def forged(part, place, value):
    learner = Seasoned(3, seed=1)
    for t in range(80):
        learner.tell(learner.ask(), float(t % 2))
    saved = json.loads(json.dumps(learner.snapshot()))
    array = np.array(saved["memory"][part])
    array[place] = value
    saved["memory"][part] = array.tolist()
    return {**saved, "digest": digest(saved)}


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("counter", kernels.LEADING, 7),
        ("counter", kernels.LEADING, 1),  # it is the blank one
        ("counter", kernels.BLANK, -1),
        ("counter", kernels.ACTIVE, 9),
        ("counter", kernels.TOLD, -1),
        ("counter", kernels.RECENT, 1_000),
        ("W", (0, 0, 1), -1.0),
        ("W", (0, 0, 1), 1e9),
        ("mass", 0, 1e9),
        ("favourite", 0, 3),
        ("order", (0, 0, 0), 3),
        ("belief", slice(None), 0.0),
        ("belief", 5, 0.5),
        ("unit", 0, 2.0),
        ("latest", 0, 1_000),
    ],
)
def test_forged_memories_are_refused(part, place, value):
    with pytest.raises(sparring.SnapshotError, match="'memory' is damaged"):
        sparring.restore(forged(part, place, value))


def test_what_is_not_forged_is_restored():
    sparring.restore(forged("counter", kernels.RECENT, 5))


def test_newcomers_are_unknown_to_every_state_and_the_others_keep_their_counts():
    learner = sparring.learners.seasoned(4, seed=3)
    for t in range(200):
        learner.tell(learner.ask(), float(t % 3 == 0))
    W = learner._memory.W.copy()
    learner.add()
    learner.withdraw(0)
    assert np.array_equal(learner._memory.W[:, :3, :3], W[:, 1:, 1:])
    assert not learner._memory.W[:, 3].any() and not learner._memory.W[:, :, 3].any()
