"""What figures, claims and the report show about a panel: means, deviations, slopes, sizes."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from sparring.formats import Estimate, natural
from sparring.lab import results
from sparring.lab.experiments import Experiment
from sparring.lab.experiments.running import MOST_RUNS
from sparring.lab.measures import LEVEL, growth

IRREDUCIBLE = "irreducible"
LOWER_BOUND = "lower bound"


class Curve(NamedTuple):
    """Mean and standard deviation over runs along x; an exactly known line has deviation 0."""

    label: str
    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]


class Slope(NamedTuple):
    """How the regret of one learner grows along the axis."""

    label: str
    fitted: Estimate
    """Over all points."""
    last: Estimate
    """Between the last two."""


class Realised(NamedTuple):
    """What the paths of a point were like, on average over runs."""

    x: float
    K: int
    T: int
    S: float
    V_T: float
    runs: int


class Summary:
    """A panel, read from its folder."""

    def __init__(self, contents: results.Contents) -> None:
        self.experiment = Experiment.from_json(contents.about["experiment"])
        self.seed: int = contents.about["seed"]
        self.history, self.damaged = contents.history, contents.damaged
        self.everything = contents.table
        self.table = contents.table.filter(polars.col("regret") == str(self.experiment.regret))
        self._final = self.table.filter(polars.col("t") == polars.col("T"))

    @property
    def name(self) -> str:
        """The panel's name."""
        return self.experiment.name

    @cached_property
    def points(self) -> tuple[float, ...]:
        """The points of the axis that have results, ascending."""
        return tuple(sorted(self.table["x"].unique().to_list()))

    @property
    def complete(self) -> bool:
        """Whether all entrants have all requested runs, at every point."""
        noted = [entry.get("runs") for entry in self.history]
        wanted = max((runs for runs in noted if type(runs) is int and runs <= MOST_RUNS), default=1)
        measured = {IRREDUCIBLE}.intersection(self.experiment.lines)
        return all(
            self.by_run(label, x).keys() >= set(range(wanted))
            for label in (*self.labels, *measured)
            for x in self.experiment.points
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The entrants."""
        return self.experiment.labels

    @property
    def all_labels(self) -> tuple[str, ...]:
        """The entrants, and the lines that are drawn with them."""
        return (*self.labels, *self.experiment.lines)

    def values(self, label: str, x: float) -> NDArray[np.float64]:
        """The regret of one entrant at one point, run by run."""
        return np.array(list(self.by_run(label, x).values()), float)

    def by_run(self, label: str, x: float) -> dict[int, float]:
        """The same by the number of the run: parts are stored by entrant, so runs may differ."""
        rows = self._final.filter((polars.col("entrant") == label) & (polars.col("x") == x))
        return dict(rows.sort("run").select("run", "value").iter_rows())

    def paired(self, x: float, *labels: str) -> list[NDArray[np.float64]]:
        """The regrets of some entrants at one point, in the runs that all of them have."""
        found = [self.by_run(label, x) for label in labels]
        runs = sorted(set.intersection(*map(set, found))) if found else []
        return [np.array([one[run] for run in runs], float) for one in found]

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """The regret at the end against the axis: a curve for each entrant."""
        return tuple(self._curve(label) for label in self.labels)

    @cached_property
    def lines(self) -> tuple[Curve, ...]:
        """What else is drawn: the irreducible regret, the lower bound."""
        lines = []
        if IRREDUCIBLE in self.experiment.lines:
            lines.append(self._curve(IRREDUCIBLE))
        if LOWER_BOUND in self.experiment.lines:
            worlds = dict(zip(self.experiment.points, self.experiment.worlds, strict=True))
            bounds = np.array([worlds[x].lower_bound for x in self.points])
            lines.append(Curve(LOWER_BOUND, np.array(self.points), bounds, np.zeros(len(bounds))))
        return tuple(lines)

    @cached_property
    def over_time(self) -> tuple[Curve, ...]:
        """The regret at the last point, round by round: a curve for each entrant."""
        last = self.table.filter(polars.col("x") == self.points[-1])
        return tuple(
            curve_of(label, last.filter(polars.col("entrant") == label), "t")
            for label in self.labels
        )

    @cached_property
    def slopes(self) -> tuple[Slope, ...]:
        """The growth of each curve."""
        return tuple(
            Slope(label, self.growth(label), self.growth(label, self.points[-2:]))
            for label in self.all_labels
        )

    def growth(
        self, label: str, points: Sequence[float] | None = None, level: float = LEVEL
    ) -> Estimate:
        """The exponent of the growth of one curve over some points, or all."""
        chosen = self.points if points is None else points
        if label == LOWER_BOUND:
            (bound,) = (line for line in self.lines if line.label == LOWER_BOUND)
            values = [np.full(2, bound.mean[bound.x == x]) for x in chosen]  # it has no chance
        else:
            values = [self.values(label, x) for x in chosen]
        # Worlds of the same K and T share their random numbers, run by run.
        runs = {tuple(self.by_run(label, x)) for x in chosen}
        paired = self.experiment.axis not in ("T", "K") and len(runs) == 1
        return growth(chosen, values, paired=paired, level=level)

    @cached_property
    def realised(self) -> tuple[Realised, ...]:
        """The sizes of the paths at each point."""
        found = []
        for x in self.points:
            paths = self._final.filter(polars.col("x") == x).unique("run").sort("run")
            first = paths.row(0, named=True)
            S, V_T = (float(np.mean(paths[name].to_list())) for name in ("S", "V_T"))
            found.append(Realised(x, first["K"], first["T"], S, V_T, len(paths)))
        return tuple(found)

    def _curve(self, label: str) -> Curve:
        return curve_of(label, self._final.filter(polars.col("entrant") == label), "x")


def curve_of(label: str, rows: Any, axis: str) -> Curve:
    """Mean and deviation of the values along a column."""
    value = polars.col("value")
    found = rows.group_by(axis).agg(value.mean().alias("mean"), value.std().alias("sd")).sort(axis)
    x, mean, sd = (found[name].to_numpy().astype(float) for name in (axis, "mean", "sd"))
    return Curve(label, x, mean, np.nan_to_num(sd))  # one run does not deviate


def read(folder: str | Path, names: tuple[str, ...] = ()) -> list[Summary]:
    """The panels of a folder that have results, or those with given names, in that order."""
    shelves = {shelf.folder.name: shelf for shelf in results.shelves(folder)}
    names = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    missing = [name for name in names if name not in shelves]
    if missing:
        there = ", ".join(shelves)
        raise results.ResultsError(f"{folder} has no panel {missing[0]!r}; it has {there}")
    begun = sorted((name for name, shelf in shelves.items() if shelf.begun), key=natural)
    if not (names or begun):
        raise results.ResultsError(f"{folder} has no results yet. Make some with sparring run")
    return [Summary(shelves[name].read()) for name in names or begun]
