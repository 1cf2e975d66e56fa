"""The page of votes: the finding, three figures and the chart first, then what they rest on."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparring import __version__
from sparring.charts import page
from sparring.charts.course import course
from sparring.charts.standing import told_apart
from sparring.formats import NONE, many
from sparring.votes import charts
from sparring.votes.answering import Findings
from sparring.votes.charts import Past

LOOKS, SCRIPTS = ("sheet.css", "course.css", "standing.css"), ("page.js", "course.js")
APART = 20  # groups that cannot be compared, and names of each
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
    apart = [
        f"Never met the arms above, and cannot be compared with them: {group}"
        for group in answer.strangers(APART, APART)
    ]
    return page_of(
        charts.past_of(answer),
        settle=answer.settling(),
        source=source,
        notes=[*(one.text for one in answer.problems), *notes, *apart],
        warning=warning,
        command=command,
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


def page_of(
    past: Past,
    *,
    settle: Sequence[str] = (),
    source: str = "",
    notes: Sequence[str] = (),
    warning: str = "",
    command: str = "",
) -> str:
    """The page of a past."""
    table, windows, finding = charts.standings(past), charts.windows(past), charts.finding(past)
    story = charts.story(past)
    gone = f"; {len(past.strong):,} of them still asked about" if past.gone else ""
    arms = many(len(past.votes.names), "arm")
    lines = charts.lines(past)
    return page.build(
        "sparring.votes",
        "votes.html",
        looks=LOOKS,
        scripts=SCRIPTS,
        finding=finding,
        source=source,
        about=f"{many(len(past.votes), 'vote')} on {arms}, {past.moments.span()}{gone}",
        warning=warning,
        figures=charts.figures(past),
        course=course(
            lines,
            past.moments,
            name="strengths",
            label="Strength over time",
            finding=f"{finding}. {story} {charts.now(past)}",
            takeovers=past.takeovers,
        ),
        story=story,
        numbers_of=[line.name for line in lines if line.coloured],
        moments=_moments(past),
        events=charts.events(past),
        places=charts.placed(past, table.rows),
        barred=told_apart(table.rows),
        settle=settle,
        standings=table.rows,
        marks=table.marks,
        half=table.half,
        caption=CAPTION,
        windows=windows,
        crowded=len(windows[0].names) > CROWD,
        clearest=charts.clearest(windows[0]),
        notes=notes,
        command=command,
        version=__version__,
    )


def _moments(past: Past) -> list[tuple[str, list[str]]]:
    """What the chart shows, as a table."""
    shown = [line.key for line in charts.lines(past) if line.coloured]
    last = float(past.at[-1])
    found = []
    for at in [*(tick.at for tick in past.moments.ticks(13)), last]:
        place = max(int(np.searchsorted(past.at, at, "right")) - 1, 0)
        cells = [
            f"{100 * past.share[arm, place]:.0f}%" if past.there[arm, place] else NONE
            for arm in shown
        ]
        found.append((past.moments.full(at), cells))
    return found
