"""Slow twins: the learners in log-space, plain Python, compensated sums.

Written from the papers' lines, not from the kernels, which this file may not import. A twin eats
the uniforms and outcomes the kernels eat and must choose the same arms from the same probabilities.
"""

import math


def two_sum(a, b):
    """a + b and what rounding lost of it (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


class LogWeights:
    """ln W(k) for each arm, as high + low: a plain sum errs by 1e-7 after thousands of nats."""

    def __init__(self, K):
        self.high = [0.0] * K  # l. 2: W = 1
        self.low = [0.0] * K
        self._known = None  # the fractions, until a weight changes: a round needs them thrice

    def fractions(self):
        """W(k) / sum W, and ln sum W as high + low."""
        if self._known is None:
            self._known = self._fractions()
        return self._known

    def _fractions(self):
        top = max(range(len(self.high)), key=self.high.__getitem__)
        high, low = self.high[top], self.low[top]
        scaled = [
            math.exp((h - high) + (l - low)) for h, l in zip(self.high, self.low, strict=True)
        ]
        total = math.fsum(scaled)
        return [w / total for w in scaled], two_sum(high, low + math.log(total))

    def multiply(self, k, exponent):
        """W(k) <- W(k) e^exponent."""
        self._known = None
        high, rest = two_sum(self.high[k], exponent)
        self.high[k], self.low[k] = two_sum(high, self.low[k] + rest)

    def set(self, k, log_total, log_fraction):
        """W(k) <- sum W times a fraction of it."""
        self._known = None
        high, rest = two_sum(log_total[0], log_fraction)
        self.high[k], self.low[k] = two_sum(high, log_total[1] + rest)


class Player:
    """One copy of EXP3 with mixing, bias and share: ll. 4-7 and 10-12 of Algorithm 2."""

    def __init__(self, K, eta, gamma, beta, alpha):
        self.K, self.eta, self.gamma, self.beta, self.alpha = K, eta, gamma, beta, alpha
        self.weights = LogWeights(K)

    def distribution(self):
        """l. 5: p(k) = (1 - gamma) W(k) / sum W + gamma / K."""
        fractions, _ = self.weights.fractions()
        return [(1 - self.gamma) * f + self.gamma / self.K for f in fractions]

    def choose(self, u):
        """l. 7, by the rule of docs/notation.md: uniform if u < gamma, else inverse CDF."""
        if u < self.gamma:
            return min(int(u * self.K / self.gamma), self.K - 1)
        target = (u - self.gamma) / (1 - self.gamma)
        fractions, _ = self.weights.fractions()
        below = 0.0
        for k, fraction in enumerate(fractions):
            below += fraction
            if target < below:
                return k
        return self.K - 1

    def update(self, gains):
        """l. 11: W(k) <- W(k) e^(eta g(k)) + e alpha sum W."""
        if self.alpha == 0:
            for k, g in enumerate(gains):
                self.weights.multiply(k, self.eta * g)
            return
        fractions, log_total = self.weights.fractions()
        for k, g in enumerate(gains):
            new = fractions[k] * math.exp(self.eta * g) + math.e * self.alpha
            self.weights.set(k, log_total, math.log(new))


class Dex3s:
    """Algorithm 2; with alpha = 0 it is Algorithm 1, DEX3.P."""

    def __init__(self, K, eta, gamma, beta, alpha):
        self.K, self.beta = K, beta
        self.row = Player(K, eta, gamma, beta, alpha)
        self.col = Player(K, eta, gamma, beta, alpha)

    def p(self):
        return [self.row.distribution(), self.col.distribution()]

    def ask(self, u, v):
        """ll. 4-7."""
        return self.row.choose(u), self.col.choose(v), self.p()

    def tell(self, row, col, p, o):
        """ll. 9-12 with equation (g-hat): rewards o and 1 - o."""
        for player, arm, q, reward in ((self.row, row, p[0], o), (self.col, col, p[1], 1 - o)):
            player.update(
                [((reward if k == arm else 0.0) + self.beta) / q[k] for k in range(self.K)]
            )


class Dex3p(Dex3s):
    """Algorithm 1."""

    def __init__(self, K, eta, gamma, beta, alpha=0.0):
        assert alpha == 0
        super().__init__(K, eta, gamma, beta, 0.0)


class BordaDex3s(Dex3s):
    """Algorithm 3: as Algorithm 2, with s' in line 9."""

    def tell(self, row, col, p, o):
        """s'_i(k) = 1(k_i = k) / (K p_i(k)) sum_j 1(k_-i = j) o(k, j) / p_-i(j) + beta / p_i(k).

        For the column player o(k, j) says that k, its own arm, beat j: 1 - o.
        """
        for player, arm, q, other, q_other, wins in (
            (self.row, row, p[0], col, p[1], o),
            (self.col, col, p[1], row, p[0], 1 - o),
        ):
            player.update(
                [
                    (1 / (self.K * q[k]) * (wins / q_other[other]) if k == arm else 0.0)
                    + self.beta / q[k]
                    for k in range(self.K)
                ]
            )


class Rex3:
    """REX3 for one bit: psi = 2 o - 1, exponents (gamma / K) psi / (2 p), none on self-duels."""

    def __init__(self, K, eta, gamma, beta=0.0, alpha=0.0):
        assert beta == alpha == 0
        self.eta = eta  # gamma / K in REX3's own tuning
        self.player = Player(K, eta, gamma, 0.0, 0.0)

    def p(self):
        return [self.player.distribution()]

    def ask(self, u, v):
        return self.player.choose(u), self.player.choose(v), self.p()

    def tell(self, row, col, p, o):
        if row != col:
            psi = 2 * o - 1
            self.player.weights.multiply(row, self.eta * psi / (2 * p[0][row]))
            self.player.weights.multiply(col, -self.eta * psi / (2 * p[0][col]))


class SymExp3s:
    """SYM-EXP3.S: x(k) = (1{row = k} - 1{col = k}) (o - 1/2) / (2 p(k)), and the share of EXP3.S.

    The exponent is h x(k), where h is twice the eta of the estimate "relative", which is 2 x(k).
    """

    def __init__(self, K, eta, gamma, beta=0.0, alpha=0.0):
        assert beta == 0
        self.K = K
        self.player = Player(K, 2 * eta, gamma, 0.0, alpha)

    def p(self):
        return [self.player.distribution()]

    def ask(self, u, v):
        return self.player.choose(u), self.player.choose(v), self.p()

    def tell(self, row, col, p, o):
        x = [0.0] * self.K
        x[row] += (o - 0.5) / (2 * p[0][row])
        x[col] -= (o - 0.5) / (2 * p[0][col])
        self.player.update(x)


class Sturdy(SymExp3s):
    """SYM-EXP3.S with a cap: the exponent is step psi min(1, 1 / (K p(k))), step = K eta / 2."""

    def tell(self, row, col, p, o):
        super().tell(row, col, [[max(q, 1 / self.K) for q in p[0]]], o)


class SymExp3sApart(SymExp3s):
    """SYM-EXP3.S for two different arms: pairs from p x p given that they differ.

    The pair i, j has the chance p(i) p(j) / D; u says which i, v which j. The estimate is D times
    that of SYM-EXP3.S, at the rate h / sqrt(D).
    """

    def ask(self, u, v):
        p = self.player.distribution()
        row = inverse([q * (1 - q) for q in p], u)
        return row, inverse([0 if k == row else q for k, q in enumerate(p)], v), [p]

    def tell(self, row, col, p, o):
        D = 1 - math.fsum(q * q for q in p[0])
        x = [0.0] * self.K
        x[row] = D * (o - 0.5) / (2 * p[0][row])
        x[col] = -D * (o - 0.5) / (2 * p[0][col])
        self.player.update([gain / math.sqrt(D) for gain in x])


def inverse(chances, u):
    """The inverse CDF of these chances, which need not sum to 1, at u."""
    rest = u * math.fsum(chances)
    for k, chance in enumerate(chances):
        rest -= chance
        if rest < 0:
            return k
    return max(k for k, chance in enumerate(chances) if chance > 0)


class DExp3:
    """D-EXP3: one q for both arms; the row arm's s(a) = o / (K q(a) q(b)), and 0 for the others."""

    def __init__(self, K, eta, gamma, beta=0.0, alpha=0.0):
        assert beta == alpha == 0
        self.K = K
        self.player = Player(K, eta, gamma, 0.0, 0.0)

    def p(self):
        return [self.player.distribution()]

    def ask(self, u, v):
        return self.player.choose(u), self.player.choose(v), self.p()

    def tell(self, row, col, p, o):
        q = p[0]
        self.player.update([o / (self.K * q[k] * q[col]) if k == row else 0 for k in range(self.K)])


class Rand:
    """Both arms uniform and independent, whatever is told."""

    def __init__(self, K, eta=0.0, gamma=1.0, beta=0.0, alpha=0.0):
        self.K = K

    def p(self):
        return [[1 / self.K] * self.K]

    def ask(self, u, v):
        return int(u * self.K), int(v * self.K), self.p()

    def tell(self, row, col, p, o):
        pass
