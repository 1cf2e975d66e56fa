"""How fast each learner is: nanoseconds a round of `play` for every entry of `sparring.LEARNERS`.

    python benchmarks/learners.py [--K N] [--rounds N] [--turns N] [--json]

All play one path of FreshWinner with ten segments, made before the clock runs, in turns; a turn is
a whole run of a new learner, and the median of the turns counts. It is the time of the processor,
which others on the machine disturb less. No regret is charged.
"""

import argparse
import json
import statistics
import time
import warnings

import numpy as np

import sparring
from clock import table

S = 10
# Who forgets, and who plays as its docstring advises rather than as theory has it.
VARIANTS = {
    "borda_dex3s": {"corrected": True},
    "rucb, window": {"forget": "window"},
    "rucb, discount": {"forget": "discount"},
    "rmed1, window": {"forget": "window"},
    "rmed1, discount": {"forget": "discount"},
    "double_thompson, window": {"forget": "window"},
    "double_thompson, discount": {"forget": "discount"},
    "monitored_db": {"scale": 0.3, "S": 2},
    "anaconda": {"scale": 0.2, "replays": 0.1},
    "metaswift": {"scale": 0.3, "replays": 0.3},
}


def entrants(world):
    """Everybody, by name and, where there are several ways to forget, by that."""
    options = {**{name: {} for name in sparring.LEARNERS}, **VARIANTS}
    return {
        name: sparring.Entrant(name.partition(",")[0], **given) for name, given in options.items()
    }


def nanoseconds(K, rounds, turns):
    """Median of the turns for each learner, by name."""
    world = sparring.FreshWinner(K, rounds, S)
    blocks = list(world.blocks(np.random.default_rng(0)))
    coins = np.random.default_rng(1).random(rounds)
    cuts = np.cumsum([block.hold.sum() for block in blocks])[:-1]
    pieces = list(zip(blocks, np.split(coins, cuts), strict=True))
    problem = sparring.Problem(K, rounds, S)
    players = entrants(world)
    taken = {name: [] for name in players}
    for _ in range(turns + 1):
        for name, entrant in players.items():
            with warnings.catch_warnings():  # that a theorem says nothing is beside the point
                warnings.simplefilter("ignore", sparring.TheoremWarning)
                learner = entrant(problem, np.random.default_rng(2))
            start = time.thread_time()
            for block, luck in pieces:
                learner.play(block, luck)
            taken[name].append((time.thread_time() - start) / rounds * 1e9)
    # The first turn compiled, or loaded, the kernels.
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--K", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=200_000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = nanoseconds(options.K, options.rounds, options.turns)
    rows = [{"learner": name, "ns a round": round(ns)} for name, ns in found.items()]
    print(json.dumps(rows) if options.json else table(rows))


if __name__ == "__main__":
    main()
