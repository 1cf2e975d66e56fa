"""How arms stand, as pages show it: figures, events, places, a table, pairs.

The template and the style are standing.html and standing.css.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from sparring.charts.course import hue
from sparring.charts.elements import element
from sparring.formats import number, places

TELLING = 0.4  # of all places: wider ranges than this on average are a sentence, not bars
FULL = 0.3  # from one half: a share whose shade is full
SHADES = 8
FADED = 12  # votes, with which a shade is half as strong
FEW = 20  # votes, below which a share is pale


class Figure(NamedTuple):
    """One of the figures on top: a word for it, the figure, and what else is to be said."""

    label: str
    value: str
    detail: str
    key: int | None = None
    """Whose colour it has."""


class Event(NamedTuple):
    """Something that changed, and when."""

    when: str
    machine: str
    way: str
    """Up, down, in or out."""
    who: str
    text: str
    """What it did."""
    detail: str


class Standing(NamedTuple):
    """An arm and how it stands now."""

    key: int
    name: str
    coloured: bool
    places: tuple[int, int]
    share: str
    """Of the votes it wins, such as 72% ± 3."""
    at: float
    low: float
    high: float
    """The same and its bounds as places on an axis, between 0 and 1."""
    first: str
    """The chance that it is the first."""
    change: str
    shown: int

    @property
    def kind(self) -> str:
        """The classes of its row."""
        return hue(self.key) + " on" * self.coloured

    @property
    def middle(self) -> str:
        """Its share without the error."""
        return self.share.partition(" ")[0]

    @property
    def error(self) -> str:
        """How far off its share may be."""
        return self.share.partition(" ")[2].replace(" ", "\N{NO-BREAK SPACE}")

    @property
    def place(self) -> str:
        """The places that it may have."""
        return places(*self.places)

    def interval(self, middle: float) -> Markup:
        """Its share as a point with a bar, beside a line for one half."""
        return element(
            "svg",
            element("line", class_="half", x1=_part(middle), x2=_part(middle), y1="0", y2="100%"),
            element(
                "rect",
                class_="range",
                x=_part(self.low),
                width=_part(self.high - self.low),
                y="16",
                height="6",
                rx="3",
            ),
            element("circle", class_="point", cx=_part(self.at), cy="19", r="5"),
            class_="interval",
            aria_hidden="true",
        )

    def bar(self, many: int) -> Markup:
        """Its places as a bar among so many."""
        low, high = self.places
        begin, wide = (low - 1) / many, (high - low + 1) / many
        span = {"x": _part(begin + 0.004), "width": _part(wide - 0.008)}
        return element(
            "svg",
            *(_upright("between", at / many) for at in range(many + 1)),
            element("rect", y="2", height="22", rx="4", **span),
            element("text", self.place, x=_part(begin + wide / 2), y="18", text_anchor="middle"),
            class_="bar",
        )


class Met(NamedTuple):
    """How an arm did against another one."""

    share: str
    votes: str
    kind: str
    """The classes of its cell."""
    won: float
    name: str

    def bar(self) -> Markup:
        """Its share as a bar to the side of one half."""
        begin = min(self.won, 0.5)
        size = {"x": _part(begin), "width": _part(abs(self.won - 0.5)), "y": "2", "height": "10"}
        parts = _upright("half", 0.5), element("rect", **size)
        return element("svg", *parts, class_="lean", aria_hidden="true")


def told_apart(standings: Sequence[Standing]) -> bool:
    """Whether the places are narrow enough to be drawn.

    Bars that all span nearly everything say less than a sentence.
    """
    wide = [high - low + 1 for low, high in (one.places for one in standings)]
    return bool(wide) and sum(wide) / len(wide) <= TELLING * len(wide)


def met(
    names: Sequence[str], wins: NDArray[np.float64], counts: NDArray[np.float64]
) -> list[list[Met]]:
    """How each did against each, in rows; nothing where they never met.

    Parameters
    ----------
    names
        The arms, in the order of rows and columns.
    wins
        How often row beat column; a tie is half a win.
    counts
        How often they met.
    """
    return [
        [_met(i == j, wins[i, j], counts[i, j], name) for j, name in enumerate(names)]
        for i in range(len(names))
    ]


def _met(itself: bool, won: float, votes: float, name: str) -> Met:
    if itself or not votes:
        return Met("" if itself else "never", "", "none", 0.5, name)
    share = float(won / votes)
    # Symmetric about one half; few votes are faint, since they say little.
    level = round(SHADES * min(abs(share - 0.5) / FULL, 1) * votes / (votes + FADED))
    side = "wins" if share > 0.5 else "loses"
    kind = (f"{side}-{level}" if level else "even") + " few" * bool(votes < FEW)
    return Met(f"{100 * share:.0f}%", number(round(float(votes), 1)), kind, share, name)


def _part(share: float) -> str:
    """A share of a width."""
    return f"{100 * share:.2f}%"


def _upright(kind: str, at: float) -> Markup:
    """A line from top to bottom."""
    return element("line", class_=kind, x1=_part(at), x2=_part(at), y1="0", y2="100%")
