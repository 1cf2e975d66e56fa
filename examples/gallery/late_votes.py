"""Late votes.

Readers answer when they like, so votes arrive hundreds of pairs after their question.
A learner keeps what it knew when it asked, so a late answer is weighed rightly: just `tell` it.
The later the votes, the later a change is noticed, but nothing has to wait for them.
"""

from collections import deque

import matplotlib.pyplot as plt
import numpy as np

import sparring

T, HALF = 8_000, 4_000


def share_of_the_best(late, seed):
    """How often the best of five headlines is shown, if each vote comes that many pairs late."""
    learner, readers = sparring.tracker(5, seed=seed), np.random.default_rng(seed)
    waiting, shown = deque(), np.zeros(T)
    for t in range(T):
        best = 0 if t < HALF else 3  # readers change their minds
        duel = learner.ask()
        chance = 0.5 + 0.25 * ((duel.row == best) - float(duel.col == best))
        waiting.append((duel, float(readers.random() < chance) if duel.row != duel.col else 0.5))
        if len(waiting) > late:
            learner.tell(*waiting.popleft())
        shown[t] = ((duel.row == best) + (duel.col == best)) / 2
    return shown.reshape(-1, 200).mean(axis=1)


figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for late, look in ((0, "-"), (200, "--"), (1_000, ":")):
    shares = np.mean([share_of_the_best(late, seed) for seed in range(5)], axis=0)
    axes.plot(np.arange(100, T, 200), shares, look, label=f"{late:,} pairs late")
axes.axvline(HALF, color="grey", linewidth=0.8)
axes.text(HALF, 1.05, "another headline becomes the best", ha="center")
axes.set(xlabel="pairs shown so far", ylabel="share of the best, 5 runs", ylim=(0, 1))
axes.legend(loc="lower right")
figure.savefig("late_votes.svg")
