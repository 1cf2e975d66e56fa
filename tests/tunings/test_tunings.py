"""Tunings: printed and corrected formulas, and the validity condition of each theorem."""

import math
import warnings

import hypothesis
import pytest
from hypothesis import strategies as st

import sparring
from sparring import Problem, tunings

pytestmark = pytest.mark.core

HALF = 0.5 * (1 + 1e-12)  # gamma = 1/2 in theory may be missed by the last bit
RULES = {
    "static": (tunings.dex3p, {}),
    "known": (tunings.dex3s_known, {"S": 10}),
    "unknown": (tunings.dex3s_unknown, {}),
    "continuous": (tunings.dex3s_continuous, {"V_T": 10.0}),
    "borda": (tunings.borda_dex3s, {"S": 10}),
}


def test_printed_values_by_hand():
    """K = 10, T = 1e6, S = V_T = 10, worked out from the theorems' statements."""
    ln10 = math.log(10)
    assert tunings.dex3p(Problem(10, 10**6)) == sparring.Tuning(
        eta=0.5 * math.sqrt(ln10 / 1e7),
        gamma=10 * math.sqrt(ln10 / 1e7),
        beta=math.sqrt(ln10 / 1e7),
    )
    known = tunings.dex3s_known(Problem(10, 10**6, S=10))
    assert (known.eta, known.gamma, known.beta, known.alpha) == pytest.approx(
        (1e-3, 0.02, 1e-3, 1e-6)
    )
    unknown = tunings.dex3s_unknown(Problem(10, 10**6))
    eta = 1 / math.sqrt(1e7)
    assert (unknown.eta, unknown.gamma, unknown.beta, unknown.alpha) == pytest.approx(
        (eta, 20 * eta, eta, 1e-6)
    )
    continuous = tunings.dex3s_continuous(Problem(10, 10**6, V_T=10))
    eta = 10 ** (1 / 3) / (4 * 10 ** (2 / 3) * 100)
    assert (continuous.eta, continuous.gamma, continuous.beta, continuous.alpha) == pytest.approx(
        (eta, 0.5 * (100 / 1e6) ** (1 / 3), eta, 1e-6)
    )
    borda = tunings.borda_dex3s(Problem(10, 10**6, S=10), delta=0.05)
    eta = (10 * ln10 / (1e6 * math.sqrt(20))) ** (2 / 3)
    beta = 10 ** (1 / 3) * math.sqrt(math.log(400)) / ((2 * eta) ** 0.25 * 10**0.75 * 1e3)
    assert (borda.eta, borda.gamma, borda.beta, borda.alpha) == pytest.approx(
        (eta, (200 * ln10 / 1e6) ** (1 / 3), beta, 1e-7)
    )
    rex3 = tunings.rex3(Problem(10, 10**6))
    gamma = math.sqrt(20 * ln10 / (math.e * 1e6))
    assert (rex3.eta, rex3.gamma, rex3.beta, rex3.alpha) == pytest.approx((gamma / 10, gamma, 0, 0))
    assert tunings.rex3(Problem(10, 5)).gamma == 0.5


def test_corrected_values_by_hand():
    """alpha = 1 / (K T); Borda's recommended tuning of errata 3.5; the floor of eta (U11)."""
    for rule, sizes in ((tunings.dex3s_known, {"S": 10}), (tunings.dex3s_unknown, {})):
        problem = Problem(10, 10**6, **sizes)
        corrected, printed = rule(problem, corrected=True), rule(problem)
        assert corrected.alpha == 1e-7
        assert (corrected.eta, corrected.gamma, corrected.beta) == (
            printed.eta,
            printed.gamma,
            printed.beta,
        )
    still = tunings.dex3s_continuous(Problem(10, 10**6, V_T=0), corrected=True)
    assert still.eta == pytest.approx(1 / math.sqrt(1e7))
    moving = tunings.dex3s_continuous(Problem(10, 10**6, V_T=10), corrected=True)
    assert moving.eta == tunings.dex3s_continuous(Problem(10, 10**6, V_T=10)).eta
    assert moving.alpha == 1e-7
    borda = tunings.borda_dex3s(Problem(10, 10**6, S=10), corrected=True, delta=0.05)
    cost = 9 * math.log(1e7) + math.log(10)
    gamma = (20 * cost / 1e6) ** (1 / 3)
    beta = math.sqrt((10 * math.log(10) + math.log(80)) / (gamma * 1e7))
    assert (borda.gamma, borda.beta, borda.alpha) == pytest.approx((gamma, beta, 1e-7))
    assert borda.eta == pytest.approx((cost / (1e6 * math.sqrt(20))) ** (2 / 3))


# The least T with gamma <= 1/2 at S = V_T = 10, from the closed forms of errata section 4.
CLOSED_FORMS = {
    "static": lambda K: 4 * K * math.log(K),
    "known": lambda K: 16 * K * 10,
    "unknown": lambda K: 16 * K,
    "continuous": lambda K: K * 10,
    "borda": lambda K: 16 * K * 10 * math.log(K),
}


@pytest.mark.parametrize("K", [3, 10, 30, 100])
@pytest.mark.parametrize("name", RULES)
def test_validity_starts_where_the_closed_form_says(name, K):
    rule, sizes = RULES[name]
    least = math.ceil(CLOSED_FORMS[name](K))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rule(Problem(K, least, **sizes)).gamma <= HALF
    with pytest.warns(sparring.TheoremWarning, match=f"It does for T >= {least}$"):
        rule(Problem(K, least - 1, **sizes))


@pytest.mark.parametrize("name", RULES)
def test_every_rule_names_its_theorem_and_condition(name):
    rule, _ = RULES[name]
    assert rule.theorem[0] in "346"
    assert rule.theorem.split(" ")[0] in rule.__doc__
    assert rule.valid in " ".join(rule.__doc__.split())


@hypothesis.given(
    name=st.sampled_from(sorted(RULES)),
    K=st.integers(2, 1000),
    T=st.integers(1, 10**9),
    S=st.integers(1, 1000),
    V_T=st.floats(1e-3, 1000),
    corrected=st.booleans(),
)
def test_a_rule_gives_a_tuning_its_proof_can_use_or_says_which_T_would_do(
    name, K, T, S, V_T, corrected
):
    """Where gamma <= 1/2, eta times any gain estimate is at most 1: what every proof needs."""
    rule, _ = RULES[name]
    options = {} if name == "static" else {"corrected": corrected}
    problem = Problem(K, T, S=min(S, T), V_T=min(V_T, T))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tuning = rule(problem, **options)
        except ValueError as error:
            least = int(str(error).split("T >= ")[1].split(" ")[0])
            assert least > T
            rule(Problem(K, least, S=problem.S, V_T=problem.V_T), **options)
            return
    assert bool(caught) == (tuning.gamma > HALF)
    if name == "borda":
        largest = K * tuning.eta * (1 + tuning.gamma * tuning.beta) / tuning.gamma**2
    else:
        largest = tuning.eta * (1 + tuning.beta) * K / tuning.gamma
    assert largest <= 1 + 1e-9


def test_where_no_T_will_do_the_message_says_so():
    with pytest.raises(ValueError, match=r"no T up to 1e\+18 would do, and no T"):
        tunings.borda_dex3s(Problem(2**31, 10**18, S=10**9))


def test_a_rule_asks_for_the_size_it_needs():
    with pytest.raises(ValueError, match="S must be given: this theorem needs"):
        tunings.dex3s_known(Problem(10, 10**6))
    with pytest.raises(ValueError, match="V_T must be given"):
        tunings.dex3s_continuous(Problem(10, 10**6))


@pytest.mark.parametrize(
    ("learner", "rule"),
    [
        (sparring.dex3p(10, 10**6), tunings.dex3p(Problem(10, 10**6))),
        (sparring.rex3(10, 10**6), tunings.rex3(Problem(10, 10**6))),
        (sparring.dex3s(10, 10**6), tunings.dex3s_unknown(Problem(10, 10**6))),
        (sparring.dex3s(10, 10**6, S=4), tunings.dex3s_known(Problem(10, 10**6, 4))),
        (
            sparring.dex3s(10, 10**6, V_T=4, corrected=True),
            tunings.dex3s_continuous(Problem(10, 10**6, V_T=4), corrected=True),
        ),
        (
            sparring.borda_dex3s(10, 10**6, 4, delta=0.1),
            tunings.borda_dex3s(Problem(10, 10**6, 4), delta=0.1),
        ),
        (sparring.rand(10), tunings.rand()),
    ],
)
def test_learners_take_their_theorems_tuning(learner, rule):
    assert learner.tuning == rule


@pytest.mark.parametrize("name", ["rex3", "dex3p", "dex3s", "borda_dex3s", "sym_exp3s", "d_exp3"])
def test_a_learner_takes_a_rule_wherever_it_takes_a_tuning(name):
    """It is told the problem, S included; what the theorem's own rule takes is then no use."""
    asked = []

    def rule(problem):
        asked.append(problem)
        return sparring.Tuning(0.01, 0.2)

    make = sparring.LEARNERS[name]
    sizes = {"S": 3} if name in ("dex3s", "borda_dex3s", "sym_exp3s") else {}
    assert make(5, 1000, **sizes, tuning=rule, seed=1).tuning == sparring.Tuning(0.01, 0.2)
    assert asked == [sparring.Problem(5, 1000, **sizes)]
    with pytest.raises(ValueError, match="T must be given"):
        make(5, tuning=rule)
    with pytest.raises(ValueError, match=r"tuning must be a sparring\.Tuning; got 0\.1"):
        make(5, 1000, tuning=lambda problem: 0.1)
    if name in ("dex3s", "borda_dex3s"):
        with pytest.raises(ValueError, match="give tuning or corrected, not both"):
            make(5, 1000, S=3, corrected=True, tuning=rule)
