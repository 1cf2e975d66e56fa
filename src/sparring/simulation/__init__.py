"""Simulation: many learners on one path, what they are charged, and what the path is like."""

from sparring.simulation.description import Description, describe
from sparring.simulation.entrants import Entrant
from sparring.simulation.simulate import simulate

__all__ = ["Description", "Entrant", "describe", "simulate"]
