"""Checkpoints: states on disk, from which an arena starts fast. Without them it starts slowly."""

import hashlib
import json
import zlib
from typing import Any, NamedTuple

from sparring.arena.database import Database, Row, StorageError
from sparring.arena.events import Log
from sparring.arena.saving import from_json, to_json
from sparring.arena.state import State
from sparring.learners.snapshots import UNREADABLE, in_pieces

CHECKPOINTS_KEPT = 2  # one may be damaged
MOST_READ = 4  # no more are kept, whatever a file from elsewhere has
# A checkpoint of real votes has up to ten times the bytes that are stored. Zeros have a thousand.
LARGEST_RATIO, ALWAYS_FIT = 50, 2**26  # and a short one may always unpack to so many bytes


class Packed(NamedTuple):
    """A checkpoint, ready to be written."""

    number: int
    """Of its latest event."""
    data: bytes
    digest: str


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
            " WHERE arena = ? AND number >= ? ORDER BY number DESC LIMIT ?",
            (self._arena, at_least, MOST_READ),
        )

    def save(self, packed: Packed) -> None:
        """Write a checkpoint, and drop all before the last two."""
        with self._database.writing(self._arena):
            self._write(packed, keep=CHECKPOINTS_KEPT)

    def write_only(self, state: State) -> None:
        """Write a checkpoint in place of all others. Needs an open transaction."""
        self._write(pack(to_json(state)), keep=1)

    def _write(self, packed: Packed, keep: int) -> None:
        self._database.change(
            "DELETE FROM sparring_checkpoints WHERE arena = ? AND number = ?",
            [(self._arena, packed.number)],
        )
        self._database.change(
            "INSERT INTO sparring_checkpoints VALUES (?, ?, ?, ?)", [(self._arena, *packed)]
        )
        self._database.change(
            "DELETE FROM sparring_checkpoints WHERE arena = ? AND number NOT IN (SELECT number"
            f" FROM sparring_checkpoints WHERE arena = ? ORDER BY number DESC LIMIT {keep})",
            [(self._arena, self._arena)],
        )


def pack(fields: dict[str, Any]) -> Packed:
    """What `to_json` gave, as bytes; other threads can run between its pieces."""
    packer = zlib.compressobj(1)
    pieces = [packer.compress(piece.encode()) for piece in in_pieces(fields)]
    data = b"".join([*pieces, packer.flush()])
    return Packed(fields["number"], data, hashlib.sha256(data).hexdigest())


def _unpacked(data: bytes, digest: str) -> State | None:
    """The state, or None if the bytes are damaged, of another release, or made to fill memory."""
    try:
        if hashlib.sha256(data).hexdigest() != digest:
            return None
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(data, max(ALWAYS_FIT, LARGEST_RATIO * len(data)))
        if not unpacker.eof or unpacker.unused_data:
            return None
        return from_json(json.loads(text))
    except (*UNREADABLE, zlib.error):
        return None
