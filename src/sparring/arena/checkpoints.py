"""Checkpoints: states on disk, from which an arena starts fast. Without them it starts slowly."""

import hashlib
import json
import zlib

from sparring.arena.database import Database, Row, StorageError
from sparring.arena.events import Log
from sparring.arena.saving import from_json, to_json
from sparring.arena.state import State

CHECKPOINTS_KEPT = 2  # one may be damaged


class Checkpoints:
    """The checkpoints of one arena in a database."""

    def __init__(self, database: Database, arena: int) -> None:
        self._database = database
        self._arena = arena

    def all(self) -> dict[int, State | None]:
        """Each by the number of its event, the latest first; None if it cannot be read."""
        return {number: _unpacked(data, digest) for number, data, digest in self._rows()}

    def latest(self, *, at_least: int = 0) -> State:
        """The latest that is intact and belongs to an event of the log; if none, the beginning.

        One beyond the log's end is a `StorageError`: events that were acknowledged are missing.
        """
        log = Log(self._database, self._arena)
        for number, data, digest in self._rows(at_least):
            state = _unpacked(data, digest)  # the one before is unpacked only if it is needed
            if state is None:
                continue
            if log.has(number, state.chain):
                return state
            last = log.last_number()
            if state.number > last:
                raise StorageError(
                    f"{self._database.shown}: the log ends at event {last}, but there was an event "
                    f"{state.number}. Restore a copy that has it. To go on without what is lost, "
                    "delete the checkpoints (DELETE FROM sparring_checkpoints)"
                )
        return State(log.last_verdicts())

    def _rows(self, at_least: int = 0) -> list[Row]:
        return self._database.rows(
            "SELECT number, state, digest FROM sparring_checkpoints"
            " WHERE arena = ? AND number >= ? ORDER BY number DESC",
            (self._arena, at_least),
        )

    def save(self, state: State) -> int:
        """Write a checkpoint, and drop all before the last two; returns its size in bytes."""
        with self._database.writing(self._arena):
            return self._write(state, keep=CHECKPOINTS_KEPT)

    def write_only(self, state: State) -> int:
        """Write a checkpoint in place of all others. Needs an open transaction."""
        return self._write(state, keep=1)

    def _write(self, state: State, keep: int) -> int:
        data = zlib.compress(json.dumps(to_json(state)).encode(), 1)
        digest = hashlib.sha256(data).hexdigest()
        self._database.change(
            "DELETE FROM sparring_checkpoints WHERE arena = ? AND number = ?",
            [(self._arena, state.number)],
        )
        self._database.change(
            "INSERT INTO sparring_checkpoints VALUES (?, ?, ?, ?)",
            [(self._arena, state.number, data, digest)],
        )
        self._database.change(
            "DELETE FROM sparring_checkpoints WHERE arena = ? AND number NOT IN (SELECT number"
            f" FROM sparring_checkpoints WHERE arena = ? ORDER BY number DESC LIMIT {keep})",
            [(self._arena, self._arena)],
        )
        return len(data)


def _unpacked(data: bytes, digest: str) -> State | None:
    """The state, or None if the bytes are damaged or of another release."""
    try:
        if hashlib.sha256(data).hexdigest() != digest:
            return None
        return from_json(json.loads(zlib.decompress(data)))
    except (LookupError, TypeError, ValueError, zlib.error):
        return None
