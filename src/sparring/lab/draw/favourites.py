"""The figure of few votes: how often favourites are right, by rounds, arms and kind of world."""

from itertools import product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sparring import checks
from sparring.lab.draw.axes import name, set_ticks
from sparring.lab.draw.panels import axes_at, figure_of, title
from sparring.lab.draw.settings import MUTED, settings
from sparring.lab.draw.standings import mean_of
from sparring.lab.draw.styles import style_of
from sparring.lab.league import League, favourites
from sparring.lab.league.few import ARMS, KINDS, ROUNDS

SMALL = (2.3, 1.75)  # one of the pictures, in inches
MARGINS = (0.65, 2.0, 0.75, 0.45)  # left, right, above, below


def favourites_figure(league: League) -> Figure:
    """A row for each number of arms, a column for each kind of world; a line for each learner."""
    meetings = favourites.noting(league)
    if not meetings:
        found = checks.Shown("one that does not")
        raise checks.refuse("league", "one that notes favourites", found)
    left, right, above, below = MARGINS
    width, height = left + 3 * SMALL[0] + right, above + len(ARMS) * SMALL[1] + below
    labels = [label for label in league.labels if any(label in one.labels for one in meetings)]
    drawn: dict[str, Line2D] = {}
    with settings(small=True):
        figure = figure_of((width, height))
        for column, kind in enumerate(KINDS):
            shares = _shares(league, kind)
            for row, K in enumerate(ARMS):
                x = left + column * SMALL[0]
                y = below + (len(ARMS) - 1 - row) * SMALL[1]
                axes = axes_at(figure, x, y, SMALL[0] - 0.2, SMALL[1] - 0.3)
                drawn |= _draw(axes, {label: shares.get((label, K), []) for label in labels})
                _frame(axes, kind if row == 0 else "", K if column == 0 else None)
                if row < len(ARMS) - 1:
                    axes.set_xticklabels([])
                if column:
                    axes.set_yticklabels([])
        mean = mean_of(meetings).lower()
        about = f"Over the rounds; {mean} of each of two worlds, of margins 0.1 and 0.2"
        title(figure, "Right favourites in the end, percent of the runs", about)
        corner = ((width - right + 0.05) / width, 1 - above / height)
        names = [label for label in labels if label in drawn]
        handles = [drawn[label] for label in names]
        name(figure.legend(handles, names, loc="upper left", bbox_to_anchor=corner), *names)
        return figure


def _shares(league: League, kind: str) -> dict[tuple[str, int], list[tuple[int, float]]]:
    """By label and K the share at each T, in percent."""
    worlds = {f"{K} {T}": some for (K, T), some in favourites.cells(league, kind).items()}
    found: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for label, scores in favourites.scores(league, worlds).items():
        for K, T in product(ARMS, ROUNDS):
            score = scores.get(f"{K} {T}")
            if score is not None and score.runs:
                found.setdefault((label, K), []).append((T, 100 * score.right.value))
    return found


def _draw(axes: Axes, shares: dict[str, list[tuple[int, float]]]) -> dict[str, Line2D]:
    """A line for each learner that was there; what was drawn, by label."""
    drawn = {}
    for label, points in shares.items():
        if points:
            style = style_of(label, list(shares))
            x, y = zip(*points, strict=True)
            look: dict[str, Any] = {"linestyle": (0, style.dash), "marker": style.marker}
            drawn[label] = axes.plot(x, y, color=style.colour, **look)[0]
    return drawn


def _frame(axes: Axes, kind: str, K: int | None) -> None:
    """Scales, and what stands beside them."""
    axes.set_xscale("log")
    axes.set_xlim(ROUNDS[0] / 1.3, ROUNDS[-1] * 1.3)
    set_ticks(axes.xaxis, ROUNDS)
    axes.minorticks_off()
    axes.set_ylim(0, 103)
    axes.set_yticks([0, 25, 50, 75, 90, 100])
    axes.axhline(90, color=MUTED, linewidth=0.7)
    if kind:
        axes.set_title(f"The winner {kind}", pad=5, fontsize=8.5)
    if K is not None:
        axes.set_ylabel(f"{K} arms")
