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
from sparring.votes.answer import Findings, Report
from sparring.votes.charts import View, clearest

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
    report: Report | None = None,
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
    report
        What changed since a moment, if that is to be told, too.
    """
    view = View(answer)
    table, windows, finding, story = view.standings(), view.windows(), view.finding(), view.story()
    gone = f"; {len(view.strong):,} of them still asked about" if view.gone else ""
    about = f"{many(len(view.votes), 'vote')} on {many(view.votes.K, 'arm')}"
    return page.build(
        "sparring.votes",
        "votes.html",
        looks=LOOKS,
        scripts=SCRIPTS,
        finding=finding,
        source=source,
        about=f"{about}, {view.moments.span()}{gone}",
        warning=warning,
        figures=view.figures(),
        report=report,
        last="" if view.now.at is None else view.now.at.isoformat(),
        course=course(
            view.lines(),
            view.moments,
            name="strengths",
            label="Strength over time",
            finding=f"{finding}. {story} {view.standing()}",
            takeovers=view.takeovers,
        ),
        story=story,
        numbers_of=[view.votes.names[arm] for arm in view.coloured],
        moments=in_numbers(view),
        events=view.events(),
        places=view.placed(table.rows),
        barred=told_apart(table.rows),
        settle=view.settle(),
        duel=view.duel(),
        standings=table.rows,
        marks=table.marks,
        half=table.half,
        caption=CAPTION,
        windows=windows,
        crowded=len(windows[0].names) > CROWD,
        clearest=clearest(windows[0]),
        notes=[*view.notes(), *notes],
        command=command,
        version=__version__,
        seed=view.now.histories.seed,
        draws=len(view.now.histories.strengths),
    )


def write_votes(
    path: str | Path,
    answer: Findings,
    *,
    source: str,
    notes: Sequence[str] = (),
    warning: str = "",
    command: str = "",
    report: Report | None = None,
) -> Path:
    """Write the page, complete or not at all, into a folder that is created if needed."""
    words = {"source": source, "warning": warning, "command": command}
    made = votes_page(answer, notes=notes, report=report, **words)
    return page.write(Path(path), made)


def last_vote(path: str | Path) -> str:
    """When the last vote was that a page tells of, as ISO 8601; empty if it does not say.

    A page is that of `write_votes`.
    """
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    found = re.search(r'<meta name="last-vote" content="([^"]+)">', text)
    return found[1] if found else ""


def figure(answer: Findings) -> str:
    """The chart as a file of its own, for a light ground: SVG."""
    view = View(answer)
    chart = course(
        view.lines(),
        view.moments,
        name="strengths",
        label="Strength over time",
        finding=view.finding(),
        takeovers=view.takeovers,
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


def in_numbers(view: View) -> list[tuple[str, list[str]]]:
    """What the chart shows of the arms in colour, as rows of a table."""
    there, found = view.now.histories.there, []
    for at in [*(tick.at for tick in view.moments.ticks(13)), float(view.at[-1])]:
        place = max(int(np.searchsorted(view.at, at, "right")) - 1, 0)
        cells = [view.share(arm, place) if there[arm, place] else NONE for arm in view.coloured]
        found.append((view.moments.full(at), cells))
    return found
