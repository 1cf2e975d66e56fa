"""The process that reads a Parquet file, run by `parquet.py`; it needs nothing of this package.

It answers with the number of rows, then with frames of rows in Arrow's IPC format, each after its
length in eight bytes. A bad file may kill it; its caller turns that into an error.
"""

import contextlib
import io
import sys
from typing import IO

FRAME = 1 << 26  # bytes of a frame, about, once it is known how large a row is
FIRST = 50  # rows, before it is

try:
    import resource
except ImportError:  # pragma: no cover  not on Windows
    resource = None  # type: ignore[assignment]


def answer(out: IO[bytes], data: bytes) -> None:
    """Write an answer."""
    out.write(len(data).to_bytes(8, "big"))
    out.write(data)
    out.flush()


def main(path: str, rows: int, memory: int, out: IO[bytes]) -> None:
    """Read a file within a limit of memory, some rows at a time."""
    if resource is not None:
        with contextlib.suppress(OSError, ValueError):  # macOS has no such limit
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            least = memory if most == resource.RLIM_INFINITY else min(memory, most)
            resource.setrlimit(resource.RLIMIT_AS, (least, least))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import polars  # only now: what it takes counts

    table = polars.scan_parquet(path, glob=False)
    total = int(table.select(polars.len()).collect().item())
    answer(out, str(total).encode())
    begin, size = 0, min(rows, FIRST)
    while begin < total:
        frame = table.slice(begin, size).collect()
        if not len(frame):
            raise ValueError(f"it ends after {begin:,} of {total:,} rows")
        begin += len(frame)
        size = min(rows, max(1, FRAME * len(frame) // max(1, int(frame.estimated_size()))))
        data = io.BytesIO()
        frame.write_ipc(data)
        answer(out, data.getvalue())


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.stdout.buffer)
    except BrokenPipeError:
        sys.exit(0)  # the caller has seen enough
    except BaseException as error:
        sys.exit(f"{type(error).__name__}: {error}")
