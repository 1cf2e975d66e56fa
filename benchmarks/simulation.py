"""How fast worlds move, how cost grows with T, what threads gain, and what a long run needs.

python benchmarks/simulation.py [--rounds N] [--turns N] [--long N] [--json]
"""

import argparse
import json
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import sparring
from clock import best_of, table

STATIC = sparring.Regret("preference", "horizon")
PAPER = ["dex3p", "rex3", "rand", "dex3s"]  # the first three in the static experiment

LONG = """
import resource, sparring
world = sparring.SwitchingWalk(10, {rounds}, S=10)
sparring.simulate(world, "dex3s", sparring.Regret("preference", "stretch"), runs=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def moving(K, T):
    """Worlds that move in every round."""
    return {
        "GaussianWalk": sparring.GaussianWalk(K, T),
        "BudgetedDrift random": sparring.BudgetedDrift(K, T, 10),
        "persistent": sparring.BudgetedDrift(K, T, 10, "persistent"),
        "RotatingWinner": sparring.RotatingWinner(K, T, 10),
    }


def walk(world):
    """Draw a path and forget it."""
    for _ in world.blocks(np.random.default_rng(0)):
        pass


def worlds_table(rounds, turns):
    """Nanoseconds an entry above the diagonal and round, all matrices written out."""
    for K in (10, 50, 100):
        T = max(40 * rounds // (K * K), 1000)
        entries = T * K * (K - 1) // 2
        calls = {name: lambda world=world: walk(world) for name, world in moving(K, T).items()}
        world = sparring.GaussianWalk(K, T)
        calls["walk and 3 learners"] = lambda world=world: sparring.simulate(
            world, PAPER[:3], STATIC, runs=1
        )
        calls["NumPy's normals alone"] = lambda n=entries: np.random.default_rng(0).normal(size=n)
        best_of(1, calls)  # compiled or loaded before the clock runs
        best = best_of(turns, calls)
        yield {"K": K, **{name: round(s / entries * 1e9, 2) for name, s in best.items()}}


def growth_table(rounds, turns):
    """Nanoseconds a round of DEX3.S on a switching world, as T grows."""
    calls = {
        T: lambda T=T: sparring.simulate(sparring.SwitchingWalk(10, T, 10), "dex3s", STATIC, runs=1)
        for T in (rounds // 10, rounds, rounds * 10)
    }
    best = best_of(turns, calls)
    return [{"T": T, "ns a round": round(s / T * 1e9, 1)} for T, s in best.items()]


def threads_table(rounds, turns):
    """Seconds for four runs with one thread and with two."""
    worlds = {
        "SwitchingWalk": sparring.SwitchingWalk(10, 4 * rounds, 10),
        "GaussianWalk": sparring.GaussianWalk(10, rounds),
        "GaussianWalk, K = 50": sparring.GaussianWalk(50, rounds // 25),
    }
    for name, world in worlds.items():
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
            calls = {
                threads: lambda executor=executor, world=world: sparring.simulate(
                    world, PAPER, STATIC, runs=4, executor=executor
                )
                for threads, executor in {"one": one, "two": two}.items()
            }
            best = best_of(turns, calls)
        seconds = {threads: round(s, 2) for threads, s in best.items()}
        yield {"world": name, **seconds, "gain": round(best["one"] / best["two"], 2)}


def number(text):
    """A whole number, also written as 1e8."""
    return int(float(text))


def main():
    """Measure and print, a table as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=number, default=1_000_000, help="the scale (1000000)")
    parser.add_argument("--turns", type=int, default=5, help="turns, the best of which counts (5)")
    parser.add_argument("--long", type=number, default=10**8, help="rounds of the long run (1e8)")
    parser.add_argument("--json", action="store_true", help="for a program to read")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", sparring.TheoremWarning)  # short runs at K = 100
    result = {}

    def tell(title, rows):
        result[title] = rows = list(rows)
        if not arguments.json:
            print(f"{title}\n{table(rows)}\n", flush=True)

    tell("ns an entry and round", worlds_table(arguments.rounds, arguments.turns))
    tell("DEX3.S, SwitchingWalk, K = 10", growth_table(arguments.rounds, arguments.turns))
    tell("seconds for 4 runs of 4 learners", threads_table(arguments.rounds, arguments.turns))
    program = [sys.executable, "-c", LONG.format(rounds=arguments.long)]
    needed = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    tell("one long run, K = 10", [{"T": arguments.long, "MB resident at most": int(needed)}])
    if arguments.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
