"""What a person sees in the terminal."""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from sparring.lab.claims import FAILS, HOLDS, OPEN, ORIGINS, SO_FAR, Verdict
from sparring.lab.experiments import Experiment, Ran
from sparring_cli.outcome import clean

WIDTH = 78
COLOURS = {HOLDS: "green", SO_FAR: "cyan", FAILS: "red", OPEN: "yellow"}


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


def panels(found: Sequence[Experiment], runs: int) -> None:
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


def ran(what: Ran, folder: Path) -> None:
    """What was played."""
    there = what.jobs - what.played
    kept = f", {there:,} were already there" if there else ""
    line(f"{what.played:,} jobs played in {what.seconds:.1f} s{kept}: {folder}")
    if what.edited:
        line(f"edited since the last run; only these were played again: {', '.join(what.edited)}")
    if what.damaged:
        line(f"{len(what.damaged):,} damaged parts were played again")


def verdicts(found: Sequence[Verdict]) -> None:
    """The claims and their verdicts."""
    console = Console()
    if not found:
        line("there are no claims about these panels")
    for origin, title in ORIGINS.items():
        group = [verdict for verdict in found if verdict.claim.origin == origin]
        if not group:
            continue
        console.print(title, style="bold")
        table = Table()
        for column in ("verdict", "claim", "measured (95 %)", "wanted"):
            table.add_column(column, no_wrap=column in ("verdict", "wanted"))
        for verdict in group:
            colour = COLOURS[verdict.verdict]
            number = f"{verdict.measured}: {verdict.number}"
            table.add_row(
                Text(verdict.verdict, colour),
                Text(f"{verdict.claim.says} ({verdict.claim.source})"),
                Text(f"{number}\n{verdict.note}".strip()),
                verdict.wanted,
            )
        console.print(table)
        counts = [sum(verdict.verdict == kind for verdict in group) for kind in COLOURS]
        told = "{} claims: {} hold, {} so far, {} do not, {} are not decidable here"
        print(told.format(len(group), *counts), end="\n\n")
    if any(verdict.verdict == SO_FAR for verdict in found):
        wrapped("so far: measured as wanted, but the claim is about more rounds than were played.")


def markdown(found: Sequence[Verdict]) -> None:
    """The same as tables for a document."""
    for origin, title in ORIGINS.items():
        group = [verdict for verdict in found if verdict.claim.origin == origin]
        if group:
            print(f"| {title.lower()} | measured, with its 95 % interval | wanted | verdict |")
            print("| --- | --- | --- | --- |")
        for verdict in group:
            note = f"; {verdict.note}" if verdict.note else ""
            claim = f"{verdict.claim.says} ({verdict.claim.source})"
            number = f"{verdict.measured}: {verdict.number}{note}"
            cells = (claim, number, verdict.wanted, f"**{verdict.verdict}**")
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if group:
            print()


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


def wrapped(text: str, indent: str = "") -> None:
    """Print words in lines that fit 80 columns; the indent's text is on the first line only."""
    after = " " * len(indent)
    parts = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False)
    for place, part in enumerate(parts):
        line((after if place else indent) + part)
