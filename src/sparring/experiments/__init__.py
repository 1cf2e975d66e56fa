"""Experiments as data, and the running of them into a folder of results."""

from sparring.experiments.experiment import Experiment
from sparring.experiments.jobs import Job
from sparring.experiments.running import Ran, run

__all__ = ["Experiment", "Job", "Ran", "run"]
