"""Slow twins of the learners that detect a new winner: plain Python, written from the papers."""

from collections import deque
from itertools import combinations

import sparring
from sparring.streams import generator


class Words:
    """xoshiro256++ in whole numbers, begun as a learner of that seed begins."""

    def __init__(self, seed):
        drawn = generator(seed).integers(0, 2**64, 4, dtype="uint64")
        self.state = [int(word) for word in drawn]

    def below(self, n):
        s = self.state
        rotate = lambda x, k: (x << k | x >> (64 - k)) % 2**64  # noqa: E731
        word = (rotate((s[0] + s[3]) % 2**64, 23) + s[0]) % 2**64
        shifted = (s[1] << 17) % 2**64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate(s[3], 45)
        return int((word >> 11) * 2.0**-53 * n)

    def shuffle(self, items):
        for last in range(len(items) - 1, 0, -1):
            place = self.below(last + 1)
            items[last], items[place] = items[place], items[last]


class BeatTheWinner:
    """Beat the Winner Reset: a queue, an incumbent, a challenger."""

    def __init__(self, K, seed, beta=None):
        words = Words(seed)
        self.I = words.below(K)
        others = [k for k in range(K) if k != self.I]
        words.shuffle(others)
        self.queue = deque(others)
        self.beta, self.rounds, self.selves = beta, 0, 0
        self.c = 1
        self.next_pair()

    def next_pair(self):
        self.J = self.queue.popleft()
        self.won = {self.I: 0.0, self.J: 0.0}

    def ask(self):
        """The pair, and what came before it: only answers of the same pairing count."""
        if self.selves:
            self.selves -= 1
            return self.I, self.I, None
        return self.I, self.J, self.rounds

    def tell(self, pairing, o):
        if pairing != self.rounds:
            return
        self.won[self.I] += o
        self.won[self.J] += 1 - o
        if self.won[self.I] >= self.c:
            self.queue.append(self.J)
            self.c += 1
        elif self.won[self.J] >= self.c:
            self.queue.append(self.I)
            self.I = self.J
            self.c = 1
        else:
            return
        self.next_pair()
        self.rounds += 1
        if self.beta:
            self.selves = int(self.beta**self.rounds)


class Monitored:
    """Monitored dueling bandits over a base that is made anew at each alarm.

    The base is a `Counting`, which has a twin of its own; it draws from the same words.
    """

    def __init__(self, K, seed, base, window, threshold, gamma, feed):
        self.K, self.rule, self.b, self.feed, self.w = K, base, threshold, feed, window
        self.pairs = list(combinations(range(K), 2))
        self.words = Words(seed)
        self.words.shuffle(self.pairs)
        self.d = int(len(self.pairs) / gamma)
        self.told, self.alarms = 0, []
        self.begin(self.words.state)

    def begin(self, words):
        self.base = sparring.learners.Counting(self.K, rule=self.rule, seed=0)
        self.base._memory.words[:] = words
        self.windows = {pair: deque(maxlen=self.w) for pair in self.pairs}
        self.t = 0

    def ask(self):
        """The pair, and whether it is monitored, its epoch and the base's duel."""
        self.t += 1
        r = (self.t - 1) % self.d
        if r < len(self.pairs):
            return *self.pairs[r], (self.pairs[r], len(self.alarms), None)
        duel = self.base.ask()
        return duel.row, duel.col, (None, len(self.alarms), duel)

    def tell(self, kept, o):
        pair, epoch, duel = kept
        self.told += 1
        if epoch != len(self.alarms):
            return
        if duel is not None:
            self.base.tell(duel, o)
            return
        if self.feed:
            self.base.teach(*pair, o)
        window = self.windows[pair]
        window.append(round(o * 2**24))  # to 24 binary digits
        if len(window) == self.w:
            halves = list(window)[: self.w // 2], list(window)[self.w // 2 :]
            if abs(sum(halves[0]) - sum(halves[1])) / 2**24 > self.b:
                self.alarms.append(self.told)
                self.begin(self.base._memory.words.copy())
