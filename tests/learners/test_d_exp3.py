"""D-EXP3: its tuning by hand, who learns, and what is refused."""

import math
import warnings

import numpy as np
import pytest

import sparring
from sparring import Problem, tunings


def test_values_by_hand():
    """K = 10, T = 1e6; and K = 2, where gamma^3 = K ln K / T."""
    tuning = tunings.d_exp3(Problem(10, 10**6))
    eta = (math.log(10) / (1e6 * math.sqrt(10))) ** (2 / 3)
    assert (tuning.eta, tuning.gamma) == pytest.approx((eta, math.sqrt(10 * eta)))
    assert (tuning.beta, tuning.alpha) == (0, 0)
    for K, T in ((2, 5_000), (10, 10**6)):
        assert tunings.d_exp3(Problem(K, T)).gamma ** 3 == pytest.approx(K * math.log(K) / T)


def test_it_takes_any_T_from_k_ln_k_on_without_a_word():
    """gamma <= 1; no theorem says that it must be below 1/2."""
    K = 10
    least = math.ceil(K * math.log(K))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0.9 < tunings.d_exp3(Problem(K, least)).gamma <= 1
    message = f"The theorem of D-EXP3 has no usable tuning.*is above 1\\. T >= {least} makes the"
    with pytest.raises(tunings.NoTuningError, match=message):
        sparring.learners.d_exp3(K, least - 1)


@pytest.mark.parametrize("outcome", [0.0, 0.5, 1.0])
def test_only_the_row_arm_learns_also_from_itself(outcome):
    """Weights as the ratios of what p is above gamma / K, in duels of every kind."""
    K, seen = 4, set()
    tuning = sparring.Tuning(0.2, 0.5)
    for seed in range(60):
        learner = sparring.learners.d_exp3(K, tuning=tuning, seed=seed)
        duel = learner.ask()
        learner.tell(duel, outcome)
        w = learner.p[0] - tuning.gamma / K
        other = (duel.row + 1) % K
        grown = math.exp(tuning.eta * outcome / (K * duel.p[0, duel.row] * duel.p[0, duel.col]))
        expected = np.where(np.arange(K) == duel.row, grown, 1.0)
        np.testing.assert_allclose(w / w[other], expected, rtol=1e-12)
        seen.add(duel.row == duel.col)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"K": 1}, "K must be a whole number of at least 2"),
        ({"T": 0}, "T must be"),
        ({"T": None}, "T must be given"),
        ({"tuning": sparring.Tuning(0.01, 0.2)}, "give tuning or T, not both"),
        ({"T": None, "tuning": (0.1, 0.2)}, "tuning must be a sparring.Tuning"),
        ({"T": None, "tuning": sparring.Tuning(0.01, 0.2, beta=0.1)}, "beta must be 0 for d_exp3"),
        ({"T": None, "tuning": sparring.Tuning(0.01, 0.2, alpha=0.1)}, "alpha must be 0 for d_exp"),
        ({"T": None, "tuning": sparring.Tuning(30.0, 0.2)}, "eta must be at most 3.5 at gamma"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        sparring.learners.d_exp3(**{"K": 4, "T": 3_000, **change})
