"""Sparring learners: against their slow twins, late answers, extremes and damage."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import adversarial_twins as twins
import sparring
from sparring import _random as draws
from sparring import tunings
from sparring._jit import JIT_OFF
from sparring.checks import SnapshotError
from sparring.learners import adversarial
from sparring.learners.adversarial import Sparring, versatile_db
from sparring.learners.snapshots import digest
from sparring.streams import generator
from sparring.testing import check_learner
from sparring.tunings import Exp3, Exp3SIX, TsallisINF
from worlds import random_matrices

BASES = {
    "EXP3": Exp3(0.05),
    "EXP3, all mixing": Exp3(1.0),
    "EXP3-IX": Exp3SIX(0.03, 0.015),
    "EXP3-SIX": Exp3SIX(0.05, 0.02, 0.003),
    "EXP3-SIX, fast": Exp3SIX(1.0, 0.1, 0.3),
    "Tsallis-INF": TsallisINF(),
    "steep": Exp3SIX(90.0, 0.01, 0.01),  # with steps of more than 700 nats, for which e^x is 0
    "steep, no share": Exp3SIX(90.0, 0.01),
}
CASES = [(name, players) for players in (2, 1) for name in BASES]
SIZES = {2: 2000, 3: 2000, 10: 1000, 64: 200}
SIZES = dict.fromkeys(SIZES, 60) if JIT_OFF else SIZES


def twin_of(base, K, players, seed):
    words = draws.seeded(generator(seed))
    match base:
        case Exp3():
            return twins.Sparring(words, lambda: twins.Exp3(K, base.gamma), players)
        case Exp3SIX():
            rates = base.eta, base.gamma, base.alpha
            return twins.Sparring(words, lambda: twins.Exp3SIX(K, *rates), players)
    return twins.Sparring(words, lambda: twins.TsallisINF(K), players)


def assert_same_p(learner, twin, note):
    np.testing.assert_allclose(learner.p, twin.p(), rtol=1e-9, atol=1e-290, err_msg=note)


@pytest.mark.parametrize("K", SIZES)
@pytest.mark.parametrize(("name", "players"), CASES)
def test_same_arms_and_probabilities_as_the_twin(name, players, K):
    """Over eight random matrices, half of them of zeros and ones; `play` does what this does."""
    rng = np.random.default_rng([K, players])
    learner = Sparring(K, BASES[name], players=players, seed=K)
    twin = twin_of(BASES[name], K, players, K)
    matrices = np.concatenate(
        [random_matrices(4, K, rng), random_matrices(4, K, rng, extreme=True)]
    )
    for P in np.repeat(matrices, SIZES[K] // 8, axis=0):
        duel = learner.ask()
        row, col = twin.ask()
        assert (duel.row, duel.col) == (row, col), f"round {duel.t}"
        o = float(rng.random() < P[row, col])
        learner.tell(duel, o)
        twin.tell(row, col, duel.p, o)
        if duel.t % 50 == 0:
            assert_same_p(learner, twin, f"after round {duel.t}")


@pytest.mark.parametrize(("name", "players"), CASES)
def test_late_answers_count_as_of_the_moment_of_asking(name, players):
    """Up to a hundred open duels, told in any order, with outcomes between 0 and 1."""
    rng = np.random.default_rng(players)
    K = 4
    learner = Sparring(K, BASES[name], players=players, seed=9)
    twin = twin_of(BASES[name], K, players, 9)
    waiting = []
    for t in range(60 if JIT_OFF else 600):
        shown = learner.p
        duel = learner.ask()
        row, col = twin.ask()
        assert (duel.row, duel.col) == (row, col)
        np.testing.assert_array_equal(duel.p, shown)
        waiting.append(duel)
        while len(waiting) > 100 or (waiting and rng.random() < 0.5):
            duel = waiting.pop(rng.integers(len(waiting)))
            o = float(rng.choice([0.0, 1.0, rng.random()]))
            learner.tell(duel, o)
            twin.tell(duel.row, duel.col, duel.p, o)
        assert_same_p(learner, twin, f"round {t + 1}")


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players"), [it for it in CASES if "no share" not in it[0]])
def test_every_base_keeps_the_contract(name, players):
    check_learner(
        lambda seed: Sparring(5, BASES[name], players=players, seed=seed),
        restore=Sparring.from_snapshot,
    )


def test_play_stops_at_a_chance_that_is_none():
    P = np.full((1, 2, 2), np.nan)
    with pytest.raises(ValueError, match="a probability in"):
        versatile_db(2, seed=1).play(sparring.Block(P, np.array([3])), np.zeros(3))


EXTREME = [
    [0.0, 0.0],
    [0.0, 1e300],
    [1e300, 1e300, 0.0],
    [5e-324, 0.0, 0.0],
    [1e8, 1e8 + 1e-7, 1e8 - 1e-7],
    [2.0**k for k in range(200)],
    [float(k) for k in range(1000)],
    [0.0] * 999 + [-1e6],
    [0.0] + [3.0] * 9999,
]


@pytest.mark.parametrize("L", EXTREME, ids=range(len(EXTREME)))
@pytest.mark.parametrize("t", [1.0, 7.0, 1e6, 1e15])
def test_the_normaliser_of_tsallis_inf_at_extremes(L, t):
    p = np.empty(len(L))
    adversarial.settle(np.array(L), np.zeros(len(L)), t, p)
    assert abs(math.fsum(p) - 1) <= 1e-12
    exact = twins.tsallis([Fraction(l) for l in L], 2 / math.sqrt(t))
    np.testing.assert_allclose(p, exact, rtol=1e-9, atol=1e-290)


def test_sums_keep_what_rounding_takes():
    """As exact as fractions, to 1e-25 of the sum, where a plain sum errs by 1e-13 or so."""
    rng = np.random.default_rng(1)
    steps = rng.normal(size=300 if JIT_OFF else 20_000)
    high, low = np.array([1e6, 0.0]), np.zeros(2)
    for step in steps:
        adversarial.add(high, low, 0, step)
    exact = Fraction(10**6) + sum(Fraction(step) for step in steps)
    assert abs(Fraction(high[0]) + Fraction(low[0]) - exact) <= Fraction(1e-25) * exact
    assert high[1] == low[1] == 0


def test_an_arm_comes_back_from_far_below_the_smallest_double():
    """EXP3-IX keeps logarithms: 3,000 nats down are 3,000 nats up again."""
    learner = Sparring(2, Exp3SIX(1.0, 1e-3), players=2, seed=1)
    for loser in (0, 1):
        for _ in range(60 if JIT_OFF else 3000):
            duel = learner.ask()
            learner.tell(duel, float(duel.row != loser))
        assert learner.p[0, loser] < 1e-2


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_bases_are_values_and_survive_json(base):
    assert tunings.base_from_json(json.loads(json.dumps(tunings.base_to_json(base)))) == base
    assert hash(base) == hash(tunings.base_from_json(tunings.base_to_json(base)))
    assert Sparring(3, base).base == base


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Exp3(0.0), "gamma must be"),
        (lambda: Exp3(1.5), "gamma must be"),
        (lambda: Exp3SIX(-1.0, 0.1), "eta must be"),
        (lambda: Exp3SIX(101.0, 0.1), "eta must be"),
        (lambda: Exp3SIX(0.1, 0.0), "gamma must be"),
        (lambda: Exp3SIX(0.1, 0.1, 1.1), "alpha must be"),
        (lambda: Exp3SIX(0.1, 0.1, 1e-200), "alpha must be 0 or at least"),
        (lambda: Sparring(3, "Exp3"), "base must be one of"),
        (lambda: Sparring(3, {"name": "Exp4"}), "base must be one of"),
        (lambda: Sparring(3, {"name": "Exp3", "eta": 0.1}), "base must be one of"),
        (lambda: Sparring(3, TsallisINF(), players=3), "players must be"),
        (lambda: Sparring(3, TsallisINF(), players=0), "players must be"),
        (lambda: Sparring(1, TsallisINF()), "K must be"),
    ],
)
def test_what_no_player_can_use_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def damaged(learner, change):
    """A snapshot with a right digest and a wrong field."""
    snapshot = json.loads(json.dumps(learner.snapshot()))
    change(snapshot)
    return {**snapshot, "digest": digest(snapshot)}


CHANGES = {
    "told": lambda s: s["memory"].update(told=[-1]),
    "told too often": lambda s: s["memory"].update(told=[2**62]),
    "a sum": lambda s: s["memory"]["high"][0].__setitem__(0, 1e300),
    "what rounding took": lambda s: s["memory"]["low"][0].__setitem__(0, 100.0),
    "p": lambda s: s["memory"]["p"][0].__setitem__(0, 2.0),
    "p negative": lambda s: s["memory"].update(p=[[-1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]),
    "note of p": lambda s: s["notes"][0].__setitem__(0, 0.9),
    "an arm that has no chance": lambda s: s["notes"][0].__setitem__(
        slice(0, 3), [float(k == (s["open"][0][1] + 1) % 3) for k in range(3)]
    ),
    "players": lambda s: s["options"].update(players=1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_damaged_snapshot_is_refused(change):
    learner = Sparring(3, Exp3SIX(0.05, 0.02), seed=1)
    learner.tell(learner.ask(), 1.0)
    learner.ask()
    assert Sparring.from_snapshot(damaged(learner, lambda s: None)).t == 2
    with pytest.raises(SnapshotError):
        Sparring.from_snapshot(damaged(learner, change))


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize(
    ("base", "chances"),
    [
        (Exp3(0.3), [1e-300, 5e-324, 0.01, 0.098]),
        (TsallisINF(), [1e-300, 5e-324]),
        (Exp3SIX(0.1, 0.05), [1e-300]),
    ],
    ids=str,
)
def test_a_note_with_a_chance_that_no_arm_has_is_refused(base, chances, players):
    """Its estimate would leave the doubles: EXP3 gives an arm gamma / K = 0.1 at least."""

    def drawn_with(chance):
        learner = Sparring(3, base, players=players, seed=1)
        row = learner.ask().row
        p = [chance if k == row else (1 - chance) / 2 for k in range(3)]
        change = damaged(learner, lambda s: s["notes"][0].__setitem__(slice(0, 3), p))
        return Sparring.from_snapshot(change)

    assert drawn_with(0.1).t == 1
    for chance in chances:
        with pytest.raises(SnapshotError, match="'notes' is damaged"):
            drawn_with(chance)


@pytest.mark.parametrize("chance", [0.0, 0.01, 0.098])
def test_an_arm_with_less_than_what_mixing_leaves_is_refused(chance):
    """It would be drawn some day, and its estimate leave the doubles."""
    learner = Sparring(3, Exp3(0.3), seed=1)
    row = [chance, (1 - chance) / 2, (1 - chance) / 2]
    with pytest.raises(SnapshotError, match="'memory' is damaged"):
        Sparring.from_snapshot(damaged(learner, lambda s: s["memory"]["p"].__setitem__(0, row)))
