"""What kind a file is, by its name and its first bytes, before it is read."""

from itertools import islice
from pathlib import Path

from sparring import checks

FORMATS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "lines", ".ndjson": "lines"}

# Polars unpacks the first three by itself, in memory and to any size; no text begins like the rest.
PACKED = {
    b"\x1f\x8b": "gzip",
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
LONGEST_MARK = max(map(len, PACKED))
LOOKED_AT = 1000  # names beside a file that is not there


class FileError(ValueError):
    """A file that cannot be read, or not safely; the message says where and why."""


def kind(path: str | Path) -> str:
    """`csv`, `lines` (of JSON) or `parquet`; refuses other endings and compressed files.

    A compressed file of some kilobytes may hold gigabytes, which shows only when it is read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text("time,a,b,winner")
    ...     kind(path)
    'csv'
    """
    path = Path(path)
    if path.suffix not in FORMATS:
        raise FileError(f"{path} must end in one of {', '.join(FORMATS)}")
    if not path.is_file():
        raise FileError(no_file(path))
    with path.open("rb") as file:
        refuse_packed(path, file.read(LONGEST_MARK))
    return FORMATS[path.suffix]


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
