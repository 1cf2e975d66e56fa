"""Elo, Glicko-2 and TrueSkill for two players, and the loop of the learners that go by them.

Elo's and Glicko's ratings are in log-odds, 400 / ln 10 = 173.7178 of their points; TrueSkill's in
its own. A tie is half a win. A self-duel says nothing, but time passes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.exact import grow, log_of
from sparring._kernels.jit import Floats, Ints, inline, kernel, online
from sparring._kernels.pairing import logistic, pair

ELO, GLICKO2, TRUESKILL = range(3)  # the systems
CLOSE = 1e-6  # of the log-volatility, as Glickman has it
STEPS = 100  # to find it in; ten or so do
FLAT = 3.0 / math.pi**2
ROOT_2PI = math.sqrt(2.0 * math.pi)
TAIL = 3.0  # deviations, from where on a continued fraction is better than a series
FRACTIONS = 60  # of it: more than 16 digits need from there on
VANISHED = 37.0  # deviations, where the density is below 1e-300


class Ratings(NamedTuple):
    """What a learner knows."""

    mu: Floats
    """(K,): the ratings."""
    variance: Floats
    """(K,): the squared deviation of each; 0 for Elo."""
    volatility: Floats
    """(K,): Glicko's sigma."""
    gain: Floats
    """(K,): what this period's duels say, the sum of g (s - E) of Glicko's step 4."""
    bend: Floats
    """(K,): 1 / v of Glicko's step 3, of this period's duels so far."""
    told: Ints
    """(1,): duels told so far."""
    words: NDArray[np.uint64]
    """The random state."""


class RatingNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    system: int
    pairing: int
    explore: float
    """The share of pairs at random, if it is greedy."""
    scale: float
    """Log-odds of a difference of 1 in ratings."""
    first: float
    """The variance of a newcomer, and the largest there is."""
    step: float
    """Elo's K."""
    period: int
    """Duels in one of Glicko's rating periods."""
    tau: float
    """How much Glicko's volatility may change."""
    beta2: float
    """TrueSkill's variance of a performance."""
    pace: float
    """The variance that a TrueSkill rating gains with each duel."""


@inline
def elo(o, row, col, m, n):
    """R <- R + K (S - E), E = 1 / (1 + 10^(-difference / 400)) (Elo 1978)."""
    moved = n.step * (o - logistic(m.mu[row] - m.mu[col]))
    m.mu[row] += moved
    m.mu[col] -= moved


@inline
def flatter(variance):
    """Glicko's g: by how much the opponent's doubt flattens a chance (step 3)."""
    return 1.0 / math.sqrt(1.0 + FLAT * variance)


@inline
def note_game(s, own, other, mu, variance, gain, bend):
    """Glicko-2, steps 3 and 4: what a game with the score s tells of the first of two arms."""
    g = flatter(variance[other])
    p = logistic(g * (mu[own] - mu[other]))
    gain[own] += g * (s - p)
    bend[own] += g * g * p * (1.0 - p)


@inline
def slope(x, delta2, variance, v, a, tau):
    """Glicko-2, step 5: f(x), whose root is the logarithm of the new squared volatility."""
    e = grow(1.0, x)
    total = variance + v + e
    return e * (delta2 - total) / (2.0 * total * total) - (x - a) / (tau * tau)


@inline
def new_volatility(delta2, variance, v, sigma, tau):
    """Glicko-2, step 5: the root of f by the Illinois method."""
    a = log_of(sigma * sigma)
    A, B = a, a - tau
    if delta2 > variance + v:
        B = log_of(delta2 - variance - v)
    else:
        k = 0
        while slope(B, delta2, variance, v, a, tau) < 0.0 and k < STEPS:
            B -= tau
            k += 1
    f_A = slope(A, delta2, variance, v, a, tau)
    f_B = slope(B, delta2, variance, v, a, tau)
    k = 0
    while abs(B - A) > CLOSE and k < STEPS:
        C = A + (A - B) * f_A / (f_B - f_A)
        f_C = slope(C, delta2, variance, v, a, tau)
        if f_C * f_B <= 0.0:
            A, f_A = B, f_B
        else:
            f_A = 0.5 * f_A
        B, f_B = C, f_C
        k += 1
    return grow(1.0, 0.5 * A)


@inline
def end_period(mu, variance, volatility, gain, bend, tau, most):
    """Glicko-2, steps 5 to 7, for all arms; no variance grows beyond `most`."""
    for k in range(mu.shape[0]):
        if bend[k] > 0.0:
            v = 1.0 / bend[k]
            delta = v * gain[k]
            volatility[k] = new_volatility(delta * delta, variance[k], v, volatility[k], tau)
        grown = min(variance[k] + volatility[k] * volatility[k], most)
        variance[k] = 1.0 / (1.0 / grown + bend[k])
        mu[k] += variance[k] * gain[k]
        gain[k] = 0.0
        bend[k] = 0.0


@inline
def density(t):
    """That of the normal law."""
    return grow(1.0, -0.5 * t * t) / ROOT_2PI


@inline
def beyond(x):
    """P(Z > x) over the density at x, for x >= TAIL: Laplace's continued fraction."""
    value = x
    for k in range(FRACTIONS, 0, -1):
        value = x + k / value
    return 1.0 / value


@inline
def hazard(t):
    """TrueSkill's V(t) without a draw margin: the density at t over P(Z < t)."""
    if t < -TAIL:
        return 1.0 / beyond(-t)
    if t > VANISHED:
        return 0.0
    if t > TAIL:
        return density(t) / (1.0 - density(t) * beyond(t))
    term, total, k = t, t, 1.0  # P(Z < t) = 1/2 + density (t + t^3 / 3 + t^5 / 15 + ...)
    while abs(term) > 1e-17:
        k += 2.0
        term *= t * t / k
        total += term
    return density(t) / (0.5 + density(t) * total)


@inline
def trueskill(o, row, col, m, n):
    """Herbrich, Minka and Graepel's (2007) update for two players who do not draw.

    An outcome between counts as o of a win and 1 - o of a loss: so do both derivatives of its
    log-likelihood, which are all that the update takes.
    """
    c2 = 2.0 * n.beta2 + m.variance[row] + m.variance[col]
    c = math.sqrt(c2)
    t = (m.mu[row] - m.mu[col]) / c
    win, loss = hazard(t), hazard(-t)
    v = o * win - (1.0 - o) * loss
    w = o * win * (win + t) + (1.0 - o) * loss * (loss - t)
    m.mu[row] += m.variance[row] / c * v
    m.mu[col] -= m.variance[col] / c * v
    m.variance[row] *= 1.0 - m.variance[row] / c2 * w
    m.variance[col] *= 1.0 - m.variance[col] / c2 * w


@inline
def learn(o, row, col, m, n):
    """Learn an outcome by the rules of the system."""
    m.told[0] += 1
    if n.system == TRUESKILL:
        for k in range(n.K):
            m.variance[k] = min(m.variance[k] + n.pace, n.first)
    if row != col:
        if n.system == ELO:
            elo(o, row, col, m, n)
        elif n.system == TRUESKILL:
            trueskill(o, row, col, m, n)
        else:
            note_game(o, row, col, m.mu, m.variance, m.gain, m.bend)
            note_game(1.0 - o, col, row, m.mu, m.variance, m.gain, m.bend)
    if n.system == GLICKO2 and m.told[0] % n.period == 0:
        end_period(m.mu, m.variance, m.volatility, m.gain, m.bend, n.tau, n.first)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    m, n = Ratings(*memory), RatingNumbers(*numbers)
    return pair(m.mu, m.variance, m.words, n)


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, row, col, Ratings(*memory), RatingNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Ratings(*memory), RatingNumbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = pair(m.mu, m.variance, m.words, n)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, m, n)
            t += 1
    return t
