"""Votes compressed with gzip, or from a pipe: read up to a stated size."""

import gzip
import io
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from sparring.files import FileError

GZIP = b"\x1f\x8b"
MOST = 1 << 32  # bytes, unpacked or piped: a packed megabyte may hold a gigabyte
CHUNK = 1 << 20
HEAD = 4096
PIPED = "standard input"


class SourceError(FileError):
    """A file that cannot be read as votes; the message says why."""


def is_packed(path: Path) -> bool:
    """Whether a file is compressed with gzip, by its name."""
    return path.suffix.lower() == ".gz"


def opened(path: Path, tick: Callable[[int], object] = lambda size: None) -> Any:
    """A file of bytes, decompressed if it ends in .gz; `tick` counts compressed bytes.

    Only a buffer is held, so memory does not grow with the file. A file that grows beyond `MOST`
    bytes is refused at that point.
    """
    if not is_packed(path):
        return path.open("rb")
    return io.BufferedReader(_Unpacked(path, tick), CHUNK)


class _Unpacked(io.RawIOBase):
    """What is in a packed file, counted."""

    def __init__(self, path: Path, tick: Callable[[int], object]) -> None:
        super().__init__()
        self._path, self._tick = path, tick
        self._packed = path.open("rb")
        self._file = gzip.GzipFile(fileobj=self._packed)
        self._size = self._told = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            size = self._file.readinto(buffer)
        except (EOFError, OSError, zlib.error) as error:
            raise SourceError(f"{self._path} is damaged, or no gzip: {error}") from None
        self._size += size
        if self._size > MOST:
            raise SourceError(
                f"{self._path} unpacks to more than {MOST:,} bytes: unpack it first, if that is "
                "what you expect"
            )
        at = self._packed.tell()
        self._tick(at - self._told)
        self._told = at
        return size

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()


@contextmanager
def piped(stream: BinaryIO) -> Iterator[Path]:
    """What comes through a pipe, as a temporary file whose kind its first bytes show.

    Errors call it standard input.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes")
        with path.open("wb") as file:
            size = 0
            while piece := stream.read(CHUNK):
                size += len(piece)
                if size > MOST:
                    raise SourceError(f"{PIPED} has more than {MOST:,} bytes: write a file")
                file.write(piece)
        path = path.rename(path.with_name(f"votes{_ending(path)}"))
        try:
            yield path
        except ValueError as error:
            told = str(error).replace(str(path), PIPED)
            if told == str(error):
                raise
            raise type(error)(told) from None


def _ending(path: Path) -> str:
    """How the name of such a file would end."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    packed = ""
    if head.startswith(GZIP):
        packed = ".gz"
        with opened(path.rename(path.with_name("votes.gz"))) as file:
            head = file.read(HEAD)
        path.with_name("votes.gz").rename(path)
    if head.startswith(b"PAR1"):
        return f".parquet{packed}"
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return f"{ {b'{': '.jsonl', b'[': '.json'}.get(begin, '.csv') }{packed}"
