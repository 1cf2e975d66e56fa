"""Figures and what is drawn on a pair of axes: curves, bands, ticks, words around them.

Figures are plain objects: no pyplot, no window, no global state.
"""

import math
import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from sparring import formats
from sparring.charts import scales
from sparring.charts.scales import Curve
from sparring.charts.settings import MUTED, SHADE
from sparring.charts.styles import style_of

ABOVE, BELOW = 0.65, -3.85  # the axes, in sizes of a small font: under a title, beside a label
MARKED = 8  # points of a curve over time that have a marker

# Inches.
AXES = (3.9, 2.6)
LEFT, BOTTOM, RIGHT, TOP = 0.85, 0.55, 2.3, 0.57  # margins, unless more is needed
EDGE = 0.06  # within them

ABOUT: dict[str, Any] = {"fontsize": "small", "color": MUTED}


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


def title(figure: Figure, text: str, about: str) -> None:
    """The title of a figure of several pictures, with small print under it."""
    width, height = figure.get_size_inches()
    for down, line, look in ((0.1, text, {"fontsize": 10.5}), (0.34, about, ABOUT)):
        figure.text(0.1 / width, 1 - down / height, line, va="top", parse_math=False, **look)


def draw_over_time(axes: Axes, curves: Sequence[Curve], labels: Sequence[str]) -> dict[str, Line2D]:
    """Curves and bands round by round, on linear axes from 0; what was drawn, by label."""
    drawn = {}
    for i, curve in enumerate(curve for curve in curves if len(curve.x)):
        every = max(1, math.ceil(len(curve.x) / MARKED))
        line = drawn[curve.label] = draw_curve(axes, curve, labels)
        line.set_markevery((i % every, every))  # one beside the other where curves coincide
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(ticker.MaxNLocator(6))
    write_numbers(axes.xaxis)
    write_numbers(axes.yaxis)
    return drawn


def draw_curve(axes: Axes, curve: Curve, labels: Sequence[str], floor: float = -np.inf) -> Line2D:
    """The means, and a band of one standard deviation to either side.

    With a floor the axis is logarithmic: a mean that is not positive is a gap. What is drawn has
    the label in its gid, by which a page switches learners on and off.
    """
    style = style_of(curve.label, labels)
    if curve.sd.any():
        low, high = scales.band(curve, floor)
        band: dict[str, Any] = {"color": style.colour, "alpha": SHADE, "linewidth": 0}
        axes.fill_between(curve.x, low, high, gid=f"band:{curve.label}", **band)
    (line,) = axes.plot(
        curve.x,
        curve.mean if np.isinf(floor) else np.where(curve.mean > 0, curve.mean, np.nan),
        color=style.colour,
        linestyle=(0, style.dash) if style.dash else "-",
        marker=style.marker,
        label=curve.label,
        gid=f"line:{curve.label}",
        zorder=3 if style.marker else 2.5,
    )
    return line


def head(axes: Axes, title: str, *about: str, wide: int = 76) -> None:
    """The title in lines of so many letters; under it, in small, what else one must know."""
    axes.set_title(textwrap.fill(title, wide), parse_math=False)
    _write(axes, ", ".join(filter(None, about)), x=0, y=1, above=ABOVE)


def foot(axes: Axes, left: str, right: str = "") -> None:
    """What the axes do not show, to both sides of the label, which is short."""
    _write(axes, left, x=0, y=0, above=BELOW)
    _write(axes, right, x=1, y=0, above=BELOW)


def name(legend: Legend, *labels: str) -> None:
    """Write labels as they are: with dollars and underscores that Matplotlib gives a meaning."""
    for text, label in zip(legend.get_texts(), labels, strict=False):
        text.set_text(label)
        text.set_parse_math(False)


def set_ticks(axis: Axis, ticks: Sequence[float]) -> None:
    """Ticks with numbers; the smaller ones of a logarithmic axis have none."""
    axis.set_ticks(ticks, labels=formats.ticks(ticks))
    axis.set_minor_formatter(ticker.NullFormatter())


def write_numbers(axis: Axis) -> None:
    """Write the ticks of a linear axis in full."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda tick, _: formats.number(tick)))


def _write(axes: Axes, text: str, *, x: int, y: int, above: float) -> None:
    """A line of small text at a corner of the axes."""
    if text:
        axes.annotate(
            text,
            xy=(x, y),
            xycoords="axes fraction",
            xytext=(0, above),
            textcoords="offset fontsize",
            ha="right" if x else "left",
            color=MUTED,
            fontsize="small",
        )
