"""Fidelity: exponential weights against their slow twins, fed the same uniforms and outcomes."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import oracle
import sparring
from sparring._jit import JIT_OFF
from sparring.streams import generator
from worlds import random_matrices

TWINS = {
    "rand": oracle.Rand,
    "rex3": oracle.Rex3,
    "dex3p": oracle.Dex3p,
    "dex3s": oracle.Dex3s,
    "borda_dex3s": oracle.BordaDex3s,
    "sym_exp3s": oracle.SymExp3s,
    "d_exp3": oracle.DExp3,
    "sturdy": oracle.Sturdy,
    "sym_exp3s, differ": oracle.SymExp3sApart,
}
# Rounding that adds up would show in the longest run, at 1e-14 a round (test_endurance.py goes to
# 1e8); the others are long enough for what depends on K, such as loops over lanes. With the JIT off
# the kernels are as slow as their twins: the same tests, at a length that still crosses every line.
SIZES = [(2, 10_000), (3, 10_000), (10, 100_000), (64, 10_000), (500, 1_000)]
SIZES = [(K, 200) for K, _ in SIZES] if JIT_OFF else SIZES


def make(name, K, T, seed):
    """The learner with its theorem's tuning, for a T that the theorem covers."""
    sizes = {
        "rand": {},
        "rex3": {"T": T},
        "dex3p": {"T": max(T, 20_000)},
        "dex3s": {"T": max(T, 100_000), "S": 3},
        "borda_dex3s": {"T": max(T, 400_000), "S": 3},
        "sym_exp3s": {"T": max(T, 100_000), "S": 3},
        "d_exp3": {"T": max(T, 20_000)},
        "sturdy": {"memory": max(100 * K, 10_000)},
        "sym_exp3s, differ": {"T": max(T, 100_000), "S": 3, "differ": True},
    }
    return sparring.LEARNERS[name.split(",")[0]](K, **sizes[name], seed=seed)


def tuned(name, K, tuning, seed):
    if name == "sturdy":
        return sparring.learners.ExponentialWeights(K, tuning, estimate="capped", seed=seed)
    options = {"differ": True} if name.endswith(", differ") else {}
    return sparring.LEARNERS[name.split(",")[0]](K, tuning=tuning, **options, seed=seed)


def twin_of(name, learner):
    tuning = learner.tuning
    return TWINS[name](learner.K, tuning.eta, tuning.gamma, tuning.beta, tuning.alpha)


def assert_same_p(learner, twin, note):
    np.testing.assert_allclose(learner.p, twin.p(), rtol=1e-9, atol=0, err_msg=note)


@pytest.mark.parametrize(("K", "rounds"), SIZES)
@pytest.mark.parametrize("name", TWINS)
def test_same_arms_and_probabilities_over_a_long_run(name, K, rounds):
    """`play` over eight random matrices, half of them of zeros and ones."""
    rng = np.random.default_rng([K, rounds])
    learner = make(name, K, rounds, seed=K)
    twin = twin_of(name, learner)
    uniforms, coins = generator(K).random((rounds, 2)), rng.random(rounds)
    matrices = np.concatenate(
        [random_matrices(4, K, rng), random_matrices(4, K, rng, extreme=True)]
    )
    for m, part in enumerate(np.array_split(np.arange(rounds), 8)):
        block = sparring.Block(matrices[m : m + 1], np.array([len(part)]))
        plays = learner.play(block, coins[part])
        for t, row, col in zip(part, plays.rows, plays.cols, strict=True):
            twin_row, twin_col, p = twin.ask(*uniforms[t])
            assert (row, col) == (twin_row, twin_col), f"round {t + 1}"
            twin.tell(row, col, p, float(coins[t] < matrices[m, row, col]))
        assert_same_p(learner, twin, f"after round {part[-1] + 1}")


@st.composite
def tunings(draw, largest_exponent):
    """Any tuning with one win's exponent up to a limit, for K arms and a learner's name."""
    name = draw(st.sampled_from(sorted(TWINS.keys() - {"rand"})))
    K = draw(st.one_of(st.integers(2, 40), st.sampled_from([64, 500])))
    gamma = draw(st.floats(0.001, 0.5))
    beta = (
        0.0
        if name in ("rex3", "sym_exp3s", "sym_exp3s, differ", "d_exp3", "sturdy")
        else draw(st.one_of(st.just(0.0), st.floats(1e-8, 1.0)))
    )
    shared = name in ("dex3s", "borda_dex3s", "sym_exp3s", "sym_exp3s, differ", "sturdy")
    alpha = (
        draw(st.one_of(st.just(0.0), st.floats(-12, -0.5).map(lambda x: 10.0**x)))
        if shared
        else 0.0
    )
    pairs = name in ("borda_dex3s", "d_exp3")
    largest_gain = K / gamma**2 + K / gamma if pairs else 2 * K / gamma
    eta = draw(st.floats(1e-6, 1.0)) * largest_exponent / largest_gain
    return name, K, sparring.Tuning(eta, gamma, beta, alpha)


outcomes = st.one_of(st.sampled_from([0.0, 1.0, 0.5, True, False]), st.floats(0, 1))


@pytest.mark.core
@hypothesis.settings(max_examples=20 if JIT_OFF else 300)
@hypothesis.given(
    case=tunings(largest_exponent=2.0),
    told=st.lists(outcomes, min_size=1, max_size=60),
    data=st.data(),
)
def test_random_tunings_any_outcomes_late_and_out_of_order(case, told, data):
    """ask/tell with up to eight open duels, told in any order."""
    name, K, tuning = case
    learner = tuned(name, K, tuning, seed=5)
    twin = twin_of(name, learner)
    uniforms = generator(5).random((len(told), 2))
    waiting = []
    for t, outcome in enumerate(told):
        duel = learner.ask()
        row, col, p = twin.ask(*uniforms[t])
        assert (duel.row, duel.col) == (row, col)
        waiting.append((duel, p, outcome))
        while len(waiting) > 8 or (waiting and data.draw(st.booleans())):
            duel, p, outcome = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            learner.tell(duel, outcome)
            twin.tell(duel.row, duel.col, p, float(outcome))
        assert_same_p(learner, twin, f"{name}, {tuning}, round {t + 1}")


@hypothesis.settings(max_examples=3 if JIT_OFF else 25)
@hypothesis.given(case=tunings(largest_exponent=0.5), extreme=st.booleans())
def test_random_tunings_over_thousands_of_rounds(case, extreme):
    """`play` with any tuning whose steps a theorem allows: 400,000 weights updated in each run."""
    name, K, tuning = case
    rounds = 200 if JIT_OFF else 200_000 // K
    rng = np.random.default_rng([K, rounds])
    learner = tuned(name, K, tuning, seed=7)
    twin = twin_of(name, learner)
    P, coins = random_matrices(1, K, rng, extreme=extreme), rng.random(rounds)
    plays = learner.play(sparring.Block(P, np.array([rounds])), coins)
    uniforms = generator(7).random((rounds, 2))
    for t, (row, col) in enumerate(zip(*plays, strict=True)):
        twin_row, twin_col, p = twin.ask(*uniforms[t])
        assert (row, col) == (twin_row, twin_col), f"{name}, {tuning}, round {t + 1}"
        twin.tell(row, col, p, float(coins[t] < P[0, row, col]))
    assert_same_p(learner, twin, f"{name}, {tuning}")


@pytest.mark.core
@hypothesis.settings(max_examples=20 if JIT_OFF else 300)
@hypothesis.given(
    case=tunings(largest_exponent=340.0), told=st.lists(outcomes, min_size=1, max_size=2)
)
def test_one_update_with_an_extreme_step(case, told):
    """Up to e^340 in an update; two rounds only, as rounding then grows 340-fold a round."""
    name, K, tuning = case
    learner = tuned(name, K, tuning, seed=6)
    twin = twin_of(name, learner)
    for u, v in generator(6).random((len(told), 2)):
        duel = learner.ask()
        row, col, p = twin.ask(u, v)
        assert (duel.row, duel.col) == (row, col)
        learner.tell(duel, told[duel.t - 1])
        twin.tell(row, col, p, float(told[duel.t - 1]))
    assert_same_p(learner, twin, f"{name}, {tuning}")
