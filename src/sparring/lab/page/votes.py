"""The page of votes: the answer, strengths over time, ranks, pairs."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from sparring import __version__
from sparring.lab.draw import strengths as draw
from sparring.lab.page import build
from sparring.votes.answering import Findings

FILE = "votes.html"
PAIRED = 30  # arms in the table of pairs
APART = 20  # groups that cannot be compared, and names of each
STEP = 0.08  # of a share, for the next shade
BLUES, ORANGES = 6, 3


class PairCell(NamedTuple):
    """A cell of the table of pairs."""

    text: str
    about: str
    kind: str


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
    curves = draw.strength_curves(answer)
    labels = [curve.label for curve in curves]
    votes = answer.votes
    figures = {
        "strengths": build.drawing(
            draw.strengths_figure(answer, curves),
            "strengths-figure",
            "strengths over time",
            curves=curves,
            place=lambda at: draw.place_of(votes, at),
        ),
        "ranks": _figure("ranks", draw.rank_sets_figure(answer), "possible ranks"),
    }
    shown = [place.name for place in answer.now.places[:PAIRED]]
    return build.build(
        "votes.html",
        title=f"{answer.now.leader} leads" if answer.leads else "Nobody clearly leads",
        answer=answer,
        lines=[*filter(None, [warning]), *answer.lines()],
        figures=figures,
        labels=labels,
        swatches=build.swatches(labels),
        shown=shown,
        pairs=pairs(answer, shown),
        notes=notes,
        apart=answer.strangers(APART, APART),
        source=source,
        command=command,
        facts={"Votes from": source, "With": f"sparring {__version__}"},
        history=[],
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
    page = votes_page(answer, source=source, notes=notes, warning=warning, command=command)
    return build.write(Path(path), page)


def _figure(name: str, figure: object, about: str) -> Markup:
    return build.drawing(figure, f"{name}-figure", about)  # type: ignore[arg-type]


def pairs(answer: Findings, shown: Sequence[str]) -> dict[str, list[PairCell]]:
    """For each arm, how it did against each other arm: its share and number of votes."""
    place = {name: k for k, name in enumerate(answer.votes.names)}
    wins, met = answer.votes.wins, answer.votes.counts
    rows = {}
    for one in shown:
        rows[one] = [_pair(wins, met, place[one], place[other]) for other in shown]
    return rows


def _pair(wins: np.ndarray, met: np.ndarray, i: int, j: int) -> PairCell:
    if i == j or met[i, j] == 0:
        return PairCell("", "an arm against itself" if i == j else "never met", "")
    share = wins[i, j] / met[i, j]
    level = round(abs(share - 0.5) / STEP)
    kind = ""
    if level:
        kind = f"below-{min(level, BLUES)}" if share > 0.5 else f"above-{min(level, ORANGES)}"
    return PairCell(f"{100 * share:.0f}", f"{met[i, j]:,.0f} votes", kind)
