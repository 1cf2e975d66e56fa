"""Figures of theory: bounds beside what was measured, and how often guarantees failed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import transforms
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring import checks
from sparring.formats import number
from sparring.lab.comparison import Comparison, Floats
from sparring.lab.coverage import Covered
from sparring.lab.draw import scales, words
from sparring.lab.draw.axes import draw_curve, head, name, set_ticks
from sparring.lab.draw.panels import axes_at, empty, figure_of, fitted
from sparring.lab.draw.settings import INK, MUTED, SHADE, settings
from sparring.lab.draw.styles import (
    BLACK,
    DOTTED,
    GREY,
    LONG,
    LONGER_DOT,
    SHORT,
    Dash,
    style_of,
)
from sparring.lab.summaries import Curve

# Inches.
ROW = 0.25  # of a guarantee
WIDE = (3.2, 3.6, 1.9)  # left of the dots, of the dots, right of them
MARGINS = (0.62, 0.5)  # above and below
FAILED = 1.12  # where a run stands that failed by more than can be shown
WRONG = "#B00020"  # the colour of what does not hold


def bounds_figure(found: Comparison) -> Figure:
    """Upper bounds, the lower bound and measured regrets over T, both axes logarithmic.

    A bound is drawn faint where it is above T/2, which no learner exceeds: it is vacuous there.
    """
    with settings():
        figure, axes = empty()
        labels = list(found.measured)
        low, high = float(found.lower.min()) / 2, 3 * float(found.trivial.max())
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(*scales.around(found.T[0], found.T[-1]))
        axes.set_ylim(low, high)
        set_ticks(axes.xaxis, scales.ticks(*axes.get_xlim()))
        set_ticks(axes.yaxis, scales.ticks(low, high))
        handles = [
            _draw(axes, found.T, found.trivial, GREY, DOTTED, "T/2"),
            _draw_bound(axes, found, found.printed, GREY, SHORT, "bound as printed"),
            *(
                _draw_bound(axes, found, bound, style_of(label).colour, LONG, f"bound: {label}")
                for label, bound in found.upper.items()
            ),
            *(_draw_measured(axes, found, label, labels) for label in labels),
            _draw(axes, found.T, found.lower, BLACK, LONGER_DOT, "lower bound"),
        ]
        axes.set_xlabel(words.symbol("T"))
        axes.set_ylabel("regret to the Condorcet winner")
        head(axes, "Bounds and measured regret on the hard instance", _about(found))
        texts = [str(handle.get_label()) for handle in handles]
        name(axes.legend(handles, texts, loc="upper left", bbox_to_anchor=(1.02, 1.03)), *texts)
        return fitted(figure, axes)


def coverage_figure(found: Sequence[Covered]) -> Figure:
    """Every run of every guarantee: the regret as a part of what it may be, which is 1.

    The tick on each line shows the power: a guarantee of less than this part would be refuted.
    """
    if not found:
        raise checks.refuse("found", "one guarantee or more", found)
    left, middle, _ = WIDE
    with settings(small=True):
        figure = figure_of((sum(WIDE), sum(MARGINS) + ROW * len(found)))
        axes = axes_at(figure, left, MARGINS[1], middle, ROW * len(found))
        spread = np.random.default_rng(0)  # of the dots, which means nothing
        for row, case in enumerate(found):
            _draw_case(axes, row, case, spread)
        axes.axvline(1, color=INK, linewidth=1)
        lowest = min(0.0, *(min(case.ratios) for case in found))
        axes.set_xlim(max(lowest, -0.3) - 0.02, FAILED + 0.04)
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_yticks([])
        axes.set_xlabel("regret, or for certificates the estimate's error, as a part of its bound")
        runs = max(case.runs for case in found)
        about = f"{runs} runs, a dot each; the tick: a bound of less than this part is refuted"
        head(axes, "How often guarantees fail", about)
        return figure


def _draw(axes: Axes, T: Floats, values: Floats, colour: str, dash: Dash, label: str) -> Line2D:
    return axes.plot(T, values, color=colour, linestyle=(0, dash), label=label)[0]


def _draw_bound(
    axes: Axes, found: Comparison, upper: Floats, colour: str, dash: Dash, label: str
) -> Line2D:
    """A bound, faint where it says nothing."""
    _draw(axes, found.T, upper, colour, dash, "").set_alpha(2 * SHADE)
    return _draw(axes, found.T, np.where(upper < found.trivial, upper, np.nan), colour, dash, label)


def _draw_measured(axes: Axes, found: Comparison, label: str, labels: list[str]) -> Line2D:
    """The mean over runs, and one standard deviation to either side."""
    values = found.measured[label]
    curve = Curve(label, found.played, values.mean(axis=1), values.std(axis=1))
    line = draw_curve(axes, curve, labels)
    line.set_linestyle("-")  # dashes are for bounds
    line.set_label(f"measured: {label}")
    return line


def _draw_case(axes: Axes, row: int, case: Covered, spread: np.random.Generator) -> None:
    """One guarantee: what it is, its runs, its power, and how often it failed."""
    beside = transforms.blended_transform_factory(axes.transAxes, axes.transData)
    words: dict[str, Any] = {"transform": beside, "va": "center", "parse_math": False}
    ratios = np.minimum(np.array(case.ratios), FAILED)
    colour = style_of(case.name).colour if case.holds else WRONG
    heights = row + spread.uniform(-0.3, 0.3, len(ratios))
    # As a picture within an SVG or PDF: ten thousand dots would make it a megabyte.
    dots: dict[str, Any] = {"markersize": 1.8, "alpha": 0.6, "markeredgewidth": 0}
    axes.plot(ratios, heights, ".", color=colour, rasterized=True, **dots)
    if np.isfinite(case.refutable):
        axes.plot([case.refutable] * 2, [row - 0.4, row + 0.4], color=INK, linewidth=1.2)
    axes.text(-0.03, row - 0.13, f"{case.name}: {case.says}", ha="right", fontsize=7, **words)
    axes.text(-0.03, row + 0.27, case.world, ha="right", fontsize=5.5, color=MUTED, **words)
    count = f"{case.failures} failed, {case.allowed} allowed"
    axes.text(1.03, row, count, fontsize=7, color=INK if case.holds else WRONG, **words)


def _about(found: Comparison) -> str:
    sizes = {"K": found.K, "S": found.S, "V_T": found.V_T}
    given = ", ".join(f"{k} = {number(v)}" for k, v in sizes.items() if v is not None)
    runs = len(next(iter(found.measured.values()))[0])
    return f"{given}; bounds with probability {1 - found.delta:g}; {runs} runs, ± one sd"
