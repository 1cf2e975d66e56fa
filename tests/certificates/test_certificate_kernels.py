"""The certificate's kernel: psi to the last bits, sums by hand, and the one-step facts, exactly."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from sparring._jit import kernel
from sparring.certificates import _estimates as kernels
from worlds import random_matrices

# Rates up to 8, as beta is at most 1; probabilities down to what a learner may give an arm.
RATES = (1e-10, 1e-6, 1e-3, 0.1, 0.5, 2.0, 8.0)
CHANCES = (1.0, 0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-12, 1e-50)


@kernel
def excess(x):
    return kernels.excess(x)


@kernel
def psi(rate, p):
    return kernels.psi(rate, p)


def exact_excess(x):
    """e^x - 1 - x, with sixty digits left after cancelling."""
    with decimal.localcontext(prec=100, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        return Decimal(x).exp() - 1 - Decimal(x)


def exact_psi(rate, p):
    """min(p (e^x - 1 - x), rate/2 + x), x = rate / (2 p); e^x beyond reason is the larger."""
    with decimal.localcontext(prec=100, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        x = Decimal(rate) / (2 * Decimal(p))
        surely = Decimal(rate) / 2 + x
        if x > 10_000:
            return surely
        return min(Decimal(p) * (x.exp() - 1 - x), surely)


def relative(value, exact):
    return abs(float((Decimal(float(value)) - exact) / exact))


class Sums(NamedTuple):
    """What the kernel adds to, in its order."""

    estimate: np.ndarray
    variance: np.ndarray
    wins: np.ndarray
    inverse: np.ndarray
    charges: np.ndarray
    coupling: np.ndarray


def zeros(G, K):
    return Sums(*np.zeros((4, K)), np.zeros((G, K)), np.zeros(kernels.COUPLING))


def add(rows, cols, outcomes, p, rates):
    """The sums after these duels."""
    p = np.array(p, np.float64)
    sums = zeros(len(rates), p.shape[2])
    arms = (np.array(rows, np.int64), np.array(cols, np.int64))
    with np.errstate(divide="ignore"):  # compiled, it needs no leave to divide by 0
        differ = np.zeros(len(p), np.bool_)
        kernels.add(*arms, np.array(outcomes, np.float64), p, differ, np.array(rates), *sums)
    return sums


def test_the_excess_is_exact_to_the_last_bits():
    """From 1e-12, where e^x - 1 - x has no digit left, over the seam at 1/2, to 700."""
    edges = (np.nextafter(0.5, 0), 0.5, np.nextafter(0.5, 1), 40.0, 1.0)
    for x in (*np.geomspace(1e-12, 700, 150).tolist(), *edges):
        assert relative(excess(x), exact_excess(x)) < 3e-15, x
    assert excess(0.0) == 0.0


def test_psi_is_what_the_formula_says():
    """x = rate / (2 p) from 5e-11 to 4e50, so both branches, and the two sides of their seam."""
    for rate in RATES:
        for p in CHANCES:
            # x carries an error of half a bit, which e^x multiplies by x <= 40.
            assert relative(psi(rate, p), exact_psi(rate, p)) < 2e-14, (rate, p)


def test_psi_takes_the_sure_branch_where_that_is_less():
    assert psi(8.0, 0.5) == 8.0 / 2 + 8.0  # 0.5 (e^8 - 9) is above a thousand
    assert psi(1.0, 1e-9) == 0.5 + 0.5 / 1e-9
    assert psi(1.0, 1.0) == pytest.approx(math.exp(0.5) - 1.5, rel=1e-14)
    with np.errstate(divide="ignore"):
        assert psi(np.float64(0.1), np.float64(0.0)) == math.inf


@pytest.mark.parametrize("p", CHANCES)
def test_psi_rises_with_the_rate_and_falls_with_p(p):
    found = [psi(rate, p) for rate in np.geomspace(1e-12, 8, 200)]
    assert (np.diff(found) > 0).all()
    assert all(psi(rate, p) >= psi(rate, min(1.0, 1.5 * p)) for rate in RATES)


def test_psi_over_the_rate_is_about_beta_over_p():
    """With rate 8 beta, as beta goes to 0: the bias of the paper's estimate."""
    for p in (1.0, 0.3, 0.01):
        assert psi(8e-9, p) / 8e-9 == pytest.approx(1e-9 / p, rel=1e-6)


def log_mean(exponents, chances):
    """ln E e^exponent, without leaving the doubles."""
    terms = [e + math.log(c) for e, c in zip(exponents, chances, strict=True) if c > 0]
    return max(terms) + math.log(math.fsum(math.exp(term - max(terms)) for term in terms))


def test_one_player_s_error_is_within_psi():
    """ln E exp(rate (P - 1/2 - y)) <= psi(rate, p), whatever P; and two thirds of psi are too few.

    y is (o - 1/2)/p if the arm is drawn and 0 if not; the outcome o is a coin, 1 with chance P.
    """
    closest = -math.inf
    for rate in RATES:
        for p in (1.0, 0.9, 0.5, 0.1, 1e-3, 1e-6):
            allowed = psi(rate, p)
            for P in (0.0, 0.1, 0.5, 0.9, 1.0):
                x, centred = rate / (2 * p), rate * (P - 0.5)
                exponents = (centred, centred - x, centred + x)
                found = log_mean(exponents, (1 - p, p * P, p * (1 - P)))
                assert found <= allowed + 1e-15 * max(1.0, x), (rate, p, P)
                if allowed > 1e-3:
                    closest = max(closest, found / allowed)
    assert 2 / 3 < closest <= 1


def every_duel(P, p):
    """Each duel that may happen, with its chance; a coin settles each, also self-duels."""
    K = len(P)
    for a in range(K):
        for b in range(K):
            for o in (0.0, 1.0):
                yield a, b, o, p[0][a] * p[-1][b] * (P[a][b] if o else 1 - P[a][b])


@pytest.mark.parametrize("players", [1, 2])
def test_one_step_of_the_certificate_is_a_supermartingale(players, rng):
    """By enumeration of a duel. With r the regret of the round, e its estimate, c the charges:

    E exp(2 rate (r - e) - 2 c) <= 1 for rates up to 1/2, E exp(rate (r - e) - c) <= 1 for all.
    And E exp(wealth) = 1 for each bet, E e = E r, E wins = E (P(j, a) + P(j, b)) / 2, and
    E (r - e)^2 <= variance / 16. All but two fifths of the charges, and of the variance, are needed
    somewhere.
    """
    rates, K = (0.01, 0.1, 0.5, 8.0), 3
    needed, spread = 0.0, 0.0
    for extreme in (True, False) * 20:
        P = random_matrices(1, K, rng, extreme)[0].tolist()
        p = rng.dirichlet(np.full(K, 0.4), players)
        p = ((p + 1e-3) / (1 + K * 1e-3)).tolist()
        chances, found = [], []
        regrets, scores = [], []
        for a, b, o, chance in every_duel(P, p):
            chances.append(chance)
            found.append(add([a], [b], [o], [p], rates))
            scores.append([(P[j][a] + P[j][b]) / 2 for j in range(K)])
            regrets.append([score - 0.5 for score in scores[-1]])
        for j in range(K):
            gaps = [r[j] - sums.estimate[j] for r, sums in zip(regrets, found, strict=True)]
            assert abs(math.fsum(np.multiply(chances, gaps))) < 1e-11
            wins = [sums.wins[j] - s[j] for s, sums in zip(scores, found, strict=True)]
            assert abs(math.fsum(np.multiply(chances, wins))) < 1e-11
            square = math.fsum(np.multiply(chances, np.square(gaps)))
            assert square <= found[0].variance[j] / 16 * (1 + 1e-12)
            spread = max(spread, square / (found[0].variance[j] / 16))
            for g, rate in enumerate(rates):
                times = 2 if rate <= 0.5 else 1
                charge = times * found[0].charges[g, j]
                found_log = log_mean([times * rate * gap for gap in gaps], chances)
                assert found_log <= charge + 1e-12
                needed = max(needed, found_log / charge)
        for bet in range(kernels.BETS, kernels.COUPLING):
            assert abs(log_mean([sums.coupling[bet] for sums in found], chances)) < 1e-12
    assert needed > 0.6
    assert spread > 0.6


def test_the_sums_of_two_duels_by_hand():
    """Two players, K = 2; all numbers are dyadic, so sums are exact."""
    p = [[[0.25, 0.75], [0.5, 0.5]], [[0.5, 0.5], [0.125, 0.875]]]
    estimate, variance, wins, inverse, charges, coupling = add([0, 1], [1, 1], [1, 1], p, [0.25])
    # Duel 1: arm 0 won at p = 1/4, arm 1 lost at 1/2. Duel 2: arm 1 with itself, so a tie.
    assert estimate.tolist() == [1.0, -0.5]
    assert variance[0] == (0.5 / 0.25 + 0.75 / 0.5) + (0.875 / 0.5 + 0.5 / 0.125)
    assert wins.tolist() == [2.0, 0.5 + float(Fraction(1, 4) / Fraction(7, 8))]
    third = float(Fraction(4, 3)) + 2.0
    assert inverse.tolist() == [6.0 + 10.0, third + (2.0 + float(Fraction(8, 7)))]
    for k in (0, 1):
        expected = math.fsum(psi(0.25, duel[player][k]) / 2 for duel in p for player in (0, 1))
        assert charges[0, k] == pytest.approx(expected, rel=1e-15)
    # Equal arms had chances 1/8 + 3/8 and 1/16 + 7/16, and came in the second duel only.
    # So whoever believes in a share s wins s / (1/2 + s/2), and then 1 / (1/2 + s/2).
    equal = kernels.EQUAL, kernels.EXPECTED
    assert [coupling[name] for name in equal] == [1, 1]
    after_one, after_two = 0.0, 0.0
    for bet, (share, stake) in enumerate(zip(kernels.SHARES, kernels.STAKES, strict=True)):
        first, second = share / (0.5 + share / 2), 1 / (0.5 + share / 2)
        wealth = coupling[kernels.BETS + bet]
        assert wealth == pytest.approx(math.log(first) + math.log(second), abs=1e-12)
        after_one, after_two = after_one + stake * first, after_two + stake * first * second
    assert math.fsum(kernels.STAKES) == pytest.approx(1, rel=1e-15)
    highest = math.log(max(1, after_one, after_two))  # at any moment, not at the last
    assert coupling[kernels.HIGHEST] == pytest.approx(highest, abs=1e-12)


def test_one_player_is_two_that_are_alike(rng):
    """The same sums, whether its distribution is logged once or twice."""
    K, n = 3, 8
    p = rng.dirichlet(np.ones(K), (n, 1))
    duels = rng.integers(K, size=n), rng.integers(K, size=n), rng.integers(3, size=n) / 2
    once, twice = (add(*duels, np.repeat(p, players, 1), [0.01, 4.0]) for players in (1, 2))
    for one, two in zip(once, twice, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-13)


def test_no_duel_changes_nothing():
    assert not any(part.any() for part in add([], [], [], np.empty((0, 2, 2)), [0.1]))


def test_an_arm_that_cannot_be_drawn_has_infinite_charges_and_a_finite_estimate():
    """And no other arm is touched by it."""
    p = [[[0.0, 0.5, 0.5]]]
    estimate, variance, wins, inverse, charges, coupling = add([1], [2], [1], p, [0.1, 8.0])
    assert estimate.tolist() == [0.0, 0.5, -0.5]
    assert variance.tolist() == [math.inf, 2.0, 2.0]
    assert wins.tolist() == [0.0, 1.0, 0.0]
    assert inverse.tolist() == [math.inf, 4.0, 4.0]
    assert np.isinf(charges[:, 0]).all() and np.isfinite(charges[:, 1:]).all()
    assert np.isfinite(coupling).all()


FINE = {"row": 0, "col": 1, "outcome": 1.0, "p": [[0.5, 0.5], [0.25, 0.75]]}


def possible(duel, tolerance=1e-6):
    arms = (np.array([duel[name]], np.int64) for name in ("row", "col"))
    rest = np.array([duel["outcome"]]), np.array([duel["p"]])
    return kernels.possible(*arms, *rest, 1e-300, tolerance)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"outcome": 0.0},
        {"outcome": 0.5},
        {"p": [[0.5, 0.5]]},
        {"p": [[1.0, 0.0], [0.0, 1.0]]},
        {"p": [[0.5, 0.5000009], [0.2499991, 0.75]]},
    ],
    ids=str,
)
def test_what_can_happen_is_possible(change):
    assert possible({**FINE, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"row": -1},
        {"row": 2},
        {"col": -1},
        {"col": 2},
        {"outcome": 1.1},
        {"outcome": -0.1},
        {"outcome": math.nan},
        {"p": [[0.0, 1.0], [0.25, 0.75]]},
        {"p": [[0.5, 0.5], [1.0, 0.0]]},
        {"p": [[0.0, 1.0]]},
        {"p": [[1.0, 0.0]]},
        {"p": [[0.5, 0.5], [0.25, 0.750002]]},
        {"p": [[0.499998, 0.5], [0.25, 0.75]]},
        {"p": [[1.5, -0.5], [0.25, 0.75]]},
        {"p": [[0.5, math.nan], [0.25, 0.75]]},
        {"p": [[0.5, 0.5], [0.25, math.inf]]},
    ],
    ids=str,
)
def test_what_cannot_happen_is_not(change):
    assert not possible({**FINE, **change})


def test_one_impossible_duel_among_many_is_found():
    rows, cols, outcomes = np.zeros(5, np.int64), np.ones(5, np.int64), np.ones(5)
    p = np.full((5, 2, 2), 0.5)
    assert kernels.possible(rows, cols, outcomes, p, 1e-300, 1e-6)
    assert kernels.possible(rows[:0], cols[:0], outcomes[:0], p[:0], 1e-300, 1e-6)
    for t in range(5):
        broken = p.copy()
        broken[t, 1] = 0.4
        assert not kernels.possible(rows, cols, outcomes, broken, 1e-300, 1e-6)


def test_a_duel_whose_arms_differ_by_hand():
    """p = (1/2, 1/4, 1/4): D = 5/8; the row arm 0 beats arm 1. An arm without a chance is open."""
    rates, p = np.array([0.25]), np.array([[[0.5, 0.25, 0.25]], [[0.5, 0.5, 0.0]]])
    sums = zeros(1, 3)
    arms = np.array([0, 1]), np.array([1, 0])
    outcomes, differ = np.array([1.0, 0.5]), np.ones(2, np.bool_)
    with np.errstate(divide="ignore"):
        kernels.add(*(part[:1] for part in (*arms, outcomes, p, differ)), rates, *sums)
        assert sums.estimate.tolist() == [3 / 8, -1 / 2, 0.0]
        v = [0.45, 0.2125, 0.2125]  # 2 p / D times the others' p (1 - p)^2, of 1/8, 9/64 and 9/64
        np.testing.assert_allclose(sums.variance, [v[0] * 4, v[1] * 16, v[2] * 16], rtol=1e-14)
        charges = [0.5 * v[k] * float(exact_excess(x)) for k, x in enumerate((0.25, 0.5, 0.5))]
        np.testing.assert_allclose(sums.charges[0], charges, rtol=1e-13)
        assert (sums.inverse == np.inf).all() and not sums.wins.any() and not sums.coupling.any()
        kernels.add(*(part[1:] for part in (*arms, outcomes, p, differ)), rates, *sums)
    assert sums.variance[2] == sums.charges[0, 2] == np.inf
    assert np.isfinite(sums.charges[0, :2]).all()


def test_two_distributions_given_that_arms_differ_by_hand():
    """p = (1/2, 1/2, 0), q = (1/4, 1/2, 1/4); arm 1, as the column, loses to arm 0.

    1 - c = 5/8. Twice 1 - c times the chance of a place: 1/2 3/4 + 1/4 1/2 = 1/2 for arm 0,
    1/2 1/2 + 1/2 1/2 = 1/2 for arm 1, 1/4 for arm 2. Arms 0 and 1 meet with 1/4 + 1/8 = 3/8 of it,
    0 and 2 with 1/8, 1 and 2 with 1/8.
    """
    rates, p = np.array([0.25]), np.array([[[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]]])
    sums = zeros(1, 3)
    kernels.add(
        np.array([0]), np.array([1]), np.array([1.0]), p, np.ones(1, np.bool_), rates, *sums
    )
    np.testing.assert_allclose(sums.estimate, [1 / 3, -1 / 3, 0.0], rtol=1e-14)
    against_one, against_two = (1 / 2) ** 2 / (5 / 8 * 3 / 8), (1 / 4) ** 2 / (5 / 8 * 1 / 8)
    squares = [against_one + against_two] * 2 + [2 * (1 / 2) ** 2 / (5 / 8 * 1 / 8)]
    np.testing.assert_allclose(sums.variance, squares, rtol=1e-14)
    largest = [2.0, 2.0, 4.0]  # of 4/3 and 2; of 4 and 4
    for k in range(3):
        v, x = squares[k] / largest[k] ** 2, 0.25 * largest[k] / 2
        assert sums.charges[0, k] == pytest.approx(0.5 * v * float(exact_excess(x)), rel=1e-13)
    assert (sums.inverse == np.inf).all() and not sums.wins.any() and not sums.coupling.any()


def test_an_arm_that_cannot_meet_another_that_is_shown_has_infinite_charges():
    p = np.array([[[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]])
    sums = zeros(1, 3)
    arms = np.array([0]), np.array([1])
    kernels.add(*arms, np.array([1.0]), p, np.ones(1, np.bool_), np.array([0.25]), *sums)
    assert sums.estimate.tolist() == [0.25, -0.25, 0.0]
    assert sums.variance[2] == sums.charges[0, 2] == math.inf
    assert np.isfinite(sums.variance[:2]).all() and np.isfinite(sums.charges[0, :2]).all()
