"""The results folder: Parquet parts and a manifest; the only file access of experiments.

A file is written under a temporary name, synced and renamed, so a file with its proper name is
complete, whenever the machine or the process died. A part holds some entrants at one point in one
run. It carries a digest of all its bytes and of the folder's subject, and a mark for each of its
entrants. A part that does not match counts as missing.
"""

import contextlib
import enum
import hashlib
import io
import json
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars

from sparring import checks
from sparring.atomic import explained, write
from sparring.lab import marks
from sparring.lab.provenance import installed, versions

FORMAT = 2  # of manifests and parts
# Beside the folders of experiments, or in figures.
OURS = ("figures", "overview", "report.html", "league.html")


class ResultsError(RuntimeError):
    """A results folder that cannot be written or read, or that is about something else."""


class State(enum.Enum):
    """What a folder has of a part."""

    MISSING = "missing"
    GOOD = "good"
    DAMAGED = "damaged"


class Contents(NamedTuple):
    """What a folder of results holds."""

    about: dict[str, Any]
    """What the experiment was begun with: the experiment as JSON and its seed."""
    history: list[dict[str, Any]]
    """Each command that worked on it: when, with which versions and how many runs."""
    table: polars.DataFrame
    """What the good parts have of the entrants that were asked for."""
    damaged: tuple[Path, ...]
    """Parts that were left out, as they are not what was written, and that nothing replaces."""


class Shelf:
    """The folder of one experiment."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._about: dict[str, Any] | None = None

    @property
    def manifest(self) -> Path:
        """What the folder is about."""
        return self.folder / "manifest.json"

    @property
    def history(self) -> Path:
        """Who worked on it."""
        return self.folder / "history.jsonl"

    def path(self, name: str) -> Path:
        """Where a part is or will be."""
        return self.folder / "parts" / f"{name}.parquet"

    def demand(self, about: dict[str, Any]) -> tuple[str, ...]:
        """Refuse a folder that is about something else; returns which learners were edited."""
        if not self.manifest.exists():
            return ()
        wanted = manifest_of(about)
        self._compare(wanted)
        before, after = (marks.players(found["experiment"]) for found in (self.about(), wanted))
        return tuple(name for name in after if after[name] != before.get(name, after[name]))

    def begin(self, about: dict[str, Any], *, command: Sequence[str], runs: int) -> None:
        """Make the folder, or continue one that is about the same; note who did.

        Other worlds and entrants are noted in the manifest; existing parts are kept.
        """
        wanted = manifest_of(about)
        text = json.dumps(wanted, indent=1).encode()
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self.manifest.exists():
                write(self.manifest, text, replace=False)
        self._compare(wanted)  # with what another process may have written first
        if self.about() != wanted:
            with explained(self.manifest):
                write(self.manifest, text)
            self._about = wanted
        entry = {
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "command": list(command),
            "runs": runs,
            "versions": versions(),
            "machine": f"{platform.system()} {platform.machine()}",
        }
        with explained(self.history), open(self.history, "a", encoding="utf-8") as file:
            # One write, so that two processes do not mix, and on a line of its own, should the last
            # one have been torn.
            file.write(f"\n{json.dumps(entry)}\n")

    def _compare(self, wanted: dict[str, Any]) -> None:
        if marks.setting(self.about()) != marks.setting(wanted):
            raise ResultsError(marks.difference(self.folder, self.about(), wanted))

    def about(self) -> dict[str, Any]:
        """What the folder is about."""
        if self._about is None:
            remedy = "It is not a results folder of sparring. Make one with sparring run"
            try:
                found = json.loads(self.manifest.read_bytes())
                if not isinstance(found, dict):
                    raise ValueError(f"it holds {checks.short(found)}")
                if "experiment" in found:
                    marks.demand_shape(found)
            except (OSError, ValueError) as error:
                message = f"{self.manifest} cannot be read: {error}. {remedy}"
                raise ResultsError(message) from None
            self._about = found
        return self._about

    def put(self, name: str, table: polars.DataFrame, of: Iterable[str]) -> None:
        """Write a part, which holds the entrants of these marks."""
        buffer, subject = io.BytesIO(), self._subject(name)
        table.write_parquet(
            buffer, metadata={"sparring": f"{subject}{marks.BLANK} {','.join(of)};"}
        )
        data = marks.stamped(buffer.getvalue(), subject.encode())
        with explained(self.path(name)):
            self.path(name).parent.mkdir(parents=True, exist_ok=True)
            write(self.path(name), data)

    def look(self, name: str) -> State:
        """Whether a part is there and is what was written."""
        data = self._bytes(name)
        if data is None:
            return State.MISSING
        whole = marks.stamp_of(data, self._subject(name).encode()) is not None
        return State.GOOD if whole else State.DAMAGED

    def places(self) -> dict[str, list[str]]:
        """The names of all parts, by point and run, in a lasting order."""
        found: dict[str, list[str]] = {}
        home = self.folder / "parts"
        for path in sorted(home.glob("*/*.parquet")):
            name = path.relative_to(home).with_suffix("").as_posix()
            found.setdefault(name.rpartition("-")[0], []).append(name)
        return found

    def held(self, names: Iterable[str]) -> tuple[set[str], list[Path]]:
        """The marks of the entrants that these parts hold, and which of them are damaged."""
        there, damaged = set[str](), list[Path]()
        for name, _, found in self._parts(names):
            there.update(found or ())
            damaged += [self.path(name)] if found is None else []
        return there, damaged

    def _parts(self, names: Iterable[str]) -> Iterator[tuple[str, bytes, tuple[str, ...] | None]]:
        """The parts that are there: name, bytes and marks, which are None if it is damaged."""
        for name in names:
            data = self._bytes(name)
            if data is not None:
                yield name, data, marks.stamp_of(data, self._subject(name).encode())

    def read(self, wanted: Sequence[dict[str, str]] = ()) -> Contents:
        """All results with these marks, world by world, or those that were asked for last."""
        about = self.about()
        worlds = wanted or marks.by_world(about.get("experiment"))
        labels = {mark: label for here in worlds for label, mark in here.items()}
        tables, damaged = list[polars.DataFrame](), list[Path]()
        for names in self.places().values():
            there, bad = set[str](), list[Path]()
            for name, data, found in self._parts(names):
                if found is None:
                    bad.append(self.path(name))
                    continue
                chosen = [mark for mark in found if mark in labels and mark not in there]
                there.update(chosen)
                if chosen:
                    table = polars.read_parquet(data)
                    if len(chosen) < len(found):
                        of = [labels[mark] for mark in chosen]
                        table = table.filter(polars.col("entrant").is_in(of))
                    tables.append(table)
            if not any(there >= set(here.values()) for here in worlds):
                damaged += bad
        if damaged and not tables:
            raise ResultsError(
                f"none of the {len(damaged)} parts of {self.folder} is what its manifest says. "
                "Play them again with sparring run"
            )
        if not tables:
            raise ResultsError(f"{self.folder} has no results yet. Make some with sparring run")
        order = {label: place for place, label in enumerate(worlds[0])}
        place = polars.col("entrant").replace_strict(order, return_dtype=polars.Int64)
        table = polars.concat(tables).sort("x", "run", place, maintain_order=True)
        return Contents(about, self._history(), table, tuple(damaged))

    def _history(self) -> list[dict[str, Any]]:
        entries = []
        if self.history.exists():
            for line in self.history.read_text(encoding="utf-8", errors="replace").splitlines():
                with contextlib.suppress(ValueError):  # of a machine that died while writing
                    entries.append(json.loads(line))
        return [entry for entry in entries if _is_entry(entry)]

    def _bytes(self, name: str) -> bytes | None:
        """A part as it is on the disk; None if it is not there."""
        try:
            if self.path(name).exists() and not self.path(name).is_file():
                return b""  # something took its place, which might never end
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ResultsError(f"{self.path(name)} cannot be read: {error}") from None

    def _subject(self, name: str) -> str:
        """What distinguishes a part from others: a digest of the folder's and its own name."""
        digest = self._manifest_digest.copy()
        digest.update(f"{json.dumps(name)}]".encode())
        return f"part {digest.hexdigest()} "

    @cached_property
    def _manifest_digest(self) -> Any:
        """Computed once, as a manifest may be long and the parts many."""
        about = marks.setting(self.about())
        return hashlib.sha256(f"[{json.dumps(about, sort_keys=True)}, ".encode())

    @property
    def begun(self) -> bool:
        """Whether it is a folder of ours with a part in it."""
        return "experiment" in self.about() and any((self.folder / "parts").glob("*/*.parquet"))


def manifest_of(about: dict[str, Any]) -> dict[str, Any]:
    """A folder's description of itself, as read from JSON."""
    found: dict[str, Any] = json.loads(json.dumps({"format": FORMAT, **installed(), **about}))
    return found


def shelves(folder: str | Path) -> list[Shelf]:
    """The experiments of a folder of results, by name."""
    found = [Shelf(path.parent) for path in sorted(Path(folder).glob("*/manifest.json"))]
    if not found:
        remedy = "Make some with sparring run or sparring reproduce"
        raise ResultsError(f"{folder} has no results of sparring. {remedy}")
    return found


def _is_entry(entry: Any) -> bool:
    """Whether it is as `Shelf.begin` writes it."""
    kinds = {"began": str, "command": list, "runs": int, "versions": dict, "machine": str}
    return isinstance(entry, dict) and all(
        isinstance(entry.get(name), kind) for name, kind in kinds.items()
    )
