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
    rand,
    restore,
    rex3,
    steady,
    sym_exp3s,
    tracker,
)
from sparring.problem import Block, Duel, Plays, Problem, Tuning
from sparring.version import __version__

if TYPE_CHECKING:
    from sparring import arena as arena
    from sparring import bounds, worlds
    from sparring import certificates as certificates
    from sparring import checks as checks
    from sparring import choices as choices
    from sparring import client as client
    from sparring import contexts as contexts
    from sparring import data as data
    from sparring import lab as lab
    from sparring import preferences as preferences
    from sparring import regret as regret
    from sparring import simulation as simulation
    from sparring import testing as testing
    from sparring import votes as votes
    from sparring.arena import Arena
    from sparring.certificates import certify
    from sparring.client import AsyncClient as AsyncClient
    from sparring.client import Client as Client
    from sparring.learners.recovery import replay
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

# Public beside `__all__`. All come on first use, so that a learner in service starts fast.
MODULES = (
    "arena",
    "bounds",
    "certificates",
    "checks",
    "choices",
    "client",
    "contexts",
    "data",
    "lab",
    "learners",
    "preferences",
    "regret",
    "simulation",
    "testing",
    "tunings",
    "votes",
    "worlds",
)
CLIENTS = ("AsyncClient", "Client")
EXTRAS = {"lab": "lab", **dict.fromkeys(("client", *CLIENTS), "client")}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in MODULES:
            return import_module(f"sparring.{name}")
        if name not in (*__all__, *CLIENTS):
            raise AttributeError(f"module 'sparring' has no attribute {name!r}")
        owner = {
            "Arena": "arena",
            "certify": "certificates",
            "Regret": "regret",
            "replay": "learners",
            "warm": "warming",
            **dict.fromkeys(("Entrant", "describe", "simulate"), "simulation"),
            **dict.fromkeys(CLIENTS, "client"),
        }.get(name, "worlds")
        found = globals()[name] = getattr(import_module(f"sparring.{owner}"), name)
        return found

    def __dir__() -> list[str]:
        from sparring.extras import missing

        lacking = {name for name, extra in EXTRAS.items() if missing(extra)}
        return sorted({*__all__, *MODULES, *CLIENTS} - lacking)
