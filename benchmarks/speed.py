"""How fast: nanoseconds a round for every learner, beside plain NumPy and, if given, tuned C.

All of a row is measured in one run, turn by turn, and the best of the turns counts: the machine
may be busy with something else, and then only ratios mean anything.

    python benchmarks/speed.py [--rounds N] [--turns N] [--yardstick DIR] [--json]

The yardstick is a folder with `cbind.py`, whose `build()` and `tuned(lib, P, T, parameters,
acc=2)` play DEX3.S with random numbers and regret accounting of their own.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time
from dataclasses import asdict

import numpy as np

import plain_numpy
import sparring

ARMS = (2, 10, 50, 100, 500)
BLOCK = 4096


def utilities(K):
    """A fixed matrix with a Condorcet winner: logistic in random utilities."""
    u = np.random.default_rng(0).normal(size=K)
    return 1 / (1 + np.exp(u[None, :] - u[:, None]))


def learners(K, T):
    """Every entry of LEARNERS for this size."""
    return {
        "dex3s": lambda: sparring.dex3s(K, T, S=10, seed=1),
        "dex3p": lambda: sparring.dex3p(K, T, seed=1),
        "borda_dex3s": lambda: sparring.borda_dex3s(K, T, S=1, seed=1),
        "rex3": lambda: sparring.rex3(K, T, seed=1),
        "rand": lambda: sparring.rand(K, seed=1),
    }


def play(learner, P, rounds):
    """Coins and blocks included, as a simulation would."""
    rng = np.random.default_rng(2)
    for start in range(0, rounds, BLOCK):
        n = min(BLOCK, rounds - start)
        learner.play(sparring.Block(P[None], np.array([n])), rng.random(n))


def timed(call, rounds):
    """Nanoseconds a round."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) / rounds * 1e9


def contestants(K, rounds, yardstick, library):
    """Who plays, as name: (call, rounds it plays)."""
    P = utilities(K)
    tuning = asdict(sparring.dex3s(K, rounds, S=10).tuning)
    few = max(rounds // 500, 200)
    calls = {"plain NumPy": (lambda: plain_numpy.dex3s(P, few, **tuning), few)}
    if yardstick:
        calls["tuned C"] = (lambda: yardstick.tuned(library, P, rounds, tuning, acc=2), rounds)
    for name, make in learners(K, rounds).items():
        play(make(), P, 10)  # compiled or loaded before the clock runs
        calls[name] = (lambda make=make: play(make(), P, rounds), rounds)
    return calls


def rounds_table(rounds, turns, yardstick):
    """One dictionary a K: nanoseconds a round, by who played."""
    library = yardstick.build() if yardstick else None
    for K in ARMS:
        calls, best = contestants(K, rounds, yardstick, library), {}
        for _ in range(turns):
            for name, (call, n) in calls.items():
                best[name] = min(best.get(name, np.inf), timed(call, n))
        yield {"K": K, **{name: round(ns, 1) for name, ns in best.items()}}


def asking(K, calls=20_000):
    """Microseconds for one ask and one tell from Python."""
    learner = sparring.dex3s(K, 10**9, S=10, seed=1)
    learner.tell(learner.ask(), 1.0)

    def ask_and_tell():
        for _ in range(calls // 10):
            learner.tell(learner.ask(), 1.0)

    return min(timed(ask_and_tell, calls // 10) for _ in range(10)) / 1e3


def starting(program):
    """Seconds for a fresh process, the best of five."""
    command = [sys.executable, "-c", program]
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main():
    """Measure and print, a row as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1_000_000, help="rounds a turn (1000000)")
    parser.add_argument("--turns", type=int, default=3, help="turns, the best of which counts (3)")
    parser.add_argument("--yardstick", help="folder of cbind.py, the tuned C")
    parser.add_argument("--json", action="store_true", help="for a program to read")
    arguments = parser.parse_args()
    yardstick = None
    if arguments.yardstick:
        sys.path.insert(0, arguments.yardstick)
        yardstick = importlib.import_module("cbind")

    def say(line):
        if not arguments.json:
            print(line, flush=True)

    say(f"nanoseconds a round, T = {arguments.rounds}, best of {arguments.turns} turns")
    rows = []
    for row in rounds_table(arguments.rounds, arguments.turns, yardstick):
        if not rows:
            say("".join(f"{name:>13}" for name in row) + "   dex3s against")
        rows.append(row)
        against = [f"NumPy: {row['plain NumPy'] / row['dex3s']:.0f} x faster"]
        against += [f"C: {row['dex3s'] / row['tuned C']:.2f} of its time"] if yardstick else []
        say("".join(f"{value:>13}" for value in row.values()) + "   " + ", ".join(against))
    result = {
        "rounds": rows,
        "ask and tell, microseconds": {K: round(asking(K), 1) for K in (10, 1000)},
        "seconds": {
            "a bare interpreter": round(starting("pass"), 3),
            "import numba": round(starting("import numba"), 3),
            "import sparring": round(starting("import sparring"), 3),
            "import and first ask": round(
                starting("import sparring; sparring.dex3p(2, 99).ask()"), 3
            ),
        },
    }
    for name in ("ask and tell, microseconds", "seconds"):
        say(f"\n{name}")
        for key, value in result[name].items():
            say(f"{key!s:>22} {value}")
    if arguments.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
