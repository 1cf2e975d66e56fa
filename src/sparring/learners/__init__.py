"""Learners: the protocol, the algorithm behind the paper's five, saving and restoring."""

from sparring.learners.bookkeeping import Bookkeeping
from sparring.learners.counters import double_thompson, rmed1, rucb
from sparring.learners.counting import Counting
from sparring.learners.duels import OpenDuels
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.paper import borda_dex3s, dex3p, dex3s, rand, rex3
from sparring.learners.protocol import Learner
from sparring.learners.registry import LEARNERS
from sparring.learners.restoring import KINDS, restore
from sparring.learners.symmetric import sym_exp3s
from sparring.learners.winners import BeatTheWinner, btwr

__all__ = [
    "KINDS",
    "LEARNERS",
    "BeatTheWinner",
    "Bookkeeping",
    "Counting",
    "ExponentialWeights",
    "Learner",
    "OpenDuels",
    "borda_dex3s",
    "btwr",
    "dex3p",
    "dex3s",
    "double_thompson",
    "rand",
    "restore",
    "rex3",
    "rmed1",
    "rucb",
    "sym_exp3s",
]
