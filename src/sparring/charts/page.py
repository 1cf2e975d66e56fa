"""What every page is built with: templates, filters, its security policy, figures within it."""

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from sparring import atomic, formats
from sparring.charts.axes import figure_of
from sparring.charts.scales import Curve
from sparring.charts.settings import FAINT, INK, MUTED, settings
from sparring.charts.styles import NAMELESS, TONES, WRONG, style_of
from sparring.charts.svg import inline
from sparring.formats import Estimate

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


def build(package: str, template: str, **fields: Any) -> str:
    """A page from a template of a package: no network, no other file, safe for any label."""
    style, script = file("page.css") + colours(), file("page.js")
    frame = {"style": Markup(style), "script": Markup(script), "policy": policy(style, script)}
    return environment(package).get_template(template).render(**frame, **fields)


def write(path: Path, page: str) -> Path:
    """Write the page as a file, complete or not at all, in a folder that is created if needed."""
    with atomic.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, page.encode(errors="replace"))
    return path


def file(name: str) -> str:
    """A file of this folder."""
    return (
        resources.files("sparring.charts").joinpath("templates", name).read_text(encoding="utf-8")
    )


def policy(style: str, script: str) -> str:
    """Only this style sheet and this script may run, and nothing may be fetched."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; style-src 'sha256-{digest(style)}'; "
        f"script-src 'sha256-{digest(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


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


def prose(text: object) -> Markup:
    """A text of the data with its mathematics set as such.

    Examples
    --------
    >>> print(prose("like V_T^(1/3) & √$T$"))
    like <i>V<sub>T</sub></i><sup>1/3</sup> &amp; √<i>T</i>
    """
    shown = re.sub(r"\$(.+?)\$", _formula, str(escape(text))).replace(" = ", "&nbsp;=&nbsp;")
    shown = re.sub(r"\bV_T\b", "<i>V<sub>T</sub></i>", shown)
    return Markup(re.sub(r"\^\((\d+/\d+)\)", r"<sup>\1</sup>", shown))


def _formula(found: re.Match[str]) -> str:
    """A size, perhaps with a power, as `draw.words` writes it."""
    base, _, power = found[1].partition("^")
    letter, _, below = base.partition("_")
    shown = f"<i>{letter}<sub>{below}</sub></i>" if below else f"<i>{letter}</i>"
    return shown + (f"<sup>{power.strip('{}')}</sup>" if power else "")


def estimate(found: Estimate, unknown: str = formats.UNKNOWN) -> Markup:
    """A measured number and its interval, which break only between the two."""
    if found.value != found.value:
        return escape(unknown)
    value, _, interval = formats.interval(found).replace("-", "\N{MINUS SIGN}").partition(" (")
    shown = Markup("<b>{}</b>").format(value)
    if not interval:
        return shown
    return shown + Markup(' <span class="interval">{}</span>').format(interval.rstrip(")"))


@cache
def environment(package: str) -> Environment:
    """The templates of a package, above those that all pages share."""
    found = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("sparring.charts")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"prose": prose, "estimate": estimate, "number": formats.number}
    found.globals |= {"numbers": formats}
    return found
