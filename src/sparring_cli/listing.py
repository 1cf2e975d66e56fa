"""What `learners` and `worlds` do: names, and a line on each. They need no extra."""

import argparse
import shutil
import textwrap
from collections.abc import Mapping, Sequence

import sparring
from sparring_cli.outcome import Outcome, clean


def list_learners(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """All learners, or those of the league."""
    if not options.league:
        return _listed(sparring.LEARNERS)
    from sparring.lab.league import contenders  # only now: it needs the laboratory

    found = {}
    for one in contenders.BY_LABEL.values():
        when = "" if one.label in contenders.USUAL else "; with --all"
        when = "; with --suite few" if one is contenders.QUARTER else when
        found[one.label] = f"{one.entrant}: {one.idea}; told {one.told}{when}"
    return _names(found)


def list_worlds(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """All worlds, or those of the league."""
    if not options.league:
        return _listed(sparring.WORLDS)
    from sparring.lab.league.suite import of_the_league  # only now: it needs the laboratory

    return _names({name: fixture.title for name, fixture in of_the_league().items()})


def _listed(things: Mapping[str, object]) -> Outcome:
    """Names, and the first line of each docstring."""
    return _names({name: str(thing.__doc__).splitlines()[0] for name, thing in things.items()})


def _names(found: Mapping[str, str]) -> Outcome:
    """Names, and what each is."""
    told = [{"name": name, "says": text} for name, text in found.items()]
    return Outcome(told, lambda: _show(found))


def _show(found: Mapping[str, str]) -> None:
    """A line for each, or more if the terminal is narrow."""
    width = max(map(len, found)) + 2
    room = max(20, shutil.get_terminal_size().columns - width)
    for name, text in found.items():
        first, *more = textwrap.wrap(text, room, break_on_hyphens=False)
        print(clean(f"{name:{width}}{first}"))
        for line in more:
            print(clean(" " * width + line))
