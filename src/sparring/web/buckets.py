"""Buckets: how much each caller has left, in memory of fixed size that processes may share."""

import mmap
import os
import struct

WAYS = 8  # rows among which a caller has its place: when all are taken, the oldest is forgotten
ROW = struct.Struct("=16sdd")  # who, how much is left, and when that was
HEAD = struct.Struct("=16sd")  # the key of today, and since when
GROUP = WAYS * ROW.size


class Memory:
    """Bytes that begin with a key: in this process, or in a file that several processes share.

    Parameters
    ----------
    size
        Bytes after the key.
    path
        Path of the file, which is made if it does not exist; None for this process alone.
    """

    def __init__(self, size: int, path: str | None = None) -> None:
        self._file: int | None = None
        if path is None:
            self.bytes = mmap.mmap(-1, ROW.size + size)
            return
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self._file, ROW.size + size)  # longer: what is new is zero; else as it was
        self.bytes = mmap.mmap(self._file, ROW.size + size)

    def __enter__(self) -> None:
        """Keep other processes out. Threads need their own lock."""
        if self._file is not None:
            import fcntl  # not on Windows, where there is one process

            fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_UN)

    @property
    def key(self) -> tuple[bytes, float]:
        """The key, and since when it is in use; zeros at first."""
        key, since = HEAD.unpack_from(self.bytes, 0)
        return key, since

    @key.setter
    def key(self, new: tuple[bytes, float]) -> None:
        HEAD.pack_into(self.bytes, 0, *new)

    def close(self) -> None:
        """Give it back; what others share stays."""
        self.bytes.close()
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Buckets:
    """What each caller has left, in a part of a memory.

    Parameters
    ----------
    memory
        Where.
    part
        The first, second, ... of equal parts.
    callers
        How many are remembered at least; `size` says how long a part is then.
    """

    def __init__(self, memory: Memory, part: int, callers: int) -> None:
        self._bytes = memory.bytes
        self._groups = size(callers) // GROUP
        self._start = ROW.size + part * size(callers)

    def find(self, caller: bytes) -> tuple[int, float, float] | None:
        """The row of a caller of 16 bytes, what is left and since when; None if unknown."""
        begin = self._group(caller)
        for place in range(begin, begin + GROUP, ROW.size):
            found, left, since = ROW.unpack_from(self._bytes, place)
            if found == caller:
                return place, left, since
        return None

    def write(self, caller: bytes, left: float, now: float, place: int | None = None) -> None:
        """Note what is left: in this row, or in that of the caller unseen for longest."""
        if place is None:
            begin = self._group(caller)
            rows = range(begin, begin + GROUP, ROW.size)
            place = min(rows, key=lambda row: ROW.unpack_from(self._bytes, row)[2])
        ROW.pack_into(self._bytes, place, caller, left, now)

    def _group(self, caller: bytes) -> int:
        return self._start + int.from_bytes(caller[:8], "big") % self._groups * GROUP


def size(callers: int) -> int:
    """The bytes for this many callers, with spare room since they are not spread evenly.

    Examples
    --------
    >>> size(100_000)
    6400000
    """
    return -(-2 * callers // WAYS) * GROUP
