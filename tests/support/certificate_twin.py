"""A twin of the certificate: plain Python, from the mathematics."""

import itertools
import math


def twin_psi(rate, p):
    """min(p (e^x - 1 - x), rate/2 + x), x = rate / (2 p)."""
    x = rate / (2 * p)
    if x < 1:
        terms, term = [], x
        for n in range(2, 25):
            term *= x / n
            terms.append(term)
        return p * math.fsum(reversed(terms))
    surely = rate / 2 + x
    return surely if x > 500 else min(p * (math.exp(x) - 1 - x), surely)


class Twin:
    """What a certificate says of duels (row, col, o, p_row, p_col), by the definitions."""

    def __init__(self, K, delta, betas, duels, cuts=()):
        self.K, self.delta, self.betas, self.cuts = K, delta, betas, cuts
        self.duels = [(a, b, 0.5 if a == b else o, *p) for a, b, o, *p in duels]  # no news there
        self.T, self.arms = len(duels), range(K)

    def centred(self, j, duel):
        """(y_+ + y_-) / 2."""
        a, b, o, p_row, p_col = duel
        return ((a == j) * (o - 0.5) / p_row[j] + (b == j) * (0.5 - o) / p_col[j]) / 2

    def charge(self, j, duel, beta):
        """(psi_+ + psi_-) / (2 lambda), with lambda = 8 beta."""
        *_, p_row, p_col = duel
        return (twin_psi(8 * beta, p_row[j]) + twin_psi(8 * beta, p_col[j])) / (16 * beta)

    def slack(self, beta, nats):
        """Both players' chances come together up to lambda = 1/2, and by Cauchy-Schwarz beyond."""
        return nats / (16 * beta) if 8 * beta <= 0.5 else nats / (8 * beta)

    @property
    def estimates(self):
        return [math.fsum(self.centred(j, duel) for duel in self.duels) for j in self.arms]

    @property
    def standard_errors(self):
        """An arm that meets itself adds nothing, so each 1/p counts when the other is another."""
        variance = [
            [
                (1 - p_col[j]) / p_row[j] + (1 - p_row[j]) / p_col[j]
                for *_, p_row, p_col in self.duels
            ]
            for j in self.arms
        ]
        return [math.sqrt(math.fsum(part) / 16) for part in variance]

    @property
    def regret_bounds(self):
        nats = math.log(self.K * len(self.betas) / self.delta)
        found = []
        for j, estimate in enumerate(self.estimates):
            chance = min(
                math.fsum(self.charge(j, duel, beta) for duel in self.duels)
                + self.slack(beta, nats)
                for beta in self.betas
            )
            found.append(min(estimate + chance, self.T / 2))
        return found

    @property
    def lemma_bounds(self):
        """1/2 [sum ghat_+ + sum ghat_- - T] + ln(2 K / delta) / beta; Algorithm 1, eq. (g-hat)."""
        nats = math.log(2 * self.K * len(self.betas) / self.delta)
        found = []
        for j in self.arms:
            bounds = [self.T / 2]
            for beta in self.betas:
                gains = []
                for a, b, o, p_row, p_col in self.duels:
                    gains += [((a == j) * o + beta) / p_row[j]]
                    gains += [((b == j) * (1 - o) + beta) / p_col[j]]
                bounds.append((math.fsum(gains) - self.T) / 2 + nats / beta)
            found.append(min(bounds))
        return found

    @property
    def dynamic(self):
        """The best arm of each segment, S ln K + ln(1 / delta) nats."""
        edges = [0, *self.cuts, self.T]
        nats = (len(edges) - 1) * math.log(self.K) + math.log(len(self.betas) / self.delta)
        bounds = [self.T / 2]
        for beta in self.betas:
            best = [
                max(
                    math.fsum(
                        self.centred(j, duel) + self.charge(j, duel, beta)
                        for duel in self.duels[begin:end]
                    )
                    for j in self.arms
                )
                for begin, end in itertools.pairwise(edges)
            ]
            bounds.append(math.fsum(best) + self.slack(beta, nats))
        return min(bounds)


class MixedTwin(Twin):
    """The same where some duels have no p_col: their arms were drawn from p_row, and differ."""

    def centred(self, j, duel):
        """(1 - p(other)) (o_j - 1/2) / (2 p(j)), o_j what j made of it."""
        a, b, o, p, p_col = duel
        if p_col is not None:
            return super().centred(j, duel)
        if j == a:
            return (1 - p[b]) * (o - 0.5) / (2 * p[a])
        return (1 - p[a]) * (0.5 - o) / (2 * p[b]) if j == b else 0.0

    def charge(self, j, duel, beta):
        """psi' / (2 lambda), with lambda = 8 beta and x = lambda / (2 p)."""
        *_, p, p_col = duel
        if p_col is not None:
            return super().charge(j, duel, beta)
        x = 4 * beta / p[j]
        by_chance = self.v(j, p) * (math.expm1(x) - x) if x < 300 else math.inf
        return min(by_chance, 8 * beta + x) / (16 * beta)

    def v(self, j, p):
        """The sum over the others of the chance to meet them times (1 - p)^2, theirs."""
        D = math.fsum(q * (1 - q) for q in p)
        others = [a for a in self.arms if a != j]
        return math.fsum(2 * p[j] * p[a] / D * (1 - p[a]) ** 2 for a in others)

    @property
    def standard_errors(self):
        found = []
        for j in self.arms:
            parts = []
            for *_, p, p_col in self.duels:
                if p_col is None:
                    parts.append(self.v(j, p) / p[j] ** 2)
                else:
                    parts += [(1 - p_col[j]) / p[j], (1 - p[j]) / p_col[j]]
            found.append(math.sqrt(math.fsum(parts) / 16))
        return found

    @property
    def lemma_bounds(self):
        """Nothing: the lemma is for independent arms."""
        return [self.T / 2] * self.K


class AnsweredTwin(Twin):
    """The certificate of answered duels of different arms: Theorem 14, by its definitions."""

    def __init__(self, K, delta, betas, duels, cuts=()):
        counting = [duel for duel in duels if duel[0] != duel[1] and duel[2] is not None]
        super().__init__(K, delta, betas, counting, cuts)

    def pair(self, i, k, p, q):
        """The chance of {i, k} given that arms differ."""
        D = 1 - math.fsum(x * y for x, y in zip(p, q, strict=True))
        return (p[i] * q[k] + p[k] * q[i]) / D

    def place(self, a, p, q):
        """The chance that one of the two places, chosen by a coin, is the arm a."""
        return math.fsum(self.pair(a, k, p, q) for k in self.arms if k != a) / 2

    def centred(self, j, duel):
        """m(a) / pi(j, a) (o_j - 1/2), where j has met a."""
        a, b, o, p, q = duel
        if j not in (a, b):
            return 0.0
        other, won = (b, o) if j == a else (a, 1 - o)
        return self.place(other, p, q) / self.pair(j, other, p, q) * (won - 0.5)

    def factors(self, j, p, q):
        """(pi(j, a), c(a)) of each other arm, c = 2 m(a) / pi(j, a)."""
        others = [a for a in self.arms if a != j]
        chances = [self.pair(j, a, p, q) for a in others]
        return [(pi, 2 * self.place(a, p, q) / pi) for a, pi in zip(others, chances, strict=True)]

    def charge(self, j, duel, beta):
        """min(v (e^x - 1 - x), lambda + x) / (2 lambda), lambda = 8 beta, x = lambda C / 2."""
        *_, p, q = duel
        factors = self.factors(j, p, q)
        C = max(c for _, c in factors)
        x, v = 4 * beta * C, math.fsum(pi * (c / C) ** 2 for pi, c in factors)
        by_chance = v * (math.expm1(x) - x) if x < 300 else math.inf
        return min(by_chance, 8 * beta + x) / (16 * beta)

    @property
    def standard_errors(self):
        return [
            math.sqrt(
                math.fsum(pi * c**2 for *_, p, q in self.duels for pi, c in self.factors(j, p, q))
                / 16
            )
            for j in self.arms
        ]

    @property
    def lemma_bounds(self):
        return [self.T / 2] * self.K
