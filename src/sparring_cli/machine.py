"""Where the jobs of a command are done, and how much memory that took."""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from sparring.lab.cluster import cluster


@contextmanager
def executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    """A cluster, or None for threads."""
    if options.cluster is None:
        yield None
        return
    with cluster(options.cluster) as found:
        yield found


def peak_memory() -> float | None:
    """Megabytes that this process has had at most; None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    kilobyte = 1024 if sys.platform != "darwin" else 1  # macOS counts bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilobyte / 1e6
