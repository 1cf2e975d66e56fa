"""Whether the figures and the page of a folder still show what the folder holds.

Drawing everything again takes longer than reading it. A record beside the figures has the size and
time of each file that was drawn and of each that it was drawn from, and a digest of this package.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparring import atomic
from sparring.lab import provenance

RECORD = "drawn.json"


def state(folder: Path, *more: str) -> dict[str, Any]:
    """What figures and page depend on: results, neighbours to link to, versions, and more.

    Take it before reading the results, as another process may add some later.
    """
    kept = ("*/manifest.json", "*/parts/**/*.parquet", "coverage.json")
    found = sorted(file for pattern in kept for file in folder.glob(pattern))
    pages = [folder.parent.glob("*/league.html"), folder.glob("league.html")]
    return {
        "results": hashlib.sha256(json.dumps(_stamps(folder, found)).encode()).hexdigest(),
        "pages": sorted(path.relative_to(folder.parent).as_posix() for it in pages for path in it),
        "package": provenance.everything(),
        "versions": provenance.versions(),
        "more": list(more),
    }


def remember(folder: Path, subject: dict[str, Any], made: Iterable[Path]) -> None:
    """Write down that these files show the folder in that state."""
    path = folder / "figures" / RECORD
    record = {"of": subject, "files": _stamps(folder, made)}
    with atomic.explained(path):
        atomic.write(path, json.dumps(record).encode())


def files(folder: Path, subject: dict[str, Any]) -> list[Path]:
    """The files drawn last, if all are unchanged and show that state; otherwise none."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        record = json.loads((folder / "figures" / RECORD).read_bytes())
        found = [folder / name for name in record["files"]]
        if record == {"of": subject, "files": _stamps(folder, found)}:
            return found
    return []


def _stamps(folder: Path, paths: Iterable[Path]) -> dict[str, list[int]]:
    """By name, size and time of each file."""
    stats = {path.relative_to(folder).as_posix(): path.stat() for path in paths}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}
