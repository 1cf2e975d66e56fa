"""The alarms of a league: drawn, printed, and for programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sparring.lab.league.detection import Detected
from sparring_cli.screen import Table

FIGURE = "league-alarms"


def drawn(folder: Path, found: Sequence[Detected]) -> list[Path]:
    """The figure as files; none if no learner raises alarms."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    if not found:
        return []
    return list(draw.save(draw.alarms_figure(found), folder / "figures", FIGURE))


def plain(found: Sequence[Detected]) -> list[dict[str, Any]]:
    """The alarms for a program."""
    return [
        {
            **one.to_json(),
            "share": one.share,
            "median_delay": one.delay,
            "false_in_100000": one.false_rate,
        }
        for one in found
    ]


def show(found: Sequence[Detected]) -> None:
    """A table of learners that detect changes: noticed, delay, false alarms, over all worlds."""
    if not found:
        return
    Console().print("Who notices changes", style="bold")
    table = Table()
    for name in ("learner", "noticed", "median delay", "false in 100,000 rounds"):
        table.add_column(name, justify="left" if name == "learner" else "right")
    for label in dict.fromkeys(one.label for one in found):
        mine = [one for one in found if one.label == label]
        delays = sorted(delay for one in mine for delay in one.delays)
        rounds = sum(one.runs * one.T for one in mine)
        false = sum(one.false_alarms for one in mine) / rounds * 1e5
        middle = f"{delays[len(delays) // 2]:,}" if delays else ""
        noticed = f"{len(delays):,} of {sum(one.changes for one in mine):,}"
        table.add_row(Text(label), noticed, middle, f"{false:.2g}")
    Console().print(table)
    print()
