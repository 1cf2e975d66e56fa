"""What `serve` says when it begins: where the arena is, who may look, and what to do next."""

import argparse
import shlex
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from sparring_cli import screen

if TYPE_CHECKING:
    from sparring.web.founding import Filled


class Opened(NamedTuple):
    """What was opened."""

    names: list[str]
    """Names of the arenas."""
    made: bool
    """Whether an arena was made just now."""
    key: str | None
    """A new admin key, to be shown once."""
    filled: "Filled | None"
    """What was done with --items, if the arena existed."""
    first: str
    """The arena whose links are shown."""
    is_open: bool
    """Whether everyone may see its board."""


def greet(url: str, opened: Opened, options: argparse.Namespace, *, is_passing: bool) -> None:
    """Say where it is and what to do next, before serving begins.

    If `is_passing`, the arena is gone when the service stops.
    """
    first = quote(opened.first, safe="")
    screen.line(f"Vote:   {url}/a/{first}")
    screen.line(f"Look:   {url}/a/{first}/board")
    if not opened.is_open:
        screen.line("        Only with a key: open it from the third link, where you can also let")
        screen.line("        everyone see it; or start with --open-board.")
    if opened.key is not None:
        screen.line(f"Run it: {url}/admin#key={opened.key}")
        if not is_passing:
            screen.line("        This link is shown only now. Keep it: it lets you do everything.")
    else:
        screen.line(f"Run it: {url}/admin, with an admin key; --new-key makes another")
    if len(opened.names) > 1:
        screen.line(f"Arenas: {', '.join(opened.names)}")
    if opened.filled is not None:
        _say_filled(opened.filled, options.items)
    if options.prepare:
        from sparring.addresses import without_password

        screen.line(f"Next:   sparring serve {shlex.quote(without_password(options.address))}")
        return
    what = "go on voting"
    if opened.made:
        what = f"send people the first link, and open the {'second' if opened.is_open else 'third'}"
    if options.demo:
        what = "look at the second link for a minute: sixty simulated people vote, and change"
    then = "the demo is then gone" if is_passing else "nothing is lost"
    screen.line(f"Next:   {what}. Stop with Ctrl-C; {then}.")


def _say_filled(filled: "Filled", path: str) -> None:
    """Say what was done with --items in an existing arena."""
    said = [
        (filled.added, "added"),
        (filled.shown, "shown now as the file says"),
        (filled.differing, "left as the arena shows them; the admin page changes that"),
        (filled.withdrawn, "left withdrawn"),
    ]
    lines = [f"{what}: {', '.join(names)}" for names, what in said if names]
    for number, line in enumerate(lines or [f"all are as {path} says"]):
        screen.line(f"{'        ' if number else 'Items:  '}{line}")
