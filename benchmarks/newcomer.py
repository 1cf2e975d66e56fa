"""What it costs to find a newcomer that is best, over the age of the learner at its arrival.

    python benchmarks/newcomer.py [--runs 20] [--json]

K = 10 arms, of which one beats the others with chance 0.6; at the given age an arm is added that
beats all with chance 0.7. Regret per pair, (P(best, row) + P(best, col) - 1) / 2, is summed over
the 20,000 duels after; beside it, after how many duels the favourite is the newcomer for good.
"""

import argparse
import json
import statistics

import numpy as np

import sparring

K, AFTER, STEP = 10, 20_000, 100
AGES = (0, 1_000, 10_000, 100_000)


def preferences(arms):
    """Arm 3 beats the others, and the newcomer, if it is there, beats all."""
    P = np.full((arms, arms), 0.5)
    P[3], P[:, 3] = 0.6, 0.4
    if arms > K:
        P[K], P[:, K] = 0.7, 0.3
    np.fill_diagonal(P, 0.5)
    return P


LEARNERS = {
    "tracker": lambda seed: sparring.tracker(K, seed=seed),
    "tracker, differ": lambda seed: sparring.tracker(K, differ=True, seed=seed),
    "steady": lambda seed: sparring.steady(K, seed=seed),
    "steady, boost 10": lambda seed: sparring.steady(K, seed=seed),
    "sym_exp3s, T known": lambda seed: sparring.sym_exp3s(K, 120_000, S=2, seed=seed),
    "double_thompson": lambda seed: sparring.learners.double_thompson(K, seed=seed),
}


def found(name, age, seed):
    """The regret after the arrival, and how long it took to name the newcomer."""
    learner, coins = LEARNERS[name](seed), np.random.default_rng(seed)
    if age:
        block = sparring.Block(preferences(K)[None], np.array([age]))
        learner.play(block, coins.random(age))
    learner.add(boost=10.0 if "boost" in name else 1.0)
    P, regret, named = preferences(K + 1), 0.0, AFTER
    for done in range(0, AFTER, STEP):
        plays = learner.play(sparring.Block(P[None], np.array([STEP])), coins.random(STEP))
        regret += float((P[K, plays.rows] + P[K, plays.cols] - 1).sum() / 2)
        named = AFTER if learner.favourite != K else min(named, done + STEP)
    return regret, named


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in LEARNERS:
        for age in AGES:
            runs = [found(name, age, seed) for seed in range(options.runs)]
            regret, named = (statistics.mean(numbers) for numbers in zip(*runs, strict=True))
            rows.append({"learner": name, "age": age, "regret": regret, "named after": named})
    if options.json:
        print(json.dumps(rows))
        return
    print("| learner | " + " | ".join(f"age {age:,}" for age in AGES) + " |")
    print("| --- |" + " --- |" * len(AGES))
    for name in LEARNERS:
        mine = [row for row in rows if row["learner"] == name]
        cells = [f"{row['regret']:,.0f} ({row['named after']:,.0f})" for row in mine]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
