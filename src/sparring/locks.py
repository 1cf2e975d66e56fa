"""A lock on an open file for one process at a time, released when that process dies."""

import contextlib
import os
from importlib import import_module
from typing import Any

fcntl: Any = None
msvcrt: Any = None
with contextlib.suppress(ImportError):  # Windows has none
    fcntl = import_module("fcntl")
with contextlib.suppress(ImportError):  # and all others do not have this one
    msvcrt = import_module("msvcrt")

# Windows locks bytes, and then lets nobody else read them: so one that no file of ours reaches, and
# the last that its function can count to.
BYTE = 0x7FFF_FFFF


def lock(file: int) -> bool:
    """Lock an open file, by its number, until it is closed; False if another process has it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as one, open(one.name, "rb") as again:
    ...     lock(one.fileno()), lock(again.fileno())
    (True, False)
    """
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            _lock_byte(file)
    except (BlockingIOError, PermissionError):  # the second on Windows
        return False
    return True


def _lock_byte(file: int) -> None:
    before = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, BYTE, os.SEEK_SET)  # what is locked begins where the file stands
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    finally:
        os.lseek(file, before, os.SEEK_SET)
