"""A certificate from a log.

What did it cost to learn, when nobody knows the true preferences?
The log of a service, with arms, answers and the chances of the draws, is enough for an upper bound.
It holds with 95% confidence at every moment at once; here the truth is known, and drawn below it.
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparring

P = sparring.data.load("arithmetic8").P
learner, crowd = sparring.steady(8, seed=1), np.random.default_rng(2)
certificate = sparring.certificates.Certificate(8, delta=0.05)
rounds, bounds, truth, regrets, lines = [], [], [], np.zeros(8), []

for t in range(1, 10_001):
    duel = learner.ask()
    outcome = 0.5 if duel.row == duel.col else float(crowd.random() < P[duel.row, duel.col])
    learner.tell(duel, outcome)
    certificate.add(duel, outcome)
    lines.append(json.dumps({**duel.to_json(), "outcome": outcome}))
    regrets += (P[:, duel.row] + P[:, duel.col] - 1) / 2
    if t % 250 == 0:
        rounds.append(t)
        bounds.append(certificate.static)
        truth.append(regrets.max())

Path("duels.jsonl").write_text("\n".join(lines))  # what a service would have kept
again = sparring.certify("duels.jsonl")
print(f"{again.rounds:,} duels cost at most {again.static:.0f}; in truth {truth[-1]:.0f}")

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(rounds, bounds, label="certified: at most")
axes.plot(rounds, truth, "--", label="in truth")
axes.set(xlabel="duels", ylabel="regret to the best arm", xlim=(0, 10_000), ylim=(0, None))
axes.legend(loc="upper left")
figure.savefig("certificate.svg")
