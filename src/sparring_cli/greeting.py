"""What `sparring` without arguments says: three doors, and what to type at each."""

import os
import sys
from importlib.util import find_spec
from typing import NamedTuple

from sparring_cli.parsing import Example

BOLD, DIM, PLAIN = "\x1b[1;36m", "\x1b[2m", "\x1b[0m"


class Door(NamedTuple):
    """What someone comes with, and what to type."""

    who: str
    examples: tuple[Example, ...]
    needs: tuple[str, str] | None = None
    """A library to look for, and the extra that installs it."""


DOORS = (
    Door(
        "I have votes",
        (
            ("sparring votes --example year.csv", "write a file to try: a year of votes"),
            ("sparring votes year.csv", "who leads now, since when, how sure; a page"),
        ),
        ("polars", "lab"),
    ),
    Door(
        "I want to ask people",
        (
            ("sparring serve --demo", "an arena in the browser, with simulated voters"),
            ("sparring learners", "for Python: learner.ask(), learner.tell(duel, 1.0)"),
        ),
        ("fastapi", "serve"),
    ),
    Door(
        "I do research",
        (
            ("sparring reproduce", "the paper's experiments, in about a minute"),
            ("sparring league", "which learner to run, on 16 worlds"),
            ("sparring bounds --K 10 --T 1e6 --S 10", "what theory promises"),
        ),
        ("polars", "lab"),
    ),
)
EXAMPLES = tuple(example for door in DOORS for example in door.examples)


def greeting(*, colours: bool) -> str:
    """The three doors, and what must be installed first."""
    strong, weak, end = (BOLD, DIM, PLAIN) if colours else ("", "", "")
    width = max(len(typed) for typed, _ in EXAMPLES) + 2
    lines = ["Learn what people prefer, from duels, while tastes drift."]
    for door in DOORS:
        lines += ["", f"{strong}{door.who}{end}"]
        lines += [f"  {typed:{width}}{weak}{does}{end}" for typed, does in door.examples]
        if door.needs is not None and find_spec(door.needs[0]) is None:
            from sparring.extras import install  # only now: NumPy comes with it

            lines.append(f"  first: {install(door.needs[1])}")
    lines += ["", "sparring --help lists all commands; each one's --help begins with examples."]
    return "\n".join(lines)


def greet() -> None:
    """Print it, in colours if a person is watching."""
    print(greeting(colours=_shows_colours()))


def _shows_colours() -> bool:
    """Whether the output is a terminal that shows colours and whose owner wants them."""
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    old = os.name == "nt" and "WT_SESSION" not in os.environ  # shows the codes themselves
    return sys.stdout.isatty() and not unwanted and not old
