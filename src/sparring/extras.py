"""Checks for what the extras install, made before hours of work rather than after."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

LIBRARIES = {
    "fast": ("numba",),
    "charts": ("jinja2",),
    "votes": ("jinja2", "polars", "rich"),
    "lab": ("jinja2", "matplotlib", "polars", "rich", "scipy"),
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
    for library in LIBRARIES[extra]:
        if find_spec(library) is None:
            raise _missing(library, purpose, extra)


def _missing(module: str, purpose: str, extra: str) -> ImportError:
    return ImportError(f"{purpose} needs {module}: pip install 'sparring[{extra}]'")
