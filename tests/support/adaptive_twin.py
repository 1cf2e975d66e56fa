"""Slow twin of `tracker`, in plain Python from the formulas of docs/learners.md.

It keeps every duel told and counts all of them again whenever it needs to know who beat whom since
some start. It imports no kernel: normal numbers are Box and Muller's from the same random words, by
the standard library's functions, and posteriors are sums over all pairs of starts.
"""

import math

from counting_twins import Words

GOLDEN = (math.sqrt(5) - 1) / 2


class AdaptiveTwin:
    def __init__(self, K, words, *, differ=False, oldest=math.inf):
        self.K, self.differ, self.oldest = K, differ, oldest
        self.words = Words(words)
        self.starts = [0]
        self.A = [{0: 1.0} for _ in range(K)]  # by start
        self.duels = []  # asked after how many told, row, col, outcome
        self.told = 0
        self.reign, self.calm, self.row = 0.0, 0.0, 0  # ages of the row arm, of the arm shown most
        self.y = [1 / K] * K
        self.phase = [i * GOLDEN**2 % 1 for i in range(K)]
        self.suspicion = None  # its number, arms, starts, lead, duels asked, duels told
        self.suspicions = 0

    # --- asking

    def normals(self):
        """K normal numbers, two from each pair of words."""
        found = []
        while len(found) < self.K:
            radius = math.sqrt(-2 * math.log(1 - (self.words.next() >> 12) / 2**52))
            word = self.words.next()
            angle = ((word >> 12) / 2**52 - 0.5) * math.pi / 2
            pair = [math.cos(angle), math.sin(angle)]
            pair = pair[::-1] if word & 2 else pair
            found += [(-radius if word & 1 else radius) * part for part in pair]
        return found[: self.K]

    def wins(self, i, j, start):
        """How often i beat j in duels asked since a start."""
        found = 0.0
        for asked, row, col, o in self.duels:
            if asked >= start and (row, col) == (i, j):
                found += o
            if asked >= start and (row, col) == (j, i):
                found += 1 - o
        return found

    def law(self, i, j, start_i, start_j):
        """a and b of the Beta law of the chance that i beats j."""
        since = max(start_i, start_j)
        a, b = 1 + self.wins(i, j, since), 1 + self.wins(j, i, since)
        return a + 2 * (start_i > start_j), b + 2 * (start_j > start_i)

    def response(self, starts, skipped=None):
        """The best response to y with these starts under drawn preferences."""
        z, gains = self.normals(), {}
        rivals = [j for j in range(self.K) if self.y[j] > 0.001 * max(self.y)]
        for i in range(self.K):
            mean = variance = 0.0
            for j in rivals:
                if j != i:
                    a, b = self.law(i, j, starts[i], starts[j])
                    mean += self.y[j] * (a / (a + b) - 0.5)
                    variance += self.y[j] ** 2 * a * b / ((a + b) ** 2 * (a + b + 1))
            if i != skipped:
                gains[i] = mean + math.sqrt(variance) * z[i]
        return max(gains, key=gains.__getitem__)

    def median(self, i):
        total = 0.0
        for start in self.starts:
            total += self.A[i][start]
            if total >= 0.5:
                return start
        return self.starts[-1]

    def quantile(self, i, u):
        total = 0.0
        for start in self.starts:
            total += self.A[i][start]
            if u < total:
                return start
        return self.starts[-1]

    def kept(self, start):
        """A start, or the next later one if it went."""
        return next((one for one in self.starts if one >= start), self.starts[-1])

    def ask(self):
        """The pair, and its note."""
        row = self.row = self.response([self.median(i) for i in range(self.K)])
        self.phase = [(u + GOLDEN) % 1 for u in self.phase]
        drawn = [self.quantile(i, u) for i, u in enumerate(self.phase)]
        it = self.suspicion
        following = it is not None and it["asked"] <= 2 * it["told"]
        if following:
            for arm, start in zip(it["arms"], it["starts"], strict=True):
                drawn[arm] = self.kept(start)
        col = self.response(drawn, row if self.differ else None)
        number = it["number"] if following else None
        if following and row == col:
            self.suspicion = None
        elif following:
            it["asked"] += 1
        M = 20 * self.K + 0.01 * self.calm
        shown = [row, row if self.differ else col]
        self.y = [(1 - 1 / M) * x + shown.count(k) / (2 * M) for k, x in enumerate(self.y)]
        return row, col, (self.told, number, drawn[row], drawn[col])

    # --- telling

    def chance(self, o, i, j, start_i, start_j, asked):
        """Of the outcome, given the starts; what was asked before a start is left to older ones."""
        since = max(start_i, start_j)
        if since > asked:
            return self.older(o, i, j, asked)
        a, b = self.law(i, j, start_i, start_j)
        return (o * a + (1 - o) * b) / (a + b)

    def older(self, o, i, j, asked):
        """The mean over the starts up to the asking, if neither arm rose."""
        old = [start for start in self.starts if start <= asked]
        pairs = [(self.A[i][a] * self.A[j][b], max(a, b)) for a in old for b in old]
        mean = sum(weight * self.chance(o, i, j, s, s, asked) for weight, s in pairs)
        return mean / sum(weight for weight, _ in pairs)

    def tell(self, o, i, j, note):
        asked, _, start_i, start_j = note
        if i != j:
            chance = {
                (a, b): self.chance(o, i, j, a, b, asked) for a in self.starts for b in self.starts
            }
            together = sum(chance[a, b] * self.A[i][a] * self.A[j][b] for a, b in chance)
            by_note = chance[self.kept(start_i), self.kept(start_j)]
            joint = {ab: chance[ab] * self.A[i][ab[0]] * self.A[j][ab[1]] for ab in chance}
            for arm, place in ((i, 0), (j, 1)):
                self.A[arm] = {
                    s: max(sum(x for ab, x in joint.items() if ab[place] == s) / together, 1e-60)
                    for s in self.starts
                }
            self.duels.append((asked, i, j, o))
            self.suspect(i, j, math.log(by_note / together), note)
        self.told += 1
        if self.told % self.K == 0:
            self.begin()

    def suspect(self, i, j, lead, note):
        it = self.suspicion
        if it is not None and note[1] == it["number"]:
            it["lead"] += lead
            it["told"] += 1
            if it["lead"] < 1e-9:
                self.suspicion = None
        elif lead >= 1e-9 and (it is None or it["asked"] > 2 * it["told"]):
            self.suspicions += 1
            self.suspicion = {
                "number": self.suspicions,
                "arms": (i, j),
                "starts": note[2:],
                "lead": lead,
                "asked": 0,
                "told": 0,
            }

    def begin(self):
        """A new start, after the grid was thinned out."""
        t, K = self.told, self.K
        self.reign = min(t - self.median(self.row), self.oldest)
        self.calm = min(t - self.median(self.y.index(max(self.y))), self.oldest)
        for k in range(len(self.starts) - 2, 0, -1):
            older, gone, later = self.starts[k - 1 : k + 2]
            if t - older <= 2 * (t - later + K):
                self.starts.remove(gone)
                for A in self.A:
                    A[later] += A.pop(gone)
        for A in self.A:
            new = 0.0
            for start in self.starts:
                part = A[start] / (8 * max(min(t - start, self.reign), K))
                A[start] -= part
                new += part
            A[t] = new
        self.starts.append(t)
