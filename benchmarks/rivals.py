"""What learners that look for changes gain by it: regret, and alarms true and false, by scale.

python benchmarks/rivals.py [--K 10] [--T 1e5] [--S 4] [--runs 20] [--json]

All play the same paths of FreshWinner, with the same coins. Regret is strong, the mean of the gaps
of both arms to the winner, as a share of that of `rand` in the same run. After each change the
first alarm before the next one is true; all others are false. Beside them is `double_thompson`, the
base of `monitored_db`, forgetting nothing and by a window. Behind +- is a standard error. With
S = 1 nothing changes, and all alarms are false.
"""

import argparse
import json
import warnings

import numpy as np

import sparring
from clock import table
from sparring.lab.league.detection import noticed
from sparring.learners.monitored import KEPT

CHANGE = 0.4  # the largest that FreshWinner makes
SCALES = (1.0, 0.5, 0.3, 0.2, 0.1)
SCALES_AND_REPLAYS = ((1.0, 1.0), (0.3, 1.0), (0.3, 0.3), (0.2, 1.0), (0.2, 0.1), (0.1, 0.1))


def entrants():
    """RAND and its rivals."""
    yield sparring.Entrant("rand")
    for forget in ("nothing", "window"):
        yield sparring.Entrant("double_thompson", forget=forget)
    for scale in SCALES:
        yield sparring.Entrant("monitored_db", change=CHANGE, scale=scale)
    for name in ("anaconda", "metaswift"):
        for scale, replays in SCALES_AND_REPLAYS:
            yield sparring.Entrant(name, scale=scale, replays=replays)


def pieces(world, rng):
    """One path, in blocks of one matrix and few rounds."""
    for block in world.blocks(rng):
        for P, hold in zip(block.P, block.hold.tolist(), strict=True):
            for start in range(0, hold, KEPT):  # or alarms might be missed
                yield sparring.Block(P[None], np.array([min(KEPT, hold - start)]))


def run(entrant, world, path, coins, rng):
    """Strong regret and the rounds of all alarms."""
    with warnings.catch_warnings():  # that theory leaves no round to the base is to be seen
        warnings.simplefilter("ignore", sparring.TheoremWarning)
        learner = entrant(sparring.Problem(world.K, world.T, world.S), rng)
    regret, alarms, t = 0.0, {}, 0
    for block in path:
        P, rounds = block.P[0], int(block.hold[0])
        plays = learner.play(block, coins[t : t + rounds])
        gap = P[(P > 0.5).sum(axis=1).argmax()] - 0.5
        regret += (gap[plays.rows] + gap[plays.cols]).sum() / 2
        alarms.update(dict.fromkeys(getattr(learner, "alarms", ())))
        t += rounds
    return regret, list(alarms)


def measured(world, runs, seed=1):
    """A row for each rival."""
    found = {entrant: [] for entrant in entrants()}
    for child in np.random.SeedSequence(seed).spawn(runs):
        rng = np.random.default_rng(child)
        path, coins = list(pieces(world, rng)), rng.random(world.T)
        for entrant, seen in found.items():
            regret, alarms = run(entrant, world, path, coins, rng)
            true = len(list(noticed(world.changes, alarms)))
            seen.append((regret, true, len(alarms) - true))
    numbers = {entrant: np.array(seen) for entrant, seen in found.items()}
    rand = numbers.pop(next(entrants()))[:, 0]
    for entrant, seen in numbers.items():
        seen[:, 0] /= rand
        error = seen.std(axis=0, ddof=1) / np.sqrt(runs)
        yield {
            "learner": entrant.learner,
            "options": {name: it for name, it in entrant.options if name != "change"},
            **dict(zip(("regret", "true", "false"), seen.mean(axis=0).tolist(), strict=True)),
            "standard_errors": error.tolist(),
        }


def shown(row, changes):
    """A row of the table."""
    options = ", ".join(f"{name}={value}" for name, value in row["options"].items())
    regret, true, false = row["standard_errors"]
    return {
        "learner": row["learner"],
        "options": options,
        "regret / RAND's": f"{row['regret']:.2f} +- {regret:.2f}",
        f"true alarms, of {changes}": f"{row['true']:.1f} +- {true:.1f}",
        "false alarms a run": f"{row['false']:.1f} +- {false:.1f}",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--K", type=int, default=10)
    parser.add_argument("--T", type=float, default=1e5)
    parser.add_argument("--S", type=int, default=4)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    world = sparring.FreshWinner(arguments.K, int(arguments.T), arguments.S)
    rows = list(measured(world, arguments.runs))
    changes = len(world.changes)
    print(json.dumps(rows) if arguments.json else table([shown(row, changes) for row in rows]))
