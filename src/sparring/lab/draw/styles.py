"""The look of each learner, the same in every figure and on every page; plain data, no drawing.

The colours are those of Okabe and Ito, which the colour-blind tell apart. Printed in grey some of
them are alike, so no two labels share both marker and dashes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from sparring.lab.summaries import IRREDUCIBLE, LOWER_BOUND

Value = TypeVar("Value")
Dash = tuple[float, ...]

BLACK = "#000000"
GREY = "#808080"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
ORANGE = "#E69F00"
SKY = "#56B4E9"
PURPLE = "#CC79A7"

# A colour on a light page and on a dark one, deeper or lighter for a contrast of 3 to 1.
TONES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        BLACK: ("#000000", "#d6d6d0"),
        GREY: ("#6b7078", "#9aa1a9"),
        BLUE: ("#0072b2", "#2a86c8"),
        VERMILLION: ("#d55e00", "#d55e00"),
        GREEN: ("#009e73", "#009e73"),
        ORANGE: ("#bd8000", "#e69f00"),
        SKY: ("#3598d2", "#56b4e9"),
        PURPLE: ("#c66b9e", "#cc79a7"),
    }
)

SOLID: Dash = ()
LONG: Dash = (6, 2)
SHORT: Dash = (3, 1.5)
DASH_DOT: Dash = (5, 1.5, 1, 1.5)
DENSE: Dash = (1.5, 1)
LONG_SHORT: Dash = (6, 1.5, 2.5, 1.5)
DASH_DOT_DOT: Dash = (5, 1.5, 1, 1.5, 1, 1.5)
DOTTED: Dash = (1, 2)  # of theory's slope only
LONGER: Dash = (9, 3)  # of lines that are not learners, as is the next
LONGER_DOT: Dash = (9, 2, 1, 2)


class Style(NamedTuple):
    """How a label is drawn."""

    colour: str
    """As in CSS."""
    marker: str
    """Matplotlib's code of a filled shape; empty for lines that are not learners."""
    dash: Dash
    """Lengths on and off in turn, in line widths, as `stroke-dasharray` has them; () is solid."""


# DEX3.S is blue and its correction vermillion; what does not know S is the lighter blue and orange.
STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "RAND": Style(GREY, "X", SHORT),
        "REX3": Style(ORANGE, "s", DASH_DOT),
        "DEX3.P": Style(GREEN, "^", LONG_SHORT),
        "DEX3.S": Style(BLUE, "o", SOLID),
        "DEX3.S corrected": Style(VERMILLION, "D", LONG),
        "Borda-DEX3.S": Style(SKY, "p", SOLID),
        "Borda-DEX3.S corrected": Style(PURPLE, "v", DASH_DOT),
        "S known": Style(BLUE, "h", SOLID),
        "S known, corrected": Style(VERMILLION, "d", LONG),
        "S unknown": Style(SKY, ">", DENSE),
        "S unknown, corrected": Style(ORANGE, "P", DASH_DOT_DOT),
        "DEX3.P best": Style(PURPLE, "*", SHORT),
        "DEX3.S best": Style(GREEN, "<", LONG_SHORT),
        "Borda-DEX3.S best": Style(ORANGE, "*", DENSE),
        IRREDUCIBLE: Style(BLACK, "", LONGER),
        LOWER_BOUND: Style(BLACK, "", LONGER_DOT),
    }
)
"""How each learner that figures know by name is drawn."""

# What other labels take, in this order.
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, GREY, BLACK)
MARKERS = ("o", "D", "^", "s", "v", "P", "X", "p", ">", "h", "d", "<", "*")
DASHES = (SOLID, LONG, DASH_DOT, SHORT, LONG_SHORT, DENSE, DASH_DOT_DOT)


def style_of(label: str, labels: Sequence[str] = ()) -> Style:
    """The style of a label: its own if it has one, else what the other labels leave.

    Parameters
    ----------
    label
        What is drawn.
    labels
        All that is drawn with it, in an order that does not change from figure to figure.

    Examples
    --------
    >>> style_of("DEX3.S")
    Style(colour='#0072B2', marker='o', dash=())
    >>> style_of("mine", ["DEX3.S", "mine"])
    Style(colour='#D55E00', marker='D', dash=(6, 2))
    """
    found = {each: STYLES[each] for each in (*labels, label) if each in STYLES}
    for each in (*labels, label):
        if each not in found:
            found[each] = _further(list(found.values()))
    return found[label]


def _further(taken: list[Style]) -> Style:
    """The rarest colour, marker and dashes; told apart from all others in grey if possible."""
    colour = _rarest(COLOURS, (style.colour for style in taken))
    marker = _rarest(MARKERS, (style.marker for style in taken))
    paired = {style.dash for style in taken if style.marker == marker}
    free = [dash for dash in DASHES if dash not in paired] or DASHES
    return Style(colour, marker, _rarest(free, (style.dash for style in taken)))


def _rarest(values: Sequence[Value], taken: Iterable[Value]) -> Value:
    """The first of the values that occur least."""
    often = Counter(taken)
    return min(values, key=lambda value: often[value])
