"""A favourite that changes.

A crowd has four songs to choose from, and likes another one best after each 5,000 pairs.
Random pairs learn nothing, and an all-time average goes on playing what was liked long ago.
`tracker` is told nothing but the number of songs, and follows each change.
"""

import numpy as np

import sparring
from sparring.lab.draw import shown_figure


class AllTimeAverage:
    """Plays the song with the best win rate of all time; one draw in ten is any song."""

    def __init__(self, problem, rng):
        self.K, self.rng, self.t = problem.K, rng, 0
        self.wins, self.duels = np.ones(self.K), np.full(self.K, 2.0)
        self.book = sparring.learners.OpenDuels()

    @property
    def p(self):
        p = np.full((1, self.K), 0.1 / self.K)
        p[0, np.argmax(self.wins / self.duels)] += 0.9
        return p

    def draw(self):
        if self.rng.random() < 0.1:
            return int(self.rng.integers(self.K))
        return int(np.argmax(self.wins / self.duels))

    def ask(self):
        self.t += 1
        return self.book.open(self.t, self.draw(), self.draw(), self.p)

    def tell(self, duel, outcome):
        duel = self.book.take(duel)
        if duel.row != duel.col:
            self.wins[duel.row] += outcome
            self.wins[duel.col] += 1 - outcome
            self.duels[[duel.row, duel.col]] += 1


TITLE = "The crowd changes its mind. Who keeps up?"
SONGS = ["A", "B", "C", "D"]


def taste(favourite):
    """P[i, j], the chance that song i wins against song j: the favourite wins 7 of 10 duels."""
    P = np.full((4, 4), 0.5)
    P[favourite], P[:, favourite] = 0.7, 0.3
    P[favourite, favourite] = 0.5
    return P


world = sparring.worlds.Recorded([taste(song) for song in range(4)], T=20_000)
players = {"random pairs": "rand", "all-time average": AllTimeAverage, "sparring": "tracker"}
table = sparring.simulate(world, players, runs=10, checkpoints=100, plays=True)
best = np.repeat(range(4), 25)
figure = shown_figure(table, best, names=SONGS, title=TITLE)
figure.savefig("changing_favourite.svg")
