"""What `completion` does: it prints a script for shell completion."""

import argparse
from collections.abc import Sequence
from typing import Any

from sparring.extras import demand
from sparring_cli.arguments import parser
from sparring_cli.outcome import Outcome
from sparring_cli.parsing import Parser


def complete(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """The script, with the present names of panels, learners and worlds."""
    shtab = demand("shtab", "`completion`")
    top = parser()
    for one in top.commands.values():
        _fill_in(one, shtab)
    script: str = shtab.complete(top, shell=options.shell)
    return Outcome({"shell": options.shell, "script": script}, lambda: print(script))


def _fill_in(command: Parser, shtab: Any) -> None:
    """Set the choices of each argument, by its name in the help."""
    from sparring import LEARNERS
    from sparring.lab.league.suite import of_the_league
    from sparring.lab.panels import panels

    known = {
        "PANEL": list(panels("quick")),
        "LEARNER": list(LEARNERS),
        "WORLD": list(of_the_league()),
    }
    for action in command._actions:
        name = action.metavar if isinstance(action.metavar, str) else ""
        if name in known:
            action.choices = known[name]
        elif name.startswith(("FILE", "ADDRESS")):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif name == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
