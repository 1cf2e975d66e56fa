"""How fast two versions are, side by side: every learner's `play` and its `ask` and `tell`.

    python benchmarks/versions.py BEFORE AFTER [--repeats N]

BEFORE and AFTER are the `src` folders of two checkouts. Their processes take turns, so that what
else the machine does slows down both. The least processor time of the repeats counts.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

import sparring
from clock import table
from learners import S, entrants, nanoseconds

K, ROUNDS, CALLS = 10, 100_000, 3_000


def asking():
    """Nanoseconds for one ask and one tell from Python, by learner."""
    world = sparring.FreshWinner(K, ROUNDS, S)
    problem = sparring.Problem(K, ROUNDS, S)
    found = {}
    for name, entrant in entrants(world).items():
        learner = entrant(problem, np.random.default_rng(2))
        learner.tell(learner.ask(), 1.0)
        start = time.thread_time()
        for number in range(CALLS):
            learner.tell(learner.ask(), number % 2)
        found[name] = (time.thread_time() - start) / CALLS * 1e9
    return found


def measured(source):
    """What a process of its own measures of the version in a folder."""
    command = [sys.executable, "-W", "ignore", __file__, "--measure"]
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def compared(before, after, repeats):
    """One row a learner that both versions have: nanoseconds before and after, and their ratio."""
    found = [[], []]
    for _ in range(repeats):
        for turns, source in zip(found, (before, after), strict=True):
            turns.append(measured(source))
    for name in (name for name in found[0][0]["play"] if name in found[1][0]["play"]):
        row = {"learner": name}
        for what, unit, size in (("play", "ns", 1), ("ask and tell", "µs", 1000)):
            least = [min(turn[what][name] for turn in turns) / size for turns in found]
            row[f"{what}, {unit}"] = f"{least[0]:.1f} → {least[1]:.1f}"
            row[f"{what}, ratio"] = f"{least[1] / least[0]:.2f}"
        yield row


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", help="BEFORE and AFTER, two folders")
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--measure", action="store_true", help="this version only, as JSON")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps({"play": nanoseconds(K, ROUNDS, turns=2), "ask and tell": asking()}))
    else:
        print(table(list(compared(*options.sources, options.repeats))))


if __name__ == "__main__":
    main()
