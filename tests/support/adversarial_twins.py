"""Slow twins of the sparring learners: plain Python, from the papers' formulas, in log-space.

They may not import the kernels. A twin eats the same words of random bits as the kernels, so it has
its own xoshiro256++ on Python's whole numbers. `tell` takes the distributions that the learner says
it drew from, which must be the twin's, but may differ in the last bits: a player that believes to
play an arm a little more often is punished a little less for it, and from its own p a twin would
drift away by a factor of 2 every hundred rounds or so.
"""

import math
from fractions import Fraction

from oracle import LogWeights

MASK = 2**64 - 1


def rotated(x, by):
    return ((x << by) | (x >> (64 - by))) & MASK


class Words:
    """xoshiro256++ (Blackman and Vigna 2021)."""

    def __init__(self, words):
        self.s = [int(word) for word in words]

    def uniform(self):
        s = self.s
        word = (rotated((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
        return (word >> 11) / 2**53

    def draw(self, p):
        """The inverse of the distribution function."""
        u, below = self.uniform(), 0.0
        for k, chance in enumerate(p):
            below += chance
            if u < below:
                return k
        return len(p) - 1


class Exp3:
    """Auer et al. 2002, Figure 1."""

    def __init__(self, K, gamma):
        self.K, self.gamma, self.weights = K, gamma, LogWeights(K)

    def p(self):
        fractions, _ = self.weights.fractions()
        return [(1 - self.gamma) * f + self.gamma / self.K for f in fractions]

    def learn(self, slots):
        for k, chance, loss, part in slots:
            self.weights.multiply(k, self.gamma * part * (1 - loss) / (self.K * chance))


class Exp3SIX:
    """Neu 2015: implicit exploration, and a share on the updated, normalised weights."""

    def __init__(self, K, eta, gamma, alpha):
        self.K, self.eta, self.gamma, self.alpha = K, eta, gamma, alpha
        self.weights = LogWeights(K)

    def p(self):
        return self.weights.fractions()[0]

    def learn(self, slots):
        for k, chance, loss, part in slots:
            self.weights.multiply(k, -self.eta * part * loss / (chance + self.gamma))
        if self.alpha > 0:
            fractions, log_total = self.weights.fractions()
            for k, fraction in enumerate(fractions):
                shared = (1 - self.alpha) * fraction + self.alpha / self.K
                self.weights.set(k, log_total, math.log(shared))


class TsallisINF:
    """Zimmert and Seldin 2021, importance weighted: x by bisection, sums exact."""

    def __init__(self, K):
        self.L, self.t = [Fraction(0)] * K, 1

    def p(self):
        return tsallis(self.L, 2 / math.sqrt(self.t))

    def learn(self, slots):
        for k, chance, loss, part in slots:
            self.L[k] += Fraction(part * loss / chance)
        self.t += 1


def tsallis(L, eta):
    """4 / (eta (L - x))^2 with the sum 1; y = min L - x is bisected to the last bit."""
    least = min(L)
    gaps = [float(l - least) for l in L]
    low, high = 1 / eta, 4 * math.sqrt(len(L)) / eta
    while low < (y := (low + high) / 2) < high:
        if math.fsum((2 / (eta * (gap + y))) ** 2 for gap in gaps) > 1:
            low = y
        else:
            high = y
    return [(2 / (eta * (gap + y))) ** 2 for gap in gaps]


class Sparring:
    """Two players, each with its slot, or one with both, who learns the mean of the two."""

    def __init__(self, words, make, players):
        self.words, self.players = Words(words), [make() for _ in range(players)]

    def p(self):
        return [player.p() for player in self.players]

    def ask(self):
        p = self.p()
        return self.words.draw(p[0]), self.words.draw(p[-1])

    def tell(self, row, col, p, o):
        if len(self.players) == 2:
            self.players[0].learn([(row, p[0][row], 1 - o, 1.0)])
            self.players[1].learn([(col, p[1][col], o, 1.0)])
        else:
            self.players[0].learn([(row, p[0][row], 1 - o, 0.5), (col, p[0][col], o, 0.5)])
