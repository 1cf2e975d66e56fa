"""Marks that distinguish the parts of a folder: who played where, and every byte.

A mark stands for an entrant on a world; a part has one for each of its entrants. A part is stamped
with a digest of what its folder is about, of its name and of all its bytes, and with its marks.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from sparring import checks
from sparring.simulation import own

BLANK = "0" * 64  # where the digest of a part will be
MARK = 16  # letters that tell an entrant from others
MEASURED = "irreducible"  # the line that parts hold beside entrants
# What may change of an experiment: worlds and entrants have marks, and the rest is only drawn.
FREE = ("title", "worlds", "entrants", "slope", "guide", "lines", "source")


def setting(about: dict[str, Any]) -> dict[str, Any]:
    """What the numbers of all parts depend on, whatever the worlds and entrants."""
    experiment = about.get("experiment")
    if not isinstance(experiment, dict):
        return about
    rest = {name: value for name, value in experiment.items() if name not in FREE}
    return {**about, "experiment": rest}


def of(world: Any, entrants: Sequence[dict[str, Any]], lines: Collection[str]) -> dict[str, str]:
    """By label, what distinguishes each entrant on a world (as JSON), or a line, from any other."""
    where = _digest(world)
    whom = [*entrants, *({"label": line} for line in lines if line == MEASURED)]
    return {one["label"]: _digest([where, one])[:MARK] for one in whom}


def demand_shape(about: dict[str, Any]) -> None:
    """Refuse what a damaged manifest may hold, before its marks are computed."""
    experiment, seed = about["experiment"], about.get("seed")
    if not isinstance(experiment, dict):
        raise checks.refuse("experiment", "an object", experiment)
    checks.whole("seed", seed, low=0)
    for name, key in (("worlds", "world"), ("entrants", "label")):
        found = experiment.get(name)
        if not (isinstance(found, list) and found and all(_names(one, key) for one in found)):
            raise checks.refuse(name, f"a list of objects that have a {key}", found)
    for world in experiment["worlds"]:
        if "source" in world and "options" not in world:
            raise checks.refuse("worlds", "with their options", world)
    lines = experiment.get("lines", [])
    if not (isinstance(lines, list) and all(isinstance(line, str) for line in lines)):
        raise checks.refuse("lines", "a list of texts", lines)


def _names(one: Any, key: str) -> bool:
    return isinstance(one, dict) and isinstance(one.get(key), str)


def by_world(experiment: Any) -> list[dict[str, str]]:
    """The marks of an experiment as JSON, world by world."""
    if not isinstance(experiment, dict):
        return []
    lines = experiment.get("lines", ())
    return [of(world, experiment["entrants"], lines) for world in experiment["worlds"]]


def players(experiment: dict[str, Any]) -> dict[str, Any]:
    """The entrants of an experiment, by label, and texts of worlds, by how they are called."""
    worlds = [world for world in experiment["worlds"] if "source" in world]
    texts = {
        f"{world['world']}({own.called(own.plain(world['options']))})": world["source"]
        for world in worlds
    }
    return {**texts, **{one["label"]: one for one in experiment["entrants"]}}


def group(members: Collection[str]) -> str:
    """A few letters that distinguish these entrants from any others, for the name of their part."""
    return _digest(sorted(members))[:8]


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def stamped(data: bytes, subject: bytes) -> bytes:
    """The bytes of a part with their own digest in the place that was left blank for it."""
    place = data.index(subject + BLANK.encode()) + len(subject)
    digest = hashlib.sha256(data).hexdigest().encode()
    return data[:place] + digest + data[place + len(BLANK) :]


def stamp_of(data: bytes, subject: bytes) -> tuple[str, ...] | None:
    """The marks of the entrants in a part; None if these are not the bytes that were written.

    All bytes count, and they are checked before Parquet is read, since a damaged file could crash
    the reader.
    """
    place = data.find(subject) + len(subject)
    if place < len(subject):
        return None
    end = place + len(BLANK)
    blank = data[:place] + BLANK.encode() + data[end:]
    if data[place:end] != hashlib.sha256(blank).hexdigest().encode():
        return None
    return tuple(data[end + 1 : data.index(b";", end)].decode().split(","))


def difference(folder: Path, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """How a folder's subject differs from what is wanted."""
    before, after = (_settled(setting(about)) for about in (found, wanted))
    shown = "; ".join(
        f"{name} {checks.short(before.get(name), 80)}, not {checks.short(after.get(name), 80)}"
        for name in _other(before, after)
    )
    remedy = "Ask for the same again, choose another folder, or delete this one"
    return f"{folder} was begun with {shown}. {remedy}"


def _settled(about: dict[str, Any]) -> dict[str, Any]:
    """What a folder is about, flat and in words."""
    found = dict(about)
    experiment = found.pop("experiment", None)
    if not isinstance(experiment, dict):
        return about
    also = experiment.get("also")
    regrets = [experiment.get("regret"), *(also if isinstance(also, list) else ())]
    parts = [one.values() if isinstance(one, dict) else [one] for one in regrets]
    named = ("/".join(str(part) for part in some if part != "both") for some in parts)
    rest = {name: value for name, value in experiment.items() if name not in ("regret", "also")}
    if "luck" in rest:
        rest["the name that seeds are made of"] = rest.pop("luck")
    return {**found, "regrets": checks.Shown(", ".join(named)), **rest}


def _other(found: dict[str, Any], wanted: Any) -> list[str]:
    """The keys in which two dictionaries differ."""
    return [key for key in {**wanted, **found} if found.get(key) != wanted.get(key)]
