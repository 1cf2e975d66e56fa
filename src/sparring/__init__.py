"""sparring: learn what people prefer, from duels, while tastes drift.

>>> import sparring
>>> learner = sparring.tracker(K=10, seed=7)
>>> duel = learner.ask()  # show the arms duel.row and duel.col
>>> learner.tell(duel, 1.0)  # 1 row won, 0 column won, 0.5 a tie
>>> learner = sparring.restore(learner.snapshot())  # goes on bit for bit

All other learners are in `sparring.learners`, experiments in `sparring.lab`.
"""

from sparring import bounds, learners, preferences, testing, tunings, worlds
from sparring.arena import Arena
from sparring.certificates import certify
from sparring.checks import DuelError, SnapshotError, TheoremWarning
from sparring.learners import (
    LEARNERS,
    Learner,
    borda_dex3s,
    dex3p,
    dex3s,
    guarded,
    rand,
    replay,
    restore,
    rex3,
    steady,
    sym_exp3s,
    tracker,
)
from sparring.problem import Block, Duel, Plays, Problem, Tuning
from sparring.regret import Regret
from sparring.simulation import Entrant, describe, simulate
from sparring.version import __version__
from sparring.worlds import (
    WORLDS,
    BudgetedDrift,
    CondorcetSwitches,
    Constant,
    Cyclic,
    FreshWinner,
    GaussianWalk,
    Newcomer,
    RotatingWinner,
    Storm,
    SwitchingWalk,
    UtilityWalk,
    world_from_csv,
)

__all__ = [
    "LEARNERS",
    "WORLDS",
    "Arena",
    "Block",
    "BudgetedDrift",
    "CondorcetSwitches",
    "Constant",
    "Cyclic",
    "Duel",
    "DuelError",
    "Entrant",
    "FreshWinner",
    "GaussianWalk",
    "Learner",
    "Newcomer",
    "Plays",
    "Problem",
    "Regret",
    "RotatingWinner",
    "SnapshotError",
    "Storm",
    "SwitchingWalk",
    "TheoremWarning",
    "Tuning",
    "UtilityWalk",
    "__version__",
    "borda_dex3s",
    "bounds",
    "certify",
    "describe",
    "dex3p",
    "dex3s",
    "guarded",
    "learners",
    "preferences",
    "rand",
    "replay",
    "restore",
    "rex3",
    "simulate",
    "steady",
    "sym_exp3s",
    "testing",
    "tracker",
    "tunings",
    "world_from_csv",
    "worlds",
]
