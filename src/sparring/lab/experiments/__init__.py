"""Experiments as data, and how they are run into a folder of results."""

from sparring.lab.experiments.experiment import Experiment
from sparring.lab.experiments.given import entrant, world
from sparring.lab.experiments.jobs import Job
from sparring.lab.experiments.running import Ran, run
from sparring.lab.experiments.sweep import Sweep, named, sweep

__all__ = ["Experiment", "Job", "Ran", "Sweep", "entrant", "named", "run", "sweep", "world"]
