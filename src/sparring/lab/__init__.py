"""The laboratory: experiments, their results, figures and pages, the league."""

from sparring.lab import door, panels
from sparring.lab.experiments import Experiment, Job, Ran, Sweep, entrant, run, sweep, world

__all__ = [
    "Experiment",
    "Job",
    "Ran",
    "Sweep",
    "door",
    "entrant",
    "panels",
    "run",
    "sweep",
    "world",
]
