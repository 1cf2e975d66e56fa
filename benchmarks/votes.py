"""How long the whole door takes, from a file of votes to a page, beside a refit by other tools.

python benchmarks/votes.py [--votes 1e6] [--arms 10 100] [--arena-rank PYTHON] [--json]
pip install choix; arena-rank wants jax and one version of NumPy, so PYTHON is that of a virtual
environment of its own, in which it was installed.

A file is made from a seed in a temporary folder: strengths that wander, a tenth of the votes ties.
Each tool runs alone, in a new process that has compiled or loaded everything on another file first;
the door's steps are those of `sparring votes`. Seconds by the clock, seconds that cores
were busy (which hardly depend on who else works there), and megabytes at most. A refit is one
all-time Bradley-Terry fit, with reading the file; arena-rank's also has its intervals. "apart" is
the largest difference of a strength to that of our own fit without a prior, on the same votes; for
arena-rank with its own tolerance, then with 1e-12.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from clock import table

OURS = """
import json, resource, sys, time
from pathlib import Path
from sparring.votes.page import write_votes
from sparring.votes import answer, read

def door(path, page):
    busy = time.process_time()
    marks = [("read", time.perf_counter())]
    votes = read(path)
    found = answer(votes, step=lambda what: marks.append((what, time.perf_counter())))
    marks.append(("page", time.perf_counter()))
    write_votes(page, found, source=path.name)
    marks.append(("", time.perf_counter()))
    pairs = zip(marks, marks[1:])
    took = {name: after - begin for (name, begin), (_, after) in pairs}
    return took, time.process_time() - busy

small, path = map(Path, sys.argv[1:3])
door(small, small.with_suffix(".html"))
took, busy = door(path, path.with_suffix(".html"))
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"seconds": took, "busy": busy, "megabytes": megabytes}))
"""

CHOIX = """
import json, resource, sys, time
import choix, numpy, polars

def refit(path):
    begin, busy = time.perf_counter(), time.process_time()
    frame = polars.read_csv(path)
    names = sorted(set(frame["model_a"]) | set(frame["model_b"]))
    place = {name: k for k, name in enumerate(names)}
    a, b = (frame[name].replace_strict(place).to_numpy() for name in ("model_a", "model_b"))
    winner = frame["winner"]
    won = winner.replace_strict({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}).to_numpy()
    K = len(names)
    wins = numpy.bincount(a * K + b, won, K * K).reshape(K, K)
    wins += numpy.bincount(b * K + a, 1 - won, K * K).reshape(K, K)
    strengths = choix.ilsr_pairwise_dense(wins, tol=1e-10)
    took = time.perf_counter() - begin, time.process_time() - busy
    return took, dict(zip(names, (strengths - strengths.mean()).tolist()))

refit(sys.argv[1])
(took, busy), strengths = refit(sys.argv[2])
found = {"seconds": took, "busy": busy, "strengths": strengths}
found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps(found))
"""

ARENA_RANK = """
import json, math, resource, sys, time
import numpy, pandas
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

def refit(path, **options):
    begin, busy = time.perf_counter(), time.process_time()
    data = PairDataset.from_pandas(pandas.read_csv(path))
    model = BradleyTerry(n_competitors=len(data.competitors), **options)
    found = model.compute_ratings_and_cis(data)
    ratings = numpy.asarray(found["ratings"]) * math.log(10) / 400
    took = time.perf_counter() - begin, time.process_time() - busy
    return took, dict(zip(found["competitors"], (ratings - ratings.mean()).tolist()))

refit(sys.argv[1])
(took, busy), strengths = refit(sys.argv[2])
found = {"seconds": took, "busy": busy, "strengths": strengths}
found["closer"] = refit(sys.argv[2], ftol=1e-12, gtol=1e-12)[1]
found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps(found))
"""

FIT = """
import json, sys, time
from sparring.votes import fit, read
votes = read(sys.argv[2])
begin = time.perf_counter()
found = fit(votes, ridge=0)
took = time.perf_counter() - begin
print(json.dumps({"seconds": took, "strengths": dict(zip(votes.names, found.strengths.tolist()))}))
"""


def write(path, n, K, seed):
    """A file of votes as arenas have them, half a minute apart."""
    rng = np.random.default_rng([n, K, seed])
    strengths = rng.standard_normal(K)
    with path.open("w") as file:
        file.write("time,model_a,model_b,winner\n")
        for block in np.array_split(np.arange(n), max(n // 10_000, 1)):
            strengths = strengths + rng.standard_normal(K) * np.sqrt(len(block) / n)
            a = rng.integers(K, size=len(block))
            b = (a + rng.integers(1, K, size=len(block))) % K
            won = rng.random(len(block)) < 1 / (1 + np.exp(strengths[b] - strengths[a]))
            said = np.where(won, "model_a", "model_b")
            said[rng.random(len(block)) < 0.1] = "tie"
            rows = zip(block.tolist(), a.tolist(), b.tolist(), said.tolist(), strict=True)
            file.writelines(
                f"{1_700_000_000 + 30 * t},arm-{i},arm-{j},{one}\n" for t, i, j, one in rows
            )


def run(python, program, *files):
    """What a program says of its time."""
    command = [python, "-c", program, *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measured(folder, n, K, arena_rank):
    """A row for each tool."""
    small, path = folder / "small.csv", folder / f"{n}.csv"
    write(small, 5_000, K, 1)
    write(path, n, K, 2)
    found = run(sys.executable, OURS, small, path)
    fit = run(sys.executable, FIT, small, path)
    total = sum(found["seconds"].values())
    steps = ", ".join(f"{name} {took:.1f}" for name, took in found["seconds"].items())
    yield row(n, K, "sparring votes", total, found, "", steps)
    programs = {"choix": (sys.executable, CHOIX), "arena-rank": (arena_rank, ARENA_RANK)}
    for name, (python, program) in programs.items():
        if python is None:
            continue
        try:
            theirs = run(python, program, small, path)
        except subprocess.CalledProcessError:
            print(f"{name} does not run, skipped: is it installed?")
            continue
        gaps = [
            max(abs(theirs[key][arm] - own) for arm, own in fit["strengths"].items())
            for key in ("strengths", "closer")
            if key in theirs
        ]
        apart = ", then ".join(f"{gap:.0e}" for gap in gaps)
        yield row(n, K, f"{name}, one refit", theirs["seconds"], theirs, apart, "")


def row(n, K, tool, seconds, found, apart, steps):
    """A row of the table."""
    return {
        "votes": n,
        "arms": K,
        "tool": tool,
        "seconds": round(seconds, 2),
        "busy": round(found["busy"], 2),
        "megabytes": found["megabytes"],
        "apart": apart,
        "steps": steps,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--votes", type=float, nargs="+", default=[1e6])
    parser.add_argument("--arms", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--arena-rank", metavar="PYTHON")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.arena_rank is None and not arguments.json:
        print("arena-rank is left out: --arena-rank PYTHON says where it is installed")
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            one
            for n in arguments.votes
            for K in arguments.arms
            for one in measured(Path(folder), int(n), K, arguments.arena_rank)
        ]
    print(json.dumps(rows) if arguments.json else table(rows))
