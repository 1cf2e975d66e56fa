"""The learners of the league, what each must be told, and where each can play."""

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

NOTHING, ROUNDS, ALL = "nothing", "T", "S or V_T"  # what a learner must be told
ORACLE = "Oracle restarts"
BORDA, DETECTION = "Borda scores", "detection"  # ideas that tables know
CHANCE = "RAND"  # who learns nothing: what others are measured by


@dataclass(frozen=True)
class Contender:
    """A learner of the league, and what it must be told."""

    label: str
    entrant: Entrant
    told: str
    """What it must know of the world: "nothing", "T", or "S or V_T" (and T)."""
    idea: str
    """What it shares with others that are like it."""
    usual: bool = False
    """Whether it represents its idea if not all learners play."""
    ranked: bool = True
    """Whether it is ranked; one that knows the change points is only a yardstick."""
    otherwise: Entrant | None = None
    """What plays instead where it has no tuning for what the world states."""
    call: str = ""
    """What to type for it, if it is not a learner by name."""

    @property
    def borda(self) -> bool:
        """Whether it aims at Borda scores, so that its preference regret does not matter."""
        return self.idea == BORDA

    @property
    def alarms(self) -> bool:
        """Whether it raises an alarm when it notices a change."""
        return self.idea == DETECTION


# One of each idea plays by default: the one of the best mean rank in docs/league.md (ADR 0056).
CONTENDERS = (
    Contender("RAND", Entrant("rand"), NOTHING, "chance", usual=True),
    # The paper's, as printed and corrected.
    Contender("REX3", Entrant("rex3"), ROUNDS, "paper"),
    Contender("DEX3.P", Entrant("dex3p"), ROUNDS, "paper"),
    Contender("DEX3.S", Entrant("dex3s"), ALL, "paper"),
    Contender("DEX3.S corrected", Entrant("dex3s", corrected=True), ALL, "paper", usual=True),
    Contender("SYM-EXP3.S", Entrant("sym_exp3s"), ALL, "one distribution", usual=True),
    Contender("SYM-EXP3.S, S unknown", Entrant("sym_exp3s", S=None), ROUNDS, "one distribution"),
    Contender("SYM-EXP3-SIX", Entrant("sym_exp3six"), ALL, "one distribution"),
    Contender("tracker", Entrant("tracker"), NOTHING, "aging posteriors", usual=True),
    Contender("Steady SYM-EXP3.S", Entrant("steady"), NOTHING, "one distribution"),
    # Made for seasons and for votes that may be bought; they pay for it elsewhere.
    Contender("seasoned", Entrant("seasoned"), NOTHING, "aging posteriors"),
    Contender("sturdy", Entrant("sturdy"), NOTHING, "one distribution"),
    Contender("Sparring EXP3", Entrant("sparring_exp3"), ROUNDS, "sparring"),
    Contender("Sparring EXP3-IX", Entrant("sparring_exp3ix"), ROUNDS, "sparring"),
    Contender("Sparring EXP3-SIX", Entrant("sparring_exp3six"), ALL, "sparring", usual=True),
    Contender("Versatile-DB", Entrant("versatile_db"), NOTHING, "both worlds", usual=True),
    # Counts that are kept, or forgotten.
    Contender("RUCB", Entrant("rucb"), NOTHING, "confidence"),
    Contender("RUCB, window", Entrant("rucb", forget="window"), ALL, "confidence", usual=True),
    Contender("RUCB, discount", Entrant("rucb", forget="discount"), ALL, "confidence"),
    Contender("RMED1", Entrant("rmed1"), NOTHING, "likelihood"),
    Contender("RMED1, window", Entrant("rmed1", forget="window"), ALL, "likelihood", usual=True),
    Contender("RMED1, discount", Entrant("rmed1", forget="discount"), ALL, "likelihood"),
    Contender("D-TS", Entrant("double_thompson"), NOTHING, "Thompson"),
    Contender(
        "D-TS, window", Entrant("double_thompson", forget="window"), ALL, "Thompson", usual=True
    ),
    Contender("D-TS, discount", Entrant("double_thompson", forget="discount"), ALL, "Thompson"),
    # What many use to rank, with the pairs that their users might choose.
    Contender("Elo", Entrant("elo"), NOTHING, "ratings"),
    Contender("Elo, leader and near", Entrant("elo", pairing="near"), NOTHING, "ratings"),
    Contender("Glicko-2", Entrant("glicko2"), NOTHING, "ratings"),
    Contender("TrueSkill", Entrant("trueskill"), NOTHING, "ratings", usual=True),
    Contender("Bradley-Terry", Entrant("bradley_terry"), NOTHING, "ratings"),
    Contender(
        "Bradley-Terry, top two", Entrant("bradley_terry", pairing="top two"), NOTHING, "ratings"
    ),
    Contender("BtWR", Entrant("btwr"), NOTHING, "winner stays", usual=True),
    # Scales are those that their docstrings advise.
    Contender(
        "Monitored DB",
        Entrant("monitored_db", scale=0.5),
        ALL,
        DETECTION,
        otherwise=Entrant("monitored_db", scale=0.3, S=2),  # S leaves no round to its base
    ),
    Contender("ANACONDA", Entrant("anaconda", scale=0.2, replays=0.1), ROUNDS, DETECTION),
    Contender(
        "METASWIFT",
        Entrant("metaswift", scale=0.3, replays=0.3),
        ROUNDS,
        DETECTION,
        usual=True,
    ),
    Contender("Periodic restarts", Entrant("periodic_restarts"), ALL, "restarts", usual=True),
    Contender(
        "Borda-DEX3.S corrected",
        Entrant("borda_dex3s", corrected=True),
        ALL,
        BORDA,
        usual=True,
        otherwise=Entrant("borda_dex3s", corrected=True, S=10),
    ),
    Contender("D-EXP3", Entrant("d_exp3"), ROUNDS, BORDA),
)
YARDSTICK = Contender(
    ORACLE,
    Entrant("sparring.lab.oracle:restarts", changes=()),
    "every change",
    "restarts",
    ranked=False,
    call="sparring.learners.Restarting(K, 'double_thompson', changes=changes, T=T)",
)
QUARTER = Contender(
    "D-TS, window T/4",
    Entrant("sparring.lab.league.quarter:thompson"),
    ROUNDS,
    "Thompson",
    call="sparring.learners.Counting(K, rule='thompson', window=T // 4)",
)
BY_LABEL: Mapping[str, Contender] = MappingProxyType(
    {one.label: one for one in (*CONTENDERS, QUARTER, YARDSTICK)}
)
USUAL = (*(one.label for one in CONTENDERS if one.usual), ORACLE)
FEW = (  # who plays where votes are few
    *(BY_LABEL[label] for label in ("RAND", "D-TS", "D-TS, window", "D-TS, window T/4")),
    # Where S leaves it no tuning, it plays as if S were unknown.
    replace(BY_LABEL["SYM-EXP3.S"], otherwise=Entrant("sym_exp3s", S=None)),
    *(BY_LABEL[label] for label in ("tracker", "RUCB", "RMED1", "BtWR", "Periodic restarts")),
)


def contenders(fixture: Fixture) -> dict[str, Entrant]:
    """The learners that can play on a world, by label: theory has a tuning for what they are told.

    If the change points are known, a learner that is told them also plays, as a yardstick.
    """
    found = {}
    for contender in FEW if fixture.few else CONTENDERS:
        for entrant in filter(None, (contender.entrant, contender.otherwise)):
            if _can_play(entrant, fixture.told):
                found[contender.label] = entrant
                break
    if fixture.changes is not None:
        found[ORACLE] = Entrant(YARDSTICK.entrant.learner, changes=fixture.changes)
    return found


def told_to(entrant: Entrant) -> str:
    """What a learner of the user's own must be told: what it says, or what it reads.

    It may say so in an attribute `told` of the function or class that makes it: "nothing", "T" or
    "S or V_T". Otherwise it is made once, and what it reads from its Problem counts; everything, if
    its module is missing.
    """
    levels = (NOTHING, ROUNDS, ALL)
    read: set[str] = set()

    class WatchedProblem(Problem):
        """A problem that notes which fields are read."""

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
