"""The page of votes: the finding, three figures and the chart first, then what they rest on."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparring import __version__
from sparring.charts import page
from sparring.charts.course import course
from sparring.charts.standing import told_apart
from sparring.formats import NONE, many
from sparring.votes.answering import Findings
from sparring.votes.charts import Told, clearest

LOOKS, SCRIPTS = ("sheet.css", "course.css", "standing.css"), ("page.js", "course.js")
CROWD = 10  # arms, above which pairs are a list on a tablet, too
CAPTION = (
    "Wins: the share of votes against an opponent of average strength over the whole file; "
    "\N{PLUS-MINUS SIGN} and bar: 95%. Change: in points since the file begins."
)


def votes_page(
    answer: Findings,
    *,
    source: str,
    notes: Sequence[str] = (),
    warning: str = "",
    command: str = "",
) -> str:
    """One HTML page: no network, no other file, safe for any name.

    Parameters
    ----------
    answer
        From `sparring.votes.answer`.
    source
        Where the votes come from, such as the name of the file.
    notes
        What was found on reading it.
    warning
        What must be said before the answer.
    command
        The command that makes the page again.
    """
    told = Told(answer)
    table, windows, finding, story = told.standings(), told.windows(), told.finding(), told.story()
    gone = f"; {len(told.strong):,} of them still asked about" if told.gone else ""
    about = f"{many(len(told.votes), 'vote')} on {many(told.votes.K, 'arm')}"
    return page.build(
        "sparring.votes",
        "votes.html",
        looks=LOOKS,
        scripts=SCRIPTS,
        finding=finding,
        source=source,
        about=f"{about}, {told.moments.span()}{gone}",
        warning=warning,
        figures=told.figures(),
        course=course(
            told.lines(),
            told.moments,
            name="strengths",
            label="Strength over time",
            finding=f"{finding}. {story} {told.standing()}",
            takeovers=told.takeovers,
        ),
        story=story,
        numbers_of=[told.votes.names[arm] for arm in told.coloured],
        moments=in_numbers(told),
        events=told.events(),
        places=told.placed(table.rows),
        barred=told_apart(table.rows),
        settle=told.settle(),
        standings=table.rows,
        marks=table.marks,
        half=table.half,
        caption=CAPTION,
        windows=windows,
        crowded=len(windows[0].names) > CROWD,
        clearest=clearest(windows[0]),
        notes=[*told.notes(), *notes],
        command=command,
        version=__version__,
    )


def write_votes(
    path: str | Path,
    answer: Findings,
    *,
    source: str,
    notes: Sequence[str] = (),
    warning: str = "",
    command: str = "",
) -> Path:
    """Write the page, complete or not at all, into a folder that is created if needed."""
    made = votes_page(answer, source=source, notes=notes, warning=warning, command=command)
    return page.write(Path(path), made)


def figure(answer: Findings) -> str:
    """The chart as a file of its own, for a light ground: SVG."""
    told = Told(answer)
    chart = course(
        told.lines(),
        told.moments,
        name="strengths",
        label="Strength over time",
        finding=told.finding(),
        takeovers=told.takeovers,
    )
    found = re.search(r'<svg class="wide" viewBox="0 0 (\d+) (\d+)".*?</svg>', chart)
    assert found is not None
    width, height = found.groups()
    # What a browser would choose of the style: the widest drawing, light.
    (colours,) = re.findall(r":root {\n.*?}", page.file("sheet.css"), re.DOTALL)
    style = colours + page.file("course.css").partition("@media")[0]
    style = re.sub(r"light-dark\((.*?), .*?\)", r"\1", style)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="course" viewBox="0 0 {width} {height}">'
        f'<style>{style}</style><path fill="#fff" d="M0 0H{width}V{height}H0z"/>{found[0]}</svg>\n'
    )


def in_numbers(told: Told) -> list[tuple[str, list[str]]]:
    """What the chart shows of the arms in colour, as rows of a table."""
    there, found = told.now.histories.there, []
    for at in [*(tick.at for tick in told.moments.ticks(13)), float(told.at[-1])]:
        place = max(int(np.searchsorted(told.at, at, "right")) - 1, 0)
        cells = [told.share(arm, place) if there[arm, place] else NONE for arm in told.coloured]
        found.append((told.moments.full(at), cells))
    return found
