"""What a person sees in the terminal."""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from sparring_cli.outcome import clean

if TYPE_CHECKING:  # a service prints lines, too, and must not wait for what experiments need
    from sparring.lab.experiments import Experiment, Ran

WIDTH = 78


class Table(RichTable):
    """A table without lines, whose cells contain no markup or control characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"box": None, "pad_edge": False, "header_style": "bold", **options})

    def add_row(self, *cells: Any, **options: Any) -> None:
        """Add a row of texts."""
        texts = [cell if isinstance(cell, Text) else Text(cell) for cell in cells]
        for text in texts:
            text.plain = clean(text.plain)
        super().add_row(*texts, **options)


def panels(found: "Sequence[Experiment]", runs: int) -> None:
    """The list of panels."""
    table = Table()
    for column in ("panel", "what", "axis", "jobs", "paper"):
        right, broken = column == "jobs", column == "what"
        table.add_column(column, justify="right" if right else "left", no_wrap=not broken)
    for panel in found:
        axis = f"{panel.axis} {panel.points[0]:,} to {panel.points[-1]:,}"
        jobs = str(len(panel.points) * runs)
        table.add_row(panel.name, panel.title, axis, jobs, panel.source)
    Console().print(table)


def ran(what: "Ran", folder: Path) -> None:
    """What was played."""
    there = what.jobs - what.played
    kept = f", {there:,} were already there" if there else ""
    line(f"{what.played:,} jobs played in {what.seconds:.1f} s{kept}: {folder}")
    if what.edited:
        line(f"edited since the last run; only these were played again: {', '.join(what.edited)}")
    if what.damaged:
        line(f"{len(what.damaged):,} damaged parts were played again")


def plotted(files: Sequence[Path]) -> None:
    """Where the figures are."""
    if files:
        line(f"{len(files)} figures: {files[0].parent}")


def reported(path: Path) -> None:
    """Where the page is."""
    line(f"the page to look at: {path}")


def spent(seconds: float, megabytes: float | None) -> None:
    """What it took."""
    memory = f" and at most {megabytes:,.0f} MB of memory" if megabytes else ""
    line(f"in all {seconds:,.0f} s{memory}")


def left_out(names: Sequence[str], told: bool) -> None:
    """What has no results yet."""
    if names and told:
        text = f"sparring: no results yet, so left out: {', '.join(names)}"
        print(clean(text), file=sys.stderr)


def line(text: str) -> None:
    """Print a line as it is: paths are not wrapped or read as markup."""
    Console(soft_wrap=True, highlight=False, markup=False).print(clean(text))


def headline(text: str) -> None:
    """Print a line in bold."""
    Console(soft_wrap=True, highlight=False).print(Text(clean(text), style="bold"))


def table(found: Table) -> None:
    """Print a table."""
    Console(highlight=False).print(found)


def wrapped(text: str, indent: str = "") -> None:
    """Print words in lines that fit 80 columns; the indent's text is on the first line only."""
    after = " " * len(indent)
    parts = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False)
    for place, part in enumerate(parts):
        line((after if place else indent) + part)
