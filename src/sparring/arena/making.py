"""Making an arena, and finding an existing one."""

import json
import math
import os
import re
import secrets
import time
from typing import Any

from sparring import checks
from sparring.arena.database import Database, StorageError, open_to_read
from sparring.arena.events import Event, Log
from sparring.arena.settings import WORDS
from sparring.arena.state import State
from sparring.durations import duration
from sparring.learners import LEARNERS, restore
from sparring.learners.frame import REMEDY, demand_distinct
from sparring.learners.snapshots import GONE

LIFETIME = "7d"
FIND = "SELECT id, key FROM sparring_arenas WHERE name = ?"


def find_or_make(
    database: Database, name: str, names: list[str] | None, *made: Any, at: int
) -> tuple[int, str]:
    """The id and the key of an arena, which is made if it does not exist and arms are given.

    `made` has the other arguments of `described`.
    """
    if names is None or database.rows(FIND, (name,)):
        return find(database, name)
    return make(database, name, described(names, *made), at)


def described(
    names: list[str],
    learner: str | None,
    options: dict[str, Any] | None,
    lifetime: float | str | None,
    seed: int | None,
    contents: dict[str, Any],
) -> dict[str, Any]:
    """The first event: all that makes an arena, checked."""
    if len(names) < 2:
        raise checks.refuse("arms", "at least two names", names, "A duel needs two arms")
    demand_names(names)
    learner, options = completed(learner, options)
    bits = secrets.randbits(128) if seed is None else checks.whole("seed", seed, low=0)
    _demand_fit(learner, len(names), options)
    made = {
        "arms": names,
        "learner": learner,
        "options": options,
        "lifetime": microseconds(LIFETIME if lifetime is None else lifetime),
        "seed": hex(bits),
    }
    return {**made, "contents": contents} if contents else made


def demand_names(names: list[str]) -> None:
    """Refuse the name of an arm that is an answer, or that stands for a folder in an address."""
    for name in names:
        if name in (".", ".."):
            remedy = "Addresses leave it out, so nobody could withdraw it over HTTP"
            raise checks.refuse("arms", "names other than '.' and '..'", name, remedy)
        if name in WORDS:
            raise checks.refuse("arms", f"names other than {list(WORDS)}", name, "It is an answer")


def completed(learner: str | None, options: dict[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """The learner and its options, checked: tracker if none is named, with two different arms."""
    name, given = learner or "tracker", {} if options is None else options
    if isinstance(name, str) and name in GONE:
        remedy = 'An arena that has it moves on with learner="tracker"'
        raise checks.refuse("learner", "one that did not go after 0.2.0", name, remedy)
    if not isinstance(name, str) or name not in LEARNERS:
        raise checks.unknown("learner", name, LEARNERS, "`sparring learners` lists them")
    if not isinstance(given, dict) or not _is_json(given):
        raise checks.refuse("options", "a dictionary that JSON can hold", given)
    return name, {"differ": True, **given} if name == "tracker" else given


def microseconds(lifetime: float | str) -> int:
    """How long a ticket is valid, in the unit of the log."""
    return math.ceil(1e6 * duration("lifetime", lifetime))


def make(database: Database, name: str, made: dict[str, Any], at: int) -> tuple[int, str]:
    """The id and the key of the arena with this name, which is made if it does not exist."""
    with database.writing():
        rows = database.rows(FIND, (name,))
        if rows:
            return rows[0][0], rows[0][1]
        highest = database.rows("SELECT max(id) FROM sparring_arenas")[0][0]
        arena, key = (highest or 0) + 1, secrets.token_hex(32)
        database.change(
            "INSERT INTO sparring_arenas (id, name, key) VALUES (?, ?, ?)", [(arena, name, key)]
        )
        log, event = Log(database, arena), Event(1, at, "made", None, made)
        State().apply(event, log.append(event, ""))
        log.write()
        return arena, key


def find(database: Database, name: str) -> tuple[int, str]:
    """The id and the key of the arena with this name."""
    rows = database.rows(FIND, (name,))
    if not rows:
        known = [name for (name,) in database.rows("SELECT name FROM sparring_arenas")]
        there = f"It has {known}: name one of them (name=, --name)" if known else "It has none"
        raise StorageError(
            f"{database.shown} has no arena {name!r}. {there}, or give arms=[...] to make it"
        )
    match rows:
        case [(int(arena), str(key))] if re.fullmatch("[0-9a-f]{64}", key):
            return arena, key
    raise StorageError(
        f"{database.shown}: the key of arena {name!r} is damaged. Restore a copy of the database "
        "in which it is intact"
    )


def now() -> int:
    """In microseconds since 1970."""
    return time.time_ns() // 1000


def _demand_fit(name: str, K: int, options: dict[str, Any]) -> None:
    """Refuse a learner that cannot be in service, rather than find out after years."""
    try:
        learner = LEARNERS[name](K, **options, seed=0)
    except TypeError as error:
        raise checks.refuse("options", f"options of {name}", options, f"{error}") from None
    demand_distinct(learner)
    tried = restore(learner.snapshot())
    try:
        tried.watch(0, 1, [1 / K] * K if len(tried.p) else None)
        tried.add()
    except ValueError as error:
        raise checks.refuse("learner", "one fit for service", name, f"{error}. {REMEDY}") from None


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


def arenas(address: str | os.PathLike[str]) -> list[str]:
    """The names of the arenas in a database."""
    database = open_to_read(address)
    try:
        return [name for (name,) in database.rows("SELECT name FROM sparring_arenas ORDER BY id")]
    finally:
        database.close()
