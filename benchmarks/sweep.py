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
POINTS = 100  # of the sweep


def tiny(checkpoints):
    """An experiment whose jobs take next to no time to play."""
    worlds = [sparring.FreshWinner(K=5, T=T, S=2) for T in range(1000, 1000 + POINTS)]
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
    for name, executor in (("threads", threads), ("Dask", processes)):
        for checkpoints in (1, 40):
            experiment, runs = tiny(checkpoints), max(jobs // POINTS, 1)
            with tempfile.TemporaryDirectory() as folder, executor() as chosen:
                sparring.lab.experiments.run(experiment, folder, runs=1, executor=chosen)  # warm
                begun = time.perf_counter()
                ran = sparring.lab.experiments.run(
                    experiment, folder, runs=runs + 1, executor=chosen
                )
                spent = time.perf_counter() - begun
                begun = time.perf_counter()
                sparring.lab.experiments.run(experiment, folder, runs=runs + 1, executor=chosen)
                looked = time.perf_counter() - begun
                begun = time.perf_counter()
                Shelf(Path(folder) / "tiny").read()
                read = time.perf_counter() - begun
                sizes = [part.stat().st_size for part in Path(folder).rglob("*.parquet")]
            yield {
                "executor": name,
                "checkpoints": checkpoints,
                "jobs a second": round(ran.played / spent),
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
