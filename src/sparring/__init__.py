"""sparring: learn what people prefer, from duels, while tastes drift.

>>> import sparring
>>> learner = sparring.tracker(K=10, seed=7)
>>> duel = learner.ask()  # show the arms duel.row and duel.col
>>> learner.tell(duel, 1.0)  # 1 row won, 0 column won, 0.5 a tie
>>> learner = sparring.restore(learner.snapshot()) # goes on exactly as before

The other learners are in `sparring.learners`, and experiments are in `sparring.lab`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sparring import learners, tunings
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
from sparring.version import __version__

if TYPE_CHECKING:
    from sparring import bounds, worlds
    from sparring import choices as choices
    from sparring import contexts as contexts
    from sparring import data as data
    from sparring import preferences as preferences
    from sparring import testing as testing
    from sparring import votes as votes
    from sparring.arena import Arena
    from sparring.certificates import certify
    from sparring.client import AsyncClient as AsyncClient
    from sparring.client import Client as Client
    from sparring.regret import Regret
    from sparring.simulation import Entrant, describe
    from sparring.simulation.simulate import simulate
    from sparring.warming import warm
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
    "rand",
    "replay",
    "restore",
    "rex3",
    "simulate",
    "steady",
    "sym_exp3s",
    "tracker",
    "tunings",
    "warm",
    "worlds",
]

if not TYPE_CHECKING:
    MODULES = (
        "bounds",
        "certificates",
        "choices",
        "contexts",
        "data",
        "preferences",
        "testing",
        "votes",
        "worlds",
    )
    CLIENTS = ("AsyncClient", "Client")  # not in __all__: they need an extra

    def __getattr__(name: str) -> Any:
        """Import a name on first use, so that a learner in service starts fast."""
        if name not in (*__all__, *MODULES, *CLIENTS):
            raise AttributeError(f"module 'sparring' has no attribute {name!r}")
        owner = {
            "Arena": "arena",
            "certify": "certificates",
            "Regret": "regret",
            "warm": "warming",
            **dict.fromkeys(("Entrant", "describe", "simulate"), "simulation"),
            **dict.fromkeys(CLIENTS, "client"),
            **dict.fromkeys(MODULES, ""),
        }.get(name, "worlds")
        if not owner:
            return import_module(f"sparring.{name}")
        found = globals()[name] = getattr(import_module(f"sparring.{owner}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted(__all__)
