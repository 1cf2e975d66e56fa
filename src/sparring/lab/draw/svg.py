"""A figure as SVG within a page: learners to switch, values to point at, colours of the page.

A page forbids styles within elements, so what Matplotlib styles becomes attributes, which the
page's own style sheet may overrule: that is how a figure follows light and dark.
"""

import re
from collections.abc import Callable, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sparring.formats import isolated, number, pair
from sparring.lab.draw.saving import rendered
from sparring.lab.summaries import Curve

POINTS = 72.0  # an inch, as Matplotlib writes SVG
SPOTS = 40  # places along a curve that can be pointed at
KEPT = ("font-size", "font-style", "font-weight", "text-anchor", "opacity", "fill", "stroke")
# What no XML may hold, though a name may: control characters, U+FFFE and U+FFFF.
FORBIDDEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
GIVEN = re.compile(r"(?:line|band):(.*)", re.DOTALL)  # a gid that names a learner


def inline(
    figure: Figure,
    name: str,
    *,
    about: str,
    curves: Sequence[Curve] = (),
    along: str = "",
    place: Callable[[float], str] | None = None,
) -> str:
    """The figure as an element of SVG, without a background.

    Parameters
    ----------
    figure
        Any figure; if a page has several, each needs its own name.
    name
        Its id, with which the ids within it begin.
    about
        What it shows, for people who cannot see it; empty for decoration.
    curves
        Whose values are shown at the nearest x, if the figure has one pair of axes.
    along
        What x is called.
    place
        How to write an x, if not as a number: a date, for instance.
    """
    drawn = FORBIDDEN.sub(
        "\N{REPLACEMENT CHARACTER}".encode(), rendered(figure, "svg", transparent=True)
    )
    root = ElementTree.fromstring(drawn)
    _tidy(root, name)
    box = root.get("viewBox", "")
    root.attrib = {"id": name, "class": "drawing", "viewBox": box}
    root.attrib |= {"role": "img", "aria-label": about} if about else {"aria-hidden": "true"}
    if curves:
        head = place or (lambda at: f"{along} = {number(at)}")
        root.append(_spots(figure, figure.axes[0], curves, head))
    return ElementTree.tostring(root, encoding="unicode")


def _tidy(element: Element, name: str) -> None:
    """Leave what a browser draws: no namespaces, no ids that nothing refers to, no styles."""
    element.tag = element.tag.rpartition("}")[2]
    element.tail = None
    given = GIVEN.fullmatch(element.get("id", ""))
    element.attrib = dict(_attributes(element, name))
    if "id" in element.attrib:  # a marker: its colours stand where it is used, in reach of rules
        element.attrib.pop("stroke", "")
        element.attrib.pop("fill", "")
    if given and element.tag == "g":
        element.set("data-of", given[1])
    children = []
    for child in element:
        _tidy(child, name)
        if child.tag == "g" and not child.attrib:
            children += list(child)
        elif child.tag not in ("metadata", "style") and (len(child) or child.tag != "defs"):
            children.append(child)
    element[:] = children
    if element.text and not element.text.strip():
        element.text = None
    elif element.text and element.tag in ("text", "tspan"):
        element.text = isolated(element.text)


def _attributes(element: Element, name: str) -> list[tuple[str, str]]:
    found = []
    for key, value in element.attrib.items():
        key = key.rpartition("}")[2]
        if key == "style":
            found += _styles(value)
        elif key == "id":
            if element.tag in ("path", "clipPath"):  # of markers and frames
                found.append(("id", f"{name}-{value}"))
        elif not (key == "transform" and value.startswith("rotate(-0 ")):
            value = re.sub(r"^#|(?<=url\()#", f"#{name}-", value) if "#" in value else value
            found.append((key, value if key == "href" else _short(value)))
    return found


def _styles(style: str) -> list[tuple[str, str]]:
    """What a style says, as attributes; the font is the page's."""
    found = []
    for one in style.split(";"):
        key, _, value = (part.strip() for part in one.partition(":"))
        if key == "font":  # of Matplotlib 3.10: style, weight, size and family in one
            if size := re.search(r"([\d.]+)px", value):
                found.append(("font-size", size[1]))
            if "italic" in value or "oblique" in value:
                found.append(("font-style", "italic"))
        elif key.startswith(KEPT):
            found.append((key, _short(value.removesuffix("px").replace("oblique", "italic"))))
    return found


def _short(value: str) -> str:
    """Numbers to a tenth of a point, and no lines."""
    value = re.sub(r"\d+\.\d{2,}", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value)
    return " ".join(value.split())


def _spots(
    figure: Figure, axes: Axes, curves: Sequence[Curve], head: Callable[[float], str]
) -> Element:
    """A strip around each x; its title has the values there, the highest first."""
    x = np.unique(np.concatenate([curve.x for curve in curves]))
    if len(x) > SPOTS:
        x = x[np.unique(np.linspace(0, len(x) - 1, SPOTS).round().astype(int))]
    width, height = figure.get_size_inches() * POINTS
    frame = axes.get_position()
    across = axes.transData.transform(np.column_stack([x, np.ones(len(x))]))
    within = axes.transAxes.inverted().transform(across)[:, 0]
    places = (frame.x0 + within * frame.width) * width
    middles = (places[1:] + places[:-1]) / 2
    edges = [frame.x0 * width, *middles.tolist(), frame.x1 * width]
    group = Element("g", {"class": "spots", "fill": "none", "pointer-events": "all"})
    for i, at in enumerate(x.tolist()):
        strip = {
            "x": f"{edges[i]:.1f}",
            "y": f"{(1 - frame.y1) * height:.1f}",
            "width": f"{max(edges[i + 1] - edges[i], 0.1):.1f}",
            "height": f"{frame.height * height:.1f}",
        }
        spot = ElementTree.SubElement(group, "rect", strip)
        title = ElementTree.SubElement(spot, "title")
        title.text = "\n".join([head(at), *_values(curves, at)])
    return group


def _values(curves: Sequence[Curve], at: float) -> list[str]:
    here = [
        (float(curve.mean[i]), float(curve.sd[i]), curve.label)
        for curve in curves
        for i in np.flatnonzero(curve.x == at)
    ]
    ordered = sorted(here, key=lambda one: -np.nan_to_num(one[0]))
    return [f"{label}\t{pair(mean, sd)}" for mean, sd, label in ordered]
