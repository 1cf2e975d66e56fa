"""Right favourites in the terminal and for programs: by learner, over all worlds and parts."""

from typing import Any

from rich.console import Console
from rich.text import Text

from sparring.formats import Estimate
from sparring.lab.league import League, favourites
from sparring.lab.league.favourites import ALL, Score
from sparring_cli.screen import Table

HEADS = {"T = 500": "T 500", "T = 2,000": "2k", "T = 10,000": "10k", "K = 10": "10", "K = 20": "20"}


def show(league: League) -> None:
    """Two tables of the same shape: right favourites, and regret."""
    parts = favourites.parts(league)
    found = favourites.scores(league, parts)
    _table("Right favourites in the end, in percent of the runs (95% interval)", found, "right")
    _table("Regret in percent of RAND's, the geometric mean over worlds", found, "to_chance")


def _table(title: str, found: dict[str, dict[str, Score | None]], what: str) -> None:
    Console().print(title, style="bold")
    table = Table(padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    names = list(next(iter(found.values())))
    for name in names:
        table.add_column(HEADS.get(name, name.replace(" = ", " ")), justify="right", no_wrap=True)
    for label, by_part in found.items():
        cells = [_cell(by_part[name], what, whole=name == ALL) for name in names]
        table.add_row(Text(label), *cells)
    Console().print(table)
    print()


def _cell(score: Score | None, what: str, *, whole: bool) -> str:
    if score is None:
        return ""
    estimate: Estimate = getattr(score, what)
    if estimate.value != estimate.value:
        return ""
    value = f"{100 * estimate.value:.0f}"
    if whole and estimate.low == estimate.low:
        value += f" ({100 * estimate.low:.0f}-{100 * estimate.high:.0f})"
    return value


def plain(league: League) -> dict[str, Any]:
    """The same for a program: by learner, over parts and on each world."""
    meetings = favourites.noting(league)
    parts = favourites.parts(league)
    one_by_one = {one.name: (one,) for one in meetings}
    found = favourites.scores(league, {**parts, **one_by_one}) if meetings else {}
    return {
        label: {
            "parts": {name: scores[name] for name in parts},
            "worlds": {name: scores[name] for name in one_by_one},
        }
        for label, scores in found.items()
    }
