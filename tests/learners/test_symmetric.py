"""SYM-EXP3.S: its tunings by hand, the best block found, the factory and its refusals."""

import math
import time
import warnings

import numpy as np
import pytest

import sparring
from sparring import Problem, bounds, tunings

HALF = 0.5 * (1 + 1e-12)  # gamma = 1/2 in theory may be missed by the last bit


def cost(K, T, S):
    """l = ln K + (S - 1) (2 + ln(K T / (S - 1)))."""
    return math.log(K) + (0 if S == 1 else (S - 1) * (2 + math.log(K * T / (S - 1))))


def bound_by_hand(K, T, S, phi=math.e - 2):
    """The bound in the letters of its derivation: h = 2 sqrt(l / (K T)), gamma = h K / 4."""
    l = cost(K, T, S)
    h = 2 * math.sqrt(l / (K * T))
    gamma = h * K / 4
    return l / h + phi * h * (K - 1) * T / (8 * (1 - gamma)) + gamma * T * (K - 1) / (2 * K)


def test_values_by_hand():
    """K = 10, T = 1e6: one segment, ten, and nothing known."""
    one = tunings.sym_exp3s_known(Problem(10, 10**6, S=1))
    eta = math.sqrt(math.log(10) / 1e7)
    assert (one.eta, one.gamma, one.beta, one.alpha) == pytest.approx((eta, 5 * eta, 0, 0))
    ten = tunings.sym_exp3s_known(Problem(10, 10**6, S=10))
    eta = math.sqrt((math.log(10) + 9 * (2 + math.log(1e7 / 9))) / 1e7)
    assert (ten.eta, ten.gamma, ten.beta) == pytest.approx((eta, 5 * eta, 0))
    assert ten.alpha == pytest.approx(9 / (math.e * 1e7))
    unknown = tunings.sym_exp3s_unknown(Problem(10, 10**6))
    eta = math.sqrt((math.log(1e7) + math.log(10) + math.e) / 1e7)
    assert (unknown.eta, unknown.gamma, unknown.beta) == pytest.approx((eta, 5 * eta, 0))
    assert unknown.alpha == pytest.approx(1e-7)


@pytest.mark.parametrize(("K", "T", "S"), [(2, 100, 1), (10, 10**6, 10), (50, 10**7, 200)])
def test_the_bound_by_hand_and_that_share_and_step_are_the_best(K, T, S):
    """At the share the bound is flat; the step is the best for 1 in place of phi(1) = e - 2.

    With the other one it is within 2 percent of the best there is for this exponent.
    """
    found = bounds.sym_exp3s(K, T, S)
    assert found.mean_fixed.raw == pytest.approx(bound_by_hand(K, T, S), rel=1e-12)
    assert found.unmet == "" and found.block == 0
    for unbounded in (found.probable, found.hindsight_cuts, found.mean, found.printed):
        assert unbounded.raw == math.inf
    best = found.tuning
    for factor in (0.7, 0.9, 1.1, 1.4):
        shared = sparring.Tuning(best.eta, best.gamma, alpha=best.alpha * factor)
        other = bounds.sym_exp3s(K, T, S, tuning=shared).mean_fixed.raw
        assert other >= found.mean_fixed.raw
        stepped = sparring.Tuning(best.eta * factor, best.gamma * factor, alpha=best.alpha)
        other = bounds.sym_exp3s(K, T, S, tuning=stepped).mean_fixed.raw
        assert other >= found.mean_fixed.raw * (1 - best.gamma) * 0.98


def test_without_knowing_s_the_bound_grows_linearly_in_s():
    found = bounds.sym_exp3s(10, 10**7, [2, 3, 4, 9], tuning=tunings.sym_exp3s_unknown)
    raw = found.mean_fixed.raw
    steps = np.diff(raw) / [1, 1, 5]
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)
    assert (raw <= raw[0] * np.array([1, 2, 3, 8])).all()


def test_rex3_has_the_bound_of_the_errata():
    """K ln K / (2 gamma) + (3/4) gamma T / (1 - gamma) is what this sharpens."""
    K, T = 10, 10**6
    gamma = tunings.rex3(Problem(K, T)).gamma
    coarse = K * math.log(K) / (2 * gamma) + 0.75 * gamma * T / (1 - gamma)
    sharp = bounds.sym_exp3s(K, T, S=1, tuning=tunings.rex3).mean_fixed.raw
    assert 0.85 * coarse < sharp <= coarse


@pytest.mark.parametrize("T", [30, 997, 4000])
@pytest.mark.parametrize("V_T", [1e-4, 0.03, 1.0, 20.0])
def test_the_block_is_the_best_of_all(T, V_T):
    """Every length of a block, tried one by one, by the bound with 1 in place of phi."""
    K = 3
    found = {}
    for D in range(1, T + 1):
        S = math.ceil(T / D)
        if K * cost(K, T, S) <= T:  # gamma <= 1/2
            found[D] = (2 * V_T * (D // 2) + bound_by_hand(K, T, S, phi=1.0), S)
    least, S = min(found.values())
    tuning = tunings.sym_exp3s_continuous(Problem(K, T, V_T=V_T))
    assert tuning == tunings.sym_exp3s_known(Problem(K, T, S=S))
    found = bounds.sym_exp3s(K, T, V_T=V_T)
    # The tuning given, another length may be a little better, and much better where nothing helps.
    assert found.mean_fixed.raw <= least * (1 + 1e-12)
    assert found.mean_fixed.vacuous or found.mean_fixed.raw >= 0.9 * least


def test_the_search_for_the_block_is_fast_and_near_the_best_at_any_T():
    """Below 200 ms of processor time at T = 1e9, where it takes 10; far beyond, as good as any."""
    problem = Problem(10, 10**9, V_T=10)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        tunings.sym_exp3s_continuous(problem)
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.2
    K, V_T = 10, 10.0
    for T in (10**12, 10**18):
        S = np.unique(np.geomspace(1, T / 1e3, 20_001).astype(np.int64))
        value = [V_T * T / s + bound_by_hand(K, T, s, phi=1.0) for s in S.tolist()]
        found = bounds.sym_exp3s(K, T, V_T=V_T).mean_fixed.raw
        assert 0.9 * min(value) <= found <= 1.0001 * min(value)


def test_no_variation_is_one_segment():
    one = tunings.sym_exp3s_known(Problem(7, 5_000, S=1))
    assert tunings.sym_exp3s_continuous(Problem(7, 5_000, V_T=0)) == one
    assert tunings.sym_exp3s_continuous(Problem(7, 5_000, V_T=1e-9)) == one


RULES = {
    "known": (tunings.sym_exp3s_known, {"S": 5}),
    "unknown": (tunings.sym_exp3s_unknown, {}),
    "continuous": (tunings.sym_exp3s_continuous, {"V_T": 0.5}),
}


FIRST = {"known": 5, "unknown": 1, "continuous": 1}  # the least T such a problem can have


def least_T(name, K, gamma):
    """The least T with K l <= 4 gamma^2 T, one by one."""
    costs = {
        "known": lambda T: cost(K, T, 5),
        "unknown": lambda T: math.log(K * T) + math.log(K) + math.e,
        "continuous": lambda T: math.log(K),
    }
    T = FIRST[name]
    while K * costs[name](T) > 4 * gamma**2 * T:
        T += 1
    return T


@pytest.mark.parametrize("K", [3, 10, 40])
@pytest.mark.parametrize("name", RULES)
def test_refusals_and_warnings_name_the_least_T_that_would_do(name, K):
    rule, sizes = RULES[name]
    usable, valid = least_T(name, K, 1.0), least_T(name, K, 0.5)
    assert usable < valid
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rule(Problem(K, valid, **sizes)).gamma <= HALF
    with pytest.warns(sparring.TheoremWarning, match=f"SYM-EXP3.S.*It does for T >= {valid}$"):
        assert rule(Problem(K, valid - 1, **sizes)).gamma > 0.5
    with pytest.warns(sparring.TheoremWarning):
        rule(Problem(K, usable, **sizes))
    if usable > FIRST[name]:
        message = f"The theorem of SYM-EXP3.S.*T >= {usable} would do, and T >= {valid} makes"
        with pytest.raises(tunings.NoTuningError, match=message):
            rule(Problem(K, usable - 1, **sizes))
    assert rule.valid in " ".join(rule.__doc__.split())


def test_where_there_is_no_tuning_there_is_no_bound():
    found = bounds.sym_exp3s(10, 50, S=10)
    assert found.mean_fixed.vacuous and found.tuning is None
    assert "no usable tuning" in found.unmet


@pytest.mark.parametrize(
    ("tuning", "S", "unmet"),
    [
        (sparring.Tuning(0.0, 0.5), 1, "eta > 0"),
        (sparring.Tuning(0.01, 1.0), 1, "gamma < 1"),
        (sparring.Tuning(0.01, 0.05, beta=0.1), 1, "beta = 0"),
        (sparring.Tuning(0.01, 0.05), 2, "alpha > 0 for S > 1"),
    ],
)
def test_a_tuning_without_a_bound_says_why(tuning, S, unmet):
    found = bounds.sym_exp3s(10, 10**6, S, tuning=tuning)
    assert found.mean_fixed.raw == math.inf
    assert found.unmet == unmet
    fine = bounds.sym_exp3s(10, 10**6, 2, tuning=sparring.Tuning(0.01, 0.05, alpha=1e-7))
    assert fine.unmet == "" and not fine.mean_fixed.vacuous


def test_a_bound_needs_segments_or_a_variation():
    for sizes in ({}, {"S": 2, "V_T": 1.0}):
        with pytest.raises(ValueError, match="give S or V_T, not both"):
            bounds.sym_exp3s(10, 10**6, **sizes)


def test_from_when_on_the_bound_says_something():
    least = bounds.informative_from(bounds.sym_exp3s, 10, S=10, sense="mean_fixed")
    assert not bounds.sym_exp3s(10, least, S=10).mean_fixed.vacuous
    assert bounds.sym_exp3s(10, least - 1, S=10).mean_fixed.vacuous


def test_the_factory_takes_the_tuning_of_what_is_known():
    K, T = 4, 3_000
    for sizes, rule in (
        ({"S": 3}, tunings.sym_exp3s_known),
        ({}, tunings.sym_exp3s_unknown),
        ({"V_T": 2.0}, tunings.sym_exp3s_continuous),
    ):
        learner = sparring.sym_exp3s(K, T, **sizes, seed=1)
        assert learner.tuning == rule(Problem(K, T, **sizes))
        assert (learner.estimate, learner.p.shape) == ("relative", (1, K))
    own = sparring.Tuning(0.01, 0.2, alpha=1e-3)
    assert sparring.sym_exp3s(K, tuning=own).tuning is own


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"K": 1}, "K must be a whole number of at least 2"),
        ({"T": 0}, "T must be"),
        ({"T": None}, "T must be given"),
        ({"S": 0}, "S must be"),
        ({"S": 3_001}, "S must be at most T = 3000"),
        ({"V_T": -1.0}, "V_T must be"),
        ({"S": 2, "V_T": 1.0}, "give S or V_T, not both"),
        ({"tuning": sparring.Tuning(0.01, 0.2)}, "give tuning or T, not both"),
        ({"T": None, "S": 2, "tuning": sparring.Tuning(0.01, 0.2)}, "give tuning or S, not both"),
        ({"T": None, "tuning": sparring.Tuning(0.01, 0.2, beta=0.1)}, "beta must be 0"),
        ({"T": 20, "S": 5}, "no usable tuning"),
        ({"seed": "lucky"}, "seed must be"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        sparring.sym_exp3s(**{"K": 4, "T": 3_000, **change})


def test_a_tuning_that_lacks_its_size_is_refused():
    with pytest.raises(ValueError, match="S must be given"):
        tunings.sym_exp3s_known(Problem(4, 3_000))
    with pytest.raises(ValueError, match="V_T must be given"):
        tunings.sym_exp3s_continuous(Problem(4, 3_000))
