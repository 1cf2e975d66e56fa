"""What the extra `lab` installs, asked for before hours of work rather than after."""

from importlib import import_module
from typing import Any


def demand(module: str, purpose: str) -> Any:
    """The module, or an error that says what to install."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{purpose} needs {module}: pip install 'sparring[lab]'") from None
