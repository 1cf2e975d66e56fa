"""Words in a chart: how wide they are, how names are shortened, and where they do not overlap."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.formats import clipped

NARROW, BROAD = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW%@—…")
BOLD = 1.16  # as wide as plain letters
CLEAR = 4.0  # pixels between a label and the next
LEAST = 4  # letters of a name that is shortened


class Box(NamedTuple):
    """A rectangle, in pixels of the drawing."""

    x0: float
    y0: float
    x1: float
    y1: float

    def meets(self, other: "Box", clear: float = 0.0) -> bool:
        """Whether two have a point in common, or nearly."""
        return (
            self.x0 < other.x1 + clear
            and other.x0 - clear < self.x1
            and self.y0 < other.y1 + clear
            and other.y0 - clear < self.y1
        )


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How many pixels a text takes at most: nobody knows the reader's font, so on the wide side.

    Examples
    --------
    >>> width("fern", 13) < width("FERN", 13) < width("シダ植物", 13)
    True
    """
    return sum(map(_em, text)) * size * (BOLD if bold else 1.0)


def _em(letter: str) -> float:
    """The width of a letter, in ems."""
    if letter in NARROW:
        return 0.36
    if letter in BROAD:
        return 0.95
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # marks above others, directions
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if ord(letter) > 0x2E80 or unicodedata.category(letter) == "So":
        return 1.3
    return 0.72 if letter.isupper() else 0.62


def fitted(name: str, room: float, size: float, *, bold: bool = False) -> str:
    """As much of a name as has room; never less than four letters.

    Examples
    --------
    >>> fitted("northern-lights-instruct-70b", 120, 13)
    'northern-l…t-70b'
    """
    if width(name, size, bold=bold) <= room:
        return name
    low, high = LEAST, max(len(name) - 1, LEAST)
    while low < high:
        middle = (low + high + 1) // 2
        if width(clipped(name, middle), size, bold=bold) <= room:
            low = middle
        else:
            high = middle - 1
    return clipped(name, low)


def apart(wanted: Sequence[float], gap: float, top: float, bottom: float) -> NDArray[np.float64]:
    """Heights at least `gap` apart, in the order of those wanted and as near to them as can be.

    Least squares: neighbours that would overlap form a block, which stands where its members want
    it on average. `top` and `bottom` hold if there is room for all.
    """
    order = np.argsort(wanted, kind="stable")
    blocks: list[tuple[float, int]] = []  # where the first one is, and of how many
    for rank, one in enumerate(order):
        blocks.append((float(wanted[one]) - rank * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            y, n = blocks.pop()
            above, m = blocks[-1]
            blocks[-1] = (above * m + y * n) / (m + n), m + n
    flat = np.repeat([y for y, _ in blocks], [n for _, n in blocks])
    flat = np.clip(flat, top, max(bottom - (len(wanted) - 1) * gap, top))
    found = np.empty(len(wanted))
    found[order] = flat + np.arange(len(wanted)) * gap
    return found


def rows(spans: Iterable[tuple[float, float]], clear: float = 2 * CLEAR) -> list[int]:
    """The first free row for each stretch of a line, in their order."""
    taken: list[list[tuple[float, float]]] = []
    found = []
    for low, high in spans:
        row = next(
            (
                place
                for place, others in enumerate(taken)
                if all(high + clear < a or b + clear < low for a, b in others)
            ),
            len(taken),
        )
        if row == len(taken):
            taken.append([])
        taken[row].append((low, high))
        found.append(row)
    return found


class Note(NamedTuple):
    """A text that belongs to a point of the plot."""

    x: float
    y: float
    text: str
    ahead: bool
    """Whether it stands better to the right of the point."""


def noted(
    notes: Sequence[Note],
    within: Box,
    size: float,
    *,
    lines: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]] = (),
    bars: Sequence[float] = (),
    taken: Sequence[Box] = (),
) -> list[Box | None]:
    """Where each note stands near its point: where the fewest curves and bars run through it.

    None if all places near it are taken: it is left out, since two labels must not overlap.
    """
    full = list(taken)
    found: list[Box | None] = []
    for note in notes:
        long, best = width(note.text, size), None
        cost = np.inf
        for dx in (8.0, -long - 8, -long / 2, min(8.0, within.x1 - 4 - long - note.x)):
            for dy in (4.0, -9, 18, -24, 32, -40, 48, 64):
                if -long < dx < 8 and abs(dy) < 12:
                    continue  # on the point
                x, y = note.x + dx, note.y + dy
                box = Box(x, y - size, x + long, y + size / 3)
                inside = (
                    within.x0 < box.x0
                    and box.x1 < within.x1
                    and within.y0 < box.y0
                    and box.y1 < within.y1
                )
                if not inside or any(box.meets(one, CLEAR) for one in full):
                    continue
                price = abs(dy - 4) / 8 + (0 if (dx > 0) == note.ahead else 2)
                price += 6 * sum(box.x0 - 2 < at < box.x1 + 2 for at in bars)
                price += sum(_crossed(box, xs, ys) for xs, ys in lines)
                if price < cost:
                    cost, best = price, box
        found.append(best)
        full += [best] if best else []
    return found


def _crossed(box: Box, xs: NDArray[np.float64], ys: NDArray[np.float64]) -> float:
    """How much a curve disturbs a label: for each bit of it inside, and for going through it."""
    low, high = max(box.x0, float(xs[0])), min(box.x1, float(xs[-1]))
    if high <= low:
        return 0.0
    inside = np.interp(np.linspace(low, high, 24), xs, ys)
    through = bool(inside.min() < box.y0 and inside.max() > box.y1)
    return float(((inside > box.y0 - 2) & (inside < box.y1 + 2)).sum()) / 3 + 6 * through
