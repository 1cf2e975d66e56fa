"""A table of `sparring.simulate`, or of a stored experiment, as a figure of regret over time."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring import checks
from sparring.formats import number, spread
from sparring.lab.draw.axes import draw_over_time, name
from sparring.lab.draw.panels import ENTRY, LETTER, grid_of
from sparring.lab.draw.settings import settings
from sparring.lab.draw.words import regret_name
from sparring.lab.summaries import Curve, curve_of
from sparring.simulation.observers import ALARM, FAVOURITE

NEEDED = ("world", "entrant", "K", "T", "run", "regret", "t", "value")
ALIKE = ("panel", "world", "K", "T", "regret")  # what the rows of one picture share
EACH, ALONE = (3.6, 2.6), (5.4, 3.3)  # a picture, in inches
MOST = 3  # pictures side by side, unless a row is a world
UNDER = 0.26  # the pictures, for each row of the legend


def curves(table: polars.DataFrame, *, columns: int | None = None) -> Figure:
    """Regret over the rounds: a line for each entrant, its band one standard deviation over runs.

    A table of several worlds or regrets gives a picture for each, side by side. Simulate with
    `checkpoints=100` or so: without, there is one point to draw.

    Parameters
    ----------
    table
        From `sparring.simulate`, or from a stored experiment: `read(folder)[0].everything`.
    columns
        How many pictures stand side by side. By default a row is a world if there are several
        worlds and several regrets, and else has up to three pictures.

    Examples
    --------
    >>> from sparring import FreshWinner, Regret, simulate
    >>> world, regret = FreshWinner(K=5, T=2000, S=2), Regret("preference", "stretch")
    >>> table = simulate(world, ["dex3s", "rand"], regret, runs=3, checkpoints=50)
    >>> curves(table).savefig("regret.svg")  # doctest: +SKIP
    """
    missing = [column for column in NEEDED if column not in getattr(table, "columns", ())]
    if missing:
        shown = checks.Shown(f"one without {', '.join(missing)}")
        raise checks.refuse("table", "a table of sparring.simulate", shown)
    table = table.filter(~table["regret"].is_in([ALARM, FAVOURITE]))
    if not len(table):
        raise checks.refuse("table", "a table with rows", checks.Shown("none"))
    alike = [column for column in ALIKE if column in table.columns]
    groups = table.partition_by(alike, maintain_order=True, as_dict=True)
    if columns is None:
        columns = _columns(len(groups), table["regret"].n_unique())
    columns = min(checks.whole("columns", columns, low=1, high=100), len(groups))
    labels = table["entrant"].unique(maintain_order=True).to_list()
    several = [column for column in alike if table[column].n_unique() > 1]
    with settings(small=True):
        figure, grid = grid_of(len(groups), columns, EACH if len(groups) > 1 else ALONE)
        drawn = dict[str, Line2D]()
        for axes, (key, group) in zip(grid, groups.items(), strict=True):
            fields = dict(zip(alike, key, strict=True))
            drawn |= _draw(axes, group, labels)
            _head(axes, fields, several or ["world"])
        counts = [group["run"].n_unique() for group in groups.values()]
        _legend(figure, [drawn[label] for label in labels], labels, counts)
        return figure


def _columns(pictures: int, regrets: int) -> int:
    """How many pictures to put side by side, so that rows are worlds or equally long.

    Examples
    --------
    >>> _columns(6, regrets=2), _columns(4, regrets=1), _columns(5, regrets=1)
    (2, 2, 3)
    """
    if 1 < regrets < pictures:
        return regrets
    return math.ceil(pictures / math.ceil(pictures / MOST))


def _draw(axes: Axes, group: Any, labels: Sequence[str]) -> dict[str, Line2D]:
    """One world and one regret; who was there, by label."""
    found = []
    for label in labels:
        rows = group.filter(group["entrant"] == label)
        if len(rows):
            curve = curve_of(label, rows, "t")
            ends = (np.insert(values, 0, 0.0) for values in curve[1:])  # no regret at first
            found.append(Curve(label, *ends))
    return draw_over_time(axes, found, labels)


def _head(axes: Axes, fields: dict[str, Any], shown: Sequence[str]) -> None:
    """What this picture is of, as far as the others are of something else."""
    sizes = [f"{size} = {number(fields[size])}" for size in ("K", "T") if size in shown]
    names = [str(fields[column]) for column in ("panel", "world") if column in shown]
    axes.set_title(textwrap.fill(", ".join(names + sizes), 52), pad=5, parse_math=False)
    axes.set_xlabel("round")
    axes.set_ylabel(regret_name(fields["regret"]), parse_math=False)


def _legend(
    figure: Figure, lines: Sequence[Line2D], labels: Sequence[str], counts: Sequence[int]
) -> None:
    """Everybody under the pictures, and what lines and bands are."""
    band = "one run" if max(counts) == 1 else f"mean ± sd of {spread(counts)} runs"
    across = max(1, int(figure.get_figwidth() / (ENTRY + LETTER * max(map(len, labels)))))
    rows = math.ceil(len(labels) / across) + 1
    figure.set_figheight(figure.get_figheight() + UNDER * rows)
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": min(across, len(labels))}
    name(figure.legend(lines, labels, title=band, **place), *labels)
