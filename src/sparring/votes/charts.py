"""Figures of votes: strengths over time, rank sets, evidence, memories, what was shown, traffic."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from matplotlib import dates, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sparring.charts.axes import MARKED, draw_curve, figure_of, name, write_numbers
from sparring.charts.scales import Curve
from sparring.charts.settings import INK, MUTED, settings
from sparring.charts.styles import BLUE, GREY, LONG, VERMILLION
from sparring.formats import number
from sparring.votes.answering import Findings
from sparring.votes.memories import amount
from sparring.votes.values import DAY, Votes

SHOWN = 8  # arms in one picture
RANKED = 40
WIDE, HIGH = 8.2, 3.6  # inches
EACH = 0.24  # inches of a row
DATED = 3.0  # days, from which on a date alone says when
BINS = 40
LEAST = 8  # votes in a bin of shares
# Seconds that votes are counted in, and what a rate is said in.
WIDTHS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, DAY, 7 * DAY)
MINUTE, HOUR = 60.0, 3600.0
SHORT_SPAN = 2 * HOUR  # seconds, up to which a rate is said by the minute


def strength_curves(answer: Findings) -> list[Curve]:
    """The strengths over time of the arms that lead now or once led, the strongest first."""
    found, votes = answer.now.memories, answer.votes
    assert found is not None
    x = moments(votes, found.marks)
    leaders = np.bincount(found.past.argmax(1), minlength=votes.K)
    now = [votes.names.index(place.name) for place in answer.now.places]
    led = [arm for arm in now if leaders[arm]]
    chosen = list(dict.fromkeys([*now[: SHOWN // 2], *led, *now]))[:SHOWN]
    return [
        Curve(votes.names[arm], x, found.past[:, arm], found.past_errors[:, arm])
        for arm in now
        if arm in chosen
    ]


def strengths_figure(answer: Findings, curves: Sequence[Curve]) -> Figure:
    """Strengths over time; dotted lines and grey areas show when a leader fell or took over."""
    with settings(small=True):
        figure = figure_of((WIDE, HIGH), layout="constrained")
        axes = figure.subplots()
        labels = [curve.label for curve in curves]
        for place, curve in enumerate(curves):
            every = max(1, len(curve.x) // MARKED)
            draw_curve(axes, curve, labels).set_markevery((place * every // len(curves), every))
        changed = [
            (one.earliest, one.since, one.latest)
            for one in answer.alarms.changes
            if one.kind == "leader"
        ]
        if answer.leads and answer.lead.before:
            changed.append((answer.lead.earliest, answer.lead.since, answer.lead.latest))
        for ends in changed:
            low, at, high = moments(answer.votes, np.array(ends))
            axes.axvspan(low, high, color=GREY, alpha=0.15, linewidth=0)
            axes.axvline(at, color=MUTED, linestyle=(0, (1, 2)), linewidth=1)
        axes.set_ylabel("strength (log-odds)")
        write_moments(axes, answer.votes)
        return figure


def rank_sets_figure(answer: Findings) -> Figure:
    """Which ranks each arm may have: now, and if no vote were ever forgotten."""
    places = answer.now.places[:RANKED]
    ever = {place.name: place for place in answer.ever.places}
    with settings(small=True):
        figure = figure_of((WIDE, 0.9 + EACH * len(places)), layout="constrained")
        axes = figure.subplots()
        for row, place in enumerate(places):
            for off, one, colour, wide in (
                (0.0, place, BLUE, 5.0),
                (0.3, ever[place.name], GREY, 2.5),
            ):
                low, high = one.ranks
                line: dict[str, Any] = {"color": colour, "linewidth": wide}
                axes.plot([low - 0.18, high + 0.18], [row + off] * 2, solid_capstyle="butt", **line)
        axes.set_yticks(range(len(places)), [_short(place.name) for place in places])
        for text in axes.get_yticklabels():
            text.set_parse_math(False)
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(ticker.MaxNLocator(10, integer=True))
        axes.set_xlabel("possible ranks: wide, now; thin, all-time")
        return figure


def evidence_figure(answer: Findings) -> Figure:
    """The alarm's evidence over time, and the height at which it rings."""
    found = answer.alarms.evidence
    x = moments(answer.votes, found.vote)
    with settings(small=True):
        figure = figure_of((WIDE, HIGH * 0.7), layout="constrained")
        axes = figure.subplots()
        lines = [
            axes.plot(x, found.leader, color=BLUE)[0],
            axes.plot(x, found.pairs, color=VERMILLION, linestyle=(0, LONG))[0],
        ]
        axes.axhline(found.threshold, color=INK, linewidth=0.8)
        axes.annotate(
            "rings",
            (1, found.threshold),
            xycoords=("axes fraction", "data"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="right",
            va="bottom",
        )
        words = ["the leader fell", "some pair changed"]
        # Above the chart: the evidence stays close to the line on which it rings.
        above = axes.legend(lines, words, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        name(above, *words)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("evidence (nats)")
        write_moments(axes, answer.votes)
        return figure


def memories_figure(answer: Findings) -> Figure:
    """How well each memory predicted; the dashed line is the mixture of all."""
    found = answer.now.memories
    assert found is not None
    halves = [half for half in found.half_lives if np.isfinite(half)]
    with settings(small=True):
        figure = figure_of((WIDE, HIGH * 0.7), layout="constrained")
        axes = figure.subplots()
        x = np.arange(len(found.half_lives))
        axes.plot(x[:-1], found.losses[:-1], color=BLUE, marker="o")
        axes.plot(x[-1:], found.losses[-1:], color=BLUE, marker="s")
        axes.axhline(found.blended, color=VERMILLION, linestyle=(0, LONG), linewidth=1)
        words = [amount(half, found.unit) for half in halves]
        axes.set_xticks(x, [*words, "never"], rotation=30, ha="right")
        axes.set_xlabel("a vote is worth half after")
        axes.set_ylabel("log-loss of a vote")
        axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%.3f"))
        return figure


def share_curves(votes: Votes, labels: Sequence[str]) -> list[Curve]:
    """In which share of the pairs each of some items was shown, over time.

    Votes are taken in stretches of equal number, so that a busy hour does not hide in a bin.
    """
    many = max(2, min(BINS, len(votes) // LEAST))
    ends = np.linspace(0, len(votes), many + 1).round().astype(np.int64)
    x = moments(votes, (ends[1:] + ends[:-1]) // 2 + 1)
    found = []
    for label in labels:
        arm = votes.names.index(label)
        there = np.concatenate([[0], np.cumsum((votes.first == arm) | (votes.second == arm))])
        share = np.diff(there[ends]) / np.diff(ends)
        found.append(Curve(label, x, share, np.zeros(many)))
    return found


def shares_figure(votes: Votes, curves: Sequence[Curve]) -> Figure:
    """How often each item was shown over time."""
    with settings(small=True):
        figure = figure_of((WIDE, HIGH * 0.8), layout="constrained")
        axes = figure.subplots()
        labels = [curve.label for curve in curves]
        for place, curve in enumerate(curves):
            draw_curve(axes, curve, labels).set_markevery((place % 4, 6))
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
