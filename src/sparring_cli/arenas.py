"""What `replay` does: it replays the events of an arena and says whether all is well."""

import argparse
from collections.abc import Sequence
from importlib.util import find_spec

from sparring.arena import Checked, check
from sparring.simulation.progress import progress_bar
from sparring_cli.outcome import Outcome, clean


def replay(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Replay the events, and with --check fail if a checkpoint differs."""
    quiet = options.json or options.quiet
    shown = not quiet and find_spec("rich") is not None  # which a service may not have
    with progress_bar(1.0, "folding", shown=shown) as tick:
        done = 0.0

        def progress(events: int, of: int) -> None:
            nonlocal done
            tick(events / of - done)
            done = events / of

        found = check(options.file, name=options.name, progress=progress)
    failures = []
    if options.check and found.other:
        at = ", ".join(map(str, found.other))
        failures.append(
            f"the checkpoints at {at} differ from the events, which are the truth. Stop the "
            "service and delete all checkpoints (DELETE FROM sparring_checkpoints): the next start "
            "replays the events"
        )
    return Outcome(found, lambda: _show(found), failures)


def _show(found: Checked) -> None:
    votes = "1 vote" if found.votes == 1 else f"{found.votes:,} votes"
    print(f"{found.events:,} events, all intact and in order; {votes} learnt")
    if found.redrawn:
        why = "by another release, or before a voter was banned or freed"
        print(f"{found.redrawn:,} pairs were chosen {why}")
    if not (found.equal or found.other):
        print("there is no checkpoint to compare with yet")
    for number in found.equal:
        print(f"the checkpoint at event {number:,} agrees with the events")
    print(f"favourite: {clean(found.favourite)}")
