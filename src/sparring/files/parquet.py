"""Parquet files, read by a separate process, since a damaged file may kill its reader."""

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sparring import checks, extras
from sparring.files.kinds import FileError

ROWS = 20_000  # to read at a time
MEMORY = 2 << 30  # bytes of address space for the process that reads; half of it is polars itself
ROWS_A_BYTE = 100  # beyond it is no log: outcomes alone, if they are not all alike, take a bit each
LAST_WORDS = 100_000  # bytes of them to look at
READER = Path(__file__).with_name("parquet_reader.py")


def rows(path: Path) -> int:
    """How many rows a file says it has; too many for its size are refused."""
    with _reader(path) as answers:
        return _rows(path, answers)


def frames(path: Path) -> Iterator[Any]:
    """Its rows as polars.DataFrames of at most ROWS."""
    polars = extras.demand("polars", "reading a Parquet file")
    with _reader(path) as answers:
        left = _rows(path, answers)
        while left > 0:
            frame = polars.read_ipc(io.BytesIO(_answer(answers)))
            left -= len(frame)
            yield frame


def _rows(path: Path, answers: IO[bytes]) -> int:
    found, size = int(_answer(answers)), path.stat().st_size
    if found > ROWS_A_BYTE * size:
        raise FileError(
            f"{path} must have at most {ROWS_A_BYTE} rows a byte; got {found:,} in {size:,} bytes. "
            "If it is what you meant to read, write it as CSV"
        )
    return found


class _Dead(Exception):  # noqa: N818  never leaves this file
    """The reading process ended before it answered."""


@contextmanager
def _reader(path: Path) -> Iterator[IO[bytes]]:
    """The answers of the reading process; if it dies or gives up, the file is refused."""
    command = [sys.executable, "-P", str(READER), str(path.absolute()), str(ROWS), str(MEMORY)]
    settings = {"POLARS_MAX_THREADS": "1", "RUST_BACKTRACE": "0", "PYTHONWARNINGS": "ignore"}
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # polars is where ours is
    with (
        tempfile.TemporaryFile() as last_words,  # no pipe, which might fill up and stop the process
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=last_words,
            env={**os.environ, **settings},
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield process.stdout
        except _Dead:
            code = process.wait()
            last_words.seek(0)
            told = last_words.read(LAST_WORDS).decode(errors="replace")
            how = "" if code == 1 else f" (the process that read it has died, {code})"
            why = f"{_reason(told)}. Write the file again, or as CSV"
            raise FileError(f"{path} cannot be read{how}: {why}") from None
        finally:
            process.kill()


def _answer(answers: IO[bytes]) -> bytes:
    """Eight bytes of length, then that many bytes."""
    length = int.from_bytes(_exactly(answers, 8), "big")
    return _exactly(answers, length)


def _exactly(answers: IO[bytes], length: int) -> bytes:
    found = answers.read(length)
    if len(found) < length:
        raise _Dead
    return found


def _reason(told: str) -> str:
    """The part of the process's last words that says why."""
    said = [line for line in told.splitlines() if line.strip() and "stack backtrace" not in line]
    for word in ("memory allocation", "MemoryError", "Error", "panicked"):
        for at, line in enumerate(said):
            if word in line:
                end = said[at + 1] if word == "panicked" and at + 1 < len(said) else ""
                return checks.short(checks.Shown(f"{line.strip()} {end.strip()}"), 200)
    return "it is damaged, or needs more memory than a log does"
