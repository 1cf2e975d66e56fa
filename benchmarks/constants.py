"""What each constant of `tracker` is worth: regret on half of the league's worlds, one varied.

python benchmarks/constants.py [--T 20000] [--runs 10] [--only HAZARD] [--json]

The half on which they were chosen; the other half and real data judge them (`tracker.py`). Regret
is in percent of RAND's on the same paths, the last column its geometric mean, with at least 1% for
each world. A constant is compiled into the kernels, so every variant runs in a process of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from clock import table

CHOSEN_ON = (
    "stationary",
    "fresh-10",
    "rotating-10",
    "newcomers",
    "utilities",
    "cyclic",
    "walk",
    "hard-simple",
)
VARIANTS = {
    "HAZARD": (0.5, 0.25, 0.0625, 0.03125),
    "LIFT": (0.0, 1.0, 4.0),
    "RATIO": (1.5, 3.0),
    "SPAN": (10.0, 40.0),
    "PART": (0.0, 0.1),
    "THIN": (0.0, 0.03),
    "LEAD": (0.05, 1e9),
}
PROGRAM = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
import sparring
from sparring.lab.league.suite import Size, suite

name, value, T, runs, worlds = json.loads(sys.argv[1])
if name is not None:  # before anything is compiled
    setattr(sys.modules["sparring.learners.tracker"], name, value)
found = {}
with ThreadPoolExecutor(2) as executor:
    for world in worlds:
        fixture = suite(Size(T, 1))[world]
        rows = sparring.simulate(
            fixture.world, ["rand", "tracker"], fixture.regret, runs=runs, executor=executor
        )
        mean = {who: part["value"].mean() for (who,), part in rows.group_by("entrant")}
        found[world] = 100 * mean["tracker"] / mean["rand"]
print(json.dumps(found))
"""


def measured(name, value, T, runs):
    """Regret on each world with a constant of this value; all as they are if there is no name."""
    with tempfile.TemporaryDirectory() as cache:  # machine code of other constants
        command = [sys.executable, "-c", PROGRAM, json.dumps([name, value, T, runs, CHOSEN_ON])]
        env = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    found = json.loads(done.stdout)
    mean = float(np.exp(np.mean([np.log(max(percent, 1.0)) for percent in found.values()])))
    return {"constant": name or "as it is", "value": value, **found, "mean": mean}


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--T", type=lambda text: int(float(text)), default=20_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", nargs="*", choices=VARIANTS, help="which constants")
    parser.add_argument("--json", action="store_true", help="print numbers for a program")
    options = parser.parse_args()
    cases = [(None, None)]
    names = VARIANTS if options.only is None else options.only
    cases += [(name, value) for name in names for value in VARIANTS[name]]
    rows = [measured(*case, options.T, options.runs) for case in cases]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    rounded = [
        {name: round(x, 1) if name in (*CHOSEN_ON, "mean") else x for name, x in row.items()}
        for row in rows
    ]
    print(table(rounded))


if __name__ == "__main__":
    main()
