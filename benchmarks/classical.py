"""Regret of RUCB, RMED1 and double Thompson sampling on the matrices the literature uses.

python benchmarks/classical.py --data FOLDER [--T 1e5] [--runs 40] [--json]

FOLDER has preference matrices as CSV files, with a first row and a first column of names; those
without a Condorcet winner are left out. Regret is strong: the mean of the gaps of both arms to the
winner, summed over rounds. Arms are shuffled in every run. Beside it is the asymptotic lower bound
of Komiyama et al. (2015): no learner that does well everywhere has less than r ln T + o(ln T), with

    r = sum over i of min over j that beat i of (gap(i) + gap(j)) / (2 d(P(i, j), 1/2)).

A learner may be below r ln T for a long time, since o(ln T) may be negative.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import sparring
from clock import table

LEARNERS = {"RUCB": "rucb", "RMED1": "rmed1", "D-TS": "double_thompson"}


def winner_of(P):
    """The arm that beats all others, or None."""
    wins = (P > 0.5).sum(axis=1)
    return int(wins.argmax()) if wins.max() == len(P) - 1 else None


def is_number(cell):
    """Whether a cell holds a number, and so no name."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def matrix(file):
    """The matrix of a CSV file with names around it."""
    table = [line.split(",") for line in file.read_text().splitlines() if line.strip()]
    names = [cell for row in table[:1] for cell in row[1:]] + [row[0] for row in table[1:]]
    if any(map(is_number, names)):
        raise ValueError(
            f"{file}: the first row and the first column must be names, or an arm would be lost"
        )
    cells = [row[1:] for row in table[1:]]
    K = len(cells)
    if K < 2 or len(table[0]) != K + 1 or any(len(row) != K for row in cells):
        raise ValueError(f"{file} must be a square of two arms or more, with names around it")
    if not all(is_number(cell) for row in cells for cell in row):
        raise ValueError(f"{file}: all but the first row and the first column must be numbers")
    return np.array(cells, np.float64)


def classical(folder):
    """The matrices in a folder that have a Condorcet winner, by name."""
    files = sorted(Path(folder).glob("*.csv"))
    read = {file.stem: matrix(file) for file in files}
    found = {name: P for name, P in read.items() if winner_of(P) is not None}
    if not found:
        had = f"{len(files)} CSV files, none of them with" if files else "no CSV file, so none with"
        raise ValueError(f"{folder} has {had} a matrix in which one arm beats all others")
    return found


def divergence(p):
    """d(p, 1/2), of two coins."""
    return sum(x * np.log(2 * x) for x in (p, 1 - p) if x > 0)


def lower_bound(P):
    """r of Komiyama et al. (2015), for the mean of both gaps."""
    gap = P[winner_of(P)] - 0.5
    return sum(
        min((gap[i] + gap[j]) / (2 * divergence(P[i, j])) for j in np.flatnonzero(P[i] < 0.5))
        for i in range(len(P))
        if i != winner_of(P)
    )


def regrets(P, learner, marks, runs, seed=1):
    """(runs, marks): strong regret up to each of these rounds, with arms shuffled in each run."""
    found = np.empty((runs, len(marks)))
    for run, child in enumerate(np.random.SeedSequence(seed).spawn(runs)):
        rng = np.random.default_rng(child)
        order = rng.permutation(len(P))
        shuffled = np.ascontiguousarray(P[np.ix_(order, order)])
        player = sparring.LEARNERS[learner](len(P), seed=rng)
        block = sparring.Block(shuffled[None], np.array([marks[-1]]))
        plays = player.play(block, rng.random(marks[-1]))
        gap = shuffled[winner_of(shuffled)] - 0.5
        found[run] = np.cumsum((gap[plays.rows] + gap[plays.cols]) / 2)[np.array(marks) - 1]
    return found


def measured(folder, T, runs):
    """A row for each matrix and learner."""
    marks = [10**e for e in range(3, 19) if 10**e < T] + [T]
    for name, P in classical(folder).items():
        r = lower_bound(P)
        for label, learner in LEARNERS.items():
            found = regrets(P, learner, marks, runs)
            error = found.std(axis=0, ddof=1) / np.sqrt(runs)
            yield {
                "matrix": name,
                "K": len(P),
                "learner": label,
                "rounds": marks,
                "regret": found.mean(axis=0).tolist(),
                "standard_error": error.tolist(),
                "lower_bound": [r * np.log(t) for t in marks],
            }


def shown(row):
    """A row of the table."""
    cells = {"matrix": row["matrix"], "K": row["K"], "learner": row["learner"]}
    pairs = zip(row["rounds"], row["regret"], row["standard_error"], strict=True)
    cells |= {f"T = {t:.0e}": f"{mean:.0f} +- {error:.0f}" for t, mean, error in pairs}
    return cells | {f"r ln {row['rounds'][-1]:.0e}": f"{row['lower_bound'][-1]:.0f}"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, metavar="FOLDER")
    parser.add_argument("--T", type=float, default=1e5)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        rows = list(measured(arguments.data, int(arguments.T), arguments.runs))
    except ValueError as error:
        parser.error(str(error))
    print(json.dumps(rows, indent=2) if arguments.json else table(list(map(shown, rows))))
