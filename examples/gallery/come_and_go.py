"""Arms that come and go.

Three dishes are on the menu; the guests' favourite is taken off, and later a fourth is added.
`withdraw` and `add` do this to a learner in the middle of its work, and it needs no other word.
The second best dish takes over, and the newcomer is tried and becomes the favourite.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparring

APPEAL = {"soup": 1.0, "pasta": 0.5, "salad": 0.0, "curry": 2.0}
guests = np.random.default_rng(1)
learner = sparring.tracker(3, seed=2).named(["soup", "pasta", "salad"])
served = {dish: np.zeros(6_000) for dish in APPEAL}

for t in range(6_000):
    if t == 2_000:
        learner.withdraw("soup")
    if t == 4_000:
        learner.add("curry")
    duel = learner.ask()
    first, second = duel.names
    chance = 1 / (1 + np.exp(APPEAL[second] - APPEAL[first]))
    learner.tell(duel, 0.5 if first == second else float(guests.random() < chance))
    for dish in (first, second):
        served[dish][t] += 0.5

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
shares = [times.reshape(-1, 100).mean(axis=1) for times in served.values()]
axes.stackplot(np.arange(50, 6_000, 100), shares, labels=served)
for t, text in ((2_000, "soup is withdrawn"), (4_000, "curry is added")):
    axes.axvline(t, color="black", linestyle=":")
    axes.text(t, 1.02, text, ha="center")
axes.set(xlabel="pairs shown so far", ylabel="share of what is shown", xlim=(0, 6_000), ylim=(0, 1))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
figure.savefig("come_and_go.svg")
