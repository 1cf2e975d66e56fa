"""Real results, as small as can be, and verdicts on them: what the tests of the report show."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from sparring import (
    BudgetedDrift,
    CondorcetSwitches,
    Constant,
    Entrant,
    FreshWinner,
    Regret,
    RotatingWinner,
)
from sparring.formats import Estimate
from sparring.lab.experiments import Experiment, run
from sparring.lab.measures import UNKNOWN
from sparring.lab.summaries import read
from sparring.regret import Mixture

HOSTILE = "</script><img src=x onerror=alert(1)>"
COMMAND = f"sparring reproduce --out 'a & b' {HOSTILE}"
DYNAMIC = {"RAND": "rand", "DEX3.S": "dex3s", "DEX3.S corrected": Entrant("dex3s", corrected=True)}
RESPONSE, SEGMENTS = Regret("preference", "round"), Regret("preference", "stretch")
RUNS = 3
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


class Verdict(NamedTuple):
    """The shape that the claims give."""

    claim: "Claim"
    measured: str
    estimate: Estimate
    wanted: str
    verdict: str
    note: str


@dataclass(frozen=True)
class Claim:
    name: str
    says: str
    source: str
    panel: str
    origin: str


EXPERIMENTS = (
    Experiment(
        "second",
        f"Second, {HOSTILE}",
        "K",
        [FreshWinner(K=K, T=1000, S=2) for K in (3, 6, 12)],
        {**DYNAMIC, HOSTILE: "rex3"},
        SEGMENTS,
        slope=1 / 2,
        guide="DEX3.S",
        source="Fig. 2 (b)",
    ),
    Experiment(
        "first",
        "First",
        "T",
        [FreshWinner(K=4, T=T, S=2) for T in (200, 356, 632, 1125)],
        DYNAMIC,
        SEGMENTS,
        slope=1 / 2,
        guide="DEX3.S",
        source="Fig. 1 (a)",
    ),
    Experiment(
        "below-zero",
        "Below zero",
        "T",
        [
            Constant([[0.5, 0.9, 0.9], [0.1, 0.5, 0.7], [0.1, 0.3, 0.5]], T=T, label=HOSTILE)
            for T in (250, 1000, 4000)
        ],
        {"RAND": "rand", "REX3": "rex3"},
        Regret("preference", Mixture([0.8, 0.1, 0.1])),
    ),
    Experiment(
        "floor",
        "Forced",
        "T",
        [BudgetedDrift(K=4, T=T, V_T=3) for T in (200, 400, 800)],
        DYNAMIC,
        RESPONSE,
        slope=1.0,
        guide="DEX3.S",
        lines=("irreducible",),
    ),
    Experiment(
        "bound",
        "Hard",
        "T",
        [CondorcetSwitches(K=4, T=T, S=3) for T in (300, 900)],
        DYNAMIC,
        SEGMENTS,
        slope=1 / 2,
        guide="DEX3.S",
        lines=("lower bound",),
    ),
    Experiment(
        "variation",
        "Rotating",
        "V_T",
        [RotatingWinner(K=4, T=800, V_T=V_T) for V_T in (1.0, 2.0, 4.0)],
        {"RAND": "rand", "my own": "dex3s"},
        RESPONSE,
        slope=1 / 3,
        guide="my own",
    ),
)
LONE = Experiment(
    "lone",
    "One point, one run",
    "T",
    [FreshWinner(K=4, T=1000, S=2)],
    {"RAND": "rand"},
    SEGMENTS,
    slope=1 / 2,
    guide="RAND",
)


_played = {}


def play(factory):
    """The folder with the results of all of them, made once for all tests."""
    session = factory.getbasetemp()
    if session not in _played:
        _played[session] = factory.mktemp("results")
        run(EXPERIMENTS, _played[session], runs=RUNS, command=["sparring", "run", HOSTILE])
    return _played[session]


def play_lone(folder):
    run(LONE, folder, runs=1)
    return folder


def shown(folder):
    return read(folder, tuple(experiment.name for experiment in EXPERIMENTS))


def verdict(name, panel, origin, kind, estimate=UNKNOWN, **texts):
    claim = Claim(name, texts.get("says", f"Claim {name}"), "Sec. 7.1, Fig. 1 (a)", panel, origin)
    return Verdict(claim, "growth of DEX3.S along T", estimate, "0.4 to 0.6", kind, "")


VERDICTS = (
    verdict("a", "first", "paper", "holds", Estimate(0.512, 0.48, 0.54), says="It is T^(2/3)"),
    verdict("b", "first", "paper", "does not hold", Estimate(-1234.5, -2000, -500)),
    verdict("c", "second", "paper", "not decidable", says=HOSTILE),
    verdict("d", "nowhere", "paper", "so far", Estimate(0.5, math.nan, math.nan)),
    verdict("e", "bound", "theory", "holds", Estimate(2.0, 2.0, 2.0)),
)
