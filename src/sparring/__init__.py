"""sparring: learn what people prefer, from duels, while tastes drift."""

from sparring import testing, tunings
from sparring.checks import DuelError, SnapshotError, TheoremWarning
from sparring.learners import (
    LEARNERS,
    ExponentialWeights,
    Learner,
    OpenDuels,
    borda_dex3s,
    dex3p,
    dex3s,
    rand,
    restore,
    rex3,
)
from sparring.problem import Block, Duel, Plays, Problem, Tuning

__version__ = "0.1.0"

__all__ = [
    "LEARNERS",
    "Block",
    "Duel",
    "DuelError",
    "ExponentialWeights",
    "Learner",
    "OpenDuels",
    "Plays",
    "Problem",
    "SnapshotError",
    "TheoremWarning",
    "Tuning",
    "__version__",
    "borda_dex3s",
    "dex3p",
    "dex3s",
    "rand",
    "restore",
    "rex3",
    "testing",
    "tunings",
]
