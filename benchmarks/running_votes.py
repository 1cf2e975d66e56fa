"""How long one vote takes a `RunningStandings`, and how large its snapshot is.

python benchmarks/running_votes.py [--arms 10 50 200] [--votes 20000] [--json]
NUMBA_DISABLE_JIT=1 for the same without a compiler.

Votes on random pairs, all arms alike, a half-life of 5,000 votes. Microseconds that a core was
busy, in the median of ten blocks, after a first block that compiles; so they hardly depend on who
else works there.
"""

import argparse
import json
import time

import numpy as np

from clock import table
from sparring.votes import RunningStandings

BLOCKS = 10


def measured(K, n):
    """A row of the table."""
    rng = np.random.default_rng([K, n])
    names = [f"arm-{k}" for k in range(K)]
    running = RunningStandings(names, half_life=5_000.0)
    took = []
    for _ in range(BLOCKS + 1):
        first = rng.integers(K, size=n // BLOCKS)
        second = (first + rng.integers(1, K, size=len(first))) % K
        won = rng.integers(2, size=len(first)).astype(float).tolist()
        pairs = [(names[i], names[j], one) for i, j, one in zip(first, second, won, strict=True)]
        begin = time.process_time()
        for one, other, outcome in pairs:
            running.update(one, other, outcome)
        took.append((time.process_time() - begin) / len(pairs) * 1e6)
    return {
        "arms": K,
        "votes": running.votes,
        "microseconds a vote": round(float(np.median(took[1:])), 1),
        "bytes of a snapshot": len(json.dumps(running.snapshot())),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, nargs="+", default=[10, 50, 200])
    parser.add_argument("--votes", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = [measured(K, arguments.votes) for K in arguments.arms]
    print(json.dumps(rows) if arguments.json else table(rows))
