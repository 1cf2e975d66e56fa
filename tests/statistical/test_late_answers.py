"""Late answers: the two inequalities for one update, the count of updates, and the bound itself.

As in `test_symmetric_bound.py`, h = 2 eta, x(k) = (o - 1/2) (1{row = k} - 1{col = k}) / (2 p(k)),
and zeta = h K / (4 gamma) is the largest h x(k). An answer is told after at most d more rounds were
asked, and x has the p of the round in which it was asked.
"""

import itertools
import math

import numpy as np
import pytest

import sparring
from bound_twins import phi
from sparring import Tuning, bounds
from worlds import random_matrices


def updated(v, z, alpha):
    """The normalised weights after v e^z + e alpha."""
    new = v * np.exp(z) + math.e * alpha
    return new / new.sum()


def outcomes(p, P):
    """All that can come of a duel: chance and x."""
    for row, col, o in itertools.product(range(len(p)), range(len(p)), (0, 1)):
        x = np.zeros(len(p))
        x[row] += (o - 0.5) / (2 * p[row])
        x[col] -= (o - 0.5) / (2 * p[col])
        yield p[row] * p[col] * (P[row, col] if o else 1 - P[row, col]), x


def instances(rng, n=400):
    """v and p that have nothing to do with each other, P, f of range 1 at most, h and alpha."""
    for number in range(n):
        K = int(rng.choice([2, 3, 4]))
        v, w = rng.dirichlet(np.full(K, rng.choice([0.1, 1.0, 5.0])), 2)
        gamma = rng.uniform(0.02, 0.9)
        p = (1 - gamma) * w + gamma / K
        P = random_matrices(1, K, rng, number % 2 == 0)[0]
        h = 4 * gamma / K * rng.choice([0.05, 0.5, 1.0, 1.6])
        f = rng.random(K) if number % 3 else rng.integers(2, size=K).astype(float)
        yield v, p, P, f - 0.5, h, h * K / (4 * gamma), float(rng.choice([0.0, 1e-4, 0.02]))


def test_what_one_update_moves(rng):
    """E sum (v' - v) f <= h Cov(f', f) + phi(2 zeta) h^2 E sum v x^2 + e^(1 + zeta) alpha K.

    f' is what x estimates; the covariance is under v, and at most 1/4.
    """
    for v, p, P, f, h, zeta, alpha in instances(rng):
        drawn = P @ p - 0.5
        moved = sum(c * ((updated(v, h * x, alpha) - v) @ f) for c, x in outcomes(p, P))
        squares = sum(c * (v @ x**2) for c, x in outcomes(p, P))
        covariance = v @ (drawn * f) - (v @ drawn) * (v @ f)
        allowed = phi(2 * zeta) * h**2 * squares + math.exp(1 + zeta) * alpha * len(p)
        assert covariance <= 1 / 4
        assert moved <= h * covariance + allowed + 1e-12


def test_what_one_update_may_multiply_a_weight_by(rng):
    """E v'(k) <= v(k) (1 + h (1 + 2 zeta phi(2 zeta))) + e^(1 + zeta) alpha, for each arm."""
    for v, p, P, _, h, zeta, alpha in instances(rng):
        mean = sum(c * updated(v, h * x, alpha) for c, x in outcomes(p, P))
        factor = 1 + h * (1 + 2 * zeta * phi(2 * zeta))
        assert (mean <= v * factor + math.exp(1 + zeta) * alpha + 1e-12).all()


def test_a_quarter_is_needed():
    """Arm 0 beats the favourite, which beats arm 1; v has only these two. 0.95 of h / 4 fails."""
    v, p = np.array([0.5, 0.5, 0.0]), np.array([0.01, 0.01, 0.98])
    P = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 0.0], [0.0, 1.0, 0.5]])
    f, h = np.array([0.5, -0.5, 0.0]), 1e-4
    moved = sum(c * ((updated(v, h * x, 0.0) - v) @ f) for c, x in outcomes(p, P))
    assert 0.95 * h / 4 < moved
    assert moved <= h / 4 + phi(0.02) * h**2 * 50


@pytest.mark.parametrize("d", [0, 1, 2, 7])
def test_the_updates_between_asking_and_telling(d, rng):
    """At most 2 d for each duel; at most d others are open at each update, whatever the delays."""
    T = 60
    for n in range(50):
        delay = rng.integers(d + 1, size=T) if n else np.full(T, d)
        # Answers that come while round t + delay is open, in any order among themselves.
        told = sorted(range(T), key=lambda t, delay=delay: (t + delay[t], rng.random()))
        place = {t: number for number, t in enumerate(told)}
        asked = [sum(u + delay[u] < t for u in range(T)) for t in range(T)]  # told before t
        between = [place[t] - asked[t] for t in range(T)]
        latest = [min(t + delay[t], T - 1) for t in range(T)]  # asked by the time t is told
        open_then = [sum(place[u] > place[t] for u in range(latest[t] + 1)) for t in range(T)]
        assert max(between) <= 2 * d and max(open_then) <= d
        assert sum(between) == sum(open_then)  # the same pairs, by duel and by update
        assert n or max(open_then) == d


class Late:
    """The exact mean of the regret for K arms and delays of d, by enumeration of all runs."""

    def __init__(self, K, tuning, d):
        self.K, self.tuning, self.d = K, tuning, d

    def regret(self, P, comparator, t=0, w=None, open_duels=()):
        """Of the rounds from t on; open duels are x's, oldest first."""
        if t == len(P):
            return 0.0
        w = np.full(self.K, 1 / self.K) if w is None else w
        p = (1 - self.tuning.gamma) * w + self.tuning.gamma / self.K
        found = P[t][comparator[t]] @ p - 0.5
        for chance, x in outcomes(p, P[t]):
            if chance > 0:
                waiting, after = (*open_duels, x), w
                if len(waiting) > self.d:
                    after = updated(w, 2 * self.tuning.eta * waiting[0], self.tuning.alpha)
                    waiting = waiting[1:]
                found += chance * self.regret(P, comparator, t + 1, after, waiting)
        return float(found)


@pytest.mark.parametrize("d", [0, 1, 2])
def test_the_worst_preferences_of_a_few_rounds_are_below_the_bound(d):
    """Two arms, four rounds: all 16 sequences of certain winners, which are the worst there are.

    The mean of the regret is affine in each P_t. So no preferences fixed in advance are worse.
    """
    T = 4
    wins = np.array([[0.5, 1.0], [0.0, 0.5]])
    for tuning in (Tuning(0.05, 0.3, alpha=0.01), Tuning(0.3, 0.3), Tuning(0.2, 0.2, alpha=0.05)):
        late = Late(2, tuning, d)
        for comparator in ((0,) * T, (0, 0, 1, 1)):
            S = len(set(comparator))
            worst = max(
                late.regret(np.array([wins if win else wins.T for win in path]), comparator)
                for path in itertools.product((0, 1), repeat=T)
            )
            bound = bounds.sym_exp3s(2, T, S, tuning=tuning, late=d).mean_fixed
            assert worst <= bound.raw


def test_the_enumeration_is_what_the_learner_does(rng):
    """Told two rounds late, it learns by the probabilities of the round in which it was asked."""
    K, tuning = 3, Tuning(0.3, 0.4, alpha=0.02)
    learner = sparring.sym_exp3s(K, tuning=tuning, seed=5)
    w, waiting = np.full(K, 1 / K), []
    for _ in range(40):
        duel = learner.ask()
        p = (1 - tuning.gamma) * w + tuning.gamma / K
        np.testing.assert_allclose(learner.p[0], p, rtol=1e-9)
        o = float(rng.integers(2))
        x = np.zeros(K)
        x[duel.row] += (o - 0.5) / (2 * p[duel.row])
        x[duel.col] -= (o - 0.5) / (2 * p[duel.col])
        waiting.append((duel, o, x))
        if len(waiting) > 2:
            told, outcome, estimate = waiting.pop(0)
            learner.tell(told, outcome)
            w = updated(w, 2 * tuning.eta * estimate, tuning.alpha)


def lagging(T, d, tuning, runs, rng):
    """Regret to arm 0 of two arms, of which each wins for 2 d rounds, to mislead."""
    w = np.full((runs, 2), 0.5)
    waiting, regret = [], np.zeros(runs)
    for t in range(T):
        first = t // (2 * d) % 2 == 1  # arm 0 wins in every other block
        p = (1 - tuning.gamma) * w + tuning.gamma / 2
        regret += p[:, 1] / 2 if first else -p[:, 1] / 2
        row, col = (rng.random((2, runs)) > p[:, 0]).astype(int)
        won = np.where(row == col, 0.0, np.where((row == 0) == first, 0.5, -0.5))
        x = np.zeros((runs, 2))
        everyone = np.arange(runs)
        x[everyone, row] += won / (2 * p[everyone, row])
        x[everyone, col] -= won / (2 * p[everyone, col])
        waiting.append(x)
        if len(waiting) > d:
            w = w * np.exp(2 * tuning.eta * waiting.pop(0))
            w /= w.sum(axis=1, keepdims=True)
    return regret


def test_without_the_price_of_late_answers_the_bound_is_refuted(rng):
    """100 runs, d = 40, T = 48,000: their mean is above a bound with 0.03 of the price.

    Six standard errors of the mean from it, so chance has no part in it, and it is below ours.
    """
    T, d, tuning = 48_000, 40, Tuning(0.0025, 0.0025)
    regret = lagging(T, d, tuning, 100, rng)
    error = regret.std() / math.sqrt(len(regret))
    at_once, late = (
        bounds.sym_exp3s(2, T, 1, tuning=tuning, late=n).mean_fixed.raw for n in (0, d)
    )
    assert at_once + 0.03 * (late - at_once) < regret.mean() - 6 * error
    assert regret.mean() + 6 * error < late < T / 2


def test_the_formula_by_hand():
    K, T, S, d = 10, 10**6, 10, 3
    tuning = bounds.sym_exp3s(K, T, S).tuning
    h, gamma, alpha = 2 * tuning.eta, tuning.gamma, tuning.alpha
    zeta = 1.0  # this tuning's
    squares = (K - 1) / (8 * (1 - gamma)) + 2 * d * math.exp(2) * alpha * K**2 / (8 * gamma)
    squares *= (1 + h * (1 + 2 * phi(2))) ** (2 * d)
    cost = 9 * math.log(1 / alpha) + math.log(K) + math.e * alpha * K * T
    bound = cost / h + phi(zeta) * h * T * squares + gamma * T * (K - 1) / (2 * K)
    bound += d * T * (h / 4 + phi(2) * h**2 * squares + math.exp(2) * alpha * K) + 9 * d
    assert bounds.sym_exp3s(K, T, S, late=d).mean_fixed.raw == pytest.approx(bound, rel=1e-9)
    at_once = bounds.sym_exp3s(K, T, S, late=0).mean_fixed.raw
    assert at_once == bounds.sym_exp3s(K, T, S).mean_fixed.raw < bound


def test_how_late_is_checked():
    for late in (-1, 1.5, "2"):
        with pytest.raises(ValueError, match="late must be"):
            bounds.sym_exp3s(10, 1000, 1, late=late)
    assert bounds.sym_exp3s(10, 10**6, 1, late=10**9).mean_fixed.raw == math.inf
