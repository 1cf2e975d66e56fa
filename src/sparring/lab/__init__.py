"""The laboratory: experiments, their results, figures and pages, the league."""

from sparring.lab import panels
from sparring.lab.experiments import Experiment, Job, Ran, run

__all__ = ["Experiment", "Job", "Ran", "panels", "run"]
