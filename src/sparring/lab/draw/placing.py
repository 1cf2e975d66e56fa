"""Where names stand beside spots: plain numbers, no drawing."""

from collections.abc import Sequence
from typing import NamedTuple

LETTER = 0.58  # the mean width of a letter, in sizes of the font
AWAY = 0.75  # a name from its spot


class Box(NamedTuple):
    """A rectangle."""

    left: float
    low: float
    right: float
    high: float

    def overlap(self, other: "Box") -> float:
        """The area that both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        tall = min(self.high, other.high) - max(self.low, other.low)
        return max(wide, 0.0) * max(tall, 0.0)


def placed(
    names: Sequence[str], spots: Sequence[Sequence[float]], size: float, area: Box
) -> list[Box]:
    """A box for each name beside its spot, covering as little as can be of what is there already.

    Examples
    --------
    >>> first, second = placed(["one", "two"], [(50, 50), (50, 52)], 10, Box(0, 0, 200, 100))
    >>> first.overlap(second)
    0.0
    """
    taken = [_around(spot, size / 2) for spot in spots]
    found = []
    for name, (x, y) in zip(names, spots, strict=True):
        wide = LETTER * size * len(name)
        options = []
        for lift in (0.0, 0.6, -0.6, 1.2, -1.2, 1.9, -1.9, 2.6, -2.6):
            middle = y + lift * size
            low, high = middle - 0.6 * size, middle + 0.6 * size
            options.append(Box(x + AWAY * size, low, x + AWAY * size + wide, high))
            options.append(Box(x - AWAY * size - wide, low, x - AWAY * size, high))
        own = _around((x, y), size / 2)

        def cost(box: Box, own: Box = own) -> float:
            covered = sum(box.overlap(other) for other in taken if other != own)
            whole = (box.right - box.left) * (box.high - box.low)
            return covered + 2 * (whole - box.overlap(area))

        best = min(options, key=cost)  # the first of the least, which is the nearest
        taken.append(best)
        found.append(best)
    return found


def _around(spot: Sequence[float], half: float) -> Box:
    x, y = spot
    return Box(x - half, y - half, x + half, y + half)
