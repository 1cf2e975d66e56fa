"""The form of a snapshot: a version, a digest that notices damage, errors that name the field."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.checks import SnapshotError

FORMAT = "sparring learner"
VERSION = 1

Value = TypeVar("Value")


def seal(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of these fields."""
    snapshot = {"format": FORMAT, "version": VERSION, "kind": kind, **fields}
    text = json.dumps(snapshot, sort_keys=True, allow_nan=False)
    return {**snapshot, "digest": hashlib.sha256(text.encode()).hexdigest()}


def kind_of(snapshot: object) -> str:
    """Which kind of learner a snapshot is of; refuses what is no snapshot or of another version."""
    if not isinstance(snapshot, dict) or snapshot.get("format") != FORMAT:
        raise SnapshotError(
            f"not a snapshot of a learner: expected a dictionary with format {FORMAT!r}"
        )
    if snapshot.get("version") != VERSION:
        raise SnapshotError(
            f"the snapshot has version {snapshot.get('version')!r}, and this release reads version "
            f"{VERSION}: restore it with the release that wrote it"
        )
    kind = snapshot.get("kind")
    if not isinstance(kind, str):
        raise SnapshotError(f"the snapshot's field 'kind' is damaged: {kind!r}")
    return kind


class Fields:
    """The fields of a snapshot, read one by one."""

    def __init__(self, snapshot: object, kind: str) -> None:
        found = kind_of(snapshot)
        if found != kind:
            raise SnapshotError(f"the snapshot is of a learner of kind {found!r}, not {kind!r}")
        assert isinstance(snapshot, dict)
        self._snapshot = snapshot

    def read(self, name: str, convert: Callable[[Any], Value]) -> Value:
        """The field, converted; whatever fails is told with the field's name."""
        if name not in self._snapshot:
            raise SnapshotError(f"the snapshot has no field {name!r}")
        try:
            return convert(self._snapshot[name])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise SnapshotError(f"the snapshot's field {name!r} is damaged: {error}") from error

    def array(self, name: str, dtype: type, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """The field as an array of finite numbers."""
        array = self.read(name, lambda value: checks.array(name, value, dtype, shape))
        self.demand(name, bool(np.isfinite(array).all()))
        return array

    def demand(self, name: str, holds: bool) -> None:
        """Refuse the field unless its values are possible."""
        if not holds:
            raise SnapshotError(f"the snapshot's field {name!r} is damaged: a value is impossible")

    def verify(self, again: dict[str, Any]) -> None:
        """Compare with a snapshot of what was restored: it must be the same, digest included."""
        for name in sorted(self._snapshot.keys() ^ again.keys()):
            raise SnapshotError(
                f"the snapshot's field {name!r} is missing or does not belong there"
            )
        if self._snapshot["digest"] != again["digest"]:
            changed = [
                name for name in again if self._snapshot[name] != again[name] and name != "digest"
            ]
            raise SnapshotError(
                "the snapshot does not match its digest: it was changed after it was taken"
                + (f" (in {', '.join(changed)})" if changed else "")
            )
