"""sweep: any grid of worlds and learners, stored, as one tidy table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

from sparring import checks
from sparring.lab import marks, results
from sparring.lab.experiments.experiment import Experiment
from sparring.lab.experiments.given import described, kept
from sparring.lab.experiments.running import run
from sparring.problem import Problem
from sparring.simulation import own
from sparring.simulation.entrants import known
from sparring.simulation.simulate import Regrets, regrets_by_label
from sparring.worlds.protocol import name_of


@dataclass(frozen=True)
class Sweep:
    """A grid as data, which `sparring run my_module:my_sweep` can play; see `sweep`.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> grid = Sweep([FreshWinner(5, 1000, S=S) for S in (1, 4)], ["tracker", "rand"])
    >>> [experiment.title for experiment in grid.experiments()]
    ['FreshWinner(S=1, margin=0.2)', 'FreshWinner(S=4, margin=0.2)']
    """

    worlds: Sequence[Any]
    entrants: Any
    regrets: Regrets = "dynamic"
    name: str = "sweep"
    checkpoints: int = 40
    favourites: bool = False

    def __post_init__(self) -> None:
        several = isinstance(self.worlds, Iterable) and not isinstance(self.worlds, str)
        worlds = tuple(self.worlds) if several else ()
        if not worlds:
            raise checks.refuse("worlds", "one or more, in a list", self.worlds)
        for world in worlds:
            known(world)
        object.__setattr__(self, "worlds", worlds)
        for name in ("entrants", "regrets"):
            object.__setattr__(self, name, kept(getattr(self, name)))

    def experiments(self) -> list[Experiment]:
        """One for each world, all with the same luck, so that worlds can be added later."""
        regret, *also = self._regrets().values()
        return [
            Experiment(
                name=_folder_of(world, self.name),
                title=name_of(world),
                axis="T",
                worlds=[world],
                entrants=self.entrants,
                regret=regret,
                also=also,
                luck=self.name,
                checkpoints=self.checkpoints,
                favourites=self.favourites,
            )
            for world in self.worlds
        ]

    def table(self, folder: str | Path, runs: int | None = None) -> polars.DataFrame:
        """What a folder has of this sweep, all runs or the first few.

        The options of worlds and entrants have their own columns.
        """
        tables = []
        names = {str(regret): label for label, regret in self._regrets().items()}
        for experiment in self.experiments():
            shelf = results.Shelf(Path(folder) / experiment.name)
            table = shelf.read(experiment.marks).table.drop("panel", "x")
            if runs is not None:
                table = table.filter(polars.col("run") < runs)
            options = _options(described(experiment.worlds[0]))
            columns = [polars.lit(value).alias(f"world.{name}") for name, value in options.items()]
            entrants = polars.DataFrame(
                [
                    {"entrant": label, **_named("entrant", _options(dict(entrant.options)))}
                    for label, entrant in experiment.entrants
                ],
                infer_schema_length=None,
                strict=False,
            )
            regrets = polars.col("regret").replace(names)
            table = table.with_columns(regrets, *columns).join(entrants, on="entrant", how="left")
            tables.append(table)
        return polars.concat(tables, how="diagonal_relaxed")

    def _regrets(self) -> Mapping[str, Any]:
        return regrets_by_label(self.regrets, Problem(self.worlds[0].K, self.worlds[0].T))


def sweep(
    worlds: Sequence[Any],
    entrants: Any,
    regrets: Regrets = "dynamic",
    *,
    folder: str | Path,
    runs: int = 10,
    seed: int = 0,
    name: str = "sweep",
    checkpoints: int = 40,
    favourites: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> polars.DataFrame:
    """Play all entrants on all worlds, except what the folder already has; returns one table.

    The numbers are those of `simulate(..., experiment=name)`. Parts are stored by world, run and
    entrant: if you add worlds, entrants or runs, or edit a learner of your own, only what is new is
    played. If it is interrupted, start it again and it continues where it was.

    Parameters
    ----------
    worlds
        Worlds of this package, or your own by `lab.world("module:name", ...)`.
    entrants
        Names of learners, or your own by `lab.entrant("module:name", ...)`; a mapping gives labels.
    regrets
        What to charge, as in `simulate`.
    folder
        Where the results are kept; it is created if needed.
    runs, seed, jobs, executor, progress
        As in `lab.run`.
    name
        Part of every seed: another name, other random numbers.
    checkpoints
        At how many evenly spaced rounds each regret is noted.
    favourites
        Whether to note if the learner's favourite is the best arm, as in `simulate`.

    Returns
    -------
    The columns of `simulate`, the seconds of processor time that each learner took, and a column
    for each option, such as `world.S` and `entrant.memory`.

    Examples
    --------
    >>> import tempfile
    >>> from sparring import Entrant, FreshWinner
    >>> entrants = {memory: Entrant("steady", memory=int(memory)) for memory in ("500", "2000")}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     worlds = [FreshWinner(5, 1000, S=S) for S in (1, 4)]
    ...     table = sweep(worlds, entrants, ["dynamic", "static"], runs=2, folder=folder)
    >>> sorted(set(table["regret"])), sorted(set(table["entrant.memory"]))
    (['dynamic', 'static'], [500, 2000])
    """
    grid = Sweep(worlds, entrants, regrets, name, checkpoints, favourites)
    run(
        grid.experiments(),
        folder,
        runs=runs,
        seed=seed,
        jobs=jobs,
        executor=executor,
        progress=progress,
    )
    return grid.table(folder, runs)


def _folder_of(world: Any, luck: str) -> str:
    """A name for a world's folder in a sweep; the user's own world keeps it when edited."""
    if not hasattr(world, "to_json"):
        return "world"  # which the experiment then refuses
    fields = {name: value for name, value in world.to_json().items() if name != "source"}
    family = re.sub(r"[^A-Za-z0-9._-]+", "-", str(fields["world"])).strip("-._")[:60]
    return f"{family}-{marks.group([str(fields), f'luck {luck}'])}"


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a world or an entrant that fit into a column."""
    return {
        name: value
        for name, value in options.items()
        if name not in ("world", "K", "T") and isinstance(value, (str, int, float, type(None)))
    }


def _named(prefix: str, options: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}.{name}": value for name, value in options.items()}


def named(name: str) -> list[Experiment]:
    """The experiments of module:name: an Experiment, a Sweep, several, or a function of these."""
    found = own.attribute(name, "experiment")
    if callable(found) and not isinstance(found, type):
        found = found()
    several = found if isinstance(found, (list, tuple)) else [found]
    experiments = []
    for one in several:
        if not isinstance(one, (Experiment, Sweep)):
            rule = f"an Experiment or a Sweep at {name}, or several"
            raise checks.refuse("experiment", rule, one)
        experiments += one.experiments() if isinstance(one, Sweep) else [one]
    return experiments
