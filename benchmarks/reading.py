"""How long files of votes take to read, beside other tools that read them.

python benchmarks/reading.py [--votes 1e6] [--arms 100] [--rounds 3] [--rivals PYTHON] [--json]
PYTHON is that of a virtual environment with the other tools (pip install choix evalica arena-rank
polars); the one that runs this by default. A tool that is not there is left out, and said to be.

A file is made from a seed in a temporary folder: ISO times, a hundred arms, "model_a", "model_b"
or "tie". Each run is a new process that has imported everything and read another file first; tools
take turns, and medians count: seconds by the clock, seconds that cores were busy, and megabytes.

`sparring` reads the file as `sparring votes` does: every row is checked, and becomes a vote.
`polars` only parses the columns, times too. The others have no reader of their own: they read the
file with polars or pandas, and refit Bradley-Terry once.
"""

import argparse
import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from clock import table

KINDS = ("csv", "jsonl", "csv.gz", "parquet")
BLOCK = 100_000

# What each tool does with a path; every program returns how many votes it has seen.
TOOLS = {
    "sparring": """
from sparring.votes import read
def work(path):
    return len(read(path))
""",
    "polars": """
import polars
def work(path):
    if ".csv" in path:
        return len(polars.read_csv(path, try_parse_dates=True))
    if path.endswith(".parquet"):
        return len(polars.read_parquet(path))
    moment = polars.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S")
    return len(polars.read_ndjson(path).with_columns(moment))
""",
    "choix": """
import choix, numpy, polars
def work(path):
    frame = polars.read_csv(path)
    names = sorted(set(frame["model_a"]) | set(frame["model_b"]))
    place = {name: k for k, name in enumerate(names)}
    a, b = (frame[name].replace_strict(place).to_numpy() for name in ("model_a", "model_b"))
    won = frame["winner"].replace_strict({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}).to_numpy()
    K = len(names)
    wins = numpy.bincount(a * K + b, won, K * K).reshape(K, K)
    wins += numpy.bincount(b * K + a, 1 - won, K * K).reshape(K, K)
    choix.ilsr_pairwise_dense(wins)
    return len(frame)
""",
    "evalica": """
import evalica, pandas
def work(path):
    frame = pandas.read_csv(path)
    said = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = frame["winner"].map(said)
    evalica.bradley_terry(frame["model_a"], frame["model_b"], winners)
    return len(frame)
""",
    "arena-rank": """
import pandas
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset
def work(path):
    data = PairDataset.from_pandas(pandas.read_csv(path))
    BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)
    return int(data.counts.sum())
""",
}
MEASURE = """
import json, resource, sys, time
work(sys.argv[1])
begin, busy = time.perf_counter(), time.process_time()
votes = work(sys.argv[2])
took = time.perf_counter() - begin, time.process_time() - busy
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps([*took, megabytes, votes]))
"""


def write(folder, n, K, seed):
    """The same votes as files of every kind."""
    rng = np.random.default_rng([n, K, seed])
    paths = {kind: folder / f"{n}-{seed}.{kind}" for kind in KINDS}
    line = '{{"time": "{}", "model_a": "arm-{}", "model_b": "arm-{}", "winner": "{}"}}\n'.format
    with paths["csv"].open("w") as text, paths["jsonl"].open("w") as lines:
        text.write("time,model_a,model_b,winner\n")
        for begin in range(0, n, BLOCK):
            size = min(BLOCK, n - begin)
            a = rng.integers(K, size=size)
            b = (a + rng.integers(1, K, size=size)) % K
            said = rng.choice(["model_a", "model_b", "tie"], size, p=[0.45, 0.45, 0.1])
            seconds = 1_700_000_000 + 30 * np.arange(begin, begin + size)
            at = seconds.astype("datetime64[s]").astype(str)
            rows = list(zip(at.tolist(), a.tolist(), b.tolist(), said.tolist(), strict=True))
            text.writelines(f"{t},arm-{i},arm-{j},{one}\n" for t, i, j, one in rows)
            lines.writelines(line(*row) for row in rows)
    with paths["csv"].open("rb") as plain, gzip.open(paths["csv.gz"], "wb", 6) as packed:
        shutil.copyfileobj(plain, packed)
    import polars

    polars.read_csv(paths["csv"], try_parse_dates=True).write_parquet(paths["parquet"])
    return paths


def run(python, tool, small, path):
    """Seconds, busy seconds, megabytes and votes; None if the tool cannot be run."""
    command = [python, "-c", TOOLS[tool] + MEASURE, str(small), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["?"])[-1]
        print(f"{tool} on {path.name} is left out: {why[:120]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def measured(folder, n, K, rounds, kinds, rivals):
    """A row for each kind of file and tool."""
    small, large = write(folder, 5_000, K, 1), write(folder, n, K, 2)
    for kind in kinds:
        # Those that bring no reader are measured on one kind.
        tools = list(TOOLS) if kind == "csv" else ["sparring", "polars"]
        found = {tool: [] for tool in tools}
        for _ in range(rounds):
            for tool in list(found):
                python = sys.executable if tool in ("sparring", "polars") else rivals
                one = run(python, tool, small[kind], large[kind])
                if one is None:
                    del found[tool]
                else:
                    found[tool].append(one)
        for tool, turns in found.items():
            seconds, busy, megabytes, votes = (
                statistics.median(one) for one in zip(*turns, strict=True)
            )
            assert votes == n, f"{tool} has seen {votes:,} of {n:,} votes"
            yield {
                "file": kind,
                "tool": tool,
                "does": {"sparring": "votes", "polars": "columns"}.get(tool, "one refit"),
                "seconds": round(seconds, 2),
                "busy": round(busy, 2),
                "megabytes": int(megabytes),
            }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--votes", type=float, default=1e6)
    parser.add_argument("--arms", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--rivals", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        settings = (int(given.votes), given.arms, given.rounds, given.kinds, given.rivals)
        rows = list(measured(Path(place), *settings))
    print(json.dumps(rows) if given.json else table(rows))
