"""How the results of a page were made: commands, versions, machines; links to other pages."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring import formats
from sparring.lab.summaries import Curve, Summary


def link(folder: Path, file: str, sibling: str) -> str:
    """A link to another page of ours, in the same folder or in a sibling of it; empty if none."""
    if (folder / file).is_file():
        return file
    # Not ../ from within the folder, which may not be there yet.
    there = sibling and (folder.resolve().parent / sibling / file).is_file()
    return f"../{sibling}/{file}" if there else ""


def history(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """Each command that worked on the results, on how many panels, its versions and its machine."""
    groups: dict[tuple[str, ...], list[tuple[str, Mapping[str, Any]]]] = {}
    for panel, entry in ((one.name, entry) for one in summaries for entry in one.history):
        words = entry.get("command")
        command = shlex.join(map(str, words)) if isinstance(words, list) and words else ""
        runs, machine = (str(entry.get(name, formats.NONE)) for name in ("runs", "machine"))
        groups.setdefault((command, runs, _versions(entry), machine), []).append((panel, entry))
    return [
        (
            days([entry for _, entry in entries]),
            command or "from Python",
            str(len({panel for panel, _ in entries})),
            runs,
            programs,
            machine,
        )
        for (command, runs, programs, machine), entries in groups.items()
    ]


def facts(summaries: Sequence[Summary]) -> dict[str, str]:
    """Seed, date and versions of results."""
    entries = [entry for one in summaries for entry in one.history]
    return {
        "Seed": ", ".join(str(seed) for seed in sorted({one.seed for one in summaries})),
        "Results made": days(entries),
        "With": "; ".join(dict.fromkeys(map(_versions, entries))),
    }


def _versions(entry: Mapping[str, Any]) -> str:
    found = entry.get("versions")
    pairs = found.items() if isinstance(found, dict) else ()
    return ", ".join(f"{name} {version}" for name, version in pairs) or formats.NONE


def days(entries: Sequence[Mapping[str, Any]]) -> str:
    """The first and the last day of work on the results."""
    days = sorted(str(entry["began"])[:10] for entry in entries if "began" in entry)
    return " to ".join(dict.fromkeys(days[:1] + days[-1:])) or formats.NONE


def value_at(curve: Curve, x: float) -> str:
    """Mean and deviation of a curve at a point, if it has one there."""
    found = zip(*(values[curve.x == x].tolist() for values in (curve.mean, curve.sd)), strict=True)
    return next((formats.pair(mean, sd) for mean, sd in found), formats.NONE)
