"""Learners: the protocol, the algorithm behind the paper's five, saving and restoring."""

from sparring.learners.duels import OpenDuels
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.paper import borda_dex3s, dex3p, dex3s, rand, rex3
from sparring.learners.protocol import Learner
from sparring.learners.registry import LEARNERS
from sparring.learners.restoring import restore

__all__ = [
    "LEARNERS",
    "ExponentialWeights",
    "Learner",
    "OpenDuels",
    "borda_dex3s",
    "dex3p",
    "dex3s",
    "rand",
    "restore",
    "rex3",
]
