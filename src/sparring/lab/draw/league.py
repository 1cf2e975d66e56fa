"""Figures of a league: ranks told apart, regret over time, speed; and all of them by name."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring.formats import many
from sparring.lab.draw import scales
from sparring.lab.draw.axes import draw_over_time, head, name, set_ticks
from sparring.lab.draw.favourites import favourites_figure
from sparring.lab.draw.panels import axes_at, figure_of, grid_of, settled, title
from sparring.lab.draw.settings import INK, MUTED, settings
from sparring.lab.draw.standings import mean_of, table_figure
from sparring.lab.draw.styles import style_of
from sparring.lab.league import League, Meeting, Ranking
from sparring.lab.league.contenders import CHANCE
from sparring.lab.league.favourites import noting
from sparring.lab.league.standings import is_ranked

SHOWN = ("DEX3.S corrected", "SYM-EXP3.S", CHANCE)  # in every picture of regret over time
BEST = 3  # of a world, beside them
SMALL = (2.5, 1.9)  # such a picture, in inches
LINE, SIDE = 0.2, 1.85  # of a name, in inches: how high, how wide
NAMELESS = "#BDBDBD"  # the colour of those who are not named


def ranks_figure(ranking: Ranking) -> Figure:
    """Mean ranks on a line, the best to the left; bars join learners that are not told apart."""
    labels, ranks = ranking.labels, ranking.ranks
    half = math.ceil(len(labels) / 2)
    bars = ranking.groups
    with settings(small=True):
        top, step = 1.2, 0.11
        below = 0.16 + step * len(bars)
        figure = figure_of((7.6, top + below + LINE * half + 0.35))
        width, height = figure.get_size_inches()
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(0, height)
        axes.axis("off")
        about = "the best to the left; a bar joins learners that are not told apart (Nemenyi, 5%)"
        title(figure, f"Mean rank over {many(len(ranking.worlds), 'world')}", about)
        most = max(len(labels), 2)

        def x(rank: float) -> float:
            return float(SIDE + (rank - 1) / (most - 1) * (width - 2 * SIDE))

        y = height - top
        axes.plot([x(1), x(most)], [y, y], color=INK, linewidth=1)
        for rank in range(1, most + 1):
            if most <= 16 or rank % 5 == 0 or rank == 1:
                axes.plot([x(rank)] * 2, [y, y + 0.06], color=INK, linewidth=1)
                axes.text(x(rank), y + 0.09, str(rank), ha="center", va="bottom")
        if len(labels) > 1:
            _draw_distance(axes, x(1), x(1 + ranking.distance), y + 0.36, ranking.distance)
        for place, (label, rank) in enumerate(zip(labels, ranks.tolist(), strict=True)):
            left = place < half
            line = place if left else len(labels) - 1 - place
            down = y - below - LINE * line - 0.08
            end = SIDE - 0.08 if left else width - SIDE + 0.08
            axes.plot([x(rank), x(rank), end], [y, down, down], color=MUTED, linewidth=0.8)
            words: dict[str, Any] = {"va": "center", "parse_math": False, "color": INK}
            text = f"{label}  {rank:.1f}" if left else f"{rank:.1f}  {label}"
            axes.text(
                end + (-0.06 if left else 0.06), down, text, ha="right" if left else "left", **words
            )
        for level, group in enumerate(bars):
            ends = [ranking.mean_rank[label] for label in (group[0], group[-1])]
            height_of_bar = y - 0.13 - step * level
            reach = [x(ends[0]) - 0.05, x(ends[1]) + 0.05]
            axes.plot(
                reach, [height_of_bar] * 2, color=INK, linewidth=3, solid_capstyle="round", zorder=3
            )
        return figure


def _draw_distance(axes: Axes, left: float, right: float, y: float, distance: float) -> None:
    """The critical difference, to measure with."""
    axes.plot([left, right], [y, y], color=MUTED, linewidth=1)
    for end in (left, right):
        axes.plot([end, end], [y - 0.04, y + 0.04], color=MUTED, linewidth=1)
    text = f"critical difference {distance:.2f}"
    axes.text((left + right) / 2, y + 0.06, text, ha="center", va="bottom", color=MUTED)


def curves_figure(league: League, *, columns: int = 4) -> Figure:
    """The regret over time on each world: its best three and some known ones; all others grey."""
    with settings(small=True):
        figure, grid = grid_of(len(league.meetings), columns, SMALL)
        labels = coloured(league)
        drawn: dict[str, Line2D] = {}
        for axes, meeting in zip(grid, league.meetings, strict=True):
            drawn |= _draw_meeting(axes, meeting, highlighted(meeting, league.own), labels)
        across = max(1, int(figure.get_figwidth() / 1.9))
        figure.set_figheight(figure.get_figheight() + 0.25 * (1 + math.ceil(len(labels) / across)))
        about = f"Regret round by round. {mean_of(league.meetings)} ± sd; grey: all others"
        handles = [drawn[label] for label in labels]
        place: dict[str, Any] = {"loc": "outside lower center", "ncols": across}
        name(figure.legend(handles, labels, title=about, **place), *labels)
        return settled(figure)


def coloured(league: League) -> list[str]:
    """The learners whose curves have a colour somewhere, the most frequent first."""
    often = Counter(who for one in league.meetings for who in highlighted(one, league.own))
    return [label for label, _ in often.most_common()]


def highlighted(meeting: Meeting, own: Iterable[str] = ()) -> list[str]:
    """Learners with coloured curves on a world: its best, the user's own, some known ones."""
    best = [one.label for one in meeting.standings if is_ranked(one.label)][:BEST]
    known = [label for label in (*own, *SHOWN) if label in meeting.labels]
    return list(dict.fromkeys([*best, *known]))


def _draw_meeting(
    axes: Axes, meeting: Meeting, shown: Sequence[str], labels: Sequence[str]
) -> dict[str, Line2D]:
    """One world; what has a colour, by label."""
    for label, curve in meeting.curves.items():
        if label not in shown:
            axes.plot(curve.x, curve.mean, color=NAMELESS, linewidth=0.6, zorder=1.5)
    curves = [meeting.curves[label] for label in shown]
    drawn = draw_over_time(axes, curves, labels)
    # A grey one that does far worse must not press the others flat.
    top = max(float((curve.mean + curve.sd).max()) for curve in curves)
    if top > 0:
        axes.set_ylim(top=1.1 * top)
    axes.set_title(meeting.title, pad=5, fontsize=8, parse_math=False)
    axes.set_xlim(0, meeting.T)
    axes.set_xticks([0, meeting.T / 2, meeting.T])
    axes.yaxis.set_major_locator(ticker.MaxNLocator(4))
    return drawn


def speed_figure(league: League, ranking: Ranking) -> Figure:
    """The processor time of a round of all ranked learners, the best on top."""
    taken = {label: league.nanoseconds(label) for label in ranking.labels}
    labels = [label for label in ranking.labels if taken[label] > 0]
    width, height = 7.4, 1.3 + LINE * len(labels)
    with settings(small=True):
        figure = figure_of((width, height))
        axes = axes_at(figure, SIDE, 0.5, width - SIDE - 0.2, height - 1.1)
        axes.set_xscale("log")
        nanoseconds = [taken[label] for label in labels]
        axes.set_xlim(*scales.around(min(nanoseconds), max(nanoseconds)))
        set_ticks(axes.xaxis, scales.ticks(*axes.get_xlim()))
        axes.set_ylim(len(labels) - 0.4, -0.6)
        names = [f"{label}  {ranking.mean_rank[label]:.1f}" for label in labels]
        axes.set_yticks(range(len(labels)), names, parse_math=False)
        for place, label in enumerate(labels):
            style = style_of(label, league.labels)
            axes.plot([taken[label]], [place], marker=style.marker, color=style.colour)
        axes.set_xlabel("nanoseconds of processor time a round, as played here (median)")
        head(axes, "Speed and mean rank", f"{many(len(ranking.worlds), 'world')}; the best on top")
        return figure


def league_figures(league: League, ranking: Ranking) -> Mapping[str, Figure]:
    """All figures of a league by the names of their files."""
    if noting(league):  # too many worlds for the table, and for a picture each
        found = {"league-favourites": favourites_figure(league)}
    else:
        found = {
            "league-table": table_figure(league, ranking),
            "league-curves": curves_figure(league),
        }
    if len(ranking.labels) > 1:
        found["league-ranks"] = ranks_figure(ranking)
    if any(league.nanoseconds(label) > 0 for label in ranking.labels):
        found["league-speed"] = speed_figure(league, ranking)
    return found
