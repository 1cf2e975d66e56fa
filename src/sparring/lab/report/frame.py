"""What pages are made of: files of this folder, the policy of a page, who made the results."""

import base64
import hashlib
import shlex
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from sparring.lab.report.tables import table
from sparring.lab.report.wording import NONE, escape
from sparring.lab.summaries import Summary

SCRIPTS = ("scales.js", "drawing.js", "chart.js", "page.js")


def file(name: str) -> str:
    """A file of this folder."""
    return resources.files("sparring.lab.report").joinpath(name).read_text(encoding="utf-8")


def script(*further: str) -> str:
    """All scripts as one."""
    return "\n".join(file(name) for name in (*SCRIPTS, *further))


def template(name: str) -> Template:
    """What to fill in; the first line is for those who edit the file."""
    return Template(file(name).partition("\n")[2])


def policy(style: str, script: str) -> str:
    """Only this style and this script may work, and nothing may be fetched."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; style-src 'sha256-{digest(style)}'; "
        f"script-src 'sha256-{digest(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def history(summaries: Sequence[Summary]) -> str:
    """Each command that worked on the results, with its versions and its machine."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for summary in summaries:
        for entry in summary.history:
            kind = (
                _command(entry),
                str(entry.get("runs", NONE)),
                versions(entry),
                str(entry.get("machine", NONE)),
            )
            groups.setdefault(kind, []).append(entry)
    rows = [
        (
            escape(days(entries) or NONE),
            f"<code>{escape(command)}</code>",
            *(escape(cell) for cell in (str(len(entries)), runs, programs, machine)),
        )
        for (command, runs, programs, machine), entries in groups.items()
    ]
    columns = ("When", "Command", "Panels", "Runs", "Versions", "Machine")
    return table("What made the results", columns, rows) if rows else ""


def _command(entry: dict[str, Any]) -> str:
    words = entry.get("command")
    return shlex.join(map(str, words)) if isinstance(words, list) and words else "from Python"


def versions(entry: dict[str, Any]) -> str:
    """What somebody worked with."""
    found = entry.get("versions")
    pairs = found.items() if isinstance(found, dict) else ()
    return ", ".join(f"{name} {version}" for name, version in pairs) or NONE


def days(entries: Sequence[dict[str, Any]]) -> str:
    """The first and the last day on which somebody began."""
    days = sorted(str(entry["began"])[:10] for entry in entries if "began" in entry)
    return " to ".join(dict.fromkeys(days[:1] + days[-1:]))


def beside(folder: Path, file: str, sibling: str) -> str:
    """A link to another page of ours, in the same folder or in a sibling of it; empty if none."""
    if (folder / file).is_file():
        return file
    # Not ../ from within the folder, which may not be there yet.
    there = sibling and (folder.resolve().parent / sibling / file).is_file()
    return f"../{sibling}/{file}" if there else ""
