"""The table of a league as a picture: all learners on all worlds, in percent of RAND's regret."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import patches
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sparring.formats import percent
from sparring.lab.draw.panels import axes_at, figure_of, title
from sparring.lab.draw.settings import INK, MUTED, settings
from sparring.lab.draw.styles import BLUE, VERMILLION
from sparring.lab.league import League, Meeting, Ranking
from sparring.lab.league.standings import Standing

TITLE = "Regret in percent of RAND's"
CELL = (0.47, 0.27)  # in inches
DEEPEST = 0.02  # times the regret of RAND, from which on a colour is the deepest


def table_figure(league: League, ranking: Ranking) -> Figure:
    """All learners on all worlds, in percent of RAND's regret; the best of a world has a frame.

    Blue is less than RAND's, vermillion more, in logarithms. Learners that are not ranked are
    below.
    """
    others = [label for label in league.labels if label not in ranking.labels]
    labels = [*ranking.labels, *others]
    meetings = league.meetings
    wide, high = CELL[0] * len(meetings), CELL[1] * len(labels)
    left = 0.55 + 0.075 * max(map(len, labels))
    with settings(small=True):
        figure = figure_of((left + wide + 0.95, high + 1.95))
        axes = axes_at(figure, left, 0.4, wide, high)
        axes.set_xlim(0, len(meetings))
        axes.set_ylim(len(labels), 0)
        for x, meeting in enumerate(meetings):
            _draw_column(axes, x, meeting, labels)
        if others:
            axes.axhline(len(ranking.labels), color=INK, linewidth=1)
        axes.set_yticks(np.arange(len(labels)) + 0.5, labels, parse_math=False)
        axes.xaxis.tick_top()
        places = np.arange(len(meetings)) + 0.5
        titles = [meeting.title for meeting in meetings]
        axes.set_xticks(places, titles, rotation=38, ha="left", parse_math=False)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        for side in axes.spines.values():
            side.set_visible(False)
        _write_ranks(axes, ranking)
        title(figure, TITLE, "")
        about = f"{mean_of(meetings)}. Framed: the least of a world."
        if others:
            about += " Below the line: not ranked."
        axes.text(0, len(labels) + 0.8, about, color=MUTED, fontsize="small", va="center")
        return figure


def _draw_column(axes: Axes, x: int, meeting: Meeting, labels: Sequence[str]) -> None:
    """One world of the table."""
    found = {standing.label: standing for standing in meeting.standings}
    for y, label in enumerate(labels):
        standing = found.get(label)
        colour, text = cell(standing)
        box: dict[str, Any] = {"facecolor": colour, "edgecolor": "white", "linewidth": 0.8}
        axes.add_patch(patches.Rectangle((x, y), 1, 1, **box))
        first = label == meeting.best
        if first:
            frame: dict[str, Any] = {"fill": False, "edgecolor": INK, "linewidth": 1.3, "zorder": 3}
            axes.add_patch(patches.Rectangle((x + 0.04, y + 0.06), 0.92, 0.88, **frame))
        ink = "white" if _dark(colour) else INK
        weight = "bold" if first else "normal"
        axes.text(
            x + 0.5, y + 0.52, text, ha="center", va="center", color=ink, fontsize=7, weight=weight
        )


def mean_of(meetings: Sequence[Meeting]) -> str:
    """What means are of."""
    runs = sorted({len(one.runs) for one in meetings})
    many = " to ".join(str(count) for count in dict.fromkeys(runs[:1] + runs[-1:]))
    return f"Mean of {many} run{'' if many == '1' else 's'}"


def cell(standing: Standing | None) -> tuple[str, str]:
    """The colour and the text of a cell of the table."""
    if standing is None:
        return "white", ""
    if standing.regret.value <= 0:
        return depth(DEEPEST), "≤ 0"
    ratio = standing.to_chance.value
    return ("#EEEEEE", "?") if math.isnan(ratio) else (depth(ratio), percent(ratio))


def depth(ratio: float) -> str:
    """The colour of a regret relative to RAND's.

    Examples
    --------
    >>> depth(1.0), depth(0.001) == depth(0.02)
    ('#ffffff', True)
    """
    far = max(-1.0, min(1.0, math.log(ratio) / -math.log(DEEPEST)))
    end = BLUE if far < 0 else VERMILLION
    parts = [int(end[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + (part - 255) * abs(far)):02x}" for part in parts)


def _dark(colour: str) -> bool:
    """Whether white is easier to read on a colour than ink."""
    if not colour.startswith("#"):
        return False
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.55


def _write_ranks(axes: Axes, ranking: Ranking) -> None:
    """The mean ranks, right of the table."""
    x = axes.get_xlim()[1] + 0.5
    words: dict[str, Any] = {"color": MUTED, "fontsize": 7}
    axes.text(x - 0.25, -0.2, "mean rank", rotation=38, ha="left", va="bottom", **words)
    for y, rank in enumerate(ranking.ranks):
        axes.text(x + 0.25, y + 0.52, f"{rank:.1f}", ha="right", va="center", **words)
