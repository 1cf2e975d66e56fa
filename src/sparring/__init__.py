"""sparring: learn what people prefer, from duels, while tastes drift.

>>> import sparring
>>> learner = sparring.dex3s(K=10, T=1_000_000, S=10, corrected=True, seed=7)
>>> duel = learner.ask()  # show the arms duel.row and duel.col
>>> learner.tell(duel, 1.0)  # 1 row won, 0 column won, 0.5 a tie
>>> learner = sparring.restore(learner.snapshot())  # goes on bit for bit
"""

from sparring import bounds, experiments, panels, preferences, sequences, testing, tunings
from sparring.certificates import Certificate, CouplingError, LogError, certify
from sparring.checks import DuelError, SimulationError, SnapshotError, TheoremWarning
from sparring.experiments import Experiment
from sparring.learners import (
    LEARNERS,
    BeatTheWinner,
    Counting,
    ExponentialWeights,
    Learner,
    OpenDuels,
    borda_dex3s,
    btwr,
    dex3p,
    dex3s,
    double_thompson,
    rand,
    restore,
    rex3,
    rmed1,
    rucb,
    sym_exp3s,
)
from sparring.problem import Block, Duel, Plays, Problem, Tuning
from sparring.regret import Arms, Mixture, Regret
from sparring.sequences import (
    WORLDS,
    BudgetedDrift,
    CondorcetSwitches,
    Constant,
    Cyclic,
    FreshWinner,
    GaussianWalk,
    Newcomer,
    PreferenceSequence,
    Recorded,
    RotatingWinner,
    Storm,
    SwitchingWalk,
    UtilityWalk,
    world_from_csv,
    world_from_json,
)
from sparring.simulation import Description, Entrant, describe, simulate
from sparring.version import __version__

__all__ = [
    "LEARNERS",
    "WORLDS",
    "Arms",
    "BeatTheWinner",
    "Block",
    "BudgetedDrift",
    "Certificate",
    "CondorcetSwitches",
    "Constant",
    "Counting",
    "CouplingError",
    "Cyclic",
    "Description",
    "Duel",
    "DuelError",
    "Entrant",
    "Experiment",
    "ExponentialWeights",
    "FreshWinner",
    "GaussianWalk",
    "Learner",
    "LogError",
    "Mixture",
    "Newcomer",
    "OpenDuels",
    "Plays",
    "PreferenceSequence",
    "Problem",
    "Recorded",
    "Regret",
    "RotatingWinner",
    "SimulationError",
    "SnapshotError",
    "Storm",
    "SwitchingWalk",
    "TheoremWarning",
    "Tuning",
    "UtilityWalk",
    "__version__",
    "borda_dex3s",
    "bounds",
    "btwr",
    "certify",
    "describe",
    "dex3p",
    "dex3s",
    "double_thompson",
    "experiments",
    "panels",
    "preferences",
    "rand",
    "restore",
    "rex3",
    "rmed1",
    "rucb",
    "sequences",
    "simulate",
    "sym_exp3s",
    "testing",
    "tunings",
    "world_from_csv",
    "world_from_json",
]
