"""What the extras install, asked for before hours of work rather than after."""

from importlib import import_module
from typing import Any


def demand(module: str, purpose: str, *, extra: str = "lab") -> Any:
    """The module, or an error that says what to install."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{purpose} needs {module}: pip install 'sparring[{extra}]'") from None
