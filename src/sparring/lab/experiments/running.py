"""run: every job that a folder does not have yet, on threads or any other executor."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import polars

from sparring import atomic, checks
from sparring.formats import duration, many
from sparring.lab import results
from sparring.lab.experiments.experiment import Experiment
from sparring.lab.experiments.jobs import Job, Result, all_jobs
from sparring.simulation.match import COLUMNS, FURTHER
from sparring.simulation.progress import Tick, progress_bar
from sparring.simulation.workers import AHEAD, completed, cores

MOST_RUNS = 100_000  # of one point
MOST_THREADS = 1024
STORED = 0.03  # seconds of a job beside its rounds: made, checked, written and synced


class Ran(NamedTuple):
    """What `run` did."""

    jobs: int
    """How many the experiments have."""
    played: int
    """How many of them were played now; the others were there."""
    damaged: tuple[Path, ...]
    """Parts that were there but could not be trusted, and were played again."""
    seconds: float
    edited: tuple[str, ...] = ()
    """Entrants that are not what they were when the folder was last used: played again, alone."""


def run(
    experiments: Experiment | Sequence[Experiment],
    folder: str | Path,
    *,
    runs: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    command: Sequence[str] = (),
    only: Collection[str] = (),
) -> Ran:
    """Play every job that the folder does not have yet; each becomes a file as it ends.

    If it is interrupted, start it again and it continues where it was. The results depend neither
    on that nor on the executor.

    Parameters
    ----------
    experiments
        One or more; each has its own folder, by its name.
    folder
        The folder; it is created if needed.
    runs
        How many runs at each point. If you ask for more later, only the new ones are played.
    seed
        The same seed gives the same numbers.
    jobs
        How many threads; one for each processor if None.
    executor
        Any `concurrent.futures.Executor` instead of threads: processes, a cluster.
    progress
        Whether to show a bar with the time left; if None, on a terminal, and after two seconds.
    command
        The command to write into the history, with which it can be repeated.
    only
        The labels of the entrants to play for now; the folder is still that of all.
    """
    chosen = _chosen(experiments)
    runs = checks.whole("runs", runs, low=1, high=MOST_RUNS)
    seed = checks.whole("seed", seed, low=0, high=2**63 - 1)
    progress = None if progress is None else checks.flag("progress", progress)
    threads = cores() if jobs is None else checks.whole("jobs", jobs, low=1, high=MOST_THREADS)
    if not (executor is None or isinstance(executor, Executor)):
        raise checks.refuse("executor", "a concurrent.futures.Executor or None", executor)
    begun, work, edited = time.perf_counter(), Work(), dict[str, None]()
    abouts = [{"experiment": experiment.to_json(), "seed": seed} for experiment in chosen]
    shelves = [results.Shelf(Path(folder) / experiment.name) for experiment in chosen]
    for shelf, about in zip(shelves, abouts, strict=True):  # all of them before any is begun
        edited.update(dict.fromkeys(shelf.demand(about)))
    atomic.tidy(folder)
    for experiment, shelf, about in zip(chosen, shelves, abouts, strict=True):
        shelf.begin(about, command=command, runs=runs)
        played = experiment.only(only) if only else experiment
        work.add(shelf, all_jobs(played, runs=runs, seed=seed))
    everything = sum(len(experiment.worlds) for experiment in chosen) * runs
    try:
        if executor is None:
            with ThreadPoolExecutor(threads) as pool:
                work.play(pool, ahead=2 * threads, progress=progress, threads=threads)
        else:
            work.play(executor, ahead=AHEAD, progress=progress)
    except KeyboardInterrupt:
        kept = f"{everything - work.left:,} of {many(everything, 'job')} are kept in {folder}"
        raise KeyboardInterrupt(f"{kept}; start it again to continue") from None
    seconds = time.perf_counter() - begun
    return Ran(everything, work.played, tuple(work.damaged), seconds, tuple(edited))


def _chosen(experiments: Any) -> list[Experiment]:
    """The experiments, checked: names must differ."""
    several = isinstance(experiments, Iterable) and not isinstance(experiments, str)
    chosen = list(experiments) if several else [experiments]
    for experiment in chosen:
        if not isinstance(experiment, Experiment):
            raise checks.refuse("experiments", "one or more sparring.lab.Experiment", experiment)
    by_name = {experiment.name: experiment for experiment in chosen}
    for experiment in chosen:
        if experiment != by_name[experiment.name]:
            rule = "of different names: each has a folder by its name"
            raise checks.refuse("experiments", rule, experiment.name)
    return list(by_name.values())


class Work:
    """What is left to do, and where to put it."""

    def __init__(self) -> None:
        self._jobs: list[tuple[Job, results.Shelf]] = []
        self.damaged: list[Path] = []
        self.played = 0
        self.left = 0
        """Jobs that the folder still lacks."""

    def add(self, shelf: results.Shelf, wanted: Iterable[Job]) -> None:
        """Add the jobs that have no part on the shelf, or a damaged one."""
        places = shelf.places()
        for job in wanted:
            there, damaged = shelf.held(places.get(job.place, ()))
            left = job.without(there)
            if left is not None:
                self._jobs.append((left, shelf))
                self.left += 1
                self.damaged += damaged

    def play(
        self, executor: Executor, *, ahead: int, progress: bool | None, threads: int | None = None
    ) -> None:
        """Play them, the longest first, and store each result at once.

        With the number of threads it can say beforehand how long it will take.
        """
        self._jobs.sort(key=lambda entry: -entry[0].work)
        total, what = sum(job.work for job, _ in self._jobs), many(len(self._jobs), "job")
        own = any(entrant.source for job, _ in self._jobs for _, entrant in job.experiment.entrants)
        if threads is not None and not own:  # the speed of a learner of one's own is not known
            seconds = (total / 1e9 + STORED * len(self._jobs)) / threads
            what += f", {duration(seconds)}"
        with progress_bar(total, what, shown=progress if self._jobs else False) as tick:
            todo, begun = self._todo(tick), list[tuple[Job, results.Shelf]]()

            def tasks() -> Iterator[Job]:
                for job, shelf in todo:
                    begun.append((job, shelf))
                    yield job

            for number, played in completed(tasks(), executor, tick, ahead=ahead):
                job, shelf = begun[number]
                shelf.put(job.name, table_of(job, played), job.marks.values())
                self.played += 1
                self.left -= 1

    def _todo(self, tick: Tick) -> Iterator[tuple[Job, results.Shelf]]:
        """The jobs, without those that another process has done in the meantime."""
        for job, shelf in self._jobs:
            if shelf.look(job.name) is results.State.GOOD:
                self.left -= 1
                tick(job.work)
            else:
                yield job, shelf


def table_of(job: Job, played: Result) -> polars.DataFrame:
    """The part of a job."""
    panel, x = job.experiment.name, float(job.point)
    label = COLUMNS.index("entrant")
    rows = [(panel, x, *row, played.seconds.get(row[label])) for row in played.rows]
    schema = ("panel", "x", *COLUMNS, *FURTHER, "seconds")
    kinds = {"seconds": polars.Float64}  # also where none were noted
    return polars.DataFrame(rows, schema=schema, schema_overrides=kinds, orient="row")
