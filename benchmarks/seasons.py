"""Seasons, drift of some arms, and crowds whose shares move: who follows them, told what.

    python benchmarks/seasons.py [--T N] [--runs N] [--markdown]

Regret in percent of RAND's on the same paths, with 95% intervals over runs. `seasoned` was tuned
on two seasons of 2,000 rounds, four of 1,000, and fresh winners every 10,000: none of these worlds
is here, and seeds are others. `shifts` are significant ones, the mean of five paths.
"""

import argparse
import math

import sparring
from clock import table
from sparring.worlds import MovingShares, Seasonal

SEED = 5_000
LEARNERS = {
    "tracker": "tracker",
    "seasoned": "seasoned",
    "D-TS, window": sparring.Entrant("double_thompson", forget="window"),
    "TrueSkill": "trueskill",
    "Bradley-Terry": "bradley_terry",
    "Elo": "elo",
    "steady": "steady",
}


def worlds(T):
    """By what a table calls them."""
    K = 10
    return {
        "2 seasons of 5,000": Seasonal(K, T, period=10_000, margin=0.25),
        "3 seasons of 1,500": Seasonal(K, T, period=4_500, seasons=3),
        "6 seasons of 1,000": Seasonal(K, T, period=6_000, seasons=6),
        "2 seasons of 500": Seasonal(K, T, period=1_000),
        "fresh winners, S = 8": sparring.FreshWinner(K, T, S=8),
        "2 of 10 arms drift": sparring.UtilityWalk(K, T, moving=2),
        "all 10 arms drift": sparring.UtilityWalk(K, T),
        "3 groups, shares move": MovingShares(K, T),
        "10 groups, shares move": MovingShares(K, T, groups=10),
    }


def shares(world, runs):
    """Of each learner the mean share of RAND's regret and the half of its interval, in percent."""
    regret = sparring.Regret("preference", "stretch")
    found = sparring.simulate(world, {"RAND": "rand", **LEARNERS}, regret, runs=runs, seed=SEED)
    values = {label: rows["value"].to_numpy() for (label,), rows in found.group_by("entrant")}
    result = {}
    for label in LEARNERS:
        mine, chance = values[label], values["RAND"].mean()
        half = 1.96 * mine.std(ddof=1) / math.sqrt(runs)
        result[label] = f"{100 * mine.mean() / chance:.0f} ± {100 * half / chance:.0f}"
    return result


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--T", type=int, default=60_000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    for name, world in worlds(options.T).items():
        shifts = [
            sparring.describe(world, SEED, run=run).significant_shifts
            for run in range(min(options.runs, 5))
        ]
        rows.append(
            {
                "world": name,
                "shifts": f"{sum(shifts) / len(shifts):.0f}",
                **shares(world, options.runs),
            }
        )
    if options.markdown:
        lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
        print("".join(f"| {' | '.join(line)} |\n" for line in lines), end="")
    else:
        print(table(rows))


if __name__ == "__main__":
    main()
