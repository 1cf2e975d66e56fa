"""Figures of an arena in service: how often each item is shown, how many votes come."""

from collections.abc import Sequence

import numpy as np
from matplotlib import ticker
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sparring.lab.draw.axes import draw_curve
from sparring.lab.draw.panels import figure_of
from sparring.lab.draw.settings import settings
from sparring.lab.draw.strengths import HIGH, WIDE, moments, write_moments
from sparring.lab.draw.styles import BLUE
from sparring.lab.summaries import Curve
from sparring.votes.values import DAY, Votes

BINS = 40
LEAST = 8  # votes in a bin of shares
# Seconds that votes are counted in, and what a rate is said in.
WIDTHS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, DAY, 7 * DAY)
MINUTE, HOUR = 60.0, 3600.0
SHORT_SPAN = 2 * HOUR  # seconds, up to which a rate is said by the minute


def share_curves(votes: Votes, labels: Sequence[str]) -> list[Curve]:
    """In which share of the pairs each of some items was shown, over time.

    Votes are taken in stretches of equal number, so that a busy hour does not hide in a bin. A
    curve begins with the first vote on its item.
    """
    many = max(2, min(BINS, len(votes) // LEAST))
    ends = np.linspace(0, len(votes), many + 1).round().astype(np.int64)
    x = moments(votes, (ends[1:] + ends[:-1]) // 2 + 1)
    found = []
    for label in labels:
        arm = votes.names.index(label)
        shown = np.concatenate([[0], np.cumsum((votes.first == arm) | (votes.second == arm))])
        share = np.diff(shown[ends]) / np.diff(ends)
        there = ends[1:] > votes.begun[arm]
        found.append(Curve(label, x[there], share[there], np.zeros(there.sum())))
    return found


def shares_figure(votes: Votes, curves: Sequence[Curve], names: Sequence[str]) -> Figure:
    """How often each item was shown over time; all names, as the looks of curves follow them."""
    with settings(small=True):
        figure = figure_of((WIDE, HIGH * 0.8), layout="constrained")
        axes = figure.subplots()
        for place, curve in enumerate(curves):
            draw_curve(axes, curve, names).set_markevery((place % 4, 6))
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(ticker.PercentFormatter(1, decimals=0))
        axes.set_ylabel("shown in so many pairs")
        write_moments(axes, votes)
        return figure


def rate(times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Votes by the hour, or by the minute while there are no two hours: edges, rates, the unit."""
    span = float(times[-1] - times[0])
    width = next((wide for wide in WIDTHS if span / wide <= 60), span / 60)
    edges = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 2) * width
    unit, seconds = ("minute", MINUTE) if span < SHORT_SPAN else ("hour", HOUR)
    return edges, np.histogram(times, edges)[0] * (seconds / width), unit


def traffic_figure(votes: Votes) -> Figure:
    """How many votes came, over time."""
    assert votes.time is not None
    edges, rates, unit = rate(votes.time)
    with settings(small=True):
        figure = figure_of((WIDE, HIGH * 0.55), layout="constrained")
        axes = figure.subplots()
        axes.stairs(rates, edges / DAY, fill=True, color=BLUE, alpha=0.75)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(ticker.MaxNLocator(4))
        axes.set_ylabel(f"votes a {unit}")
        write_moments(axes, votes)
        return figure
