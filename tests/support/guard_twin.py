"""A slow twin of `guarded`, in plain Python from the formulas of docs/theory.md.

It is told what the tracker chose and which random numbers come next, and keeps every audit. All
sums are taken anew whenever somebody asks for them.
"""

import math

from certificate_twin import twin_psi
from counting_twins import Words

RATES = [4.0**-power for power in range(1, 13)]


class Plan:
    """The numbers of epoch e."""

    def __init__(self, K, e):
        self.n = n = 1024 * 2**e
        self.eps = eps = min(0.1, (K / n) ** (1 / 3) / 2)
        self.gamma = min(0.5, math.sqrt(K * (math.log(K * K * eps * n) + math.e) / (eps * n)))
        self.eta, self.alpha = 2 * eps * self.gamma / K, 1 / (K * eps * n)
        spread = eps * (1 - self.gamma)
        self.limit = math.sqrt(n * math.log(n) / (2 * spread)) + math.log(n) / (6 * spread)
        self.safe_gamma = min(0.5, math.sqrt(K * (math.log(K * K * n) + math.e) / n) / 2)
        self.safe_eta, self.safe_alpha = 2 * self.safe_gamma / K, 1 / (K * n)


def mixed(w, gamma):
    return [(1 - gamma) * x + gamma / len(w) for x in w]


def shared(w, exponents, alpha):
    """EXP3.S: W(k) exp(...) + e alpha sum W, and then divided by its sum."""
    new = [x * math.exp(y) + math.e * alpha for x, y in zip(w, exponents, strict=True)]
    return [x / math.fsum(new) for x in new]


class Guard:
    """Everybody but the tracker."""

    def __init__(self, K):
        self.K, self.e, self.all, self.told = K, 0, [], 0
        self.begin()

    def begin(self):
        self.plan = Plan(self.K, self.e)
        self.w = self.p = [1 / self.K] * self.K
        self.wins, self.of_epoch, self.handed_over = 0.0, 0, False

    def ask(self, row, col, words):
        """What becomes of the tracker's pair; all that is known of the round."""
        words = Words(words)
        if self.handed_over:
            p = mixed(self.p, self.plan.safe_gamma)
            return {"kind": 2, "e": self.e, "q": p, "pair": (draw(p, words), draw(p, words))}
        q = mixed(self.w, self.plan.gamma)
        duel = {"kind": 0, "e": self.e, "q": q, "pair": (row, col), "eps": self.plan.eps}
        if words.uniform() < self.plan.eps:
            shown = row if words.uniform() < 0.5 else col
            duel |= {"kind": 1, "pair": (shown, draw(q, words)), "w": list(self.w)}
        self.all.append(duel)
        return duel

    def tell(self, duel, o):
        (row, col), self.told = duel["pair"], self.told + 1
        duel["o"] = o = 0.5 if row == col else o
        if duel["e"] == self.e and duel["kind"] == 1:
            x = (0.5 - o) / (self.plan.eps * duel["q"][col])
            self.wins += duel["w"][col] * x
            steps = [self.plan.eta * x * (k == col) for k in range(self.K)]
            self.w = shared(self.w, steps, self.plan.alpha)
            self.handed_over = self.handed_over or self.wins > self.plan.limit
        elif duel["e"] == self.e and duel["kind"] == 2:
            lead, half = 2 * o - 1, self.plan.safe_eta / 2
            steps = [half * lead * ((row == k) - (col == k)) / duel["q"][k] for k in range(self.K)]
            self.p = shared(self.p, steps, self.plan.safe_alpha)
        self.of_epoch += 1
        if self.of_epoch == self.plan.n:
            self.e += 1
            self.begin()

    def certified(self, delta):
        """Of what was asked, by the definition: answers that have not come are wins of b."""
        audits = [duel for duel in self.all if duel["kind"] == 1]
        bounds = []
        for k in range(self.K):
            x = 0.0
            for duel in audits:
                row, col = duel["pair"]
                o = 0.5 if row == col else duel.get("o", 0.0)
                x += (col == k) * (0.5 - o) / (duel["eps"] * duel["q"][k])
            least = math.inf
            for rate in RATES:
                psi = math.fsum(twin_psi(rate, duel["eps"] * duel["q"][k]) for duel in self.all)
                slack = math.log(len(RATES) * self.K / delta)
                least = min(least, (psi + slack) / rate)
            bounds.append(x + least)
        return min(max(bounds) + len(audits) / 2, len(self.all) / 2)


def draw(p, words):
    left = words.uniform()
    for k in range(len(p) - 1):
        if left < p[k]:
            return k
        left -= p[k]
    return len(p) - 1
