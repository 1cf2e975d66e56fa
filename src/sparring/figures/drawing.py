"""A summary as a figure: a panel as the paper draws it, the regret over time, many panels at once.

Figures are objects of their own: no pyplot, no window, nothing that outlives them. Matplotlib is
imported once something is drawn.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring import checks, extras
from sparring.figures import scales, wording
from sparring.figures.settings import FAINT, MUTED, settings
from sparring.figures.styles import DOTTED, STYLES, style_of
from sparring.summaries import Curve, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = (6.3, 3.5)  # inches
CELL = (3.5, 2.45)  # of an overview
LEGEND = 0.62  # inches under an overview
MARKED = 8  # points of a curve over time that have a marker


def panel_figure(summary: Summary) -> "Figure":
    """The regret at the end against the axis, both logarithmic, as the paper draws it.

    Lines are means over runs, shades one standard deviation; the dotted line grows as theory says,
    through the last point of the curve it is about. A mean that is not positive has no place on a
    logarithmic axis: the figure says how many there are. If none is positive, the axis is linear.

    Parameters
    ----------
    summary
        The panel, from `sparring.summaries.read`.
    """
    with settings():
        figure, axes = _empty()
        _draw_panel(axes, summary, summary.labels)
        guide = _draw_guide(axes, summary)
        if guide is not None:
            guide.set_label(f"∝ {_growth(summary)}")
        _head(axes, wording.title(summary), wording.fixed_sizes(summary), wording.runs(summary))
        axes.set_ylabel(wording.regret_name(summary.experiment.regret))
        _legend_beside(axes, last=guide)
        return _finished(figure)


def over_time_figure(summary: Summary) -> "Figure":
    """The regret round by round at the last point of the axis, on linear axes.

    Parameters
    ----------
    summary
        The panel, from `sparring.summaries.read`.
    """
    with settings():
        figure, axes = _empty()
        ticker = extras.demand("matplotlib.ticker", "a figure")
        for i, curve in enumerate(summary.over_time):
            every = max(1, math.ceil(len(curve.x) / MARKED))
            _draw_band(axes, curve, summary.labels)
            line = _draw_line(axes, curve, summary.labels)
            line.set_markevery((i % every, every))  # one beside the other where curves coincide
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: wording.number(value)))
        axes.set_xlim(0, max(curve.x[-1] for curve in summary.over_time))
        axes.set_xlabel("round")
        axes.set_ylabel(wording.regret_name(summary.experiment.regret))
        _head(axes, wording.title(summary), wording.last_sizes(summary), wording.runs(summary))
        _note(axes, wording.gap(summary))
        _legend_beside(axes)
        return _finished(figure)


def overview(summaries: Sequence[Summary], *, columns: int = 2) -> "Figure":
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
    rows = math.ceil(len(summaries) / columns)
    every = [label for summary in summaries for label in summary.labels]
    labels = sorted(dict.fromkeys(every), key=[*STYLES, *every].index)
    with settings(small=True):
        figure = _figure((CELL[0] * columns, CELL[1] * rows + LEGEND))
        grid = figure.subplots(rows, columns, squeeze=False).flat
        handles = dict[str, Any]()
        for i, (axes, summary) in enumerate(zip(grid, summaries, strict=False)):
            drawn = _draw_panel(axes, summary, labels)
            handles |= {str(line.get_label()): line for line in drawn}
            guide = _draw_guide(axes, summary)
            if guide is not None:
                handles["theory"] = guide
            dotted = "" if guide is None else f"dotted ∝ {_growth(summary)}"
            _head(axes, wording.title(summary), wording.fixed_sizes(summary), dotted)
            name = wording.regret_name(summary.experiment.regret)
            axes.set_ylabel(name if i % columns == 0 else "")
        for axes in list(grid)[len(summaries) :]:
            axes.remove()
        order = [label for label in (*labels, *handles) if label in handles]
        shown = {label: handles[label] for label in order}
        figure.legend(
            list(shown.values()), list(shown), loc="outside lower center", ncols=len(shown)
        )
        return _finished(figure)


def _figure(size: tuple[float, float]) -> "Figure":
    """A figure without axes."""
    module = extras.demand("matplotlib.figure", "a figure")
    return module.Figure(figsize=size, layout="constrained")  # type: ignore[no-any-return]


def _empty() -> tuple["Figure", "Axes"]:
    """A figure with axes."""
    figure = _figure(PANEL)
    return figure, figure.add_subplot()


def _finished(figure: "Figure") -> "Figure":
    """The figure with everything in its place, once and for all formats: placing is the dear part."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _draw_panel(axes: "Axes", summary: Summary, labels: Sequence[str]) -> list[Any]:
    """Curves, bands and lines on axes that fit them; the lines drawn."""
    curves = (*summary.curves, *summary.lines)
    logarithmic = scales.shows(curves)
    floor = -np.inf
    _scale_x(axes, summary)
    if logarithmic:
        axes.set_yscale("log")
        low, high = floor, _ = scales.heights(curves, _guide_heights(summary))
        axes.set_ylim(low, high)
        _set_ticks(axes.yaxis, scales.ticks(low, high))
    for curve in curves:
        _draw_band(axes, curve, labels, floor)
    drawn = [_draw_line(axes, curve, labels, positive=logarithmic) for curve in curves]
    missing = scales.left_out(curves) if logarithmic else 0
    _note(axes, *filter(None, (wording.gap(summary), wording.left_out(missing))))
    return drawn


def _scale_x(axes: "Axes", summary: Summary) -> None:
    """The axis of the experiment, of all its points, also of those without results yet."""
    points, axis = summary.experiment.points, summary.experiment.axis
    axes.set_xlabel(wording.symbol(axis))
    if min(points) <= 0:  # V_T may be 0
        axes.set_xticks(sorted(points))
        return
    axes.set_xscale("log")
    low, high = scales.around(min(points), max(points))
    axes.set_xlim(low, high)
    if axis == "T":
        _set_ticks(axes.xaxis, scales.ticks(low, high))
    else:
        _set_ticks(axes.xaxis, scales.ticks_at(points, low, high))
        axes.xaxis.set_minor_locator(extras.demand("matplotlib.ticker", "a figure").NullLocator())


def _set_ticks(axis: Any, ticks: Sequence[float]) -> None:
    """Ticks with numbers; the smaller ones of a logarithmic axis have none."""
    all_powers = all(math.log10(tick).is_integer() for tick in ticks)
    axis.set_ticks(ticks, [(wording.power if all_powers else wording.number)(t) for t in ticks])
    axis.set_minor_formatter(extras.demand("matplotlib.ticker", "a figure").NullFormatter())


def _draw_band(
    axes: "Axes", curve: Curve, labels: Sequence[str], floor: float = -np.inf
) -> None:
    """One standard deviation to either side."""
    if curve.sd.any():
        low, high = scales.band(curve, floor)
        colour = style_of(curve.label, labels).colour
        axes.fill_between(curve.x, low, high, color=colour, alpha=0.16, linewidth=0)


def _draw_line(
    axes: "Axes", curve: Curve, labels: Sequence[str], *, positive: bool = False
) -> Any:
    """The means; on a logarithmic axis with gaps where they are not positive."""
    style = style_of(curve.label, labels)
    y = np.where(curve.mean > 0, curve.mean, np.nan) if positive else curve.mean
    (line,) = axes.plot(
        curve.x,
        y,
        color=style.colour,
        linestyle=(0, style.dash) if style.dash else "-",
        marker=style.marker or None,
        label=curve.label,
        zorder=3 if style.marker else 2.5,
    )
    return line


def _growth(summary: Summary) -> str:
    """How theory says that the regret grows."""
    assert summary.experiment.slope is not None
    return wording.growth_of(summary.experiment.axis, summary.experiment.slope)


def _guide(summary: Summary) -> tuple[list[float], list[float]] | None:
    """Theory's slope through the last point of the curve it is about: two ends, if there are."""
    slope, label = summary.experiment.slope, summary.experiment.guide
    curve = {curve.label: curve for curve in summary.curves}.get(label)
    if slope is None or curve is None or len(curve.x) < 2 or curve.x[0] <= 0:
        return None
    first, last, height = float(curve.x[0]), float(curve.x[-1]), float(curve.mean[-1])
    return ([first, last], [height * (first / last) ** slope, height]) if height > 0 else None


def _guide_heights(summary: Summary) -> list[float]:
    guide = _guide(summary)
    return guide[1] if guide else []


def _draw_guide(axes: "Axes", summary: Summary) -> Any:
    """The dotted line, where there is one."""
    guide = _guide(summary)
    if guide is None:
        return None
    (line,) = axes.plot(*guide, color=MUTED, linestyle=(0, DOTTED), linewidth=1.3, zorder=2.2)
    return line


def _head(axes: "Axes", title: str, *about: str) -> None:
    """The title, and under it in small what else one must know."""
    axes.set_title(title)
    _beside(axes, ", ".join(filter(None, about)), at=(0, 1), offset=(0, 5), ha="left")


def _note(axes: "Axes", *notes: str) -> None:
    """What the figure does not show, at the foot."""
    _beside(axes, "; ".join(filter(None, notes)), at=(1, 0), offset=(0, -30), ha="right")


def _beside(
    axes: "Axes", text: str, *, at: tuple[float, float], offset: tuple[float, float], ha: Any
) -> None:
    if text:
        axes.annotate(
            text,
            xy=at,
            xycoords="axes fraction",
            xytext=offset,
            textcoords="offset points",
            ha=ha,
            color=MUTED,
            fontsize="small",
        )


def _legend_beside(axes: "Axes", last: Any = None) -> None:
    """A legend outside, where it covers nothing, from the highest curve's end to the lowest."""
    lines = [line for line in axes.get_lines() if line is not last]
    lines.sort(key=lambda line: -float(np.nan_to_num(np.asarray(line.get_ydata())[-1])))
    handles = lines if last is None else [*lines, last]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.02))
