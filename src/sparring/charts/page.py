"""What every page is built with: templates, filters, styles and scripts, its security policy."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from sparring import atomic, formats
from sparring.formats import Estimate


def build(
    package: str,
    template: str,
    *,
    looks: Sequence[str] = ("page.css",),
    scripts: Sequence[str] = ("page.js",),
    colours: str = "",
    **fields: Any,
) -> str:
    """A page from a template of a package: no network, no other file, safe for any label."""
    style, script = "".join(map(file, looks)) + colours, "\n".join(map(file, scripts))
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


def isolates(text: object) -> Markup:
    r"""A text whose names stand between isolates, with these as elements.

    Examples
    --------
    >>> print(isolates("\u2068<b>\u2069 leads"))
    <bdi>&lt;b&gt;</bdi> leads
    """
    return Markup(re.sub("\u2068([^\u2068\u2069]*)\u2069", r"<bdi>\1</bdi>", str(escape(text))))


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
    found.filters["isolates"] = isolates
    found.globals |= {"numbers": formats}
    return found
