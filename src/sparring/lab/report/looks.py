"""How a learner looks on the page: the styles of all figures, as SVG and CSS want them."""

from collections.abc import Iterable
from typing import NamedTuple

from sparring.lab import styles

WIDTH = 2  # of a line, in pixels: dashes are given in widths

# A colour on the light page and on the dark one, deeper or lighter for a contrast of 3 to 1.
TONES = {
    styles.BLACK: ("#000000", "#d6d6d0"),
    styles.GREY: ("#6b7078", "#9aa1a9"),
    styles.BLUE: ("#0072b2", "#2a86c8"),
    styles.VERMILLION: ("#d55e00", "#d55e00"),
    styles.GREEN: ("#009e73", "#009e73"),
    styles.ORANGE: ("#bd8000", "#e69f00"),
    styles.SKY: ("#3598d2", "#56b4e9"),
    styles.PURPLE: ("#c66b9e", "#cc79a7"),
}

# Outlines around (0, 0), as SVG writes them, by the codes of the styles.
MARKERS = {
    "o": "M4 0A4 4 0 1 1-4 0A4 4 0 1 1 4 0Z",
    "s": "M-3.5-3.5H3.5V3.5H-3.5Z",
    "D": "M0-5L5 0L0 5L-5 0Z",
    "d": "M0-5.4L3.4 0L0 5.4L-3.4 0Z",
    "^": "M0-4.8L4.6 3.4H-4.6Z",
    "v": "M0 4.8L4.6-3.4H-4.6Z",
    ">": "M4.8 0L-3.4 4.6V-4.6Z",
    "<": "M-4.8 0L3.4 4.6V-4.6Z",
    "X": "M-4.2-2.4L-2.4-4.2L0-1.8L2.4-4.2L4.2-2.4L1.8 0L4.2 2.4L2.4 4.2L0 1.8L-2.4 4.2"
    "L-4.2 2.4L-1.8 0Z",
    "P": "M-1.4-4.8H1.4V-1.4H4.8V1.4H1.4V4.8H-1.4V1.4H-4.8V-1.4H-1.4Z",
    "p": "M0-4.8L4.6-1.5L2.8 3.9H-2.8L-4.6-1.5Z",
    "h": "M4.6 0L2.3 4H-2.3L-4.6 0L-2.3-4H2.3Z",
    "*": "M0-5.6L1.6-1.8L5.4-1.7L2.4 .8L3.4 4.5L0 2.4L-3.4 4.5L-2.4 .8L-5.4-1.7L-1.6-1.8Z",
    "": "",
}


class Look(NamedTuple):
    """What a curve is drawn with."""

    tones: tuple[str, str]
    """Its colour on the light page and on the dark one."""
    marker: str
    """An outline."""
    dash: str
    """As SVG's stroke-dasharray; empty for a solid line."""


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """A look for each label, the same wherever the label comes.

    Examples
    --------
    >>> looks(["RAND"])["RAND"].dash
    '6 3'
    """
    different = list(dict.fromkeys(labels))
    found = {label: styles.style_of(label, different) for label in different}
    return {
        label: Look(
            TONES[style.colour],
            MARKERS[style.marker],
            " ".join(f"{WIDTH * length:g}" for length in style.dash),
        )
        for label, style in found.items()
    }


def rules(found: dict[str, Look]) -> str:
    """The style sheet's part of the looks: class look-0 has the colour of the first, and so on."""
    return "\n".join(
        f".look-{number} {{ --colour: light-dark({look.tones[0]}, {look.tones[1]}); }}"
        for number, look in enumerate(found.values())
    )


def swatch(look: Look) -> str:
    """A bit of the curve, for a legend."""
    return (
        '<svg class="swatch" width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">'
        f'<path class="stroke" d="M0 7H30" stroke-dasharray="{look.dash}"/>'
        f'<path class="mark" d="{look.marker}" transform="translate(15 7)"/></svg>'
    )
