"""A slow twin of what `seasoned` learns: every state keeps its duels, and counts them anew."""


class Seasons:
    """States as lists of duels, and a belief in each; what it chooses is not in here."""

    def __init__(self, K, states, hazard):
        self.K, self.states, self.hazard = K, states, hazard
        self.duels = {0: [], 1: []}
        self.belief = {0: 1.0, 1: 0.0}
        self.latest = {0: 0, 1: 0}
        self.lead, self.blank, self.recent = 0, 1, []
        self.told = self.begun = 0

    def wins(self, s, i, j):
        return sum(o if (a, b) == (i, j) else 1 - o if (b, a) == (i, j) else 0
                   for a, b, o in self.duels[s])  # fmt: skip

    def tell(self, i, j, o):
        self.told += 1
        if i != j:
            self.weigh(i, j, o)
            self.normalise()
            self.duels[self.lead].append((i, j, o))
            self.recent.append((i, j, o))
            best = max(self.belief, key=lambda s: self.belief[s])
            if best != self.lead and self.belief[best] > 0.9:
                self.follow(best)
            elif len(self.recent) >= 4 * self.K and self.belief[self.lead] > 0.95:
                self.recent = []
        age = min(max(self.told - self.begun, self.K**2), 10_000 * self.K)
        part, known = self.hazard / age, len(self.belief) - 1
        for s, b in self.belief.items():
            share = 0.1 if s == self.blank else 0.9 / known
            self.belief[s] = (1 - part) * b + part * share

    def weigh(self, i, j, o):
        for s in self.belief:
            won, lost = self.wins(s, i, j), self.wins(s, j, i)
            chance = (won + 1) / (won + lost + 2)
            self.belief[s] *= o * chance + (1 - o) * (1 - chance)

    def normalise(self):
        total = sum(self.belief.values())
        self.belief = {s: b / total for s, b in self.belief.items()}

    def follow(self, s):
        old = self.lead
        if self.recent:
            del self.duels[old][-len(self.recent) :]
        self.duels[s] += self.recent
        self.recent = []
        self.latest[old] = self.begun = self.told
        self.lead = s
        if s == self.blank:
            if len(self.duels) < self.states:
                blank = len(self.duels)
            else:
                others = [x for x in self.duels if x != s]
                blank = min(others, key=lambda x: (self.latest[x], x != old, x))
            self.duels[blank], self.belief[blank], self.latest[blank] = [], 0.0, 0
            self.blank = blank
            self.normalise()
