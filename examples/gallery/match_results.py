"""Drift in match results.

Who was the best team, and when: match results are votes too, each for its winner.
Twelve memories predict every result from those before it, and their mixture follows the teams.
Set `MATCHES` to a file of yours; without one the script takes a generated league of forty seasons.
"""

import os

import matplotlib.pyplot as plt

import sparring

if "MATCHES" in os.environ:
    votes = sparring.votes.read(os.environ["MATCHES"])
else:
    votes = sparring.data.load("league12").votes(8_000, seed=1)

found = sparring.votes.memories(votes, marks=100)
loss, half_life = min(zip(found.losses, found.half_lives, strict=True))
print(f"{votes}; the best memory is worth half after {half_life:,.0f} {found.unit}")
print(f"its log-loss is {loss:.3f}; that of one that never forgets, {found.losses[-1]:.3f}")

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
leaders = found.past.argmax(axis=1)
often = sorted(set(leaders), key=list(leaders).count, reverse=True)[:5]
axes.plot(found.marks, found.past, color="lightgrey", linewidth=0.8)
for team, look in zip(often, ("-", "--", "-.", ":", (0, (5, 1))), strict=False):
    axes.plot(found.marks, found.past[:, team], linestyle=look, label=votes.names[team])
axes.set(xlabel="match", ylabel="strength (log-odds)", xlim=(0, len(votes)))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), title="led most often")
figure.savefig("match_results.svg")
