"""Lower bounds: equal to the errata and the worlds, and never above an upper bound."""

import math

import pytest

import sparring
from bound_twins import CLOSE, DRIFTING, SENSES, SWITCHING
from sparring import bounds, tunings

pytestmark = pytest.mark.compiled

ln, sqrt = math.log, math.sqrt


def lower_twin(family, K, T, D, V_T=None):
    """Errata 3.6: T eps (rho - b eps) with segments of D rounds, and eps."""
    if family == "simple":
        rho, b = (K - 1) / K, sqrt(8 * ln(4 / 3) * D / K)
    else:
        rho, b = (K - 2) / (K - 1), sqrt(4 * ln(3) * D / (K - 1))
    eps = min(0.25, rho / (2 * b))
    changes = math.ceil(T / D) - 1
    if V_T is not None and changes:
        eps = min(eps, V_T / (2 * changes))
    return T * eps * (rho - b * eps), eps


@pytest.mark.parametrize("family", ["simple", "paper"])
def test_lower_bounds_equal_the_errata_and_the_worlds(family):
    for K in (2, 3, 10, 100):
        if family == "paper" and K == 2:
            continue
        for T in (1, 7, 1000, 4999, 10**6):
            for S in {1, min(10, T), min(300, T)}:
                found = bounds.lower_switching(K, T, S, family=family)
                value, eps = lower_twin(family, K, T, math.ceil(T / S))
                assert (found.value, found.epsilon) == pytest.approx((value, eps), **CLOSE)
                assert (found.length, found.segments) == (math.ceil(T / S), S)
                world = sparring.CondorcetSwitches(K, T, S=S, family=family)
                assert (world.lower_bound, world.margin) == (found.value, found.epsilon)
                assert world.segments == found.segments
    for K in (3, 10):
        for T in (1, 7, 1000, 4999):
            for V_T in {0.0, 0.3, 1.0, min(40.0, T)}:
                found = bounds.lower_continuous(K, T, V_T, family=family)
                most = max(lower_twin(family, K, T, D, V_T)[0] for D in range(1, T + 1))
                assert found.value == pytest.approx(most, **CLOSE)
                assert 2 * found.epsilon * (found.segments - 1) <= V_T * (1 + 1e-12)
                assert found.length == math.ceil(T / found.segments)
                world = sparring.CondorcetSwitches(K, T, V_T=V_T, family=family)
                assert (world.lower_bound, world.margin) == (found.value, found.epsilon)
                assert world.segments == found.segments


def test_lower_bounds_of_the_errata_table():
    """Errata section 5, last rows, and the asymptotics of 3.6."""
    T = [10**4, 10**5, 10**6, 10**7]
    assert bounds.lower_switching(10, T, 10).value == pytest.approx([133, 422, 1335, 4221], abs=0.5)
    assert bounds.lower_continuous(10, T, 10).value == pytest.approx(
        [355, 1646, 7632, 35408], abs=0.5
    )
    a = 8 / 9
    paper = bounds.lower_switching(10, 10**6, 10, family="paper").value
    assert paper == pytest.approx(0.1193 * a**2 * sqrt(10 * 9 * 1e6), rel=1e-3)
    simple = bounds.lower_switching(10, 10**6, 10).value
    assert simple == pytest.approx(0.1648 * 0.9**2 * sqrt(10 * 10 * 1e6), rel=1e-3)


def test_without_variation_the_lower_bound_is_the_static_one():
    for family in ("simple", "paper"):
        still = bounds.lower_continuous(10, 10**6, 0.0, family=family)
        static = bounds.lower_switching(10, 10**6, 1, family=family)
        assert still[:4] == static[:4]
        assert still.value > 0
        assert still.printed == (0.0, 0.0, 1e6, 0.0, False)  # it divides by V_T


def test_printed_lower_bounds():
    """Errata E7: the printed epsilon gives -3.26 sqrt(S (K - 1) T). E9: more than epsilon T."""
    printed = bounds.lower_switching(10, 10**6, 10).printed
    root = sqrt(10 * 9 * 1e6)
    assert printed.value == pytest.approx((1 / 4 - 2) / sqrt(ln(4 / 3)) * root, **CLOSE)
    assert printed.value == pytest.approx(-3.26 * root, rel=1e-2)
    assert printed.epsilon == pytest.approx(0.5 * sqrt(90 / (1e6 * ln(4 / 3))), **CLOSE)
    assert printed.length == 10**5
    assert not printed.refuted  # a negative bound is true, and useless
    for K in (2, 10):  # only with two arms is it the second of the two that epsilon is the least of
        T, V_T = 10**6, 10.0
        printed = bounds.lower_continuous(K, T, V_T).printed
        length = (T / V_T) ** (2 / 3) / K ** (5 / 3)
        epsilon = min(V_T / 2 / math.ceil(T / length), 1 / 16 / sqrt(length * K * ln(4 / 3)))
        assert printed.length == pytest.approx(length, **CLOSE)
        assert printed.epsilon == pytest.approx(epsilon, **CLOSE)
        assert printed.value == pytest.approx(T / 64 / sqrt(length * K * ln(4 / 3)), **CLOSE)
        # What always playing one candidate against itself loses, unless it is the winner.
        assert printed.reached == pytest.approx(epsilon * T * (K - 2) / (K - 1), **CLOSE)
        assert printed.refuted is (K == 10)  # with two arms the theorem does not speak
    for K in range(3, 40):
        assert bounds.lower_continuous(K, 10**6, 10.0).printed.refuted
    assert bounds.lower_continuous(10, 10**4, 100.0).printed.length == pytest.approx(0.46, abs=5e-3)


def test_no_lower_bound_is_above_an_upper_bound():
    """The mean to the winners, which are fixed in advance and dominate, in every sense above it."""
    below = []
    for K in (2, 3, 10, 100):
        for T in (10, 10**3, 10**5, 10**7, 10**9):
            for S in (1, 2, 10, 100):
                if S > T:
                    continue
                lower = bounds.lower_switching(K, T, S).value
                if K > 2:
                    lower = max(lower, bounds.lower_switching(K, T, S, family="paper").value)
                rules = [None, tunings.best]
                uppers = [f(K, T, S, tuning=rule) for f in SWITCHING for rule in rules]
                uppers += [f(K, T, S, corrected=True) for f in SWITCHING]
                if S == 1:
                    uppers.append(bounds.dex3p(K, T))
                below += [(lower, upper) for upper in uppers]
            for V_T in (1e-3, 1.0, 9.0):
                lower = bounds.lower_continuous(K, T, V_T).value
                uppers = [f(K, T, V_T, corrected=True) for f in DRIFTING]
                uppers += [bounds.dex3s_continuous(K, T, V_T)]
                below += [(lower, upper) for upper in uppers]
    for lower, upper in below:
        assert 0 < lower <= min(getattr(upper, sense).value for sense in SENSES)
