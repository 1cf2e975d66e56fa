"""Slow twins of ANACONDA and METASWIFT: all duels are kept, and every sum is taken anew.

Written from the papers' definitions: episodes, runs that call runs, an estimate for each round, and
a test of intervals. `grid` says where intervals begin.
"""

import math

from detector_twins import Words


def grid(t, first, last):
    """Where intervals that end after t rounds may begin: two multiples of each power of two."""
    latest = {k: (t - 1) // 2**k * 2**k for k in range(first, last + 1)}
    return {c - back * 2**k for k, c in latest.items() for back in (0, 1)}


def freedman(v, b, log_tests):
    """Chance e^-log_tests at most that n terms of variance v and range b sum to more."""
    return lambda n: math.sqrt(2 * v * log_tests) * math.sqrt(n) + b * log_tests / 3


class Run:
    """A set of arms, from a round to another."""

    def __init__(self, K, start, end):
        self.A, self.start, self.end = set(range(K)), start, end


class Twin:
    """What ANACONDA and METASWIFT share: runs, replays, episodes."""

    def __init__(self, K, T, scale, replays, seed):
        self.K, self.scale, self.replays, self.words = K, scale, replays, Words(seed)
        self.last = max(math.ceil(math.log2(T)), 1)
        self.t = 0
        self.won = {}  # for each sum the rounds whose estimate is not -1/2, and it plus 1/2
        self.alarms, self.replayed, self.rejected, self.deepest = [], 0, 0, 0
        self.runs = [Run(K, 0, math.inf)]

    def any_of(self, A):
        return sorted(A)[self.words.below(len(A))]

    def total(self, key, c):
        """The sum of dhat(key) over the rounds after c."""
        return sum(x for s, x in self.won.get(key, []) if s > c) - (self.t - c) / 2

    def record(self, estimates):
        self.t += 1
        for key, x in estimates.items():
            self.won.setdefault(key, []).append((self.t, x))

    def playing(self):
        """The runs that will play again: those no run above outlasts."""
        runs = enumerate(self.runs, 1)
        return [run for k, run in runs if all(run.end > other.end for other in self.runs[k:])]

    def rejecting(self, key, since):
        """The beginnings of the intervals, not before `since`, whose sum is too large."""
        starts = grid(self.t, self.first, self.last) | {run.start for run in self.playing()}
        return [
            c
            for c in starts | {since}
            if c >= since and self.total(key, c) > self.scale * self.threshold(self.t - c)
        ]

    def reject(self, arm, beginnings):
        for run in self.runs:
            if any(c >= run.start for c in beginnings) and arm in run.A:
                run.A.remove(arm)
                self.rejected += 1

    def next_round(self):
        t = self.t
        if not self.runs[0].A:
            self.alarms.append(t)
            self.runs = [Run(self.K, t, math.inf)]
            return
        age, drawn = t - self.runs[0].start, 0
        for k in range(self.last, 0, -1):
            u = self.words.below(2**53) * 2.0**-53
            if u < self.replays / math.sqrt(2**k * age):
                drawn = 2**k
                break
        if drawn:
            self.runs.append(Run(self.K, t, t + drawn))
            self.replayed += 1
        # The top run plays until it ends, then the one below if it has not ended meanwhile.
        while self.runs[-1].end <= t:
            self.runs.pop()
        self.deepest = max(self.deepest, len(self.playing()))


class Anaconda(Twin):
    def __init__(self, K, T, scale=1.0, replays=1.0, seed=0):
        super().__init__(K, T, scale, replays, seed)
        self.first = min(math.ceil(math.log2(K * K)), self.last)
        self.threshold = freedman(K * K / 4, K * K / 2, 3 * math.log(T) + 2 * math.log(K))

    def p(self):
        A = self.runs[-1].A
        return [[(k in A) / len(A) for k in range(self.K)]]

    def ask(self):
        A = self.runs[-1].A
        return self.any_of(A), self.any_of(A), len(A)

    def tell(self, asked, o):
        i, j, size = asked
        # The mean of |A|^2 1{a=i, b=j} o over both orders.
        met = {} if i == j else {(i, j): size**2 / 2 * o, (j, i): size**2 / 2 * (1 - o)}
        self.record(met)
        for winner, loser in met:
            self.reject(loser, self.rejecting((winner, loser), self.runs[0].start))
        self.next_round()


class Metaswift(Twin):
    def __init__(self, K, T, scale=1.0, replays=1.0, seed=0):
        super().__init__(K, T, scale, replays, seed)
        self.first = min(math.ceil(math.log2(K)), self.last)
        self.threshold = freedman(K / 2, K, 3 * math.log(T) + math.log(K))
        self.candidate = self.words.state[0] % K
        self.switched, self.switches, self.stale = 0, 0, 0

    def p(self):
        A = self.runs[-1].A
        row = [float(k == self.candidate) for k in range(self.K)]
        return [row, [(k in A) / len(A) for k in range(self.K)]]

    def rejecting(self, key, since):
        """Intervals may begin at the latest switch as well."""
        found = super().rejecting(key, since)
        if self.switches and self.switched >= since:
            found += super().rejecting(key, self.switched)
        return found

    def ask(self):
        A = self.runs[-1].A
        return self.candidate, self.any_of(A), len(A)

    def tell(self, asked, o):
        c, i, size = asked
        estimates = {} if c == i else {("against", i): size * o, ("for", i, c): size * (1 - o)}
        self.record(estimates)
        if estimates:
            self.reject(i, self.rejecting(("against", i), self.runs[0].start))
            self.stale += c != self.candidate
            if c == self.candidate:
                since = max(self.switched, self.runs[0].start)
                beginnings = self.rejecting(("for", i, c), since)
                if beginnings:
                    self.reject(c, beginnings)
                    self.candidate, self.switched = i, self.t
                    self.switches += 1
        self.next_round()
