"""The panels as data: the paper's six as printed, and those it should have had.

The worlds, regrets and parameters of the first six are those of Sec. 7; S = V_T = 10 and ten runs.
DEX3.S with its corrected share is a further curve. At the scale "full" the sizes are the paper's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sparring import checks
from sparring.lab.experiments import Experiment
from sparring.regret import Regret
from sparring.simulation import Entrant
from sparring.worlds import (
    BudgetedDrift,
    CondorcetSwitches,
    FreshWinner,
    GaussianWalk,
    RotatingWinner,
    SwitchingWalk,
)


@dataclass(frozen=True)
class Scale:
    """How large the panels are."""

    T: tuple[int, ...]
    """Points of an axis T, at K = 10."""
    K: tuple[int, ...]
    """Points of an axis K."""
    long: int
    """T of all other axes."""
    S: tuple[int, ...]
    V_T: tuple[float, ...]
    runs: int = 10


def quarters(first: int, last: int) -> tuple[int, ...]:
    """Four points a decade, evenly spaced on a logarithmic axis, from 10^first to 10^last."""
    return tuple(round(10 ** (i / 4)) for i in range(4 * first, 4 * last + 1))


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "quick": Scale(
            T=quarters(4, 5), K=(5, 10, 20, 40), long=10**5, S=(2, 4, 8, 16), V_T=(2, 4, 8, 16)
        ),
        "full": Scale(
            T=quarters(4, 6),
            K=(5, 10, 20, 40, 80),
            long=10**6,
            S=(2, 5, 10, 20, 50, 100),
            V_T=(2, 5, 10, 20, 50, 100),
        ),
    }
)

STATIC = {"RAND": "rand", "REX3": "rex3", "DEX3.P": "dex3p"}
CORRECTED = Entrant("dex3s", corrected=True)
DYNAMIC = {**STATIC, "DEX3.S": "dex3s", "DEX3.S corrected": CORRECTED}
KNOWLEDGE = {
    "RAND": "rand",
    "S known": "dex3s",
    "S known, corrected": CORRECTED,
    "S unknown": Entrant("dex3s", S=None),
    "S unknown, corrected": Entrant("dex3s", S=None, corrected=True),
}
BY_SCORE = {
    "RAND": "rand",
    "DEX3.S corrected": CORRECTED,
    "Borda-DEX3.S": "borda_dex3s",
    "Borda-DEX3.S corrected": Entrant("borda_dex3s", corrected=True),
}

# What the panels of one kind share: who plays, what is charged, and whose growth theory tells.
Kind = dict[str, Any]
Sizes = dict[str, Any]
ONE_ARM: Kind = {  # SR_T, Thm 3.3
    "entrants": STATIC,
    "regret": Regret("preference", "horizon"),
    "guide": "DEX3.P",
}
SEGMENTS: Kind = {  # DR_T to the sequence of Remark 4.2, Thm 4.1
    "entrants": DYNAMIC,
    "regret": Regret("preference", "stretch"),
    "guide": "DEX3.S",
}
RESPONSES: Kind = {  # DR_T to the best action of each round, Thm 4.4
    "entrants": DYNAMIC,
    "regret": Regret("preference", "round"),
    "guide": "DEX3.S",
}
SCORES: Kind = {  # DBR_T, Thm 6.1
    "entrants": BY_SCORE,
    "regret": Regret("borda", "stretch"),
    "guide": "Borda-DEX3.S",
}
S_KNOWN_OR_NOT: Kind = {**SEGMENTS, "entrants": KNOWLEDGE, "guide": "S known"}
BOUNDED: Kind = {**SEGMENTS, "lines": ("lower bound",)}
FLOOR: Kind = {"lines": ("irreducible",)}

WALK = "Static regret, Gaussian walk"
SWITCHES = "Dynamic regret, switching walk"
DRIFT = "Dynamic regret, continuous drift"
FORCED = "Unavoidable regret, continuous drift"
ROTATING = "Dynamic regret, rotating winner"
FRESH = "Dynamic regret, fresh winners"
HARD = "Dynamic regret, the paper's hard instance"
SIMPLE = "Dynamic regret, the simple hard instance"
BORDA = "Borda regret, fresh winners"


def panels(scale: str | Scale = "full") -> Mapping[str, Experiment]:
    """Every panel by name, at a scale.

    Examples
    --------
    >>> panel = panels("full")["switching-vs-T"]
    >>> panel.points[0], panel.points[-1], panel.regret.benchmark, panel.source
    (10000, 1000000, 'stretch', 'Fig. 3 (a)')
    """
    if isinstance(scale, str):
        if scale not in SCALES:
            raise checks.refuse("scale", f"one of {sorted(SCALES)}", scale)
        scale = SCALES[scale]
    return MappingProxyType({panel.name: panel for panel in (*printed(scale), *further(scale))})


def printed(scale: Scale) -> tuple[Experiment, ...]:
    """The six panels of Sec. 7."""
    T: Sizes = {"K": 10, "T": scale.T}
    K: Sizes = {"K": scale.K, "T": scale.long}
    walk, switch, drift = GaussianWalk, SwitchingWalk, BudgetedDrift
    return (
        panel("static-vs-T", WALK, ONE_ARM, walk, 1 / 2, "Fig. 2 (a)", **T),
        panel("static-vs-K", WALK, ONE_ARM, walk, 1 / 2, "Fig. 2 (b)", **K),
        panel("switching-vs-T", SWITCHES, SEGMENTS, switch, 1 / 2, "Fig. 3 (a)", **T, S=10),
        panel("switching-vs-K", SWITCHES, SEGMENTS, switch, 1 / 2, "Fig. 3 (b)", **K, S=10),
        panel("continuous-vs-T", DRIFT, RESPONSES, drift, 2 / 3, "Fig. 4 (a)", **T, V_T=10),
        panel("continuous-vs-K", DRIFT, RESPONSES, drift, 1 / 3, "Fig. 4 (b)", **K, V_T=10),
    )


def further(scale: Scale) -> tuple[Experiment, ...]:
    """The panels the paper should have had."""
    T: Sizes = {"K": 10, "T": scale.T}
    K: Sizes = {"K": scale.K, "T": scale.long}
    S: Sizes = {"K": 10, "T": scale.long, "S": scale.S}
    V_T: Sizes = {"K": 10, "T": scale.long, "V_T": scale.V_T}
    hard, fresh, rotating = CondorcetSwitches, FreshWinner, RotatingWinner
    return (
        # Continuous variation where Theorem 4.4 applies: a dominating arm in every round.
        panel("rotating-vs-T", ROTATING, RESPONSES, rotating, 2 / 3, **T, V_T=10),
        panel("rotating-vs-K", ROTATING, RESPONSES, rotating, 1 / 3, **K, V_T=10),
        panel("rotating-vs-V_T", ROTATING, RESPONSES, rotating, 1 / 3, **V_T),
        # Switches that change the winner.
        panel("fresh-vs-T", FRESH, SEGMENTS, fresh, 1 / 2, **T, S=10),
        panel("fresh-vs-K", FRESH, SEGMENTS, fresh, 1 / 2, **K, S=10),
        panel("fresh-vs-S", FRESH, SEGMENTS, fresh, 1 / 2, **S),
        panel("known-vs-unknown-S", FRESH, S_KNOWN_OR_NOT, fresh, 1 / 2, **S),
        # The sequence as printed, with what no learner avoids; and its persistent reading.
        panel("forced-vs-T", FORCED, {**RESPONSES, **FLOOR}, BudgetedDrift, 1, **T, V_T=10),
        panel(
            "persistent-vs-T",
            "Dynamic regret, persistent drift",
            {**RESPONSES, **FLOOR},
            BudgetedDrift,
            2 / 3,
            **T,
            V_T=10,
            direction="persistent",
        ),
        # The instances of the lower bounds, of Thm 5.1 and of Thm 5.2, in two families.
        panel("hard-switching-vs-T", HARD, BOUNDED, hard, 1 / 2, **T, S=10, family="paper"),
        panel("hard-continuous-vs-T", HARD, BOUNDED, hard, 2 / 3, **T, V_T=10, family="paper"),
        panel("simple-switching-vs-T", SIMPLE, BOUNDED, hard, 1 / 2, **T, S=10),
        panel("simple-continuous-vs-T", SIMPLE, BOUNDED, hard, 2 / 3, **T, V_T=10),
        # Borda scores, with few enough segments for Theorem 6.1 to apply from T = 1e4 on.
        panel("borda-vs-T", BORDA, SCORES, fresh, 2 / 3, **T, S=5),
        panel("borda-vs-K", BORDA, SCORES, fresh, 1 / 3, **K, S=5),
        panel("borda-vs-S", BORDA, SCORES, fresh, 1 / 3, **S),
    )


def panel(
    name: str, title: str, kind: Kind, world: Any, slope: float, source: str = "", **sizes: Any
) -> Experiment:
    """A panel whose axis is the size that is given several times."""
    (axis,) = (size for size, value in sizes.items() if isinstance(value, tuple))
    worlds = [world(**{**sizes, axis: point}) for point in sizes[axis]]
    return Experiment(name, title, axis, worlds, slope=slope, source=source, **kind)
