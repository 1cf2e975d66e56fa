"""The laboratory: experiments, their results, figures and pages, the league."""

from importlib import import_module
from types import ModuleType

from sparring.lab import door as _door  # noqa: F401  first: it says what is missing
from sparring.lab import oracle, panels
from sparring.lab.experiments import Experiment, Job, Ran, Sweep, entrant, run, sweep, world

__all__ = [
    "Experiment",
    "Job",
    "Ran",
    "Sweep",
    "draw",
    "entrant",
    "oracle",
    "panels",
    "run",
    "sweep",
    "world",
]


def __getattr__(name: str) -> ModuleType:
    """Import `draw` when it is asked for: Matplotlib takes half a second."""
    if name != "draw":
        raise AttributeError(f"module 'sparring.lab' has no attribute {name!r}")
    return import_module("sparring.lab.draw")


def __dir__() -> list[str]:
    """Its names, with that of `draw` before it is imported."""
    return sorted({*globals(), *__all__})
