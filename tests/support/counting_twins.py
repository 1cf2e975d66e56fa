"""Slow twins of RUCB, RMED1 and double Thompson sampling, in plain Python from the papers' rules.

They keep every duel told and count all of them anew in each round. Of the package they take what is
tested apart: its logarithm and its Beta draws; the random words are made here.

Where the papers leave a choice (which of equals, in which order to draw) it is the learner's:
among equals each in turn replaces the one before with chance 1 / (how many there were), RMED1 takes
the first, and double Thompson sampling draws what its kernel's docstring says; that the law is that
of all draws is tested in `test_thompson_law.py`. RMED1's sums are taken in the order of the arms,
since with few duels many are equal but for their last bits.
"""

import math

import numpy as np
from scipy.special import betainc

from sparring._jit import kernel
from sparring._math import log_of
from sparring._random import beta, beyond

MASK = 2**64 - 1


@kernel
def ln(x):
    return log_of(x)


@kernel
def beta_of(words, a, b):
    return beta(words, a, b)


@kernel
def beyond_of(words, w, l):
    return beyond(words, w, l)


class Words:
    """xoshiro256++ (Blackman and Vigna 2021) in whole numbers of any size."""

    def __init__(self, state):
        self.s = [int(word) for word in state]

    def next(self):
        s = self.s
        total = (s[0] + s[3]) & MASK
        word = (self.rotated(total, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self.rotated(s[3], 45)
        return word

    @staticmethod
    def rotated(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    def uniform(self):
        return (self.next() >> 11) / 2**53

    def below(self, n):
        return int(self.uniform() * n)

    def drawn_by(self, kernel, *shape):
        state = np.array(self.s, np.uint64)
        drawn = kernel(state, *shape)
        self.s = [int(word) for word in state]
        return drawn

    def one_of_the_largest(self, values):
        """The argument of the largest value; among equals any."""
        best, most, ties = None, -math.inf, 0
        for x, value in values.items():
            if value > most:
                best, most, ties = x, value, 1
            elif value == most:
                ties += 1
                best = x if self.below(ties) == 0 else best
        return best


class Counted:
    """A history of duels and what is remembered of it."""

    def __init__(self, K, words, window=None, discount=1.0, alpha=0.51):
        self.K, self.words, self.alpha = K, Words(words), alpha
        self.window, self.discount = window, discount
        self.t, self.history = 0, np.empty((10_000, 3))  # rows, columns, outcomes

    def tell(self, row, col, o):
        if self.window:
            o = round(o * 2**24) / 2**24  # as documented
        self.history[self.t] = row, col, o
        self.t += 1

    def count(self):
        """W and how many rounds are remembered, from all that was ever told."""
        W = np.zeros((self.K, self.K))
        told = self.history[max(self.t - self.window, 0) if self.window else 0 : self.t]
        weight = self.discount ** np.arange(len(told) - 1.0, -1.0, -1.0)
        met = told[:, 0] != told[:, 1]
        row, col, o = told[met].T
        pairs = row.astype(int), col.astype(int)
        np.add.at(W, pairs, weight[met] * o)
        np.add.at(W, pairs[::-1], weight[met] * (1 - o))
        return W.tolist(), float(weight.sum())

    def width(self, mass):
        return self.alpha * ln(1.0 + mass)

    def may_choose(self, shown):
        """Ask; then whether a learner may have chosen that pair."""
        return self.ask() == shown


class Rucb(Counted):
    """Zoghi, Whiteson, Munos and de Rijke (2014), Algorithm 1."""

    B = None

    def U(self, W, i, j, wide):
        N = W[i][j] + W[j][i]
        if i == j:
            return 0.5
        if N == 0:
            return 2.0 if self.discount == 1 else math.inf
        return W[i][j] / N + math.sqrt(wide / N)

    def ask(self):
        W, mass = self.count()
        wide, arms = self.width(mass), range(self.K)
        U = [[self.U(W, i, j, wide) for j in arms] for i in arms]
        C = [c for c in arms if all(U[c][j] >= 0.5 for j in arms)]
        if self.B not in C:
            self.B = None
        if not C:
            c = self.words.below(self.K)
        elif len(C) == 1:
            self.B = c = C[0]
        elif self.B is None:
            c = C[self.words.below(len(C))]
        elif self.words.uniform() < 0.5:
            c = self.B
        else:
            others = [k for k in C if k != self.B]
            c = others[self.words.below(len(others))]
        rivals = {j: U[j][c] for j in arms if j != c and U[j][c] >= 0.5}
        return c, self.words.one_of_the_largest(rivals) if rivals else c


class Rmed1(Counted):
    """Komiyama, Honda, Kashima and Nakagawa (2015), Algorithm 1 with RMED1's opponents."""

    def __init__(self, K, *arguments, **options):
        super().__init__(K, *arguments, **options)
        self.first = [(i, j) for i in range(K) for j in range(i + 1, K)]
        self.L_C, self.L_R, self.L_N = list(range(K)), set(range(K)), set()
        self.begun = False

    def ask(self):
        if self.first:
            self.means = {self.first[0][1]: 0.0}
            return self.first.pop(0)
        W, mass = self.count()
        arms = range(self.K)

        def mu(i, j):
            N = W[i][j] + W[j][i]
            return W[i][j] / N if N > 0 else 0.5

        O = {i: [j for j in arms if j != i and mu(i, j) <= 0.5] for i in arms}
        I = [sum([self.divergence(W[i][j], W[j][i]) for j in O[i]], 0.0) for i in arms]
        best = min(arms, key=lambda i: I[i])
        if self.begun:
            limit = I[best] + (ln(max(mass, 1.0)) + 0.3 * self.K**1.01)
            self.L_N |= {j for j in arms if j not in self.L_R and I[j] <= limit}
            if not self.L_C:
                self.L_C, self.L_R, self.L_N = sorted(self.L_N), set(self.L_N), set()
        self.begun = True
        self.means = {best: 0.0}
        l = self.L_C.pop(0)
        self.L_R.discard(l)
        if best in O[l] or not O[l]:
            return l, best
        self.means = {j: mu(l, j) for j in O[l]}
        return l, min(O[l], key=lambda j: mu(l, j))

    def may_choose(self, shown):
        """With discount arms take turns such that means are often equal but for rounding."""
        l, m = self.ask()
        if (l, m) == shown or self.discount == 1:
            return (l, m) == shown
        near = [j for j, mean in self.means.items() if mean <= self.means[m] + 1e-12]
        return shown[0] == l and m in near and shown[1] in near

    @staticmethod
    def divergence(x, y):
        """N d(mu, 1/2) for x wins and y losses."""
        N = x + y
        return sum((w * ln(2 * (w / N)) for w in (x, y) if w > 0), 0.0)


class DoubleThompson(Counted):
    """Wu and Liu (2016), Algorithm 1."""

    last = 0

    def ask(self):
        W, mass = self.count()
        wide, arms = self.width(mass), range(self.K)

        def U(i, j):
            N = W[i][j] + W[j][i]
            return W[i][j] / N + math.sqrt(wide / N) if N > 0 else 2.0

        zeta = [sum(U(i, j) > 0.5 for j in arms if j != i) for i in arms]
        a = self.last = self.row(W, [i for i in arms if zeta[i] == max(zeta)])
        lower = {i: 1 - U(a, i) for i in arms if i != a}
        second = {i: self.theta(W[i][a], W[a][i]) for i in arms if i != a and lower[i] <= 0.5}
        return a, max([a, *second], key=lambda i: second.get(i, 0.5))

    def above(self, w, l):
        """Whether theta > 1/2 for so many wins and losses, by one uniform."""
        return self.words.uniform() < betainc(l + 1.0, w + 1.0, 0.5)

    def row(self, W, C):
        """Who of the candidates loses least, as far as that takes draws."""
        turn = [*range(self.last, self.K), *range(self.last)]
        lost, drawn, least, a, ties = [0] * self.K, set(), self.K, C[0], 0
        for i in turn if len(C) > 1 else ():
            if i not in C:
                continue
            for j in turn:
                if j != i and {i, j} not in drawn and lost[i] <= least:
                    drawn.add(frozenset({i, j}))
                    lost[j if self.above(W[i][j], W[j][i]) else i] += 1
            if lost[i] <= least:
                ties = 1 if lost[i] < least else ties + 1
                least = lost[i]
                a = i if ties == 1 or self.words.below(ties) == 0 else a
        return a

    def theta(self, w, l):
        """A draw, or 0 if it is not above 1/2 and well behind."""
        if w >= l or 2 * (l - w) ** 2 <= w + l:
            return self.words.drawn_by(beta_of, w + 1.0, l + 1.0)
        return self.words.drawn_by(beyond_of, w, l) if self.above(w, l) else 0.0


TWINS = {"rucb": Rucb, "rmed1": Rmed1, "thompson": DoubleThompson}
