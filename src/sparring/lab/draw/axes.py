"""What is drawn on one pair of axes: curves, bands, theory's slope, ticks, words around them."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from sparring import formats as numbers
from sparring.lab.draw import scales, words
from sparring.lab.draw.settings import MUTED, SHADE
from sparring.lab.draw.styles import DOTTED, style_of
from sparring.lab.summaries import Curve, Summary

ABOVE, BELOW = 0.65, -3.85  # the axes, in sizes of a small font: under a title, beside a label
MARKED = 8  # points of a curve over time that have a marker


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


def head(axes: Axes, title: str, *about: str, wide: int = 76) -> None:
    """The title in lines of so many letters; under it, in small, what else one must know."""
    axes.set_title(textwrap.fill(title, wide), parse_math=False)
    _write(axes, ", ".join(filter(None, about)), x=0, y=1, above=ABOVE)


def name(legend: Legend, *labels: str) -> None:
    """Write labels as they are: with dollars and underscores that Matplotlib gives a meaning."""
    for text, label in zip(legend.get_texts(), labels, strict=False):
        text.set_text(label)
        text.set_parse_math(False)


def foot(axes: Axes, left: str, right: str = "") -> None:
    """What the axes do not show, to both sides of the label, which is short."""
    _write(axes, left, x=0, y=0, above=BELOW)
    _write(axes, right, x=1, y=0, above=BELOW)


def _scale_x(axes: Axes, summary: Summary) -> None:
    """The axis of the experiment, of all its points, also of those without results yet."""
    points, axis = sorted(summary.experiment.points), summary.experiment.axis
    axes.set_xlabel(words.symbol(axis))
    if points[0] <= 0:  # V_T may be 0
        axes.set_xticks(points, [numbers.number(point) for point in points])
        return
    low, high = scales.around(points[0], points[-1])
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    if axis == "T":
        set_ticks(axes.xaxis, scales.ticks(low, high))
    else:
        set_ticks(axes.xaxis, scales.thinned(points, low, high))
        axes.xaxis.set_minor_locator(ticker.NullLocator())


def set_ticks(axis: Axis, ticks: Sequence[float]) -> None:
    """Ticks with numbers; the smaller ones of a logarithmic axis have none."""
    axis.set_ticks(ticks, labels=numbers.ticks(ticks))
    axis.set_minor_formatter(ticker.NullFormatter())


def write_numbers(axis: Axis) -> None:
    """Write the ticks of a linear axis in full."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda tick, _: numbers.number(tick)))


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
