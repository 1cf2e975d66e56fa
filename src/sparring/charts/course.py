"""The course of strengths: curves over time as SVG, written as text for three widths of the page.

A curve has the colour of its arm for as long as the arm lives, begins and ends with it, and has its
name at its end. Changes of the leader are labelled above the plot.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from sparring.charts.elements import Floats, element, polyline
from sparring.charts.labels import Box, Note, apart, fitted, noted, rows, width
from sparring.formats import Moments, isolated, number, rounds

HUES = 8  # colours of the style sheet; from the ninth arm on, the same ones dashed
DRAWN = 60  # curves in a chart: more are a carpet
EVENTS = 4  # rows of labels above the plot
NAME = 17.0  # pixels from one name at a line's end to the next
TOP, FLAG = 10.0, 19.0  # pixels above the plot, and for each row of labels
BOTTOM = 38.0  # pixels below it: two rows of dates
LEAST = 0.4  # log-odds that an axis spans at least: or chance looks like a change
EDGES = (0.001, 0.01, 0.02, 0.05, 0.95, 0.98, 0.99, 0.999)
TICK = 12  # the size of letters along the axes
BANDED = 12  # curves, up to which each has a band to be switched on
STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


class Size(NamedTuple):
    """One of the three drawings, of which the style sheet shows the one that fits."""

    kind: str
    width: int
    height: int
    names: int
    """The most room for names at the right."""
    left: int
    text: int
    ticks: int


SIZES = (
    Size("wide", 1120, 424, 210, 40, 13, 13),
    Size("medium", 760, 420, 170, 40, 13, 9),
    Size("narrow", 343, 330, 112, 34, 12, 6),
)


@dataclass(frozen=True)
class Line:
    """An arm's share of the votes over time, from its first vote to its last."""

    key: int
    """Its place in the order of addition, which gives its colour and never changes."""
    name: str
    x: Floats
    """Seconds since 1970, or numbers of votes; increasing."""
    y: Floats
    """The share of votes it wins, between 0 and 1."""
    low: Floats
    high: Floats
    coloured: bool = False
    banded: bool = False
    joined: bool = False
    """Whether it was not there when the file began."""
    left: bool = False
    """Whether it is not there any more."""


class Takeover(NamedTuple):
    """A change of the leader: when it was most likely, and when it may have been."""

    key: int
    old: int | None
    """Who led before; None if nobody clearly did."""
    at: float
    low: float
    high: float


def hue(key: int) -> str:
    """The classes of an arm's colour.

    Examples
    --------
    >>> hue(0), hue(9)
    ('h0', 'h1 dash')
    """
    return f"h{key % HUES}" + (" dash" if key >= HUES else "")


def course(
    lines: Sequence[Line],
    moments: Moments,
    *,
    name: str,
    label: str,
    finding: str,
    takeovers: Sequence[Takeover] = (),
    odds: bool = True,
) -> Markup:
    """The chart in three widths, and its numbers for whoever reads it point by point.

    Parameters
    ----------
    lines
        The strongest now first; those that left last.
    moments
        How to say when.
    name
        A word of its own on the page.
    label
        The heading, for those who do not see it.
    finding
        What it shows, in a sentence.
    takeovers
        Changes of the leader, the oldest first.
    odds
        Whether shares stand on an axis of log-odds; else they begin with zero.
    """
    chosen = _chosen(lines, takeovers)
    known = {line.key for line in chosen}
    told = [one for one in takeovers if one.key in known]
    drawn = [
        _Drawing(size, chosen, told, moments, odds).svg(f"{name}-{size.kind}", label, finding)
        for size in SIZES
    ]
    rest = len(lines) - len(chosen)
    more = f"{rest:,} more are not drawn." if rest else ""
    return Markup(
        '<div class="course">{}<div class="reading" hidden=""></div>'
        '<script type="application/json">{}</script>{}</div>'
    ).format(
        Markup("").join(drawn),
        Markup(_packed(chosen, moments)),
        Markup('<p class="rest">{}</p>').format(more) if more else "",
    )


def _chosen(lines: Sequence[Line], takeovers: Sequence[Takeover]) -> list[Line]:
    """The lines with a colour or a part in a takeover, and the first of the others."""
    needed = {one.key for one in takeovers} | {one.old for one in takeovers}
    needed |= {line.key for line in lines if line.coloured}
    free = max(DRAWN - len(needed), 0)
    others = [line.key for line in lines if line.key not in needed][:free]
    return [line for line in lines if line.key in needed or line.key in others]


def _packed(lines: Sequence[Line], moments: Moments) -> str:
    """What the script reads out at each moment, as JSON that is safe within a page."""
    at = np.unique(np.concatenate([line.x for line in lines])) if lines else np.zeros(0)
    if len(at) > 160:
        at = at[np.unique(np.linspace(0, len(at) - 1, 160).round().astype(int))]
    shares: list[list[int | None]] = []
    for line in lines:
        there = (at >= line.x[0]) & (at <= line.x[-1])
        found = np.interp(at, line.x, line.y)
        shares.append([round(100 * y) if on else None for y, on in zip(found, there, strict=True)])
    told = {
        "at": at.tolist(),
        "when": [moments.full(one) for one in at],
        "keys": [line.key for line in lines],
        "names": [line.name for line in lines],
        "shares": shares,
    }
    text = json.dumps(told, ensure_ascii=True, separators=(",", ":"))
    for letter in "<>&'":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def axis(
    moments: Moments,
    span: tuple[float, float],
    across: tuple[float, float],
    bottom: float,
    size: Size,
) -> list[Markup]:
    """Marks along time, as many as have room: moments within a span, pixels across."""
    found, taken = [], -math.inf
    for tick in moments.ticks(size.ticks):
        x = across[0] + (tick.at - span[0]) / (span[1] - span[0]) * (across[1] - across[0])
        long, below = width(tick.text, TICK), width(tick.below, TICK)
        side = "start" if x < across[0] + 14 else "middle"  # words at the left edge begin there
        begin = x if side == "start" else x - long / 2
        end = begin + max(long, long / 2 + below / 2 if side == "middle" else below)
        if not span[0] <= tick.at <= span[1] or begin < taken or end > size.width:
            continue
        taken = end + 6
        found.append(element("path", class_="axis", d=f"M{x:.1f} {bottom}v5"))
        for row, text, kind in ((18, tick.text, "tick"), (33, tick.below, "tick below")):
            if text:
                at = {"x": x, "y": bottom + row, "text_anchor": side}
                found.append(element("text", text, class_=kind, **at))
    found.append(element("path", class_="axis", d=f"M{across[0]} {bottom}H{across[1]}"))
    return found


def bars(
    edges: Floats, heights: Floats, moments: Moments, *, name: str, label: str, unit: str
) -> Markup:
    """Steps over time, such as votes per hour, in three widths.

    Parameters
    ----------
    edges
        (b + 1,): moments between which something was counted.
    heights
        (b,): how much.
    moments, name, label
        As for `course`.
    unit
        What is counted, such as votes per hour.
    """
    top = float(heights.max()) or 1.0
    drawn = []
    for size in SIZES:
        left, right, bottom = float(size.left + 8), float(size.width - 8), 150 - BOTTOM
        span = float(edges[0]), float(edges[-1])
        x = left + (edges - span[0]) / (span[1] - span[0]) * (right - left)
        y = bottom - heights / (1.05 * top) * (bottom - TOP)
        parts = []
        for mark in rounds(0, 1.05 * top, 4):
            up = bottom - mark / (1.05 * top) * (bottom - TOP)
            parts.append(element("path", class_="grid", d=f"M{left} {up:.1f}H{right}"))
            at = {"x": left - 6, "y": up + 4, "text_anchor": "end"}
            parts.append(element("text", number(mark), class_="tick", **at))
        steps = np.concatenate([[bottom], np.repeat(y, 2), [bottom]])
        parts.append(element("path", class_="steps", d=f"{polyline(np.repeat(x, 2), steps)}Z"))
        parts += axis(moments, span, (left, right), bottom, size)
        title = f"{name}-{size.kind}-title"
        most = f"{label}: at most {number(round(top, 1))} {unit}"
        frame = {"class_": size.kind, "viewBox": f"0 0 {size.width} 150"}
        drawn.append(
            element(
                "svg",
                element("title", most, id=title),
                *parts,
                role="img",
                aria_labelledby=title,
                **frame,
            )
        )
    return element("div", *drawn, class_="course")


class _Drawing:
    """One drawing of a chart, in pixels of its own."""

    def __init__(
        self,
        size: Size,
        lines: Sequence[Line],
        takeovers: Sequence[Takeover],
        moments: Moments,
        odds: bool,
    ) -> None:
        self.size, self.lines, self.moments, self.odds = size, lines, moments, odds
        self.by_key = {line.key: line for line in lines}
        xs = [float(end) for line in lines for end in (line.x[0], line.x[-1])]
        self.first, self.last = (min(xs), max(xs)) if xs else (0.0, 1.0)
        if not self.last > self.first:
            self.first, self.last = self.first - 0.5, self.last + 0.5
        self.named = self._named()
        told = [f"{one.name} {100 * one.y[-1]:.0f}%" for one in self.named]
        coloured = [one.coloured for one in self.named]
        widest = max(
            (
                width(*pair, bold=on)
                for pair, on in zip(((t, size.text) for t in told), coloured, strict=True)
            ),
            default=0.0,
        )
        self.room = round(min(size.names, 26 + widest))
        self.left, self.right = float(size.left), float(size.width - self.room)
        self.flags = self._flagged(takeovers)
        self.takeovers = takeovers
        self.top = TOP + FLAG * (1 + max((row for *_, row in self.flags), default=-1))
        height = max(size.height, self.top + BOTTOM + NAME * (len(self.named) + 1))
        self.height = round(height)
        self.bottom = self.height - BOTTOM
        self._scale()
        self.points = {line.key: self._path(line) for line in lines}

    def _named(self) -> list[Line]:
        """The arms whose names stand at the line ends: those that are still there."""
        here = [line for line in self.lines if not line.left]
        if len(here) <= 30:
            return here
        kept = {line.key for line in here[:24]} | {line.key for line in here if line.coloured}
        return [line for line in here if line.key in kept]

    def _scale(self) -> None:
        """The bounds of the vertical axis."""
        seen = [self._place(line.y) for line in self.lines]
        seen += [
            self._place(end) for line in self.lines if line.banded for end in (line.low, line.high)
        ]
        if not self.odds:
            self.low, self.high = 0.0, 1.05 * max((one.max() for one in seen), default=1.0) or 1.0
            return
        values = np.concatenate(seen) if seen else np.zeros(1)
        low, high = float(values.min()) - 0.05, float(values.max()) + 0.05
        lack = max(LEAST - (high - low), 0) / 2
        self.low, self.high = low - lack, high + lack

    def _place(self, share: Any) -> Floats:
        """A share as a value on the vertical axis."""
        if not self.odds:
            return np.asarray(share, np.float64)
        safe = np.clip(np.asarray(share, np.float64), 1e-4, 1 - 1e-4)
        return np.asarray(np.log(safe / (1 - safe)))

    def x(self, at: Any) -> Any:
        """Where a moment is, in pixels."""
        part = (np.asarray(at, float) - self.first) / (self.last - self.first)
        return self.left + np.clip(part, 0, 1) * (self.right - self.left)

    def y(self, share: Any) -> Any:
        """Where a share is, in pixels."""
        part = (self.high - self._place(share)) / (self.high - self.low)
        return np.asarray(self.top + np.clip(part, 0, 1) * (self.bottom - self.top))

    def _path(self, line: Line) -> tuple[Floats, Floats]:
        """A curve in pixels; at a takeover it crosses the other one on the date of it."""
        xs, ys = np.asarray(self.x(line.x)), np.asarray(self.y(line.y))
        for one in self.takeovers:
            if line.key in (one.key, one.old) and line.x[0] < one.at < line.x[-1]:
                at = float(self.x(one.at))
                height = self._crossing(one)
                if height is not None:
                    place = int(np.searchsorted(xs, at))
                    xs, ys = np.insert(xs, place, at), np.insert(ys, place, height)
        return xs, ys

    def _crossing(self, one: Takeover) -> float | None:
        """How high two curves cross, if they do so next to the date of the takeover."""
        if one.old not in self.by_key:
            return None
        new, old = self.by_key[one.key], self.by_key[one.old]
        if not (new.x[0] < one.at <= new.x[-1] and old.x[0] <= one.at <= old.x[-1]):
            return None
        at = np.unique(np.concatenate([new.x, old.x]))
        near = np.searchsorted(at, one.at)
        ends = at[max(near - 2, 0) : near + 2]
        ends = ends[(ends >= max(new.x[0], old.x[0])) & (ends <= min(new.x[-1], old.x[-1]))]
        if len(ends) < 2:
            return None
        dense = np.linspace(ends[0], ends[-1], 200)
        ours = self._place(np.interp(dense, new.x, new.y))
        theirs = self._place(np.interp(dense, old.x, old.y))
        change = np.flatnonzero(np.diff(np.sign(ours - theirs)))
        if not len(change):
            return None
        height = (ours[change[0]] + ours[change[0] + 1]) / 2
        return float(
            self.top + (self.high - height) / (self.high - self.low) * (self.bottom - self.top)
        )

    def _flagged(
        self, takeovers: Sequence[Takeover]
    ) -> list[tuple[Takeover, str, float, str, int]]:
        """Labels of changes, the latest ones: text, where, which end of the text, row."""
        found: list[tuple[Takeover, str, float, str]] = []
        size = self.size.text
        for one in takeovers:
            at, known = float(self.x(one.at)), self.by_key[one.key].name
            room = max(self.size.width - at, at) - 8
            dated = f" takes over, {self.moments.brief(one.at)}"
            needed = width(dated + fitted(known, 0, size), size, bold=True)
            after = dated if needed <= room else " takes over"
            left = room - width(after, size, bold=True)
            text = isolated(fitted(known, left, size, bold=True)) + after
            side = "end" if at + 5 + width(text, size, bold=True) > self.size.width else "start"
            found.append((one, text, at, side))
        while True:
            spans = [
                (at - 5 - long, at) if side == "end" else (at, at + 5 + long)
                for _, text, at, side in found
                for long in [width(text, self.size.text, bold=True)]
            ]
            given = rows(spans)
            if max(given, default=0) < EVENTS:
                return [(*one, row) for one, row in zip(found, given, strict=True)]
            found = found[1:]

    def svg(self, name: str, label: str, finding: str) -> Markup:
        """All of it."""
        plot = {"x": self.left, "y": self.top, "height": self.bottom - self.top}
        plot["width"] = self.right - self.left
        seen = [*self._axes(), *self._changes(), *self._curves(), *self._turns(), *self._notes()]
        return element(
            "svg",
            element("title", label, id=f"{name}-title"),
            element("desc", finding, id=f"{name}-desc"),
            element("g", *seen, aria_hidden="true"),
            element("rect", class_="reader", data_label=label, **plot),
            *self._ends(),
            element("path", class_="cursor", d=f"M0 {self.top}V{self.bottom}", hidden=""),
            class_=self.size.kind,
            viewBox=f"0 0 {self.size.width} {self.height}",
            role="group",
            aria_labelledby=f"{name}-title",
            aria_describedby=f"{name}-desc",
            data_first=repr(self.first),
            data_last=repr(self.last),
            data_left=self.left,
            data_right=self.right,
        )

    def _axes(self) -> list[Markup]:
        found = []
        for share in self._shares():
            y = float(self.y(share))
            kind = "grid middle" if share == 0.5 and self.odds else "grid"
            found.append(element("path", class_=kind, d=f"M{self.left} {y:.1f}H{self.right}"))
            words = f"{100 * share:g}%"
            at = {"x": self.left - 6, "y": y + 4, "text_anchor": "end"}
            found.append(element("text", words, class_="tick", **at))
        bounds = (self.first, self.last), (self.left, self.right), self.bottom, self.size
        return found + axis(self.moments, *bounds)

    def _shares(self) -> list[float]:
        """Marks of the vertical axis, at least 18 pixels apart."""
        if not self.odds:
            return rounds(0, self.high, 6)
        low, high = (1 / (1 + math.exp(-one)) for one in (self.low, self.high))
        found: list[float] = []
        for step in STEPS:
            many = range(math.ceil(low / step), math.floor(high / step) + 1)
            found = [round(n * step, 4) for n in many if 0 < n * step < 1]
            if len(found) >= 3:
                break
        found += [one for one in EDGES if low < one < high and one not in found]
        kept: list[float] = []
        for one in sorted(found, key=lambda one: abs(one - 0.5)):  # the middle first
            if all(abs(float(self.y(one)) - float(self.y(other))) >= 18 for other in kept):
                kept.append(one)
        return sorted(kept)

    def _changes(self) -> list[Markup]:
        """When a change may have been, when most likely, and who took over."""
        found, row_of = [], {one: row for one, *_, row in self.flags}
        for one in self.takeovers:
            low, high, at = (float(self.x(moment)) for moment in (one.low, one.high, one.at))
            begin = 4 + FLAG * row_of[one] if one in row_of else self.top
            span = {"x": low, "y": self.top, "width": max(high - low, 1.0)}
            found.append(element("rect", class_="maybe", height=self.bottom - self.top, **span))
            found.append(element("path", class_="event", d=f"M{at:.1f} {begin}V{self.bottom}"))
        for _, text, at, side, row in self.flags:
            where = {"x": at + (5 if side == "start" else -5), "y": 14 + FLAG * row}
            found.append(element("text", text, class_="flag", text_anchor=side, **where))
        return found

    def _curves(self) -> list[Markup]:
        """Grey ones below, the leader on top."""
        found = []
        order = [line for line in self.lines if not line.coloured][::-1]
        order += [line for line in self.lines if line.coloured][::-1]
        for line in order:
            xs, ys = self.points[line.key]
            parts = [self._band(line)] if line.banded or len(self.lines) <= BANDED else []
            parts.append(element("path", class_="line", d=polyline(xs, ys)))
            if line.joined or len(xs) == 1:
                parts.append(element("circle", class_="start", cx=xs[0], cy=ys[0], r=3.5))
            if line.left:
                cross = f"M{xs[-1] - 4:.1f} {ys[-1] - 4:.1f}l8 8m0-8l-8 8"
                parts.append(element("path", class_="stop", d=cross))
            kinds = ["arm", hue(line.key), *["on"] * line.coloured, *["banded"] * line.banded]
            found.append(element("g", *parts, class_=" ".join(kinds), data_key=line.key))
        return found

    def _band(self, line: Line) -> Markup:
        step = 1 if line.banded else 2
        xs = np.asarray(self.x(line.x))[::step]
        up, down = np.asarray(self.y(line.high))[::step], np.asarray(self.y(line.low))[::step]
        there, back = np.concatenate([xs, xs[::-1]]), np.concatenate([up, down[::-1]])
        return element("path", class_="band", d=f"{polyline(there, back)}Z")

    def _turns(self) -> list[Markup]:
        """A ring where a leader took over."""
        return [
            element("circle", class_=f"turn {hue(one.key)}", cx=x, cy=y, r=4.5)
            for one, x, y in self._rings()
        ]

    def _rings(self) -> list[tuple[Takeover, float, float]]:
        places = [(one, float(self.x(one.at))) for one in self.takeovers]
        return [(one, x, float(np.interp(x, *self.points[one.key]))) for one, x in places]

    def _notes(self) -> list[Markup]:
        """Who joined and who left, beside the curve."""
        notes, lines, size = [], [], self.size.text
        for line in self.lines:
            for is_so, verb, end in ((line.joined, "joined", 0), (line.left, "left", -1)):
                if not is_so:
                    continue
                xs, ys = self.points[line.key]
                known = fitted(line.name, 0.35 * (self.right - self.left), size)
                text = f"{isolated(known)} {verb}"
                if self.size.kind != "narrow":
                    text += f", {self.moments.brief(float(line.x[end]))}"
                notes.append(Note(float(xs[end]), float(ys[end]), text, end == 0))
                lines.append(line)
        within = Box(self.left + 2, self.top, self.right - 2, self.bottom - 2)
        rings = [Box(x - 5, y - 5, x + 5, y + 5) for _, x, y in self._rings()]
        bars = [float(self.x(one.at)) for one in self.takeovers]
        curves = list(self.points.values())
        boxes = noted(notes, within, size, lines=curves, bars=bars, taken=rings)
        return [
            element(
                "text",
                note.text,
                class_=f"note {hue(line.key)}{' on' * line.coloured}",
                data_key=line.key,
                x=box.x0,
                y=box.y1 - size / 3,
            )
            for note, box, line in zip(notes, boxes, lines, strict=True)
            if box is not None
        ]

    def _ends(self) -> list[Markup]:
        """Names at the ends of curves, in the order of the curves; buttons, where scripts run."""
        if not self.named:
            return []
        gap = min(NAME, (self.bottom - self.top) / len(self.named))
        wanted = [float(self.points[line.key][1][-1]) for line in self.named]
        heights = apart(wanted, gap, self.top + gap / 2, self.bottom - 2)
        found = []
        for line, end, y in zip(self.named, wanted, heights.tolist(), strict=True):
            share, room = f"{100 * line.y[-1]:.0f}%", self.room - 18.0
            size, bold = self.size.text, line.coloured
            short = fitted(line.name, room - width(f" {share}", size), size, bold=bold)
            if short != line.name and self.size.kind == "narrow":  # the name needs all the room
                short, share = fitted(line.name, room, size, bold=bold), ""
            spoken = " ".join(filter(None, [isolated(short), share]))
            if short != line.name:
                spoken += f", in full {isolated(line.name)}"
            text = [element("tspan", isolated(short), class_="who")]
            text += [Markup(" "), element("tspan", share, class_="share")] if share else []
            x = self.right
            found.append(
                element(
                    "g",
                    element("rect", x=x + 2, y=y - gap / 2, width=self.room - 2.0, height=gap),
                    element("path", class_="lead", d=f"M{x + 2} {end:.1f}L{x + 14} {y:.1f}"),
                    element("text", *text, x=x + 17, y=y + 4.3),
                    class_=f"end {hue(line.key)}{' on' * line.coloured}",
                    data_key=line.key,
                    data_label=f"{spoken}: draw in colour",
                )
            )
        return found
