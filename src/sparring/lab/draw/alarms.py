"""The figure of alarms: how late each change was noticed, and how many alarms were false."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import transforms
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sparring import checks
from sparring.lab.draw.axes import head
from sparring.lab.draw.panels import axes_at, figure_of
from sparring.lab.draw.settings import INK, MUTED, settings
from sparring.lab.draw.styles import style_of
from sparring.lab.league.detection import Detected

ROW = 0.24  # of a detector on a world, in inches
WIDE = (3.5, 4.2, 2.5)  # the names, the delays, the counts
MARGINS = (0.75, 0.55)  # above and below


def alarms_figure(found: Sequence[Detected]) -> Figure:
    """A row for each detector on each world: a dot for each change that was noticed."""
    if not found:
        raise checks.refuse("found", "one detector or more", found)
    left, middle, _ = WIDE
    labels = sorted({one.label for one in found})
    with settings(small=True):
        figure = figure_of((sum(WIDE), sum(MARGINS) + ROW * len(found)))
        axes = axes_at(figure, left, MARGINS[1], middle, ROW * len(found))
        spread = np.random.default_rng(0)  # of the dots, which means nothing
        for row, one in enumerate(found):
            _draw_row(axes, row, one, labels, spread, first=_first(found, row))
        axes.set_xscale("log")
        axes.set_xlim(1, max(one.T for one in found))
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_yticks([])
        axes.set_xlabel("rounds from a change to the alarm")
        about = f"{max(one.runs for one in found)} runs; a dot for each change that was noticed"
        head(axes, "How soon changes are noticed", about)
        return figure


def _first(found: Sequence[Detected], row: int) -> bool:
    return row == 0 or found[row - 1].world != found[row].world


def _draw_row(
    axes: Axes,
    row: int,
    one: Detected,
    labels: Sequence[str],
    spread: np.random.Generator,
    *,
    first: bool,
) -> None:
    """One detector on one world: its delays, their median, and what else there is to count."""
    beside = transforms.blended_transform_factory(axes.transAxes, axes.transData)
    words: dict[str, Any] = {"transform": beside, "va": "center", "parse_math": False}
    colour = style_of(one.label, labels).colour
    heights = row + spread.uniform(-0.3, 0.3, len(one.delays))
    dots: dict[str, Any] = {"markersize": 5, "alpha": 0.7, "markeredgewidth": 0}
    axes.plot(one.delays, heights, ".", color=colour, rasterized=True, **dots)
    if one.delays:
        axes.plot([one.delay] * 2, [row - 0.4, row + 0.4], color=INK, linewidth=1.4)
    if first:
        axes.axhline(row - 0.5, color=MUTED, linewidth=0.5)
        axes.text(-0.3, row, one.title, ha="right", fontsize=7, color=MUTED, **words)
    axes.text(-0.02, row, one.label, ha="right", fontsize=7, **words)
    noticed = f"{len(one.delays)} of {one.changes} noticed" if one.changes else "nothing to notice"
    axes.text(1.02, row, f"{noticed}, false: {one.false_rate:.2g} / 1e5", fontsize=7, **words)
