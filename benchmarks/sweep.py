"""What a job costs beside the playing: submitting, writing, looking and reading.

python benchmarks/sweep.py [--jobs N] [--json]
"""

import argparse
import json
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import sparring
from clock import table
from sparring.lab.cluster import cluster
from sparring.lab.results import Shelf

WORKERS = 2  # processes of the cluster, one thread each
POINTS = 100  # of the sweep, at most


def tiny(points, checkpoints):
    """An experiment whose jobs take next to no time to play."""
    worlds = [sparring.FreshWinner(K=5, T=T, S=2) for T in range(1000, 1000 + points)]
    return sparring.lab.Experiment(
        name="tiny",
        title="Next to nothing",
        axis="T",
        worlds=worlds,
        entrants={"DEX3.S": "dex3s", "RAND": "rand"},
        regret=sparring.Regret("preference", "stretch"),
        checkpoints=checkpoints,
    )


@contextmanager
def threads():
    """What `run` takes if nothing is said."""
    yield None


@contextmanager
def processes():
    """A cluster on this machine."""
    from distributed import LocalCluster

    sizes = {"n_workers": WORKERS, "threads_per_worker": 1}
    with (
        LocalCluster(**sizes, dashboard_address=None) as local,
        cluster(local.scheduler_address) as it,
    ):
        yield it


def measured(jobs):
    """A row for each executor and number of checkpoints."""
    points = min(jobs, POINTS)
    for name, executor in (("threads", threads), ("Dask", processes)):
        with executor() as chosen:
            for checkpoints in (1, 40):
                row = costs(tiny(points, checkpoints), jobs // points, chosen)
                yield {"executor": name, "checkpoints": checkpoints, **row}


def costs(experiment, runs, executor):
    """What so many runs cost, after one that warms up."""
    with tempfile.TemporaryDirectory() as folder:

        def run(runs):
            begun = time.perf_counter()
            ran = sparring.lab.experiments.run(experiment, folder, runs=runs, executor=executor)
            return ran.played, time.perf_counter() - begun

        run(1)
        played, spent = run(runs + 1)
        _, looked = run(runs + 1)
        begun = time.perf_counter()
        Shelf(Path(folder) / "tiny").read()
        read = time.perf_counter() - begun
        sizes = [part.stat().st_size for part in Path(folder).rglob("*.parquet")]
    return {
        "jobs a second": round(played / spent),
        "bytes a part": round(sum(sizes) / len(sizes)),
        "ms to look at a part": round(looked / len(sizes) * 1e3, 2),
        "ms to read it": round(read / len(sizes) * 1e3, 2),
    }


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = list(measured(options.jobs))
    print(json.dumps(rows) if options.json else table(rows))


if __name__ == "__main__":
    main()
