"""An arena in a notebook.

An arena is a learner in service: it has names for arms, and every vote is on disk at once.
Open one in a notebook, ask friends or a judge about one pair at a time, and look at the standing.
`sparring serve` shows the same file to people in browsers, and goes on from the votes in it.
"""

import itertools
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparring

TRUTH = {"plain": 0.0, "polite": 0.8, "terse": 0.3, "formal": -0.4, "witty": 1.4}
friends = np.random.default_rng(3)

folder = tempfile.TemporaryDirectory()  # yours would be a file that stays, such as prompts.db
minutes = itertools.count(1_760_000_000, 60)  # a rehearsal; without a clock, the time is now
path = Path(folder.name) / "prompts.db"
arena = sparring.Arena(path, arms=TRUTH.keys(), seed=4, clock=lambda: next(minutes))

for vote in range(400):
    ticket = arena.ask(voter=f"friend {vote % 7}")
    likes = {prompt: worth + friends.gumbel() for prompt, worth in TRUTH.items()}
    arena.tell(ticket, max((ticket.first, ticket.second), key=likes.get))

standing = arena.standing()
print(f"{standing.favourite} is the best with probability {standing.confidence:.2f}")
votes = arena.history()  # in the order in which they came
ranks = sparring.votes.standings(votes, side=False)  # who leads, since when, how sure
arena.close()
folder.cleanup()

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for row, place in enumerate(reversed(ranks.places)):
    axes.plot([place.low, place.high], [row, row], color="grey")
    axes.plot(place.strength, row, "o", color="tab:blue")
axes.set_yticks(range(len(TRUTH)), [place.name for place in reversed(ranks.places)])
axes.set_xlabel("strength after 400 votes (log-odds, 95% intervals)")
figure.savefig("notebook_arena.svg")
