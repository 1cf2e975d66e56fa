"""A file to try: a year of votes on eight models, whose leader changes twice."""

import csv
import io
from datetime import UTC, datetime, timedelta

import numpy as np

from sparring import checks, streams

MODELS = ("aster", "birch", "cedar", "dahlia", "elder", "fern", "gorse", "hazel")
# What each is worth in the three parts of the year.
STRENGTHS = (
    (0.9, 0.6, 0.3, 0.1, -0.2, -0.4, -0.6, -0.7),
    (0.4, 0.6, 1.2, 0.1, -0.2, -0.4, -0.6, -0.7),
    (0.4, 0.6, 0.5, 0.1, -0.2, 1.1, -0.6, -0.7),
)
CHANGES = (120, 260)  # days
DAYS = 365
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
TIES = 0.1
VOTERS = 300


def example(votes: int = 12_000, seed: int = 0) -> str:
    """The text of a CSV file: a year of votes, most of them on pairs drawn at random.

    Examples
    --------
    >>> print(example(2))
    time,model_a,model_b,winner,voter
    2025-06-18T02:27:16+00:00,cedar,elder,model_b,v14
    2025-12-30T01:52:31+00:00,elder,gorse,model_b,v72
    <BLANKLINE>
    """
    n = checks.whole("votes", votes, low=1, high=10_000_000)
    K = len(MODELS)
    rng = streams.keyed(seed, "example", experiment="votes", K=K, T=n, run=0)
    day = np.sort(rng.random(n)) * DAYS
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    part = np.searchsorted(CHANGES, day, side="right")
    strengths = np.array(STRENGTHS)
    lead = strengths[part, first] - strengths[part, second]
    wins = rng.random(n) < 1 / (1 + np.exp(-lead))
    words = np.where(rng.random(n) < TIES, "tie", np.where(wins, "model_a", "model_b"))
    voter = rng.integers(VOTERS, size=n)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", "model_a", "model_b", "winner", "voter"])
    for t in range(n):
        at = (BEGIN + timedelta(days=float(day[t]))).replace(microsecond=0)
        pair = (MODELS[first[t]], MODELS[second[t]])
        writer.writerow([at.isoformat(), *pair, words[t], f"v{voter[t]}"])
    return text.getvalue()
