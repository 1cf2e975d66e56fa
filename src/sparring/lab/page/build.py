"""What every page is built with: templates, filters, its security policy, its provenance."""

import base64
import hashlib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from sparring.lab import numbers, results
from sparring.lab.draw import words
from sparring.lab.draw.league import NAMELESS
from sparring.lab.draw.panels import figure_of
from sparring.lab.draw.settings import FAINT, INK, MUTED, settings
from sparring.lab.draw.styles import TONES, style_of
from sparring.lab.draw.svg import inline
from sparring.lab.draw.theory import WRONG
from sparring.lab.measures import Estimate
from sparring.lab.summaries import Curve, Summary

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


def build(template: str, **fields: Any) -> str:
    """A page: no network, no other file, safe for any label."""
    style, script = file("page.css") + colours(), file("page.js")
    return (
        _environment()
        .get_template(template)
        .render(style=Markup(style), script=Markup(script), policy=policy(style, script), **fields)
    )


def write(path: Path, page: str) -> Path:
    """Write the page as a file, complete or not at all, in a folder that is created if needed."""
    with results.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        results.write(path, page.encode(errors="replace"))
    return path


def file(name: str) -> str:
    """A file of this folder."""
    return resources.files("sparring.lab.page").joinpath(name).read_text(encoding="utf-8")


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


def swatches(labels: Sequence[str], among: Sequence[str] = ()) -> dict[str, Markup]:
    """A sample of each curve for legends, by label; legends refer to it as swatch-0 and so on.

    The looks are those among so many labels, if there are more than these.
    """
    found = {}
    with settings():
        for place, label in enumerate(labels):
            style = style_of(label, among or labels)
            figure = figure_of(SWATCH)
            axes = figure.add_axes((0, 0, 1, 1))
            axes.axis("off")
            axes.set_xlim(0, 2)
            dash: Any = (0, style.dash) if style.dash else "-"
            marked: Any = {"marker": style.marker, "markevery": [1]}
            axes.plot([0, 1, 2], [1, 1, 1], color=style.colour, linestyle=dash, **marked)
            found[label] = drawing(figure, f"swatch-{place}", "")
    return found


def link(folder: Path, file: str, sibling: str) -> str:
    """A link to another page of ours, in the same folder or in a sibling of it; empty if none."""
    if (folder / file).is_file():
        return file
    # Not ../ from within the folder, which may not be there yet.
    there = sibling and (folder.resolve().parent / sibling / file).is_file()
    return f"../{sibling}/{file}" if there else ""


def history(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """Each command that worked on the results, on how many panels, its versions and its machine."""
    groups: dict[tuple[str, ...], list[tuple[str, Mapping[str, Any]]]] = {}
    for panel, entry in ((one.name, entry) for one in summaries for entry in one.history):
        words = entry.get("command")
        command = shlex.join(map(str, words)) if isinstance(words, list) and words else ""
        runs, machine = (str(entry.get(name, numbers.NONE)) for name in ("runs", "machine"))
        groups.setdefault((command, runs, _versions(entry), machine), []).append((panel, entry))
    return [
        (
            days([entry for _, entry in entries]),
            command or "from Python",
            str(len({panel for panel, _ in entries})),
            runs,
            programs,
            machine,
        )
        for (command, runs, programs, machine), entries in groups.items()
    ]


def facts(summaries: Sequence[Summary]) -> dict[str, str]:
    """Seed, date and versions of results."""
    entries = [entry for one in summaries for entry in one.history]
    return {
        "Seed": ", ".join(str(seed) for seed in sorted({one.seed for one in summaries})),
        "Results made": days(entries),
        "With": "; ".join(dict.fromkeys(map(_versions, entries))),
    }


def _versions(entry: Mapping[str, Any]) -> str:
    found = entry.get("versions")
    pairs = found.items() if isinstance(found, dict) else ()
    return ", ".join(f"{name} {version}" for name, version in pairs) or numbers.NONE


def days(entries: Sequence[Mapping[str, Any]]) -> str:
    """The first and the last day of work on the results."""
    days = sorted(str(entry["began"])[:10] for entry in entries if "began" in entry)
    return " to ".join(dict.fromkeys(days[:1] + days[-1:])) or numbers.NONE


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


def estimate(found: Estimate, unknown: str = numbers.UNKNOWN) -> Markup:
    """A measured number and its interval, which break only between the two."""
    if found.value != found.value:
        return escape(unknown)
    value, _, interval = numbers.interval(found).replace("-", "\N{MINUS SIGN}").partition(" (")
    shown = Markup("<b>{}</b>").format(value)
    if not interval:
        return shown
    return shown + Markup(' <span class="interval">{}</span>').format(interval.rstrip(")"))


def value_at(curve: Curve, x: float) -> str:
    """Mean and deviation of a curve at a point, if it has one there."""
    found = zip(*(values[curve.x == x].tolist() for values in (curve.mean, curve.sd)), strict=True)
    return next((numbers.pair(mean, sd) for mean, sd in found), numbers.NONE)


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("sparring.lab.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"prose": prose, "estimate": estimate}
    found.filters |= {"number": numbers.number, "at": value_at}
    found.globals |= {"numbers": numbers, "words": words}
    return found
