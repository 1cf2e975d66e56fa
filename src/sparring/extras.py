"""Checks for what the extras install, made before hours of work rather than after."""

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

LIBRARIES = {
    "fast": ("numba",),
    "charts": ("jinja2",),
    "votes": ("jinja2", "polars", "rich"),
    "lab": ("jinja2", "matplotlib", "polars", "rich", "scipy"),
    "client": ("httpx",),
    "parquet": ("pyarrow",),
    "serve": ("fastapi", "markdown_it", "nh3", "prometheus_client", "uvicorn"),
}
"""What is imported of an extra, by any part of it."""


def demand(module: str, purpose: str, *, extra: str = "lab") -> Any:
    """The module, or an error that says what to install."""
    try:
        return import_module(module)
    except ImportError:
        raise _missing(module, purpose, extra) from None


def demand_all(extra: str, purpose: str) -> None:
    """Raise an error that says what to install, if part of an extra is missing; import nothing."""
    for library in missing(extra):
        raise _missing(library, purpose, extra)


def absent(library: str) -> bool:
    """Whether a library is not installed; imports nothing."""
    return find_spec(library) is None


def missing(extra: str) -> list[str]:
    """The libraries of an extra that are not installed; imports nothing."""
    return [library for library in LIBRARIES[extra] if absent(library)]


def _missing(module: str, purpose: str, extra: str) -> ImportError:
    return ImportError(f"{purpose} needs {module}: {install(extra)}")


def install(extra: str) -> str:
    """The command that adds an extra to this installation, from where the package itself came.

    Whoever installed from a clone or a wheel adds the extra from there: the name alone may mean
    another version, or none.
    """
    from importlib import metadata  # only now: it takes as long as all else

    try:
        noted = metadata.distribution("sparring").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        noted = None
    origin: dict[str, Any] = json.loads(noted) if noted else {"url": ""}
    editable = "--editable " if origin.get("dir_info", {}).get("editable") else ""
    source = Path(url2pathname(urlsplit(origin["url"]).path))
    if not origin["url"].startswith("file:") or not source.exists():
        return f"pip install 'sparring[{extra}]'"
    return f"pip install {editable}'{'.' if source == Path.cwd() else source}[{extra}]'"
