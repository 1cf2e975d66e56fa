"""Whether two versions give the same numbers, to the last bit.

python benchmarks/same_numbers.py record FOLDER         plays everything, about five minutes
python benchmarks/same_numbers.py compare FOLDER OTHER  exits with 1 if a number differs

It plays the panels of the paper and the league, both at the quick scale, and every learner on every
world. Record before a change, record after it, and compare.
"""

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars

import sparring

TIMINGS = ["seconds"]
COMMANDS = {
    "reproduce": ["reproduce", "--quiet"],
    "league": ["league", "--quiet"],
    "few": ["league", "--suite", "few", "--quiet"],
}


def worlds(K=6, T=3000):
    """One of each family, small."""
    matrix = np.array([[0.5, 0.7, 0.4], [0.3, 0.5, 0.8], [0.6, 0.2, 0.5]])
    return [
        sparring.GaussianWalk(K, T),
        sparring.SwitchingWalk(K, T, S=4),
        sparring.BudgetedDrift(K, T, V_T=3),
        sparring.BudgetedDrift(K, T, 3, "persistent"),
        sparring.CondorcetSwitches(K, T, S=3),
        sparring.CondorcetSwitches(K, T, S=3, family="paper"),
        sparring.FreshWinner(K, T, S=4),
        sparring.Newcomer(K, T, S=3),
        sparring.Storm(K, T, S=5, calm=0.6),
        sparring.RotatingWinner(K, T, V_T=3),
        sparring.UtilityWalk(K, T),
        sparring.Cyclic(K, T),
        sparring.Constant(matrix, T),
    ]


def grid():
    """Every learner on every world, read five times."""
    regrets = [sparring.Regret("preference", "horizon"), sparring.Regret("preference", "round")]
    tables = []
    with ThreadPoolExecutor() as threads:
        for world in worlds():
            told = {name: _told(name, world) for name in sparring.LEARNERS}
            able = {name: entrant for name, entrant in told.items() if entrant is not None}
            tables.append(
                sparring.simulate(
                    world, able, regrets, runs=3, checkpoints=5, favourites=True, executor=threads
                )
            )
    return polars.concat(tables)


def _told(name, world):
    """The learner as an entrant; None if it cannot play there."""
    entrant = sparring.Entrant(name)
    states = {letter: getattr(world, letter, None) for letter in ("S", "V_T")}
    try:
        entrant(sparring.Problem(world.K, world.T, **states), np.random.default_rng(0))
    except ValueError:
        return None
    return entrant


def record(folder):
    """Play everything and write the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    grid().write_parquet(folder / "grid.parquet")
    for name, arguments in COMMANDS.items():
        out = folder / "played" / name
        subprocess.run(
            [sys.executable, "-m", "sparring_cli", *arguments, "--out", str(out)], check=True
        )
        parts = sorted(out.rglob("*.parquet"))
        table = polars.concat([polars.read_parquet(part) for part in parts], how="diagonal")
        table.write_parquet(folder / f"{name}.parquet")
        print(f"{name}: {table.height:,} rows of {len(parts):,} parts", flush=True)


def compare(before, after):
    """Say which tables differ; how many."""
    different = 0
    for path in sorted(before.glob("*.parquet")):
        tables = [polars.read_parquet(folder / path.name) for folder in (before, after)]
        shared = [name for name in tables[0].columns if name in tables[1].columns]
        keys = [name for name in shared if name not in (*TIMINGS, "plays")]
        # What only the later one notes, such as alarms, is named and left out.
        noted = set(tables[0]["regret"]) & set(tables[1]["regret"])
        chosen = polars.col("regret").is_in(list(noted))
        one, other = (table.filter(chosen).select(keys).sort(keys) for table in tables)
        lost, new = (
            sorted({*this.columns, *this["regret"]} - {*that.columns, *that["regret"]})
            for this, that in (tables, tables[::-1])
        )
        same = one.equals(other) and not lost
        different += not same
        further = f"; lost {lost}" if lost else "" + f"; new {new}" if new else ""
        print(f"{path.stem}: {'equal' if same else 'DIFFERENT'}, {one.height:,} rows{further}")
    return different


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    if options.what == "record":
        record(options.folders[0])
    else:
        sys.exit(compare(*options.folders) > 0)
