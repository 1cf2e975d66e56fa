"""Slow twins of Elo, Glicko-2, TrueSkill and Bradley-Terry as learners, from their formulas.

Ratings are in the systems' own points. Glicko-2's volatility is the root of Glickman's f by
bisection, not by his iteration. Random words and normal numbers are those of the learner; what
chooses by them is written here again.
"""

import itertools
import math

from scipy.optimize import brentq
from scipy.stats import norm

import strength_twin
from counting_twins import Words
from sparring._jit import kernel
from sparring._random import normals


@kernel
def normals_of(words):
    return normals(words)


class Elo:
    """R + factor (S - E), with powers of ten."""

    begin = 1500.0

    def __init__(self, K, factor=32.0):
        self.ratings, self.factor = [self.begin] * K, factor

    def chance(self, i, j):
        return 1 / (1 + 10 ** ((self.ratings[j] - self.ratings[i]) / 400))

    def tell(self, i, j, o):
        if i != j:
            moved = self.factor * (o - self.chance(i, j))
            self.ratings[i] += moved
            self.ratings[j] -= moved

    def deviation(self, k):
        return 0.0


class Glicko2:
    """Glickman's steps 2 to 8, at the end of each period for all games in it."""

    points = 173.7178

    def __init__(self, K, period=None, tau=0.5, volatility=0.06, deviation=350.0):
        self.ratings, self.deviations = [1500.0] * K, [deviation] * K
        self.sigma, self.most = [volatility] * K, deviation
        self.period, self.tau = period or 5 * K, tau
        self.games, self.told = [], 0

    def chance(self, i, j):
        return 1 / (1 + math.exp((self.ratings[j] - self.ratings[i]) / self.points))

    def deviation(self, k):
        return self.deviations[k]

    def tell(self, i, j, o):
        self.told += 1
        if i != j:
            self.games += [(i, j, o), (j, i, 1 - o)]
        if self.told % self.period == 0:
            self.end()

    def end(self):
        before = list(zip(self.ratings, self.deviations, strict=True))
        for k, (rating, deviation) in enumerate(before):
            games = [(*before[j], s) for i, j, s in self.games if i == k]
            found = rated(rating, deviation, self.sigma[k], games, self.tau, self.most)
            self.ratings[k], self.deviations[k], self.sigma[k] = found
        self.games = []


def rated(rating, deviation, sigma, games, tau, most=math.inf):
    """New rating, deviation and volatility of a player, from (rating, deviation, score) of games.

    The deviation before the games is at most `most`, which is ours.
    """
    points = 173.7178
    mu, phi = (rating - 1500) / points, deviation / points
    if not games:
        return rating, min(points * math.hypot(phi, sigma), most), sigma
    g = [1 / math.sqrt(1 + 3 * (d / points) ** 2 / math.pi**2) for _, d, _ in games]
    E = [1 / (1 + math.exp(-gj * (mu - (r - 1500) / points)))
         for gj, (r, _, _) in zip(g, games, strict=True)]  # fmt: skip
    v = 1 / sum(gj**2 * e * (1 - e) for gj, e in zip(g, E, strict=True))
    gain = sum(gj * (s - e) for gj, e, (_, _, s) in zip(g, E, games, strict=True))
    delta, a = v * gain, math.log(sigma**2)

    def f(x):
        e = math.exp(x)
        top = e * (delta**2 - phi**2 - v - e)
        return top / (2 * (phi**2 + v + e) ** 2) - (x - a) / tau**2

    high = math.log(delta**2 - phi**2 - v) if delta**2 > phi**2 + v else a
    low = a - tau
    while f(low) < 0:
        low -= tau
    sigma = math.exp(brentq(f, min(low, high), max(a, high) + 1, xtol=1e-13) / 2)
    star = min(math.hypot(phi, sigma), most / points)
    phi = 1 / math.sqrt(1 / star**2 + 1 / v)
    return 1500 + points * (mu + phi**2 * gain), points * phi, sigma


class TrueSkill:
    """Herbrich, Minka and Graepel's V and W; an outcome between is o of a win."""

    def __init__(self, K, beta=25 / 6, dynamics=25 / 300, deviation=25 / 3):
        self.ratings, self.variance = [25.0] * K, [deviation**2] * K
        self.beta, self.pace, self.most = beta, 2 * dynamics**2 / K, deviation**2

    def chance(self, i, j):
        difference = self.ratings[i] - self.ratings[j]
        return 1 / (1 + math.exp(-1.702 * difference / (math.sqrt(2) * self.beta)))

    def deviation(self, k):
        return math.sqrt(self.variance[k])

    def tell(self, i, j, o):
        self.variance = [min(x + self.pace, self.most) for x in self.variance]
        if i == j:
            return
        c = math.sqrt(2 * self.beta**2 + self.variance[i] + self.variance[j])
        t = (self.ratings[i] - self.ratings[j]) / c
        v = {x: math.exp(norm.logpdf(x) - norm.logcdf(x)) for x in (t, -t)}
        slope = o * v[t] - (1 - o) * v[-t]
        bend = o * v[t] * (v[t] + t) + (1 - o) * v[-t] * (v[-t] - t)
        for k, sign in ((i, 1), (j, -1)):
            self.ratings[k] += sign * self.variance[k] / c * slope
            self.variance[k] *= 1 - self.variance[k] / c**2 * bend


class BradleyTerry:
    """The follower of votes, on a clock of duels told, a duel of an arm with itself included."""

    def __init__(self, K, half=None):
        self.follower = strength_twin.Follower(K, half or 100.0 * K, 1.0, math.inf, max(8, K))
        self.told = 0

    @property
    def ratings(self):
        return self.follower.strength

    def chance(self, i, j):
        return 1 / (1 + math.exp(self.ratings[j] - self.ratings[i]))

    def deviation(self, k):
        return 1 / math.sqrt(self.follower.information[k])

    def tell(self, i, j, o):
        self.told += 1
        self.follower.vote(i, j, o, float(i != j), float(self.told))


SYSTEMS = {
    "elo": Elo,
    "glicko2": Glicko2,
    "trueskill": TrueSkill,
    "bradley_terry": BradleyTerry,
}


class Twin:
    """A learner: a system, and a rule that chooses by its ratings."""

    def __init__(self, K, name, pairing, words, explore=0.1, **options):
        self.K, self.pairing, self.explore = K, pairing, explore
        self.system, self.words = SYSTEMS[name](K, **options), Words(words)

    def any_two(self):
        row, col = self.words.below(self.K), self.words.below(self.K - 1)
        return row, [k for k in range(self.K) if k != row][col]

    def ask(self):
        ratings, K = self.system.ratings, self.K
        best = max(range(K), key=lambda k: ratings[k])
        if self.pairing == "random":
            return self.any_two()
        if self.pairing == "greedy":
            return self.any_two() if self.words.uniform() < self.explore else (best, best)
        if self.pairing == "near":
            others = [k for k in range(K) if k != best]
            open_ = [(p := self.system.chance(best, k)) * (1 - p) for k in others]
            u = self.words.uniform() * sum(open_)
            passed = [below <= u for below in itertools.accumulate(open_)]
            return best, others[min(sum(passed), len(others) - 1)]
        draws = [self.words.drawn_by(normals_of) for _ in range(K)]
        first, second = (
            [ratings[k] + self.system.deviation(k) * pair[n] for k, pair in enumerate(draws)]
            for n in (0, 1)
        )
        row = max(range(K), key=lambda k: first[k])
        allowed = [k for k in range(K) if self.pairing == "thompson" or k != row]
        return row, max(allowed, key=lambda k: second[k])

    def tell(self, row, col, o):
        self.system.tell(row, col, o)
