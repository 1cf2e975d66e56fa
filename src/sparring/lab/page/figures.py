"""Figures within pages of results: Matplotlib's, in the colours of the page."""

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from sparring.lab.draw.league import NAMELESS
from sparring.lab.draw.panels import figure_of
from sparring.lab.draw.settings import FAINT, INK, MUTED, settings
from sparring.lab.draw.styles import TONES, style_of
from sparring.lab.draw.svg import inline
from sparring.lab.draw.theory import WRONG
from sparring.lab.summaries import Curve

SWATCH = (0.42, 0.2)  # a bit of a curve, in inches
PAPER = "#FFFFFF"
# The page's colours for those parts of a figure that belong to no learner.
OURS = {
    INK: "var(--ink)",
    MUTED: "var(--quiet)",
    FAINT: "var(--line)",
    NAMELESS: "var(--quiet)",
    WRONG: "var(--fails)",
    PAPER: "var(--page)",
}


def colours() -> str:
    """The colours of figures, as rules with a tone for light pages and one for dark pages."""
    tones = {colour: f"light-dark({light}, {dark})" for colour, (light, dark) in TONES.items()}
    return "".join(
        f'.drawing [{what}="{colour.lower()}"] {{ {what}: {tone}; }}\n'
        for colour, tone in (tones | OURS).items()
        for what in ("fill", "stroke")
    )


def drawing(
    figure: Figure,
    name: str,
    about: str,
    *,
    curves: Sequence[Curve] = (),
    along: str = "",
    place: Callable[[float], str] | None = None,
) -> Markup:
    """A figure within a page."""
    return Markup(inline(figure, name, about=about, curves=curves, along=along, place=place))


def swatches(labels: Sequence[str]) -> dict[str, Markup]:
    """A sample of each curve for legends, by label; legends refer to it as swatch-0 and so on."""
    found = {}
    with settings():
        for place, label in enumerate(labels):
            style = style_of(label, labels)
            figure = figure_of(SWATCH)
            axes = figure.add_axes((0, 0, 1, 1))
            axes.axis("off")
            axes.set_xlim(0, 2)
            dash: Any = (0, style.dash) if style.dash else "-"
            marked: Any = {"marker": style.marker, "markevery": [1]}
            axes.plot([0, 1, 2], [1, 1, 1], color=style.colour, linestyle=dash, **marked)
            found[label] = drawing(figure, f"swatch-{place}", "")
    return found
