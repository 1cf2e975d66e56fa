"""Slow twins of the strengths that forget, written from what they are, not from how."""

import math

import numpy as np


def logistic(x):
    return 1 / (1 + math.exp(-x))


class Follower:
    """Strengths with one memory: every vote is kept, and weighed anew at each settlement."""

    def __init__(self, K, half, ridge, side_ridge, block):
        self.K, self.half, self.ridge, self.side_ridge, self.block = (
            K,
            half,
            ridge,
            side_ridge,
            block,
        )
        self.strength = [0.0] * K
        self.information = [ridge] * K
        self.side, self.side_information = 0.0, side_ridge
        self.votes, self.since, self.latest = [], 0, 0.0

    def settle(self, now):
        """Newton's step for each arm in turn, with votes at their weights now; then the side."""
        weighed = [
            (i, j, o, w * 2 ** (-(now - x) / self.half) if self.half < math.inf else w)
            for i, j, o, w, x in self.votes
        ]
        slope, bend = 0.0, self.side_ridge
        for arm in range(self.K):
            gain, curvature = -self.ridge * self.strength[arm], self.ridge
            for i, j, o, w in weighed:
                if arm in (i, j):
                    p = logistic(self.strength[i] - self.strength[j] + self.side)
                    gain += w * (o - p) * (1 if arm == i else -1)
                    curvature += w * p * (1 - p)
                    if arm == i:
                        slope += w * (o - p)
                        bend += w * p * (1 - p)
            self.strength[arm] += gain / curvature
            self.information[arm] = curvature
        if self.side_ridge < math.inf:
            self.side += (slope - self.side_ridge * self.side) / bend
            self.side_information = bend

    def vote(self, i, j, o, w, now):
        """Predict a vote, and learn it; its log-loss."""
        due = self.since >= self.block or self.since >= max(8, len(self.votes) / 8)
        if self.since and (due or now - self.latest > self.half / 4):
            self.settle(now)
            self.since = 0
        self.noted = list(self.strength)  # settled, and before the vote
        doubt = 1 / self.information[i] + 1 / self.information[j] + 1 / self.side_information
        lead = self.strength[i] - self.strength[j] + self.side
        q = logistic(lead / math.sqrt(1 + math.pi / 8 * doubt))
        loss = -(o * math.log(q) + (1 - o) * math.log(1 - q))
        p = logistic(lead)
        bend = w * p * (1 - p)
        step = w * (o - p) / (1 + bend * doubt)
        self.strength[i] += step / self.information[i]
        self.strength[j] -= step / self.information[j]
        self.information[i] += bend
        self.information[j] += bend
        if self.side_ridge < math.inf:
            self.side += step / self.side_information
            self.side_information += bend
        self.votes.append((i, j, o, w, now))
        self.since += 1
        self.latest = now
        return loss


def mixture(losses, often, weight, prior):
    """Log-losses of a mixture, and its last beliefs, one number at a time."""
    belief, found = list(prior), []
    for t in range(losses.shape[1]):
        found.append(-math.log(sum(b * math.exp(-losses[m, t]) for m, b in enumerate(belief))))
        said = [b * math.exp(-weight[t] * losses[m, t]) for m, b in enumerate(belief)]
        spread = min(1.0, often / (t + 2))
        belief = [
            (1 - spread) * one / sum(said) + spread * first
            for one, first in zip(said, prior, strict=True)
        ]
    return np.array(found), np.array(belief)
