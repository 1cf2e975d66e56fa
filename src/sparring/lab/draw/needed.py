"""The figure of votes needed by number of arms, a line for each margin, on log axes."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring import checks
from sparring.lab.draw import scales
from sparring.lab.draw.axes import name, set_ticks
from sparring.lab.draw.panels import axes_at, figure_of, title
from sparring.lab.draw.settings import SHADE, settings
from sparring.lab.draw.styles import COLOURS, DASHES, MARKERS
from sparring.lab.league.needed import Needed

EACH = (3.3, 2.9)  # of the two pictures, in inches
MARGINS = (0.75, 1.35, 0.85, 0.5)  # left, right, above, below
BETWEEN = 0.3


def needed_figure(learner: str, found: Sequence[Needed]) -> Figure:
    """Votes needed from a new start and after a change; the band is the 95% interval.

    An arrow means that more votes were needed than were played.
    """
    if not found:
        raise checks.refuse("found", "one case or more", found)
    calms = sorted({one.calm for one in found})
    left, right, above, below = MARGINS
    width = left + len(calms) * EACH[0] + (len(calms) - 1) * BETWEEN + right
    height = above + EACH[1] + below
    with settings(small=True):
        figure = figure_of((width, height))
        drawn: dict[float, Line2D] = {}
        for column, calm in enumerate(calms):
            x = left + column * (EACH[0] + BETWEEN)
            axes = axes_at(figure, x, below, *EACH)
            here = [one for one in found if one.calm == calm]
            drawn |= _draw(axes, here)
            _frame(axes, found, when=_when(calm), first=column == 0)
        about = f"{learner}; {max(one.runs for one in found):,} runs, bands are 95% intervals"
        title(figure, "Votes until the favourite is right nine times out of ten", about)
        names = [f"margin {margin:g}" for margin in drawn]
        corner = ((width - right + 0.02) / width, 1 - above / height)
        handles = list(drawn.values())
        name(figure.legend(handles, names, loc="upper left", bbox_to_anchor=corner), *names)
        return figure


def _when(calm: int) -> str:
    return f"After a change that follows {calm:,} calm votes" if calm else "From a new start"


def _draw(axes: Axes, found: Sequence[Needed]) -> dict[float, Line2D]:
    """A line for each margin; what was drawn, by margin."""
    drawn = {}
    for place, margin in enumerate(sorted({one.margin for one in found})):
        mine = sorted((one for one in found if one.margin == margin), key=lambda one: one.K)
        colour = COLOURS[place % len(COLOURS)]
        known = [one for one in mine if math.isfinite(one.votes.value)]
        K = [one.K for one in known]
        ends = [min(one.votes.high, one.grid[-1]) for one in known]
        lows = [one.votes.low for one in known]
        axes.fill_between(K, lows, ends, color=colour, alpha=SHADE, linewidth=0)
        look: dict[str, Any] = {
            "color": colour,
            "marker": MARKERS[place % len(MARKERS)],
            "linestyle": (0, DASHES[place % len(DASHES)]),
        }
        (drawn[margin],) = axes.plot(K, [one.votes.value for one in known], **look)
        for one in mine:
            if math.isinf(one.votes.value):
                axes.plot([one.K], [one.grid[-1]], marker="^", color=colour, fillstyle="none")
                axes.lines[-1].set_markeredgecolor(colour)
    return drawn


def _frame(axes: Axes, found: Sequence[Needed], *, when: str, first: bool) -> None:
    """The same scales for all, and what stands beside them."""
    votes = [one.votes for one in found if math.isfinite(one.votes.value)]
    never = [float(one.grid[-1]) for one in found if math.isinf(one.votes.value)]
    heights = [end for one in votes for end in one if math.isfinite(end)] + never
    K = sorted({one.K for one in found})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*scales.around(K[0], K[-1]))
    axes.set_ylim(*scales.around(min(heights), max(heights)))
    set_ticks(axes.xaxis, K)
    set_ticks(axes.yaxis, scales.ticks(*axes.get_ylim()))
    axes.xaxis.minorticks_off()
    axes.set_title(when, pad=5, fontsize=8.5)
    axes.set_xlabel("arms")
    if first:
        axes.set_ylabel("votes")
    else:
        axes.set_yticklabels([])
