"""A world of your own.

A world is any class with `K`, `T` and `blocks`: here a café whose guests want coffee in the
morning, juice at noon and tea in the evening.
`check_world` tests it, and every learner can play in it.
Both `steady`, which is told how much to remember, and `tracker`, which is not, follow the hours.
"""

import numpy as np

import sparring
from sparring.lab.draw import shown_figure
from sparring.testing import check_world

DRINKS = ["coffee", "juice", "tea"]


class Cafe:
    """Each drink has its third of the day, in which it wins 85 of 100 duels."""

    K = 3

    def __init__(self, days, guests):
        self.days, self.T = days, days * 3 * guests
        self.guests = guests  # in each third of a day

    def blocks(self, rng):
        P = np.full((3, 3, 3), 0.5)
        for drink in range(3):
            P[drink, drink], P[drink, :, drink] = 0.85, 0.15
            P[drink, drink, drink] = 0.5
        for _ in range(self.days):
            yield sparring.Block(P, np.full(3, self.guests))


check_world(Cafe(days=2, guests=10))
world = Cafe(days=3, guests=1_000)
learners = {
    "random": "rand",
    "steady, memory of 300": sparring.Entrant("steady", memory=300),
    "tracker": "tracker",
}
table = sparring.simulate(world, learners, runs=10, checkpoints=90, plays=True)
figure = shown_figure(table, np.tile(np.repeat(range(3), 10), 3), names=DRINKS)
figure.savefig("own_world.svg")
