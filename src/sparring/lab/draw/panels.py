"""A summary as a figure: a panel as the paper draws it, the regret over time, many panels at once.

Figures are plain objects: no pyplot, no window, no global state.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import patches, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring import checks, formats
from sparring.charts import scales
from sparring.charts.axes import (
    EDGE,
    axes_at,
    draw_curve,
    draw_over_time,
    empty,
    figure_of,
    fitted,
    foot,
    grid_of,
    head,
    name,
    set_ticks,
    settled,
    write_numbers,
)
from sparring.charts.scales import Curve
from sparring.charts.settings import MUTED, SHADE, settings
from sparring.charts.styles import DOTTED, STYLES
from sparring.lab.draw import words
from sparring.lab.summaries import Summary
from sparring.regret import Regret

# Inches.
CELL = (3.4, 2.4)  # of an overview
UNDER = 0.27  # it, for each row of its legend
ENTRY, LETTER = 0.68, 0.066  # of such a row
CHART, SMALL_CHART = (4.9, 3.1, 0.8, 0.5), (3.3, 2.1, 0.55, 0.42)  # and margins left, below

# The legend over each of its panels.
OVER: dict[str, Any] = {
    "bbox_to_anchor": (1, 1),
    "borderaxespad": 0,
    "handlelength": 2.2,
    "fontsize": "small",
}


def panel_figure(summary: Summary, labels: Sequence[str] = ()) -> Figure:
    """The regret at the end against the axis, both logarithmic, as the paper draws it.

    Lines are means over runs, shades one standard deviation. The dotted line grows as theory says,
    through the last point of the curve it is about. A logarithmic axis cannot show means that are
    not positive; the figure says how many there are. If none is positive, the axis is linear.

    Parameters
    ----------
    summary
        The panel, from `sparring.lab.summaries.read`.
    labels
        All labels of the figures beside this one, so that a learner looks the same in each.
    """
    with settings():
        figure, axes = empty()
        drawn = draw_panel(axes, summary, labels or summary.labels)
        guide = draw_theory(axes, summary)
        axes.set_ylabel(words.regret_name(summary.experiment.regret))
        head(
            axes,
            words.title(summary),
            words.fixed_sizes(summary),
            words.runs(*summary.realised),
        )
        _legend(axes, drawn, guide)
        return fitted(figure, axes)


def over_time_figure(summary: Summary, labels: Sequence[str] = ()) -> Figure:
    """The regret round by round at the last point of the axis, on linear axes.

    Parameters
    ----------
    summary
        The panel, from `sparring.lab.summaries.read`.
    labels
        All labels of the figures beside this one, so that a learner looks the same in each.
    """
    with settings():
        figure, axes = empty()
        drawn = draw_over_time(axes, summary.over_time, labels or summary.labels)
        foot(axes, words.gap(summary))
        axes.set_xlabel("round")
        axes.set_ylabel(words.regret_name(summary.experiment.regret))
        head(
            axes,
            words.title(summary),
            words.last_sizes(summary),
            words.runs(summary.realised[-1]),
        )
        _legend(axes, drawn)
        return fitted(figure, axes)


def overview(summaries: Sequence[Summary], *, columns: int = 2) -> Figure:
    """Several panels in one grid, row by row, with one legend for all.

    Parameters
    ----------
    summaries
        The panels, such as the paper's six.
    columns
        How many panels stand side by side.
    """
    if not summaries:
        raise checks.refuse("summaries", "one panel or more", summaries)
    columns = min(checks.whole("columns", columns, low=1, high=100), len(summaries))
    labels = all_labels(summaries)
    with settings(small=True):
        figure, grid = grid_of(len(summaries), columns, CELL)
        lines, beside = dict[str, Line2D](), ""
        for i, (axes, summary) in enumerate(zip(grid, summaries, strict=True)):
            lines |= draw_panel(axes, summary, labels)
            head(axes, words.title(summary), words.fixed_sizes(summary), wide=54)
            if guide := draw_theory(axes, summary):  # in each panel another
                axes.legend(handles=guide, loc="lower right", **OVER)
            regret = words.regret_name(summary.experiment.regret)
            axes.set_ylabel("" if regret == beside and i % columns else regret)
            beside = regret
        points = [point for summary in summaries for point in summary.realised]
        _shared_legend(figure, lines, words.runs(*points))
        return settled(figure)


def all_labels(summaries: Sequence[Summary]) -> list[str]:
    """The learners of several panels, each once, in order."""
    return list(dict.fromkeys(label for summary in summaries for label in summary.labels))


def panel_chart(summary: Summary, labels: Sequence[str], *, small: bool = False) -> Figure:
    """A panel as `panel_figure` draws it, for a page, which has title and legend beside it."""
    with settings(small=small):
        figure, axes = _chart(SMALL_CHART if small else CHART)
        draw_panel(axes, summary, labels)
        if guide := draw_theory(axes, summary):
            axes.legend(handles=guide, loc="best", handlelength=2.2, fontsize="small")
        axes.set_ylabel("" if small else words.regret_name(summary.experiment.regret))
        return figure


def over_time_chart(
    curves: Sequence[Curve], labels: Sequence[str], regret: Regret, *, small: bool = False
) -> Figure:
    """Regret round by round, for a page, which has title and legend beside it."""
    with settings(small=small):
        figure, axes = _chart(SMALL_CHART if small else CHART)
        draw_over_time(axes, curves, labels)
        axes.set_xlabel("round")
        axes.set_ylabel("" if small else words.regret_name(regret))
        return figure


def _chart(size: Sequence[float]) -> tuple[Figure, Axes]:
    """A figure for a page, whose margins are as wide as its numbers usually need."""
    width, height, left, bottom = size
    figure = figure_of((width, height))
    wide, tall = width - left - 4 * EDGE, height - bottom - EDGE
    return figure, axes_at(figure, left, bottom, wide, tall)


def _legend(axes: Axes, lines: dict[str, Line2D], guide: Sequence[Line2D] = ()) -> None:
    """A legend outside, where it covers nothing, in the order in which the curves end."""
    ends = [np.nan_to_num(np.asarray(line.get_ydata(), float)[-1]) for line in lines.values()]
    falling = [list(lines)[i] for i in np.argsort(ends, kind="stable")[::-1]]
    handles = [*(lines[label] for label in falling), *guide]
    labels = [*falling, *(str(line.get_label()) for line in guide)]
    name(axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.02, 1.03)), *falling)


def _shared_legend(figure: Figure, lines: dict[str, Line2D], runs: str) -> None:
    """One legend under all panels, which also says what the shades are."""
    labels = [*sorted(lines, key=[*STYLES, *lines].index), runs]
    shade = patches.Patch(color=MUTED, alpha=SHADE, linewidth=0)
    inches = sum(ENTRY + LETTER * len(label) for label in labels)
    rows = math.ceil(inches / figure.get_figwidth())
    figure.set_figheight(figure.get_figheight() + UNDER * rows)
    handles = [*(lines[label] for label in labels[:-1]), shade]
    columns = math.ceil(len(labels) / rows)
    name(figure.legend(handles, labels, loc="outside lower center", ncols=columns), *labels)


def draw_panel(axes: Axes, summary: Summary, labels: Sequence[str]) -> dict[str, Line2D]:
    """Curves, bands and lines on axes that fit them; what was drawn, by label."""
    curves = [curve for curve in (*summary.curves, *summary.lines) if len(curve.x)]
    logarithmic = scales.shows(curves)
    floor = -np.inf
    _scale_x(axes, summary)
    if logarithmic:
        guide = theory(summary)
        floor, top = scales.heights(curves, () if guide is None else guide.mean)
        axes.set_yscale("log")
        axes.set_ylim(floor, top)
        set_ticks(axes.yaxis, scales.ticks(floor, top))
    else:
        write_numbers(axes.yaxis)
    drawn = {curve.label: draw_curve(axes, curve, labels, floor) for curve in curves}
    missing = scales.left_out(curves) if logarithmic else 0
    foot(axes, words.gap(summary), words.left_out(missing))
    return drawn


def theory(summary: Summary) -> Curve | None:
    """Theory's slope through the last point of the curve it is about, if there is such a line."""
    slope, label = summary.experiment.slope, summary.experiment.guide
    curve = {curve.label: curve for curve in summary.curves}.get(label)
    if slope is None or curve is None or len(curve.x) < 2 or curve.x[0] <= 0 or curve.mean[-1] <= 0:
        return None
    ends = curve.x[[0, -1]]
    heights = curve.mean[-1] * (ends / ends[-1]) ** slope
    growth = words.growth_of(summary.experiment.axis, slope)
    return Curve(f"∝ {growth}", ends, heights, np.zeros(2))


def draw_theory(axes: Axes, summary: Summary) -> list[Line2D]:
    """The dotted line, if there is one."""
    guide = theory(summary)
    if guide is None:
        return []
    return axes.plot(
        guide.x,
        guide.mean,
        color=MUTED,
        linestyle=(0, DOTTED),
        linewidth=1.3,
        label=guide.label,
        gid=f"line:{summary.experiment.guide}",
        zorder=2.2,
    )


def _scale_x(axes: Axes, summary: Summary) -> None:
    """The axis of the experiment, of all its points, also of those without results yet."""
    points, axis = sorted(summary.experiment.points), summary.experiment.axis
    axes.set_xlabel(words.symbol(axis))
    if points[0] <= 0:  # V_T may be 0
        axes.set_xticks(points, [formats.number(point) for point in points])
        return
    low, high = scales.around(points[0], points[-1])
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    if axis == "T":
        set_ticks(axes.xaxis, scales.ticks(low, high))
    else:
        set_ticks(axes.xaxis, scales.thinned(points, low, high))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
