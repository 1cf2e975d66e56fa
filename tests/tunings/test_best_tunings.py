"""best: no tuning has a smaller bound, whether a theorem's, a neighbour's or a far one's."""

import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sparring
from sparring import Problem, Tuning, bounds, tunings

pytestmark = pytest.mark.compiled

e, inf, ln, sqrt = math.e, math.inf, math.log, math.sqrt
DELTAS = (1e-6, 0.05, 1 / e)
GAINS = ("preference", "borda", "relative")
ROUNDING = 1 + 1e-9
FOUND = {  # by (gain, whether S is known)
    ("preference", True): bounds.dex3s_known,
    ("preference", False): bounds.dex3s_continuous,
    ("borda", True): bounds.borda_dex3s,
    ("borda", False): bounds.borda_dex3s_continuous,
}
SENSE = {"preference": "probable", "borda": "probable", "relative": "mean_fixed"}
RULES = {
    ("preference", True): (tunings.dex3s_known, tunings.dex3s_unknown),
    ("preference", False): (tunings.dex3s_continuous,),
    ("borda", True): (tunings.borda_dex3s,),
    ("borda", False): (),
    ("relative", True): (tunings.sym_exp3s_known, tunings.sym_exp3s_unknown),
    ("relative", False): (tunings.sym_exp3s_continuous,),
}


def found(problem, tuning, delta, gain):
    if gain == "relative":
        sizes = {"S": problem.S, "V_T": problem.V_T}
        return bounds.sym_exp3s(problem.K, problem.T, **sizes, tuning=tuning)
    function = FOUND[gain, problem.S is not None]
    size = problem.V_T if problem.S is None else problem.S
    return function(problem.K, problem.T, size, tuning=tuning, delta=delta)


def raw(problem, tuning, delta, gain):
    return getattr(found(problem, tuning, delta, gain), SENSE[gain]).raw


def near_and_far(problem, best, gain, count, seed):
    """Tunings that meet the conditions, from a hair beside the best to a thousand times off it."""
    rng, K = np.random.default_rng(seed), problem.K
    for _ in range(count):
        scale = 10 ** rng.uniform(-5, 0.5)
        eta, beta, gamma, alpha = np.exp(scale * rng.standard_normal(4)) * (
            best.eta,
            best.beta,
            best.gamma,
            best.alpha or 1 / (K * problem.T),
        )
        beta, alpha = min(beta, 1.0), min(alpha, 1.0)
        if rng.random() < 0.3:
            alpha = best.alpha
        if gain == "borda":
            gamma = min(gamma, 1 - 1e-7)
        elif rng.random() < 0.2:  # the least mixing of the first edition, or a little more
            gamma = (1 + beta) * eta * K * rng.choice([1.0, 1 + scale])
        if gamma < 1:
            yield Tuning(eta, gamma, 0.0 if gain == "relative" else beta, alpha)


def theorems(problem, delta, gain):
    """The tunings that theorems give for the problem, printed and corrected."""
    for rule in RULES[gain, problem.S is not None]:
        for corrected in (False, True) if gain != "relative" else (None,):
            options = {"delta": delta} if gain == "borda" else {}
            options |= {} if corrected is None else {"corrected": corrected}
            try:
                yield rule(problem, **options)
            except ValueError:  # too small a T, or no variation
                continue
    if problem.S == 1 and gain == "preference" and problem.K * ln(problem.K) < problem.T:
        yield tunings.dex3p(problem)


def problems(gain):
    for K in (2, 3, 10, 100):
        for T in (10**2, 10**4, 10**6, 10**9):
            for S in (1, 2, 10, 100):
                yield Problem(K, T, S=S)
    if gain == "borda":  # whose search takes half a second
        yield from (Problem(10, 10**4, V_T=1.0), Problem(3, 10**9, V_T=100.0))
        return
    for K, T in ((2, 10**2), (10, 10**4), (100, 10**6), (3, 10**9)):
        for V_T in (0.0, 1e-3, 1.0, 10.0, 100.0):
            yield Problem(K, T, V_T=V_T)


@pytest.mark.filterwarnings("ignore::sparring.TheoremWarning")
@pytest.mark.parametrize("gain", GAINS)
def test_no_other_tuning_has_a_smaller_bound(gain):
    """With S; the others are the theorems' and 200 random ones, of which some are very near.

    Borda scores may want a gamma of 1, which the search approaches to a ten-millionth.
    """
    for number, problem in enumerate(it for it in problems(gain) if it.S is not None):
        delta = DELTAS[number % 3]
        best = tunings.best(problem, delta, gain=gain)
        least = raw(problem, best, delta, gain)
        rounding = 1 + 1e-6 if best.gamma > 0.999 else ROUNDING
        assert least < inf
        assert found(problem, best, delta, gain).unmet == ""
        for other in theorems(problem, delta, gain):
            assert least <= raw(problem, other, delta, gain) * ROUNDING, (problem, delta, other)
        count = 200 if number % 8 == 0 else 40
        for other in near_and_far(problem, best, gain, count, number):
            assert least <= raw(problem, other, delta, gain) * rounding, (problem, delta, other)


@pytest.mark.filterwarnings("ignore::sparring.TheoremWarning")
@pytest.mark.parametrize("gain", GAINS)
def test_no_other_tuning_has_a_smaller_bound_under_a_variation(gain):
    """To a thousandth: the number of blocks is whole and their best length is searched for."""
    for number, problem in enumerate(it for it in problems(gain) if it.S is None):
        delta = DELTAS[number % 3]
        best = tunings.best(problem, delta, gain=gain)
        least = raw(problem, best, delta, gain)
        assert least < inf
        assert found(problem, best, delta, gain).unmet == ""
        others = [
            *theorems(problem, delta, gain),
            *near_and_far(problem, best, gain, 60, number),
        ]
        for other in others:
            assert least <= raw(problem, other, delta, gain) * (1 + 1e-3), (problem, delta, other)


@pytest.mark.parametrize(
    ("K", "T", "V_T", "delta"),
    [
        (30, 10**6, 0.1, 0.05),
        (10, 10**4, 1.0, 0.05),
        (10, 10**5, 1.0, 1e-6),
        (3, 1000, 10.0, 0.05),
        (2, 10**6, 1.0, 0.05),
        (10, 10**9, 1e-3, 0.05),
    ],
)
def test_the_best_number_of_blocks_is_found(K, T, V_T, delta):
    """Under a variation no best tuning for some number of segments has a smaller bound."""
    problem = Problem(K, T, V_T=V_T)
    least = raw(problem, tunings.best(problem, delta), delta, "preference")
    segments = {*range(1, 20), *np.geomspace(1, T, 30).astype(int).tolist()}
    for S in segments:
        other = tunings.best(Problem(K, T, S=S), delta)
        assert least <= raw(problem, other, delta, "preference") * (1 + 1e-3), S


@pytest.mark.parametrize("gain", GAINS)
def test_without_variation_it_is_the_tuning_for_one_segment(gain):
    for K, T in ((2, 1), (10, 10**6)) if gain == "preference" else ((10, 10**6),):
        still = tunings.best(Problem(K, T, V_T=0.0), gain=gain)
        static = tunings.best(Problem(K, T, S=1), gain=gain)
        assert still == static
        assert still.alpha == 0


@hypothesis.settings(max_examples=40, deadline=None)
@hypothesis.given(
    K=st.integers(2, 2**31),
    T=st.integers(1, 10**18),
    share=st.floats(0, 1),
    log_delta=st.floats(-300, 0),
    gain=st.sampled_from(GAINS),
)
@hypothesis.example(K=2, T=1, share=0, log_delta=0, gain="preference")
@hypothesis.example(K=2, T=1, share=0, log_delta=-300, gain="borda")
@hypothesis.example(K=2**31, T=10**18, share=1, log_delta=-1, gain="preference")
@hypothesis.example(K=2**31, T=10**18, share=1, log_delta=-1, gain="borda")
@hypothesis.example(K=2**31, T=1, share=1, log_delta=-1, gain="preference")
def test_what_a_best_tuning_is_like(K, T, share, log_delta, gain):
    """It meets the conditions, the share is that of S, and it is the same again."""
    S = min(max(int(T**share), 1), T)
    problem, delta = Problem(K, T, S=S), 10**log_delta
    best = tunings.best(problem, delta, gain=gain)
    assert best == tunings.best(Problem(K, T, S=S), delta, gain=gain)
    assert best.alpha == pytest.approx((S - 1) / (e * K * T), rel=1e-15)
    assert best.eta > 0
    assert 0 < best.beta <= 1 if gain != "relative" else best.beta == 0
    assert 0 < best.gamma < 1
    exponent = {
        "preference": (1 + best.beta) * best.eta * K / best.gamma,
        "borda": best.eta * K * (1 + best.gamma * best.beta) / best.gamma**2,
        "relative": best.eta * K / (2 * best.gamma),
    }[gain]
    if gain != "borda":
        assert 1e-3 < exponent < 4  # within what is searched, so no end of it is the least
    assert 0 < exponent < 50
    bounded = found(problem, best, delta, gain)
    assert bounded.unmet == ""
    assert getattr(bounded, SENSE[gain]).raw < inf


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("V_T", [0.0, 1.0, 1e18])
def test_extremes_of_variation(V_T, gain):
    for K, T in ((2, 1), (2**31, 10**18)):
        if gain == "borda" and T > 1 and V_T != 1.0:
            continue  # one of the slow ones is enough
        problem = Problem(K, T, V_T=min(V_T, T))
        best = tunings.best(problem, gain=gain)
        assert found(problem, best, 0.05, gain).unmet == ""
        assert raw(problem, best, 0.05, gain) < inf


@pytest.mark.parametrize("gain", GAINS)
def test_the_bound_is_convex_in_logarithms(gain, rng):
    """Between two tunings in the logarithms of (zeta, eta or gamma, beta): never above the mean.

    At the best share, whose cost has no negative term. So turns and golden sections end at the
    least there is.
    """

    def tuning(K, alpha, zeta, number, beta):
        if gain == "borda":
            return Tuning(zeta * number**2 / (K * (1 + number * beta)), number, beta, alpha)
        if gain == "relative":
            return Tuning(number, min(number * K / (2 * zeta), 1.0), 0.0, alpha)
        return Tuning(number, min((1 + beta) * number * K / zeta, 1.0), beta, alpha)

    compared = 0
    for _ in range(3000):
        K, T = int(rng.choice([2, 10, 100])), int(10 ** rng.uniform(1, 9))
        S = int(rng.choice([1, 2, min(T, 50)]))
        problem, alpha = Problem(K, T, S=S), (S - 1) / (e * K * T)
        scale = [1.0, 0.3 if gain == "borda" else sqrt(S / (K * T)), min(0.4, sqrt(S / (K * T)))]
        ends = np.log(scale) + rng.normal(0, [0.8, 1.0, 1.0], (2, 3))
        ends[:, 2] = np.minimum(ends[:, 2], 0)
        if gain == "borda":
            ends[:, 1] = np.minimum(ends[:, 1], -1e-3)
        low, high, middle = (
            raw(problem, tuning(K, alpha, *np.exp(point)), 0.05, gain)
            for point in (*ends, ends.mean(axis=0))
        )
        if max(low, high) < inf:
            assert middle <= (low + high) / 2 * (1 + 1e-12)
            compared += 1
    assert compared > 1000


def test_the_best_tuning_for_cuts_in_hindsight():
    """No other tuning has a smaller bound in that sense, and for one segment it is the same."""
    for gain, K, T, S in (("preference", 10, 10**6, 10), ("borda", 3, 10**7, 4)):
        problem = Problem(K, T, S=S)
        best = tunings.best(problem, gain=gain, hindsight_cuts=True)
        least = found(problem, best, 0.05, gain).hindsight_cuts.raw
        assert (
            least < found(problem, tunings.best(problem, gain=gain), 0.05, gain).hindsight_cuts.raw
        )
        for other in near_and_far(problem, best, gain, 200, 3):
            assert least <= found(problem, other, 0.05, gain).hindsight_cuts.raw * ROUNDING
        one = Problem(K, T, S=1)
        assert tunings.best(one, gain=gain, hindsight_cuts=True) == tunings.best(one, gain=gain)


def test_at_1_it_is_best_for_the_mean_to_the_best_comparator():
    problem = Problem(10, 10**6, S=10)
    best = tunings.best(problem, 1)
    bounded = found(problem, best, 1, "preference")
    assert bounded.mean.raw == pytest.approx(bounded.probable.raw, rel=1e-12)
    for other in near_and_far(problem, best, "preference", 100, 1):
        least = found(problem, other, 0.05, "preference").mean.raw
        assert bounded.mean.raw <= least * ROUNDING


@pytest.mark.parametrize("gain", GAINS)
def test_a_harder_problem_has_no_smaller_least_bound(gain):
    for K, T in ((3, 10**4), (10, 10**8)):
        several = [
            raw(Problem(K, T, S=S), tunings.best(Problem(K, T, S=S), gain=gain), 0.05, gain)
            for S in (1, 2, 3, 10, 100)
        ]
        assert several == sorted(several)
        surer = [
            raw(Problem(K, T, S=2), tunings.best(Problem(K, T, S=2), d, gain=gain), d, gain)
            for d in (1, 0.5, 0.05, 1e-6, 1e-300)
        ]
        assert surer == sorted(surer)


def test_learners_take_the_best_tuning():
    switching, static = Problem(10, 10**6, S=10), Problem(10, 10**6, S=1)
    tuning = tunings.best(switching)
    assert sparring.dex3s(10, tuning=tuning).tuning == tuning
    assert sparring.dex3p(10, tuning=tunings.best(static)).tuning == tunings.best(static)
    tuning = tunings.best(switching, gain="borda")
    assert sparring.borda_dex3s(10, tuning=tuning).tuning == tuning
    learner = sparring.dex3s(10, tuning=tunings.best(Problem(10, 10**6, V_T=1.0)), seed=1)
    duel = learner.ask()
    learner.tell(duel, 1)


@pytest.mark.parametrize(
    ("problem", "options", "message"),
    [
        (10, {}, r"problem must be a sparring\.Problem; got 10\. Make one with"),
        (Problem(10, 1000), {}, "give S or V_T, not both.*got S=None, V_T=None"),
        (Problem(10, 1000, S=2, V_T=1), {}, "give S or V_T, not both.*got S=2, V_T=1"),
        (Problem(10, 1000, S=2), {"delta": 0}, r"delta must be a number in \[1e-300, 1\]; got 0"),
        (Problem(10, 1000, S=2), {"delta": 2}, "delta must be a number in"),
        (Problem(10, 1000, S=2), {"delta": math.nan}, "delta must be a number in"),
        (Problem(10, 1000, S=2), {"delta": None}, "delta must be a number in"),
        (Problem(10, 1000, S=2), {"gain": "x"}, "gain must be one of 'preference', 'borda', "),
        (Problem(10, 1000, S=2), {"hindsight_cuts": 1}, "hindsight_cuts must be True or False"),
        (Problem(10, 1000, S=2), {"gain": None}, "gain must be one of 'preference', 'borda'"),
        (Problem(10, 1000, S=2), {"gain": ["borda"]}, "gain must be one of"),
    ],
)
def test_bad_input_is_refused_by_name(problem, options, message):
    with pytest.raises(ValueError, match=message):
        tunings.best(problem, **options)
