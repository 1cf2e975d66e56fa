"""Whether the figures and the page of a folder still show what the folder holds.

To draw everything again takes longer than to read it. A record beside the figures has the size and
time of each file that was drawn and of each that it was drawn from, and a digest of this package.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparring.lab import provenance, results

RECORD = "drawn.json"


def remember(folder: Path, panels: Iterable[str], made: Iterable[Path]) -> None:
    """Write down that these files show these panels as the folder has them now."""
    record = {"of": _subject(folder, panels), "files": _stamps(folder, made)}
    path = folder / "figures" / RECORD
    with results.explained(path):
        results.write(path, json.dumps(record).encode())


def files(folder: Path, panels: Iterable[str]) -> list[Path]:
    """The files drawn last, if all are as they were and would come out the same; else none."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        record = json.loads((folder / "figures" / RECORD).read_bytes())
        found = [folder / name for name in record["files"]]
        same = record["files"] == _stamps(folder, found)
        if same and record["of"] == _subject(folder, panels):
            return found
    return []


def _subject(folder: Path, panels: Iterable[str]) -> dict[str, Any]:
    """What the figures depend on, as JSON gives it back."""
    kept = ("*/manifest.json", "*/parts/**/*.parquet", "coverage.json")
    stamps = json.dumps(_stamps(folder, sorted(file for one in kept for file in folder.glob(one))))
    return {
        "panels": list(panels),
        "results": hashlib.sha256(stamps.encode()).hexdigest(),
        "package": provenance.everything(),
        "versions": provenance.versions(),
    }


def _stamps(folder: Path, paths: Iterable[Path]) -> dict[str, list[int]]:
    """By name, size and time of each file."""
    stats = {path.relative_to(folder).as_posix(): path.stat() for path in paths}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}
