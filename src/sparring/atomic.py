"""Files that are complete or not there: written under another name, synced and renamed."""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

STALE = 3600  # seconds after which a temporary file has no owner any more: writing one takes none
TEMPORARY = ".unfinished-"
TRIES = 20  # in a second, where a file that somebody reads cannot be replaced


class WriteError(RuntimeError):
    """A file that cannot be written; what was finished before is safe."""


def write(path: Path, data: bytes, *, replace: bool = True) -> None:
    """Write a complete file or none, even if the machine dies; `replace` an existing one or not.

    Two processes may write the same file: one of the two complete ones stays.
    """
    name = path.parent / f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with open(name, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace or not _link(name, path):
            _replace(name, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # or the new name may be lost with the power
        finally:
            os.close(folder)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say what could not be written, and that nothing is lost."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteError(
            f"cannot write {path}: {reason}. What was finished is safe: make "
            "room or choose another folder, and start again"
        ) from error


def tidy(folder: str | Path) -> None:
    """Remove unfinished files of processes that died."""
    for path in Path(folder).rglob(f"{TEMPORARY}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE:
                path.unlink()


def is_name(text: str) -> bool:
    """Whether it can name a file or a folder."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", text) is not None


def _replace(name: Path, path: Path) -> None:
    """Give a file its proper name; on Windows it must wait while someone reads the old one."""
    for _ in range(TRIES if os.name == "nt" else 0):
        with contextlib.suppress(PermissionError):
            os.replace(name, path)
            return
        time.sleep(1 / TRIES)
    os.replace(name, path)


def _link(name: Path, path: Path) -> bool:
    """Give a file its proper name unless another has it; whether the file system can do that."""
    try:
        os.link(name, path)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True
