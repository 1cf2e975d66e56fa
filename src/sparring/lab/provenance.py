"""How numbers were made: versions of libraries, and a digest of our own sources."""

import contextlib
import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from sparring.version import __version__

LIBRARIES = ("numpy", "numba", "polars", "scipy", "matplotlib", "jinja2")
HOME = Path(__file__).parents[1]
KINDS = (".css", ".html", ".js", ".py")  # of the package's files
# What a number of an experiment can depend on.
SOURCES = (
    "_[a-z]*.py",
    "learners/*.py",
    "inequalities.py",
    "preferences.py",
    "problem.py",
    "regret.py",
    "segments.py",
    "worlds/*.py",
    "simulation/*.py",
    "streams.py",
    "tunings.py",
)


def versions() -> dict[str, Any]:
    """Versions of this package, of Python and of the libraries."""
    found = {"sparring": __version__, "python": platform.python_version()}
    for library in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[library] = metadata.version(library)
    return found


@cache
def sources() -> str:
    """A digest of the files that numbers depend on, since sources change between versions."""
    return _digest(file for pattern in SOURCES for file in sorted(HOME.glob(pattern)))


@cache
def everything() -> str:
    """A digest of all files of the package and its command: figures and pages depend on them."""
    homes = (HOME, HOME.parent / "sparring_cli")
    return _digest(
        file for home in homes for file in sorted(home.rglob("*")) if file.suffix in KINDS
    )


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(HOME.parent).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def installed() -> dict[str, str]:
    """What numbers depend on; a folder, or a worker, with anything else is refused."""
    found = versions()
    libraries = {name: found.get(name, "none") for name in ("sparring", "numpy", "numba")}
    return {**libraries, "sources": sources()}
