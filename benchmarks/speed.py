"""How fast: nanoseconds a round for every learner, beside plain NumPy and, if given, tuned C.

Learners play through `simulate` on one matrix, regrets charged: static, and to the best response
of each round.

    python benchmarks/speed.py [--rounds N] [--turns N] [--yardstick DIR] [--json]

The yardstick is a folder with `cbind.py`, whose `build()` and `tuned(lib, P, T, parameters,
acc=2)` play DEX3.S with random numbers and regret accounting of their own.
"""

import argparse
import importlib
import json
import subprocess
import sys
from dataclasses import asdict

import numpy as np

import plain_numpy
import sparring
from clock import best_of

ARMS = (2, 10, 50, 100, 500)
REGRETS = [sparring.Regret("preference", "horizon"), sparring.Regret("preference", "round")]
LEARNERS = {
    "dex3s": lambda problem, rng: sparring.dex3s(problem.K, problem.T, S=10, seed=rng),
    "dex3p": "dex3p",
    "borda_dex3s": "borda_dex3s",
    "rex3": "rex3",
    "rand": "rand",
}


def utilities(K):
    """A fixed matrix with a Condorcet winner: logistic in random utilities."""
    u = np.random.default_rng(0).normal(size=K)
    upper = np.triu(1 / (1 + np.exp(u[None, :] - u[:, None])), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(K) / 2


def contestants(K, rounds, yardstick, library):
    """Who plays, as name: (call, rounds it plays)."""
    P = utilities(K)
    tuning = asdict(sparring.dex3s(K, rounds, S=10).tuning)
    few = max(rounds // 500, 200)
    calls = {"plain NumPy": (lambda: plain_numpy.dex3s(P, few, **tuning), few)}
    if yardstick:
        calls["tuned C"] = (lambda: yardstick.tuned(library, P, rounds, tuning, acc=2), rounds)
    world = sparring.Constant(P, rounds)
    for name, learner in LEARNERS.items():
        entrant = {name: learner}
        calls[name] = (
            lambda entrant=entrant: sparring.simulate(world, entrant, REGRETS, runs=1),
            rounds,
        )
    return calls


def rounds_table(rounds, turns, yardstick):
    """One dictionary a K: nanoseconds a round, by who played."""
    library = yardstick.build() if yardstick else None
    for call, _ in contestants(ARMS[0], rounds, yardstick, library).values():
        call()  # compiled or loaded before the clock runs
    for K in ARMS:
        players = contestants(K, rounds, yardstick, library)
        best = best_of(turns, {name: call for name, (call, _) in players.items()})
        nanoseconds = {name: best[name] / n * 1e9 for name, (_, n) in players.items()}
        yield {"K": K, **{name: round(ns, 1) for name, ns in nanoseconds.items()}}


def asking(K, calls=20_000):
    """Microseconds for one ask and one tell from Python."""
    learner = sparring.dex3s(K, 10**9, S=10, seed=1)
    learner.tell(learner.ask(), 1.0)

    def ask_and_tell():
        for _ in range(calls // 10):
            learner.tell(learner.ask(), 1.0)

    return best_of(10, {"": ask_and_tell})[""] / (calls // 10) * 1e6


def starting(program, turns):
    """Seconds for a fresh process."""
    command = [sys.executable, "-c", program]
    seconds = best_of(turns, {"": lambda: subprocess.run(command, check=True)})[""]
    return round(seconds, 3)


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
    turns = arguments.turns
    result = {
        "rounds": rows,
        "ask and tell, microseconds": {K: round(asking(K), 1) for K in (10, 1000)},
        "seconds": {
            "a bare interpreter": starting("pass", turns),
            "import numba": starting("import numba", turns),
            "import sparring": starting("import sparring", turns),
            "import and first ask": starting("import sparring; sparring.dex3p(2, 99).ask()", turns),
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
