"""The one-step facts that the bounds rest on, exactly: every arm, every outcome, no sampling.

E[...] below is a finite sum over the row arm a, the column arm b and the outcome o, given the past.
Where a statement is about all matrices it is tried on grids that contain the worst cases, and on
random instances; the same test shows that a slightly better constant is refuted on the same grid.
Factors are compared as logarithms, since at a tiny p they overflow.
"""

import numpy as np
import pytest

from sparring.inequalities import curvature
from worlds import random_matrices

# What rounding may add to a logarithm that is 0 in exact arithmetic; terms before cancelling are
# a few hundred at most where they nearly cancel.
ROUNDING = 1e-12


def log_mean(exponent, chance, axis):
    """ln E exp(exponent); where chance is 0 the exponent does not matter."""
    exponent = np.where(chance > 0, exponent, -np.inf)
    top = exponent.max(axis=axis, keepdims=True)
    return np.log((chance * np.exp(exponent - top)).sum(axis=axis)) + top.squeeze(axis)


class Duels:
    """All duels of n instances (P, p_+, p_-): arrays over [instance, arm j, a, b, won or lost].

    A self-duel is settled by a fair coin, or counts as a tie.
    """

    axes = (2, 3, 4)

    def __init__(self, P, p_row, p_col, tie=False):
        K = P.shape[1]
        arm = np.arange(K)
        self.p_row, self.p_col = p_row[:, :, None, None, None], p_col[:, :, None, None, None]
        self.P_b = P[:, :, None, :, None]  # P(j, b)
        self.P_a = P[:, :, :, None, None]  # P(j, a)
        self.a_is_j = (arm[:, None] == arm)[None, :, :, None, None]
        self.b_is_j = (arm[:, None] == arm)[None, :, None, :, None]
        o = np.broadcast_to([1.0, 0.0], (K, K, 2)).copy()
        if tie:
            o[arm, arm] = 0.5
        self.o = o[None, None]
        pairs = (p_row[:, :, None] * p_col[:, None, :])[..., None]
        self.chance = (pairs * np.stack([P, 1 - P], axis=-1))[:, None]
        self.s = P.mean(axis=2)  # the shifted Borda score
        self.s_j = self.s[:, :, None, None, None]
        self.s_a = self.s[:, None, :, None, None]
        self.s_b = self.s[:, None, None, :, None]
        self.x_row = self.o / (K * p_col[:, None, None, :, None])
        self.x_col = (1 - self.o) / (K * p_row[:, None, :, None, None])

    def mean(self, values):
        return (self.chance * values).sum(axis=self.axes)

    def log_mean(self, exponent):
        return log_mean(exponent, np.broadcast_to(self.chance, exponent.shape), self.axes)

    def gaps(self, beta):
        """d_+ = P(j, b) - g_+(j) and d_- = P(j, a) - g_-(j)."""
        return (
            self.P_b - (self.a_is_j * self.o + beta) / self.p_row,
            self.P_a - (self.b_is_j * (1 - self.o) + beta) / self.p_col,
        )

    def centred_gaps(self):
        """P(j, b) - 1/2 - y_+(j) and P(j, a) - 1/2 - y_-(j)."""
        return (
            self.P_b - 0.5 - self.a_is_j * (self.o - 0.5) / self.p_row,
            self.P_a - 0.5 - self.b_is_j * (0.5 - self.o) / self.p_col,
        )

    def borda_gaps(self, bias):
        """s(j) - s'(j) of the two players."""
        return (
            self.s_j - (self.a_is_j * self.x_row + bias) / self.p_row,
            self.s_j - (self.b_is_j * self.x_col + bias) / self.p_col,
        )


def per_instance(numbers):
    return np.asarray(numbers)[:, None, None, None, None]


def distributions(n, K, rng, gamma=0.0):
    """n distributions, from nearly uniform to nearly concentrated, with p >= gamma / K."""
    weights = rng.random((n, K)) ** rng.choice([0.5, 2.0, 20.0], (n, 1)) + 1e-6
    weights = weights / weights.sum(axis=1, keepdims=True)
    gamma = np.broadcast_to(gamma, n)[:, None]
    return (1 - gamma) * weights + gamma / K


def instances(rng, n=300, sizes=(2, 3, 5), gamma=0.0, **options):
    """Duels of random matrices, half of them of zeros and ones."""
    for K in sizes:
        for extreme in (False, True):
            P = random_matrices(n, K, rng, extreme)
            p_row, p_col = distributions(n, K, rng, gamma), distributions(n, K, rng, gamma)
            yield K, Duels(P, p_row, p_col, **options)


def log_uniform(low, high, n, rng):
    return np.exp(rng.uniform(np.log(low), np.log(high), n))


# --- Lemma A.1 ------------------------------------------------------------------------------------

BETAS = np.geomspace(1e-6, 10, 60)[:, None, None]
PS = np.geomspace(1e-6, 1, 61)[:, None]
PREFERENCES = np.linspace(0, 1, 41)


def lemma_log_factor(rate, beta, p, P):
    """ln E exp(rate beta (P - g(j))) given the opponent, o a coin of mean P."""
    return rate * beta * (P - beta / p) + np.log1p(p * P * np.expm1(-rate * beta / p))


def test_lemma_a1_holds_at_twice_the_printed_rate():
    """Not only at most 0: at most -2 beta^2 (1 - P) / p, as its proof says."""
    log_factor = lemma_log_factor(2, BETAS, PS, PREFERENCES)
    proven = -2 * BETAS**2 * (1 - PREFERENCES) / PS
    assert (log_factor <= proven * (1 - 1e-12) + 1e-14).all()


@pytest.mark.parametrize("rate", [2.02, 2.2])
def test_lemma_a1_holds_at_no_higher_rate(rate):
    log_factor = lemma_log_factor(rate, BETAS, PS, PREFERENCES)
    assert log_factor.max() > 1e-10, "the grid would not notice a wrong rate"
    _, _, P = np.unravel_index(log_factor.argmax(), log_factor.shape)
    assert PREFERENCES[P] == 1  # where the proof has no slack


def test_ties_only_help_lemma_a1():
    """Outcomes 0, 1/2, 1 of the same mean P: the factor is at most the coin's."""
    beta, p, P = BETAS[::4], PS[::4], PREFERENCES
    for share in (0.1, 0.5, 1.0):
        tie = share * 2 * np.minimum(P, 1 - P)
        seen = (P - tie / 2) * np.expm1(-2 * beta / p) + tie * np.expm1(-beta / p)
        log_factor = 2 * beta * (P - beta / p) + np.log1p(p * seen)
        assert (log_factor <= lemma_log_factor(2, beta, p, P) + 1e-14).all()
        assert (log_factor < lemma_log_factor(2, beta, p, P) - 1e-6).any()  # ties do something


@pytest.mark.parametrize("tie", [False, True])
def test_both_players_together_have_the_rate_of_one(tie, rng):
    """E exp(min(2 beta, 1) (d_+ + d_-)) <= 1."""
    for K, duels in instances(rng, tie=tie):
        beta = per_instance(log_uniform(1e-4, 1, len(duels.chance), rng))
        gap = sum(duels.gaps(beta))
        assert duels.log_mean(np.minimum(2 * beta, 1) * gap).max() <= ROUNDING, K


def pair_log_factor(theta, beta, p, q, x, y):
    """ln E exp(theta (d_+ + d_-)) for an arm j with p_+(j) = p, p_-(j) = q.

    The row player's other arm is met with P(j, a) = x, the column player's with P(j, b) = y. This
    covers every K and every matrix: the expectation is linear in the row player's distribution over
    the arms other than j, and in the column player's, so it is largest where each has but one.
    """
    miss_row, miss_col = -np.expm1(-theta / p), -np.expm1(-theta / q)
    both = p * q * np.exp(theta) * (1 - (miss_row + miss_col) / 2)
    row = p * (1 - q) * np.exp(theta * (0.5 + y)) * (1 - y * miss_row)
    col = q * (1 - p) * np.exp(theta * (0.5 + x)) * (1 - x * miss_col)
    neither = (1 - p) * (1 - q) * np.exp(theta * (x + y))
    return np.log(both + row + col + neither) - theta * beta * (1 / p + 1 / q)


def pair_grid(ps):
    """p, q, x, y as broadcasting axes; 20 values of x and y, corners among them."""
    x = np.linspace(0, 1, 20)
    return ps[:, None, None, None], ps[:, None, None], x[:, None], x


def test_the_pair_formulas_are_the_enumeration(rng):
    K, n = 3, 200
    P = random_matrices(n, K, rng)
    p_row, p_col = np.zeros((n, K)), np.zeros((n, K))
    p_row[:, 0], p_col[:, 0] = rng.random((2, n)) * 0.9 + 0.05
    p_row[:, 1], p_col[:, 2] = 1 - p_row[:, 0], 1 - p_col[:, 0]
    beta = log_uniform(1e-3, 1, n, rng)
    formula = pair_log_factor(2 * beta, beta, p_row[:, 0], p_col[:, 0], P[:, 0, 1], P[:, 0, 2])
    centred = centred_pair_log_factor(beta, p_row[:, 0], p_col[:, 0], P[:, 0, 1], P[:, 0, 2])
    duels = Duels(P, np.maximum(p_row, 1e-300), np.maximum(p_col, 1e-300))  # an arm never played
    chance = np.broadcast_to(duels.chance, (n, 1, K, K, 2))
    for found, gaps, rate in (
        (formula, duels.gaps(per_instance(beta)), 2 * beta),
        (centred, duels.centred_gaps(), beta),
    ):
        exponent = per_instance(rate) * sum(gaps)[:, :1]
        enumerated = log_mean(exponent, chance, duels.axes)[:, 0]
        np.testing.assert_allclose(found, enumerated, rtol=1e-9, atol=1e-11)


def test_both_players_together_on_a_grid_of_the_worst_cases():
    """Rate 2 beta holds, for beta <= 1/2 as the theorem says and beyond; rate 2.05 beta fails."""
    grid = pair_grid(np.geomspace(1e-4, 1, 25))
    worst_above = -np.inf
    for beta in np.geomspace(1e-6, 1, 25):
        assert pair_log_factor(2 * beta, beta, *grid).max() <= 1e-13
        worst_above = max(worst_above, pair_log_factor(2.05 * beta, beta, *grid).max())
    assert worst_above > 1e-8


def test_the_steps_of_the_proof_for_both_players(rng):
    """Each display of it, at a million random points and at the ends of all ranges.

    With c = u / 2, 1 / (1 - tau) = c coth c + c; J is least where s = 1; and the quotient by which
    it is bounded from below is positive, as is what is left of it in the end.
    """
    n = 1_000_000
    c = np.exp(rng.uniform(np.log(1e-3), np.log(50), n))
    tau = 1 + np.expm1(-2 * c) / (2 * c)
    np.testing.assert_allclose(1 / (1 - tau), c / np.tanh(c) + c, rtol=1e-9)
    assert (c >= (tau + 2 / 3 * tau**2) * (1 - 1e-9)).all()
    assert (c < tau + 0.7 * tau**2).any()  # the constant 2/3 is the largest
    ends = [np.where(rng.random(n) < 0.2, rng.integers(2, size=n), rng.random(n)) for _ in range(4)]
    tau, sigma, g, G = ends
    s = rng.random(n)
    e = sigma * (1 - g) + tau * (1 - G)
    Q, R = g * (1 - sigma) + G * (1 - tau), e + 2 / 3 * (tau**2 + sigma**2)
    left = np.maximum(R, 1e-9) < Q
    tau, sigma, g, G, s, e, Q, R = (it[left] for it in (tau, sigma, g, G, s, e, Q, R))
    m = ((1 - sigma) * g**2 + (1 - tau) * G**2) / Q
    J = 1 / 2 + m + R / Q + (Q - R) / 2 - (Q - R) ** 2 / 24 - g - G
    # the inequality itself, where X > Y: what J >= 0 is to prove
    X, Y = s * (g + G), s * (tau + sigma + 2 / 3 * (tau**2 + sigma**2))
    bracket = (1 - sigma) * g * np.exp(s * g) + (1 - tau) * G * np.exp(s * G)
    assert (np.exp(X) - s * np.exp(s / 2) * bracket <= np.exp(Y) * (1 + 1e-12)).all()
    w = sigma + tau
    k = 1 / (2 - w) - 7 / 12
    below = 1 / 2 - w + k * Q + w**2 / (3 * Q) - 5 * w**2 / 36
    assert (below <= J + 1e-9).all()
    assert below.min() > 0
    w = np.linspace(2 / 7, 2, 100_000, endpoint=False)
    least = 1 / 2 - w - 5 * w**2 / 36 + w / 3 * np.sqrt((7 * w - 2) / (2 - w))
    rational = (36 - 86 * w + 66 * w**2 - 5 * w**3) / (36 * (w + 2))
    assert (rational <= least + 1e-12).all()
    assert (56 * w**2 - 86 * w + 36 <= 36 * (w + 2) * rational + 1e-12).all()
    assert (np.polynomial.Polynomial([36, -86, 56]).roots().imag != 0).all()  # no root


@pytest.mark.parametrize("beta", [0.001, 0.01, 0.05])
def test_players_that_choose_the_same_arm_break_the_lemma(beta):
    """K = 2, arm 0 always wins, a = b uniform: p is right for each player, yet the factor is > 1.

    In a self-duel of the loser arm 0 would have won twice, and neither estimate hears of it.
    """
    self_duel_of_0 = (1 / 2 + 1 / 2) - (1 + 2 * beta) / (1 / 2)
    self_duel_of_1 = (1 + 1) - 2 * beta / (1 / 2)
    coupled = np.mean(np.exp(beta * np.array([self_duel_of_0, self_duel_of_1])))
    assert coupled > 1 + beta / 4
    # Independent arms with the same distributions: within the lemma.
    P, uniform = np.array([[[0.5, 1.0], [0.0, 0.5]]]), np.full((1, 2), 0.5)
    duels = Duels(P, uniform, uniform)
    assert duels.log_mean(beta * sum(duels.gaps(beta))).max() <= 0


# --- Borda ----------------------------------------------------------------------------------------


def borda_instances(rng):
    """Random duels with p >= gamma / K, and the hard ones: an arm that beats all, at p = gamma/K.

    There the opponent plays one arm nearly always, and the others, which tell, at gamma / K each.
    """
    n = 200
    for _ in range(3):
        gamma = rng.uniform(0.02, 0.98, n)
        for _, duels in instances(rng, n=n, gamma=gamma):
            yield gamma, duels
    for K in (5, 20):
        gamma = np.array([0.01, 0.05, 0.3, 0.99])
        P = np.broadcast_to(np.triu(np.ones((K, K)), 1) + np.eye(K) / 2, (len(gamma), K, K))
        for favourite in (0, K - 1):
            skewed = np.full((len(gamma), K), 1 / K) * gamma[:, None]
            skewed[:, favourite] += 1 - gamma
            for row in (skewed, np.full_like(skewed, 1 / K)):
                yield gamma, Duels(P, row, skewed)


def test_the_borda_lemma_holds_at_twice_the_printed_rate(rng):
    """E exp(2 gamma beta (s(j) - s'(j))) <= 1 for each player; refuted with half the bias."""
    worst_halved = worst_above = -np.inf
    for gamma, duels in borda_instances(rng):
        beta = per_instance(log_uniform(1e-3, 1, len(gamma), rng))
        rate = 2 * per_instance(gamma) * beta
        for gap in duels.borda_gaps(beta):
            assert duels.log_mean(rate * gap).max() <= ROUNDING
        small = 1e-3
        for halved, full in zip(duels.borda_gaps(small / 2), duels.borda_gaps(small), strict=True):
            rate = 2 * per_instance(gamma) * small
            worst_halved = max(worst_halved, duels.log_mean(rate * halved).max())
            worst_above = max(worst_above, duels.log_mean(1.1 * rate * full).max())
    assert worst_halved > 1e-6
    assert worst_above > 1e-7  # and at rate 2.2 gamma beta


def test_both_players_together_have_the_borda_rate_of_one(rng):
    """E exp(2 gamma beta (s - s'_+ + s - s'_-)) <= 1; at rate 2.2 gamma beta it fails."""
    worst_above = -np.inf
    for gamma, duels in borda_instances(rng):
        beta = per_instance(log_uniform(1e-3, 1, len(gamma), rng))
        gap = sum(duels.borda_gaps(beta))
        assert duels.log_mean(2 * per_instance(gamma) * beta * gap).max() <= ROUNDING
        small = sum(duels.borda_gaps(1e-3))
        above = duels.log_mean(2.2e-3 * per_instance(gamma) * small)
        worst_above = max(worst_above, above.max())
    assert worst_above > 1e-10  # rounding is a hundredth of that


def bernstein(scale, v, b):
    """ln E exp(scale X) for E X = 0, E X^2 <= v, X <= b."""
    return scale**2 * v / (2 * (1 - scale * b / 3))


def test_what_a_player_sees_is_near_its_borda_score_as_bernstein_says(rng):
    """x - s(a) has mean 0, variance and size <= 1/gamma, and Bernstein's bound with these.

    Power: the variance comes near 1/gamma, and with half of it the bound is refuted.
    """
    closest = refuted = -np.inf
    for gamma, duels in borda_instances(rng):
        limit = per_instance(1 / gamma)
        for gap in (duels.x_row - duels.s_a, duels.x_col - duels.s_b):
            assert np.abs(duels.mean(gap)).max() < 1e-12
            assert np.where(duels.chance > 0, np.abs(gap) / limit, 0).max() <= 1 + 1e-12
            variance = duels.mean(gap**2) * gamma[:, None]
            assert variance.max() <= 1
            closest = max(closest, variance.max())
            for part in (0.01, 0.1, 0.5, 0.9, 0.99):
                scale = 3 * part / limit
                log_factor = duels.log_mean(scale * gap)
                allowed = bernstein(scale, limit, limit)[:, :, 0, 0, 0]
                assert (log_factor <= allowed + ROUNDING).all()
                halved = bernstein(scale, limit / 2, limit)[:, :, 0, 0, 0]
                refuted = max(refuted, (log_factor - halved).max())
    assert closest > 0.9
    assert refuted > 1e-3


@pytest.mark.parametrize("tie", [False, True])
def test_both_players_together_are_twice_as_near_their_borda_scores(tie, rng):
    """The mean of the two gaps, and its variance, are <= 1/(2 gamma): one of x_+, x_- is small.

    Given the arms, x_+ + x_- = o / (K p_-(b)) + (1 - o) / (K p_+(a)) is a mixture of two numbers
    below 1/gamma; and the mean square of the sum of gaps is at most that of x_+ + x_-.
    """
    closest = -np.inf
    for gamma, duels in borda_instances(rng):
        if tie:
            n, K = duels.s.shape
            P = duels.P_b[:, :, 0, :, 0]
            duels = Duels(P, duels.p_row.reshape(n, K), duels.p_col.reshape(n, K), tie=True)
        limit = per_instance(1 / (2 * gamma))
        gap = (duels.x_row - duels.s_a + duels.x_col - duels.s_b) / 2
        assert np.where(duels.chance > 0, gap / limit, 0).max() <= 1 + 1e-12
        variance = duels.mean(gap**2) * 2 * gamma[:, None]
        assert variance.max() <= 1
        closest = max(closest, variance.max())
        for part in (0.01, 0.1, 0.5, 0.9, 0.99):
            scale = 3 * part / limit
            allowed = bernstein(scale, limit, limit)[:, :, 0, 0, 0]
            assert (duels.log_mean(scale * gap) <= allowed + ROUNDING).all()
    assert closest > 0.9


def test_bernstein_inverted_has_a_third_and_not_two_thirds():
    """min over scales of [bernstein + L] / scale = sqrt(2 v L) + b L / 3, so 2 b L / 3 is generous.

    For b = 1 and v = T; the scale that attains it is fixed in advance.
    """
    scale = 3 * np.linspace(1e-5, 1, 400_000, endpoint=False)
    for v, L in ((10.0, 1.0), (1000.0, 3.7), (5.0, 8.0)):
        best = ((bernstein(scale, v, 1.0) + L) / scale).min()
        assert best == pytest.approx(np.sqrt(2 * v * L) + L / 3, rel=1e-6)


# --- the certificate ------------------------------------------------------------------------------


def psi(lam, p):
    """What E exp(lam (P - 1/2 - y)) may be, in logs: Bennett's term, or the largest exponent."""
    x = lam / (2 * p)
    return np.minimum(p * (np.expm1(np.minimum(x, 500)) - x), lam / 2 + x)


def centred_log_factor(lam, p, P):
    """ln E exp(lam (P - 1/2 - y)) given the opponent: y is 0, or +-1/(2p) with chance p."""
    x = lam / (2 * p)
    lam, p, x, P = np.broadcast_arrays(lam, p, x, P)
    exponent = np.stack([np.zeros_like(x), -x, x])
    return lam * (P - 0.5) + log_mean(exponent, np.stack([1 - p, p * P, p * (1 - P)]), 0)


LAMS = np.geomspace(1e-5, 100, 57)[:, None, None]


def test_the_certificate_step_holds():
    p = np.geomspace(1e-9, 1, 64)[:, None]
    log_factor, allowed = centred_log_factor(LAMS, p, PREFERENCES), psi(LAMS, p)
    # The largest exponents are 1e10, and rounding is relative to these.
    assert (log_factor <= allowed * (1 + 1e-12) + 1e-13).all()
    # Power: psi is nearly attained where it is small and where it is large; half of it is refuted.
    ratio = np.where(allowed > 1e-9, log_factor / allowed, 0).max(axis=2)
    assert ratio[LAMS[:, 0, 0] < 1e-2].max() > 0.99
    assert ratio[LAMS[:, 0, 0] > 1].max() > 0.99
    assert (log_factor > allowed / 2 + 1e-6).any()


@pytest.mark.parametrize("tie", [False, True])
def test_the_certificate_step_holds_for_both_players(tie, rng):
    """lam / 2 times the sum of gaps: below the mean of psi(lam, .), and below the sum at lam / 2.

    The second is the smaller, by a factor of 2 where lam is small: the players' gaps add up like
    independent ones. It is refuted if multiplied by 0.9.
    """
    tightest = -np.inf
    for _, duels in instances(rng, tie=tie):
        lam = per_instance(log_uniform(1e-3, 10, len(duels.chance), rng))
        log_factor = duels.log_mean(lam / 2 * sum(duels.centred_gaps()))
        ps = duels.p_row, duels.p_col
        by_cauchy_schwarz = sum(psi(lam, p) for p in ps)[:, :, 0, 0, 0] / 2
        as_independent = sum(psi(lam / 2, p) for p in ps)[:, :, 0, 0, 0]
        assert (log_factor <= by_cauchy_schwarz * (1 + 1e-12) + ROUNDING).all()
        assert (log_factor <= as_independent * (1 + 1e-12) + ROUNDING).all()
        tightest = max(tightest, (log_factor / as_independent).max())
    assert tightest > 0.9


def centred_pair_log_factor(theta, p, q, x, y):
    """ln E exp(theta (gap_+ + gap_-)) with x = P(j, a), y = P(j, b): as pair_log_factor."""
    u, v = theta / (2 * p), theta / (2 * q)
    x, y = x - 0.5, y - 0.5
    values = [
        ((u - v), p * q / 2),
        ((v - u), p * q / 2),
        (theta * y + u, p * (1 - q) * (0.5 - y)),
        (theta * y - u, p * (1 - q) * (0.5 + y)),
        (theta * x + v, q * (1 - p) * (0.5 - x)),
        (theta * x - v, q * (1 - p) * (0.5 + x)),
        (theta * (x + y), (1 - p) * (1 - q)),
    ]
    shape = np.broadcast_shapes(*(np.shape(part) for value in values for part in value))
    exponent, chance = (
        np.stack([np.broadcast_to(v[i], shape) for v in values], axis=-1) for i in range(2)
    )
    return log_mean(exponent, chance, -1)


def test_the_certificate_step_for_both_players_on_a_grid_of_the_worst_cases():
    """psi(theta, p_+) + psi(theta, p_-) suffices wherever it is tried; 0.95 of it does not.

    Proven it is for theta <= 1/2 (docs/theory.md, Theorem 7); above, what Cauchy-Schwarz gives,
    [psi(2 theta, p_+) + psi(2 theta, p_-)] / 2, is proven, and this is tried only.
    """
    p, q, x, y = pair_grid(np.geomspace(1e-6, 1, 19))
    closest = -np.inf
    for theta in np.geomspace(1e-4, 50, 21):
        allowed = psi(theta, p) + psi(theta, q)
        log_factor = centred_pair_log_factor(theta, p, q, x, y)
        assert (log_factor <= allowed * (1 + 1e-12) + 1e-13).all()
        closest = max(closest, np.where(allowed < 1, log_factor / allowed, 0).max())
    assert closest > 0.95


@pytest.mark.parametrize("tie", [False, True])
def test_the_centred_estimate_is_unbiased_and_its_variance_is_bounded(tie, rng):
    """E (y_+ + y_-)/2 = E r(j); the variance of the difference is <= (1/p_+ + 1/p_-)/16.

    The two parts have a covariance <= 0 if a coin settles self-duels. A tie can make it positive,
    up to 1/4, and takes as much from the variances.
    """
    closest = covariance = -np.inf
    for _, duels in instances(rng, tie=tie):
        row, col = duels.centred_gaps()
        assert np.abs(duels.mean(row)).max() < 1e-10  # each player's own part, too
        assert np.abs(duels.mean(col)).max() < 1e-10
        variance = duels.mean(((row + col) / 2) ** 2)
        allowed = (1 / duels.p_row + 1 / duels.p_col)[:, :, 0, 0, 0] / 16
        assert (variance <= allowed * (1 + 1e-12)).all()
        closest = max(closest, (variance / allowed).max())
        covariance = max(covariance, duels.mean(row * col).max())
    assert closest > 0.95
    assert covariance > 0.2 if tie else covariance <= 1e-9


# --- growth of the weights ------------------------------------------------------------------------


def test_the_elementary_inequality_holds_up_to_zeta():
    """e^z <= 1 + z + phi(zeta) z^2 for z <= zeta, with equality there, and not beyond."""
    for zeta in (1e-3, 0.01, 0.3, 1.0, 1.6, 4.0, 20.0):
        phi = curvature(zeta)
        z = np.linspace(-50, zeta, 200_001)
        assert (np.exp(z) <= (1 + z + phi * z**2) * (1 + 1e-12)).all()
        above = 1.01 * zeta
        assert np.expm1(above) - above > phi * above**2 * (1 + 1e-6)
    assert curvature(0.01 * (1 - 1e-12)) == pytest.approx(curvature(0.01), rel=1e-10)


def test_one_step_growth_needs_k_times_the_share(rng):
    """ln(sum W' / sum W) <= ... + e alpha K always; with the printed e alpha it mostly fails (E1).

    Tunings with zeta = (1 + beta) eta K / gamma up to 2, weights and outcomes at random. Of these
    instances 0.95 fail (0.86 of those of the errata, which were drawn otherwise); 3/4 must.
    """
    n, failed, closest = 4000, [], -np.inf
    for K in (3, 5, 10, 20):
        gamma, beta = log_uniform(0.001, 0.5, n, rng), rng.random(n)
        eta = 2 * gamma / ((1 + beta) * K) * rng.random(n)
        alpha = log_uniform(1e-3, 0.1, n, rng)
        W = distributions(n, K, rng)
        p = (1 - gamma)[:, None] * W + gamma[:, None] / K
        played = rng.integers(K, size=n)  # any arm: the statement is sure, not on average
        g = np.repeat(beta[:, None], K, axis=1)
        g[np.arange(n), played] += rng.choice([0.0, 0.5, 1.0], n)
        g /= p
        share = (np.e * alpha)[:, None]
        growth = np.log((W * np.exp(eta[:, None] * g) + share).sum(axis=1))
        first, second = (p * g).sum(axis=1), (p * g**2).sum(axis=1)
        phi = np.array([curvature(zeta) for zeta in (1 + beta) * eta * K / gamma])
        without_share = (eta * first + phi * eta**2 * second) / (1 - gamma)
        corrected = without_share + np.e * alpha * K
        assert (growth <= corrected + 1e-12).all()
        closest = max(closest, (growth / corrected).max())
        failed.append(growth > without_share + np.e * alpha)
    assert np.mean(failed) > 0.75
    assert closest > 0.99
