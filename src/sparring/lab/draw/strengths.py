"""Figures of votes: strengths over time, rank sets."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from matplotlib import dates, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sparring.lab.draw.axes import MARKED, draw_curve, write_numbers
from sparring.lab.draw.panels import figure_of
from sparring.lab.draw.settings import MUTED, settings
from sparring.lab.draw.styles import BLUE, GREY
from sparring.lab.numbers import number
from sparring.lab.summaries import Curve
from sparring.votes.answering import Findings
from sparring.votes.values import DAY, Votes

SHOWN = 8  # arms in one picture
RANKED = 40
WIDE, HIGH = 8.2, 3.6  # inches
EACH = 0.24  # inches of a row
DATED = 3.0  # days, from which on a date alone says when


def strength_curves(answer: Findings) -> list[Curve]:
    """The strengths over time of the arms that lead now or once led, the strongest first."""
    past, votes = answer.now.past, answer.votes
    x = past.vote if past.time is None else past.time / DAY
    now = [votes.names.index(place.name) for place in answer.now.places]
    led = [votes.names.index(reign.arm) for reign in reversed(answer.now.reigns)]
    chosen = list(dict.fromkeys([*now[: SHOWN // 2], *led, *now]))[:SHOWN]
    curves = []
    for arm in chosen:
        there = np.isfinite(past.strength[arm])
        width = (past.high[arm] - past.low[arm]) / 4  # two standard errors to either side
        y = past.strength[arm, there]
        curves.append((-y[-1], Curve(votes.names[arm], x[there], y, width[there])))
    return [curve for _, curve in sorted(curves, key=lambda one: one[0])]


def strengths_figure(answer: Findings, curves: Sequence[Curve]) -> Figure:
    """Strengths over time; a dotted line and grey show when the leader took over."""
    with settings(small=True):
        figure = figure_of((WIDE, HIGH), layout="constrained")
        axes = figure.subplots()
        labels = [curve.label for curve in curves]
        for place, curve in enumerate(curves):
            every = max(1, len(curve.x) // MARKED)
            draw_curve(axes, curve, labels).set_markevery((place * every // len(curves), every))
        since = answer.now.since
        if answer.leads and since.changed:
            ends = np.array([since.earliest, since.since, since.latest])
            low, at, high = moments(answer.votes, ends)
            axes.axvspan(low, high, color=GREY, alpha=0.15, linewidth=0)
            axes.axvline(at, color=MUTED, linestyle=(0, (1, 2)), linewidth=1)
        axes.set_ylabel("strength (log-odds)")
        write_moments(axes, answer.votes)
        return figure


def rank_sets_figure(answer: Findings) -> Figure:
    """Which ranks each arm may have now."""
    places = answer.now.places[:RANKED]
    with settings(small=True):
        figure = figure_of((WIDE, 0.9 + EACH * len(places)), layout="constrained")
        axes = figure.subplots()
        for row, place in enumerate(places):
            low, high = place.ranks
            ends = [low - 0.18, high + 0.18]
            axes.plot(ends, [row] * 2, solid_capstyle="butt", color=BLUE, linewidth=5.0)
        axes.set_yticks(range(len(places)), [_short(place.name) for place in places])
        for text in axes.get_yticklabels():
            text.set_parse_math(False)
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(ticker.MaxNLocator(10, integer=True))
        axes.set_xlabel("possible ranks")
        return figure


def moments(votes: Votes, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Where votes stand on the axis: days since 1970 if they have times, else their numbers."""
    if votes.time is None:
        return np.asarray(numbers, float)
    return np.asarray(votes.time[np.clip(numbers, 1, len(votes)) - 1] / DAY)


def place_of(votes: Votes, at: float) -> str:
    """A place on that axis in words."""
    if votes.time is None:
        return f"vote {number(round(at))}"
    # Votes of an arena in service may all be of this hour.
    form = "%Y-%m-%d" if votes.days > DATED else "%Y-%m-%d %H:%M:%S"
    return f"{datetime.fromtimestamp(at * DAY, UTC):{form}}"


def write_moments(axes: Axes, votes: Votes) -> None:
    """Dates or votes on the horizontal axis."""
    if votes.time is None:
        axes.set_xlabel("vote")
        write_numbers(axes.xaxis)
        return
    if not votes.days:  # all at one moment, which has no dates around it
        at = float(moments(votes, np.array([1]))[0])
        axes.set_xlim(at - 0.5, at + 0.5)
    locator = dates.AutoDateLocator(maxticks=9)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    form = dates.ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(form)


def _short(text: str, most: int = 28) -> str:
    """A name without its middle: models of one maker begin alike."""
    half = most // 2
    return text if len(text) <= most else f"{text[: most - half - 1]}…{text[-half:]}"
