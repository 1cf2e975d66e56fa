"""Simulation: many learners on one path, their regrets, and a description of the path."""

from sparring.simulation.description import Description, describe
from sparring.simulation.entrants import Entrant
from sparring.simulation.simulate import simulate

__all__ = ["Description", "Entrant", "describe", "simulate"]
