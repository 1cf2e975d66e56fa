"""Elements of SVG as text: any name is safe within them, numbers have a tenth of a pixel."""

from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def element(name: str, *content: Any, **attributes: Any) -> Markup:
    """An element with attributes and content, both escaped unless they are markup already.

    A word of Python has a `_` after it, and `_` stands for `-`; what is None is left out.

    Examples
    --------
    >>> print(element("text", "a < b", x=3.14159, class_="tick", text_anchor="end"))
    <text x="3.1" class="tick" text-anchor="end">a &lt; b</text>
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_written(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not content:
        return Markup(f"<{name}{told}/>")
    return Markup(f"<{name}{told}>{''.join(map(escape, content))}</{name}>")


def pixels(value: float) -> str:
    """A length to a tenth of a pixel.

    Examples
    --------
    >>> pixels(12.04), pixels(-0.01), pixels(3.25)
    ('12', '0', '3.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def polyline(xs: Floats, ys: Floats) -> str:
    """Points as the data of a path, without those that lie on one another."""
    keep = np.ones(len(xs), bool)
    keep[1:-1] = ((np.abs(np.diff(xs)) > 0.3) | (np.abs(np.diff(ys)) > 0.3))[:-1]
    points = zip(xs[keep].tolist(), ys[keep].tolist(), strict=True)
    return "M" + "L".join(f"{pixels(x)} {pixels(y)}" for x, y in points)


def _written(value: Any) -> Any:
    return pixels(float(value)) if isinstance(value, float | np.floating) else value
