"""What a person sees of claims: which hold, in the terminal and for a document."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from sparring.lab.claims import FAILS, HOLDS, OPEN, ORIGINS, SO_FAR, Verdict
from sparring_cli.screen import Table, line, wrapped

COLOURS = {HOLDS: "green", SO_FAR: "cyan", FAILS: "red", OPEN: "yellow"}


def show_verdicts(found: Sequence[Verdict]) -> None:
    """The claims and what became of them."""
    console = Console()
    if not found:
        line("there are no claims about these panels")
    for origin, title in ORIGINS.items():
        group = [verdict for verdict in found if verdict.claim.origin == origin]
        if not group:
            continue
        console.print(title, style="bold")
        table = Table()
        for column in ("verdict", "claim", "measured (95%)", "wanted"):
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


def show_markdown(found: Sequence[Verdict]) -> None:
    """The same as tables for a document."""
    for origin, title in ORIGINS.items():
        group = [verdict for verdict in found if verdict.claim.origin == origin]
        if group:
            print(f"| {title.lower()} | measured, with its 95% interval | wanted | verdict |")
            print("| --- | --- | --- | --- |")
        for verdict in group:
            note = f"; {verdict.note}" if verdict.note else ""
            claim = f"{verdict.claim.says} ({verdict.claim.source})"
            number = f"{verdict.measured}: {verdict.number}{note}"
            cells = (claim, number, verdict.wanted, f"**{verdict.verdict}**")
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if group:
            print()
