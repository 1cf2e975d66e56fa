"""What is drawn on one pair of axes: curves, bands, theory's slope, ticks, words around them."""

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparring import extras
from sparring.lab.figures import scales, wording
from sparring.lab.figures.settings import MUTED, SHADE
from sparring.lab.styles import DOTTED, style_of
from sparring.lab.summaries import Curve, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

ABOVE, BELOW = 0.65, -3.85  # the axes, in sizes of a small font: under a title, beside a label
MARKED = 8  # points of a curve over time that have a marker


def draw_panel(axes: "Axes", summary: Summary, labels: Sequence[str]) -> dict[str, "Line2D"]:
    """Curves, bands and lines on axes that fit them; what was drawn, by label."""
    curves = (*summary.curves, *summary.lines)
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
        _number(axes.yaxis)
    for curve in curves:
        _draw_band(axes, curve, labels, floor)
    drawn = {c.label: _draw_line(axes, c, labels, positive=logarithmic) for c in curves}
    missing = scales.left_out(curves) if logarithmic else 0
    _foot(axes, wording.gap(summary), wording.left_out(missing))
    return drawn


def draw_over_time(axes: "Axes", summary: Summary) -> dict[str, "Line2D"]:
    """Curves and bands round by round; what was drawn, by label."""
    drawn = {}
    for i, curve in enumerate(summary.over_time):
        every = max(1, math.ceil(len(curve.x) / MARKED))
        _draw_band(axes, curve, summary.labels)
        line = _draw_line(axes, curve, summary.labels)
        line.set_markevery((i % every, every))  # one beside the other where curves coincide
        drawn[curve.label] = line
    axes.set_xlim(left=0)
    _number(axes.xaxis)
    _number(axes.yaxis)
    _foot(axes, wording.gap(summary))
    return drawn


def theory(summary: Summary) -> Curve | None:
    """Theory's slope through the last point of the curve it is about, if there is such a line."""
    slope, label = summary.experiment.slope, summary.experiment.guide
    curve = {curve.label: curve for curve in summary.curves}.get(label)
    if slope is None or curve is None or len(curve.x) < 2 or curve.x[0] <= 0 or curve.mean[-1] <= 0:
        return None
    ends = curve.x[[0, -1]]
    heights = curve.mean[-1] * (ends / ends[-1]) ** slope
    growth = wording.growth_of(summary.experiment.axis, slope)
    return Curve(f"∝ {growth}", ends, heights, np.zeros(2))


def draw_theory(axes: "Axes", summary: Summary) -> list["Line2D"]:
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
        zorder=2.2,
    )


def head(axes: "Axes", title: str, *about: str, wide: int = 76) -> None:
    """The title in lines of so many letters; under it, in small, what else one must know."""
    axes.set_title(textwrap.fill(title, wide), parse_math=False)
    _write(axes, ", ".join(filter(None, about)), x=0, y=1, above=ABOVE)


def name(legend: "Legend", *labels: str) -> None:
    """Write labels as they are: with dollars and underscores that Matplotlib gives a meaning."""
    for text, label in zip(legend.get_texts(), labels, strict=False):
        text.set_text(label)
        text.set_parse_math(False)


def _foot(axes: "Axes", left: str, right: str = "") -> None:
    """What the axes do not show, to both sides of the label, which is short."""
    _write(axes, left, x=0, y=0, above=BELOW)
    _write(axes, right, x=1, y=0, above=BELOW)


def _scale_x(axes: "Axes", summary: Summary) -> None:
    """The axis of the experiment, of all its points, also of those without results yet."""
    points, axis = sorted(summary.experiment.points), summary.experiment.axis
    axes.set_xlabel(wording.symbol(axis))
    if points[0] <= 0:  # V_T may be 0
        axes.set_xticks(points, [wording.number(point) for point in points])
        return
    low, high = scales.around(points[0], points[-1])
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    if axis == "T":
        set_ticks(axes.xaxis, scales.ticks(low, high))
    else:
        set_ticks(axes.xaxis, scales.thinned(points, low, high))
        axes.xaxis.set_minor_locator(extras.demand("matplotlib.ticker", "a figure").NullLocator())


def set_ticks(axis: "Axis", ticks: Sequence[float]) -> None:
    """Ticks with numbers; the smaller ones of a logarithmic axis have none."""
    axis.set_ticks(ticks, labels=wording.numbers(ticks))
    axis.set_minor_formatter(extras.demand("matplotlib.ticker", "a figure").NullFormatter())


def _number(axis: "Axis") -> None:
    """Write the ticks of a linear axis in full."""
    ticker = extras.demand("matplotlib.ticker", "a figure")
    axis.set_major_formatter(ticker.FuncFormatter(lambda tick, _: wording.number(tick)))


def _draw_band(axes: "Axes", curve: Curve, labels: Sequence[str], floor: float = -np.inf) -> None:
    """One standard deviation to either side."""
    if curve.sd.any():
        low, high = scales.band(curve, floor)
        colour = style_of(curve.label, labels).colour
        axes.fill_between(curve.x, low, high, color=colour, alpha=SHADE, linewidth=0)


def _draw_line(
    axes: "Axes", curve: Curve, labels: Sequence[str], *, positive: bool = False
) -> "Line2D":
    """The means; on a logarithmic axis with gaps where they are not positive."""
    style = style_of(curve.label, labels)
    (line,) = axes.plot(
        curve.x,
        np.where(curve.mean > 0, curve.mean, np.nan) if positive else curve.mean,
        color=style.colour,
        linestyle=(0, style.dash) if style.dash else "-",
        marker=style.marker,
        label=curve.label,
        zorder=3 if style.marker else 2.5,
    )
    return line


def _write(axes: "Axes", text: str, *, x: int, y: int, above: float) -> None:
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
