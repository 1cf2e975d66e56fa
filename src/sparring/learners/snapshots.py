"""The form of a snapshot: a version, a digest that notices damage, errors that name the field."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.checks import SnapshotError
from sparring.version import __version__

FORMAT = "sparring learner"
VERSION = 2
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""What brings a snapshot forward by one version, under the version it is for: see the end."""
PIECE = 250  # of a long list: to write it takes a fraction of a millisecond
LONGEST_MESSAGE = 400  # of what is wrong with a field, which may be of any length itself

# What converting a damaged field may raise.
UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)

Value = TypeVar("Value")


def seal(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of these fields."""
    snapshot = {"format": FORMAT, "version": VERSION, "kind": kind, **fields}
    return {**snapshot, "release": __version__, "digest": digest(snapshot)}


def digest(snapshot: dict[str, Any]) -> str:
    """A digest that reveals changes, of all but the release, since releases may differ."""
    content = {name: part for name, part in snapshot.items() if name not in ("release", "digest")}
    found = hashlib.sha256()
    for piece in in_pieces(content):
        found.update(piece.encode())
    return found.hexdigest()


def in_pieces(value: Any) -> Iterator[str]:
    """The text of `json.dumps(value, sort_keys=True)`, piece by piece.

    While a text is written in one go, no other thread can run, and a service may have 100,000
    open duels.
    """
    if isinstance(value, dict) and value and all(isinstance(name, str) for name in value):
        names, before = sorted(value), "{"
        if len(names) > PIECE:
            for part in _parts(names):
                yield (
                    before + json.dumps({name: value[name] for name in part}, sort_keys=True)[1:-1]
                )
                before = ", "
        else:
            for name in names:
                yield f"{before}{json.dumps(name)}: "
                yield from in_pieces(value[name])
                before = ", "
        yield "}"
    elif isinstance(value, list) and len(value) > PIECE:
        before = "["
        for part in _parts(value):
            yield before + json.dumps(part, sort_keys=True)[1:-1]
            before = ", "
        yield "]"
    else:
        yield json.dumps(value, sort_keys=True)


def _parts(values: list[Any]) -> Iterator[list[Any]]:
    return (values[begin : begin + PIECE] for begin in range(0, len(values), PIECE))


def changed(snapshot: dict[str, Any]) -> bool:
    """Whether a snapshot was changed after it was taken."""
    try:
        return bool(snapshot.get("digest") != digest(snapshot))
    except UNREADABLE:
        return True


def migrate(snapshot: Any) -> Any:
    """Convert a snapshot of an earlier version, with the one inside; others stay as they are.

    The digest becomes that of the new form, so look for damage first.
    """
    while isinstance(snapshot, dict) and snapshot.get("version") in tuple(MIGRATIONS):
        if changed(snapshot):
            raise SnapshotError("the snapshot was changed after it was taken: another digest")
        inside = {"inner": migrate(snapshot["inner"])} if "inner" in snapshot else {}
        try:
            forward = MIGRATIONS[snapshot["version"]]({**snapshot, **inside})
        except SnapshotError:
            raise
        except UNREADABLE as error:
            version, what = snapshot["version"], checks.short(checks.Shown(repr(error)))
            raise SnapshotError(f"the snapshot of version {version} is damaged: {what}") from error
        snapshot = {**forward, "version": snapshot["version"] + 1}
        snapshot["digest"] = digest(snapshot)
    return snapshot


def kind_of(snapshot: object) -> str:
    """The kind of a snapshot's learner; refuses other things and other versions."""
    if not isinstance(snapshot, dict):
        raise SnapshotError(
            f"a snapshot is a dictionary; got {type(snapshot).__name__}: text goes through "
            "json.loads first"
        )
    if snapshot.get("format") != FORMAT:
        raise SnapshotError(f"not a snapshot of a learner: its format is not {FORMAT!r}")
    if snapshot.get("version") != VERSION:
        raise SnapshotError(
            f"the snapshot has version {checks.short(snapshot.get('version'))}, and this release "
            f"({__version__}) reads version {VERSION}: restore it with the release that wrote it, "
            f"{checks.short(snapshot.get('release'))}"
        )
    kind = snapshot.get("kind")
    if not isinstance(kind, str):
        raise SnapshotError(f"the snapshot's field 'kind' is damaged: {checks.short(kind)}")
    return kind


class Fields:
    """The fields of a snapshot, read one by one."""

    def __init__(self, snapshot: object, kind: str) -> None:
        snapshot = migrate(snapshot)
        found = kind_of(snapshot)
        if found != kind:
            raise SnapshotError(
                f"the snapshot is of a learner of kind {checks.short(found)}, not {kind!r}"
            )
        assert isinstance(snapshot, dict)
        self._snapshot = snapshot

    def has(self, name: str) -> bool:
        """Whether there is such a field."""
        return name in self._snapshot

    def read(self, name: str, convert: Callable[[Any], Value]) -> Value:
        """The field, converted; errors carry the field's name."""
        if name not in self._snapshot:
            raise SnapshotError(f"the snapshot has no field {name!r}")
        try:
            return convert(self._snapshot[name])
        except UNREADABLE as error:
            raise self._damaged(name, str(error)) from error

    def array(self, name: str, dtype: type, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """The field as an array of finite numbers."""
        array = self.read(name, lambda value: checks.array(name, value, dtype, shape))
        self.demand(name, bool(np.isfinite(array).all()))
        return array

    def demand(self, name: str, holds: bool) -> None:
        """Refuse the field unless its values are possible."""
        if not holds:
            raise self._damaged(name, "it does not fit the other fields")

    def demand_names(self, name: str, wanted: Iterable[str]) -> None:
        """Refuse the field, a dictionary, unless it has exactly these names.

        A default would fill in what is missing, and nobody would notice.
        """
        self.demand(name, self._snapshot[name].keys() == set(wanted))

    def verify(self, again: dict[str, Any]) -> None:
        """Compare with a snapshot of what was restored: it must be the same, digest included."""
        for name in sorted(self._snapshot.keys() ^ again.keys()):
            raise SnapshotError(
                f"the snapshot's field {checks.short(name)} is missing or does not belong there"
            )
        if self._snapshot["digest"] != digest(_redated(again, self._snapshot)):
            raise SnapshotError("the snapshot was changed after it was taken: another digest")

    def _damaged(self, name: str, what: str) -> SnapshotError:
        told = " (some field was changed after the snapshot was taken)"
        note = told if changed(self._snapshot) else ""
        shown = checks.short(checks.Shown(what), LONGEST_MESSAGE)
        return SnapshotError(f"the snapshot's field {name!r} is damaged: {shown}{note}")


def _redated(again: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """A snapshot with the releases of another: which one wrote a learner inside does not matter."""
    found = dict(again)
    for name, part in again.items():
        if isinstance(part, dict) and isinstance(like.get(name), dict):
            found[name] = _redated(part, like[name])
    if found.get("format") == FORMAT and "release" in like:
        found["release"] = like["release"]
        found["digest"] = digest(found)
    return found


def listed(part: NDArray[Any]) -> Any:
    """An array as lists; words as text, since other readers of JSON keep only 53 bits."""
    return [hex(word) for word in part.tolist()] if part.dtype == np.uint64 else part.tolist()


def count(part: Any) -> int:
    """How many numbers lists in lists hold."""
    if not isinstance(part, list):
        return 1
    return len(part) if not part or not isinstance(part[0], list) else sum(map(count, part))


def arrays(parts: dict[str, Any], like: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """The arrays that `listed` wrote, finite and of the shapes and kinds they had."""
    if parts.keys() != like.keys():
        raise ValueError(f"it has {sorted(parts)}")
    return [_array(name, parts[name], known) for name, known in like.items()]


def _array(name: str, values: Any, like: NDArray[Any]) -> NDArray[Any]:
    if like.dtype == np.uint64:
        words = np.array([int(word, 16) for word in values], np.uint64)
        return checks.array(name, words, np.uint64, like.shape)
    array = checks.array(name, values, like.dtype.type, like.shape)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    return array


# Learners and options that earlier releases had: what is said of them, and what goes on.

GONE = ("bandit_over_bandit", "doubling", "guarded", "oracle_restarts")
"""The names of learners that went after 0.2.0. Old arenas have them, so no learner may take one."""

# What these learners took and did not use, because others take it. Old recipes and arenas have it.
UNUSED_T = (
    *("rand", "tracker", "steady", "sturdy", "seasoned", "versatile_db", "btwr"),
    *("elo", "glicko2", "trueskill", "bradley_terry"),
)
MASTERS = ("base", "q", "master_high", "master_low")  # what only bandit over bandit used


def without_unused(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a learner without a T that it did not use.

    Examples
    --------
    >>> without_unused("tracker", {"T": 5000, "differ": True})
    {'differ': True}
    """
    return {key: value for key, value in options.items() if key != "T" or name not in UNUSED_T}


def forward(snapshot: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of version 1 as one of version 2, or an error that names the learner that went."""
    kind, found = snapshot.get("kind"), dict(snapshot)
    if kind == "guarded":
        raise _gone("guarded", "tracker, whose rounds it audited, or steady, which has a bound")
    if kind == "sparring":
        if snapshot["options"]["base"]["name"] == "BanditOverBandit":
            raise _gone("bandit_over_bandit", "sparring_exp3six for a known number of changes")
        memory = snapshot["memory"].items()
        found["memory"] = {name: part for name, part in memory if name not in MASTERS}
    if kind == "restarts":
        plan = dict(snapshot["plan"])
        if plan.pop("doubling") is not None:
            raise _gone("doubling", "tracker or steady, which need no T")
        found["plan"] = plan
    if "recipe" in snapshot:
        name, options = snapshot["recipe"]
        found["recipe"] = [name, without_unused(name, options)]
        if name in GONE:  # oracle_restarts, whose arms cannot change: none is made after it
            del found["recipe"]
    return found


def _gone(name: str, instead: str) -> SnapshotError:
    return SnapshotError(
        f"the snapshot is of {name}, which went after 0.2.0: restore it with that release, or "
        f"begin a new learner: {instead}"
    )


MIGRATIONS[1] = forward
