"""sparring: learn what people prefer, from duels, while tastes drift.

>>> import sparring
>>> learner = sparring.dex3s(K=10, T=1_000_000, S=10, corrected=True, seed=7)
>>> duel = learner.ask()  # show the arms duel.row and duel.col
>>> learner.tell(duel, 1.0)  # 1 row won, 0 column won, 0.5 a tie
>>> learner = sparring.restore(learner.snapshot())  # goes on bit for bit
"""

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
from sparring.version import __version__

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
