"""What kind a file is, by its name and its first bytes; what is packed, or comes through a pipe."""

import codecs
import gzip
import io
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from sparring import checks

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "list",
    ".parquet": "parquet",
}
GZIP = b"\x1f\x8b"
# Polars unpacks some of these by itself, in memory and to any size; no text begins like the rest.
PACKED = {
    GZIP: "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x78\x01": "zlib",
    b"\x78\x5e": "zlib",
    b"\x78\x9c": "zlib",
    b"\x78\xda": "zlib",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x04\x22\x4d\x18": "lz4",
    b"\xff\x06\x00\x00sNaPpY": "snappy",
    b"PK\x03\x04": "zip",
    # Frames of zstd and lz4 that hold nothing and may come first.
    **{bytes([first, 0x2A, 0x4D, 0x18]): "zstd or lz4" for first in range(0x50, 0x60)},
}
HEAD = 4096  # bytes that tell whether it is text
LOOKED_AT = 1000  # names beside a file that is not there
MOST = 1 << 32  # bytes, unpacked or piped: a packed megabyte may hold a gigabyte
CHUNK = 1 << 20
PIPED = "standard input"

Tick = Callable[[int], object]


class FileError(ValueError):
    """A file that cannot be read, or not safely; the message says where and why."""


def silent(size: int) -> None:
    """The tick for which nothing needs to be reported."""


def kind_of(path: Path) -> str:
    """`csv`, `lines` or `list` (of JSON) or `parquet`; refuses folders and what is packed.

    Text may be packed with gzip, if its name ends in .gz.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.tsv")
    ...     _ = path.write_text("a	b	winner")
    ...     kind_of(path)
    'csv'
    """
    if not path.is_file():
        raise FileError(no_file(path))
    packed = is_packed(path)
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(GZIP) and not packed:
        raise FileError(f"{path} is compressed (gzip): let its name end in .gz, or unpack it first")
    if packed:
        with opened(path) as file:
            head = file.read(HEAD)
    refuse_packed(path, head)
    name = path.with_suffix("") if packed else path
    kind = FORMATS.get(name.suffix.lower())
    if kind is None or (packed and kind == "parquet"):
        texts = [f"{end}.gz" for end, kind in FORMATS.items() if kind != "parquet"]
        raise FileError(f"{path} must end in one of {', '.join(texts if packed else FORMATS)}")
    if kind != "parquet" and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileError(f"{path} is text in UTF-16: save it as UTF-8")
    if kind != "parquet" and b"\0" in head:
        raise FileError(f"{path} is not text")
    return kind


def demand_ending(path: Path, endings: Mapping[str, str]) -> str:
    """The kind of a file with one of these endings; what is packed is refused.

    A compressed file of some kilobytes may hold gigabytes, which shows only when it is read.
    """
    if path.suffix not in endings:
        raise FileError(f"{path} must end in one of {', '.join(endings)}")
    if not path.is_file():
        raise FileError(no_file(path))
    with path.open("rb") as file:
        refuse_packed(path, file.read(HEAD))
    return endings[path.suffix]


def no_file(path: Path) -> str:
    """That a path is no file; if there is nothing, which file beside it may have been meant.

    Examples
    --------
    >>> print(no_file(Path(".")))
    . is not a file: it is a folder
    """
    if path.is_dir():
        return f"{path} is not a file: it is a folder"
    try:
        beside = [one for one in islice(path.parent.iterdir(), LOOKED_AT) if one.is_file()]
    except OSError:  # there is no such folder, or it cannot be read
        beside = []
    files = [one for one in beside if one.suffix == path.suffix or one.stem == path.stem]
    # Without their endings, which would make all files of a kind alike.
    near = checks.nearest(path.stem, dict.fromkeys(one.stem for one in files))
    names = [repr(one.name) for stem in near for one in files if one.stem == stem]
    meant = f" (did you mean {' or '.join(names)}?)" if names else ""
    return f"{path} is not a file{meant}"


def refuse_packed(path: Path, begin: bytes) -> None:
    """Refuse a file that begins like a compressed one."""
    for mark, name in PACKED.items():
        if begin.startswith(mark):
            raise FileError(f"{path} is compressed ({name}): unpack it first")


def is_packed(path: Path) -> bool:
    """Whether a file is compressed with gzip, by its name."""
    return path.suffix.lower() == ".gz"


def opened(path: Path, tick: Tick = silent) -> Any:
    """A file of bytes, decompressed if it ends in .gz; `tick` counts the bytes of the file.

    Only a buffer is held, so memory does not grow with the file. A file that grows beyond `MOST`
    bytes is refused at that point.
    """
    return io.BufferedReader(_Unpacked(path, tick) if is_packed(path) else _Told(path, tick), CHUNK)


class _Told(io.FileIO):
    """A file that tells how much was read."""

    def __init__(self, path: Path, tick: Tick) -> None:
        super().__init__(path)
        self._tick = tick

    def readinto(self, buffer: Any) -> int | None:
        size = super().readinto(buffer)
        self._tick(size or 0)
        return size


class _Unpacked(io.RawIOBase):
    """The content of a packed file, counted."""

    def __init__(self, path: Path, tick: Tick) -> None:
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
            raise FileError(f"{self._path} is damaged, or no gzip: {error}") from None
        self._size += size
        if self._size > MOST:
            raise FileError(
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
    """A pipe's content as a temporary file whose kind its first bytes show.

    Errors call it standard input.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes")
        with path.open("wb") as file:
            size = 0
            while piece := stream.read(CHUNK):
                size += len(piece)
                if size > MOST:
                    raise FileError(f"{PIPED} has more than {MOST:,} bytes: write a file")
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
