"""Where a command does its jobs and puts its results, and how much memory it took."""

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    """A cluster, or None for threads."""
    if options.cluster is None:
        yield None
        return
    from sparring.lab.cluster import cluster  # only now: it brings the laboratory

    with cluster(options.cluster) as found:
        yield found


def peak_memory() -> float | None:
    """The peak memory of this process in megabytes; None if the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    kilobyte = 1024 if sys.platform != "darwin" else 1  # macOS counts bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilobyte / 1e6


def folder_of(options: argparse.Namespace, prefix: str = "", suffix: str = "") -> Path:
    """The given folder, or that of the scale, with a prefix and a suffix."""
    if options.out == "":
        raise ValueError("--out must be the name of a folder; got nothing")
    return Path(options.out) if options.out else Path("results", prefix + options.scale + suffix)


def talks(options: argparse.Namespace) -> bool:
    """Whether a person is there to see progress."""
    return not (options.json or options.quiet)


def import_from_here() -> None:
    """Let Python import the user's modules from the current folder."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
