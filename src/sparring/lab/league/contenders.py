"""Who plays in the league, what each has to be told, and who can play where."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sparring import checks
from sparring.lab.league.fixtures import Fixture
from sparring.problem import Problem
from sparring.simulation import Entrant, own

NOTHING, ROUNDS, ALL = "nothing", "T", "S or V_T"  # what a learner has to be told
ORACLE = "Oracle restarts"
CHANCE = "RAND"  # who learns nothing: what others are measured by


@dataclass(frozen=True)
class Contender:
    """Who plays, and what it has to be told."""

    label: str
    entrant: Entrant
    told: str
    """What it has to know of the world: "nothing", "T", or "S or V_T" (and T)."""
    ranked: bool = True
    """Whether it takes part in the ranking: who is told the rounds of change is a yardstick."""
    borda: bool = False
    """Whether it means Borda scores, so that its preference regret is beside the point."""
    alarms: bool = False
    """Whether it raises an alarm when it notices a change."""
    otherwise: Entrant | None = None
    """Who plays instead where it has no tuning for what the world states."""
    call: str = ""
    """What to type for it, if it is not a learner by name."""


CONTENDERS = (
    Contender("RAND", Entrant("rand"), NOTHING),
    # The paper's, as printed and corrected.
    Contender("REX3", Entrant("rex3"), ROUNDS),
    Contender("DEX3.P", Entrant("dex3p"), ROUNDS),
    Contender("DEX3.S", Entrant("dex3s"), ALL),
    Contender("DEX3.S corrected", Entrant("dex3s", corrected=True), ALL),
    # One distribution for both arms.
    Contender("SYM-EXP3.S", Entrant("sym_exp3s"), ALL),
    Contender("SYM-EXP3.S, S unknown", Entrant("sym_exp3s", S=None), ROUNDS),
    Contender("SYM-EXP3-SIX", Entrant("sym_exp3six"), ALL),
    Contender("tracker", Entrant("tracker"), NOTHING),
    Contender("Steady SYM-EXP3.S", Entrant("steady"), NOTHING),
    # The sparring family.
    Contender("Sparring EXP3", Entrant("sparring_exp3"), ROUNDS),
    Contender("Sparring EXP3-IX", Entrant("sparring_exp3ix"), ROUNDS),
    Contender("Sparring EXP3-SIX", Entrant("sparring_exp3six"), ALL),
    Contender("Versatile-DB", Entrant("versatile_db"), NOTHING),
    Contender("Bandit over bandit", Entrant("bandit_over_bandit"), ROUNDS),
    # Counts that are kept, or forgotten.
    Contender("RUCB", Entrant("rucb"), NOTHING),
    Contender("RUCB, window", Entrant("rucb", forget="window"), ALL),
    Contender("RUCB, discount", Entrant("rucb", forget="discount"), ALL),
    Contender("RMED1", Entrant("rmed1"), NOTHING),
    Contender("RMED1, window", Entrant("rmed1", forget="window"), ALL),
    Contender("RMED1, discount", Entrant("rmed1", forget="discount"), ALL),
    Contender("D-TS", Entrant("double_thompson"), NOTHING),
    Contender("D-TS, window", Entrant("double_thompson", forget="window"), ALL),
    Contender("D-TS, discount", Entrant("double_thompson", forget="discount"), ALL),
    # Those that look for changes; scales are those that their docstrings advise.
    Contender("BtWR", Entrant("btwr"), NOTHING),
    Contender(
        "Monitored DB",
        Entrant("monitored_db", scale=0.5),
        ALL,
        alarms=True,
        otherwise=Entrant("monitored_db", scale=0.3, S=2),  # S leaves no round to its base
    ),
    Contender("ANACONDA", Entrant("anaconda", scale=0.2, replays=0.1), ROUNDS, alarms=True),
    Contender("METASWIFT", Entrant("metaswift", scale=0.3, replays=0.3), ROUNDS, alarms=True),
    # Those that begin anew.
    Contender("Periodic restarts", Entrant("periodic_restarts"), ALL),
    Contender("Doubling", Entrant("doubling"), NOTHING),
    # Borda scores.
    Contender(
        "Borda-DEX3.S corrected",
        Entrant("borda_dex3s", corrected=True),
        ALL,
        borda=True,
        otherwise=Entrant("borda_dex3s", corrected=True, S=10),
    ),
    Contender("D-EXP3", Entrant("d_exp3"), ROUNDS, borda=True),
)
YARDSTICK = Contender(ORACLE, Entrant("oracle_restarts", changes=()), "every change", ranked=False)
QUARTER = Contender(
    "D-TS, window T/4",
    Entrant("sparring.lab.league.quarter:thompson"),
    ROUNDS,
    call="sparring.learners.Counting(K, rule='thompson', window=T // 4)",
)
BY_LABEL: Mapping[str, Contender] = MappingProxyType(
    {one.label: one for one in (*CONTENDERS, QUARTER, YARDSTICK)}
)
FEW = (  # who plays where votes are few
    *(BY_LABEL[label] for label in ("RAND", "D-TS", "D-TS, window", "D-TS, window T/4")),
    # Where S leaves it no tuning, it plays as if nobody knew S.
    replace(BY_LABEL["SYM-EXP3.S"], otherwise=Entrant("sym_exp3s", S=None)),
    *(BY_LABEL[label] for label in ("tracker", "RUCB", "RMED1", "BtWR", "Periodic restarts")),
)


def contenders(fixture: Fixture) -> dict[str, Entrant]:
    """Who can play on a world, by label: those whose theory has a tuning for what they are told.

    Where it is known when the world changes, a learner that is told plays too, as a yardstick.
    """
    found = {}
    for contender in FEW if fixture.few else CONTENDERS:
        for entrant in filter(None, (contender.entrant, contender.otherwise)):
            if _can_play(entrant, fixture.told):
                found[contender.label] = entrant
                break
    if fixture.changes is not None:
        found[ORACLE] = Entrant("oracle_restarts", changes=fixture.changes)
    return found


def told_to(entrant: Entrant) -> str:
    """What a learner of somebody's own has to be told: what it says, or what it looks at.

    It may say so in an attribute `told` of the function or class that makes it: "nothing", "T" or
    "S or V_T". Else it is made once, and what it reads of its Problem counts; all, where its module
    is not there any more.
    """
    levels = (NOTHING, ROUNDS, ALL)
    read: set[str] = set()

    class WatchedProblem(Problem):
        """A problem that notes what is looked at."""

        def __getattribute__(self, name: str) -> Any:
            read.add(name)
            return super().__getattribute__(name)

    try:
        said = getattr(own.function(entrant.learner), "told", None)
        if said in levels:
            return str(said)
        problem = WatchedProblem(3, 1000, S=2)
        read.clear()
        entrant(problem, np.random.default_rng(0))
    except Exception:
        return ALL
    return ALL if read & {"S", "V_T"} else ROUNDS if "T" in read else NOTHING


def _can_play(entrant: Entrant, problem: Problem) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error", checks.TheoremWarning)
        try:
            entrant(problem, np.random.default_rng(0))
        except (ValueError, checks.TheoremWarning):
            return False
    return True
