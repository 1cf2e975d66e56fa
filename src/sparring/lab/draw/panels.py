"""A summary as a figure: a panel as the paper draws it, the regret over time, many panels at once.

Figures are plain objects: no pyplot, no window, no global state.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib import patches
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring import checks
from sparring.lab.draw import words
from sparring.lab.draw.axes import draw_over_time, draw_panel, draw_theory, foot, head, name
from sparring.lab.draw.settings import MUTED, SHADE, settings
from sparring.lab.draw.styles import STYLES
from sparring.lab.summaries import Curve, Summary
from sparring.regret import Regret

# Inches.
AXES = (3.9, 2.6)
LEFT, BOTTOM, RIGHT, TOP = 0.85, 0.55, 2.3, 0.57  # margins, unless more is needed
EDGE = 0.06  # within them
CELL = (3.4, 2.4)  # of an overview
UNDER = 0.27  # it, for each row of its legend
ENTRY, LETTER = 0.68, 0.066  # of such a row
CHART, SMALL_CHART = (4.9, 3.1, 0.8, 0.5), (3.3, 2.1, 0.55, 0.42)  # and margins left, below

ABOUT: dict[str, Any] = {"fontsize": "small", "color": MUTED}

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


def figure_of(size: tuple[float, float], layout: Literal["constrained"] | None = None) -> Figure:
    """A figure without axes."""
    return Figure(figsize=size, layout=layout)


def grid_of(count: int, columns: int, cell: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A figure with this many axes, row by row, laid out as the contents need."""
    rows = math.ceil(count / columns)
    figure = figure_of((cell[0] * columns, cell[1] * rows), layout="constrained")
    grid = list(figure.subplots(rows, columns, squeeze=False).flat)
    for spare in grid[count:]:
        spare.remove()
    return figure, grid[:count]


def settled(figure: Figure) -> Figure:
    """The figure of a grid, with all in its place, so that it is the same in each format."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def axes_at(figure: Figure, left: float, bottom: float, wide: float, tall: float) -> Axes:
    """A pair of axes at a place in a figure, in inches."""
    width, height = figure.get_size_inches()
    return figure.add_axes((left / width, bottom / height, wide / width, tall / height))


def title(figure: Figure, text: str, about: str) -> None:
    """The title of a figure of several pictures, with small print under it."""
    width, height = figure.get_size_inches()
    for down, line, look in ((0.1, text, {"fontsize": 10.5}), (0.34, about, ABOUT)):
        figure.text(0.1 / width, 1 - down / height, line, va="top", parse_math=False, **look)


def empty() -> tuple[Figure, Axes]:
    """A figure with one pair of axes."""
    figure = figure_of((LEFT + AXES[0] + RIGHT, BOTTOM + AXES[1] + TOP))
    return figure, figure.add_subplot()


def fitted(figure: Figure, axes: Axes) -> Figure:
    """The figure with margins that hold whatever is written beside the axes.

    Axes have one size and margins one width in all figures, unless something long is written.
    Matplotlib's layouts would give each legend other axes, and take longer than all the drawing.
    """
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    inner, outer = axes.bbox, axes.get_tightbbox(renderer)
    assert outer is not None  # as the axes are visible
    needed = (inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1)
    left, bottom, right, top = (
        max(margin, pixels / figure.dpi + EDGE)
        for margin, pixels in zip((LEFT, BOTTOM, RIGHT, TOP), needed, strict=True)
    )
    width, height = left + AXES[0] + right, bottom + AXES[1] + top
    figure.set_size_inches(width, height)
    axes.set_position((left / width, bottom / height, AXES[0] / width, AXES[1] / height))
    return figure


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
