"""How a learner looks in every chart: colour, marker and dash, each telling it apart alone."""

from collections.abc import Iterable
from typing import NamedTuple

# Okabe and Ito's colours, for the light and for the dark page. Black turns light on the dark one,
# blue lighter; orange, sky and yellow are deeper on the light one, for a contrast of 3 to 1.
TONES = {
    "black": ("#000000", "#d6d6d0"),
    "orange": ("#bd8000", "#e69f00"),
    "sky": ("#3598d2", "#56b4e9"),
    "green": ("#009e73", "#009e73"),
    "yellow": ("#9c9200", "#f0e442"),
    "blue": ("#0072b2", "#2a86c8"),
    "vermillion": ("#d55e00", "#d55e00"),
    "purple": ("#c66b9e", "#cc79a7"),
    "grey": ("#6b7078", "#9aa1a9"),
}

# Outlines around (0, 0), as SVG writes them.
MARKERS = {
    "circle": "M4 0A4 4 0 1 1-4 0A4 4 0 1 1 4 0Z",
    "square": "M-3.5-3.5H3.5V3.5H-3.5Z",
    "diamond": "M0-5L5 0L0 5L-5 0Z",
    "up": "M0-4.8L4.6 3.4H-4.6Z",
    "down": "M0 4.8L4.6-3.4H-4.6Z",
    "cross": "M-4.2-2.4L-2.4-4.2L0-1.8L2.4-4.2L4.2-2.4L1.8 0L4.2 2.4L2.4 4.2L0 1.8L-2.4 4.2"
    "L-4.2 2.4L-1.8 0Z",
    "plus": "M-1.4-4.8H1.4V-1.4H4.8V1.4H1.4V4.8H-1.4V1.4H-4.8V-1.4H-1.4Z",
    "pentagon": "M0-4.8L4.6-1.5L2.8 3.9H-2.8L-4.6-1.5Z",
    "star": "M0-5.6L1.6-1.8L5.4-1.7L2.4 .8L3.4 4.5L0 2.4L-3.4 4.5L-2.4 .8L-5.4-1.7L-1.6-1.8Z",
    "hexagon": "M4.6 0L2.3 4H-2.3L-4.6 0L-2.3-4H2.3Z",
    "none": "",
}


class Look(NamedTuple):
    """What a curve is drawn with."""

    tone: str
    marker: str
    dash: str
    """As SVG's stroke-dasharray; empty for a solid line."""


LOOKS = {
    "RAND": Look("black", "cross", "3 3"),
    "REX3": Look("purple", "down", "9 4"),
    "DEX3.P": Look("green", "square", "9 3 2 3"),
    "DEX3.S": Look("blue", "circle", ""),
    "DEX3.S corrected": Look("vermillion", "diamond", "15 3"),
    "Borda-DEX3.S": Look("sky", "up", ""),
    "Borda-DEX3.S corrected": Look("orange", "star", "6 2"),
    # Those who know S are DEX3.S under another name.
    "S known": Look("blue", "circle", ""),
    "S known, corrected": Look("vermillion", "diamond", "15 3"),
    "S unknown": Look("sky", "pentagon", "7 3 2 3 2 3"),
    "S unknown, corrected": Look("orange", "plus", "6 2"),
    "irreducible": Look("grey", "none", "7 5"),
    "lower bound": Look("grey", "none", "7 4 1 4"),
}

# For learners that have no look of their own, in the order in which they come.
SPARE = tuple(
    Look(tone, marker, dash)
    for tone, marker, dash in zip(
        ("yellow", "green", "purple", "sky", "orange", "blue", "vermillion", "black"),
        ("hexagon", "up", "star", "plus", "pentagon", "square", "down", "diamond"),
        ("", "9 4", "15 3", "6 2", "9 3 2 3", "3 3", "7 3 2 3 2 3", "12 4"),
        strict=True,
    )
)


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """A look for each label, the same wherever the label comes.

    Examples
    --------
    >>> looks(["mine", "RAND", "mine"])["mine"].marker
    'hexagon'
    """
    found: dict[str, Look] = {}
    others = 0
    for label in labels:
        if label not in found:
            found[label] = LOOKS.get(label) or SPARE[others % len(SPARE)]
            others += label not in LOOKS
    return found


def rules(found: dict[str, Look]) -> str:
    """The style sheet's part of the looks: class look-0 has the colour of the first, and so on."""
    tones = [TONES[look.tone] for look in found.values()]
    return "\n".join(
        f".look-{number} {{ --colour: light-dark({light}, {dark}); }}"
        for number, (light, dark) in enumerate(tones)
    )


def swatch(look: Look) -> str:
    """A bit of the curve, for a legend."""
    return (
        '<svg class="swatch" width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">'
        f'<path class="stroke" d="M0 7H30" stroke-dasharray="{look.dash}"/>'
        f'<path class="mark" d="{MARKERS[look.marker]}" transform="translate(15 7)"/></svg>'
    )
