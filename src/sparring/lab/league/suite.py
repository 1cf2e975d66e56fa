"""The league as data: named worlds, and the experiments in which all contenders meet."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sparring import checks
from sparring.lab.experiments import Experiment
from sparring.lab.league.contenders import CHANCE, USUAL, contenders
from sparring.lab.league.few import CHECKPOINTS, few
from sparring.lab.league.fixtures import Fixture
from sparring.regret import Regret
from sparring.simulation import Entrant
from sparring.simulation.entrants import known
from sparring.worlds import (
    BudgetedDrift,
    CondorcetSwitches,
    Cyclic,
    FreshWinner,
    GaussianWalk,
    Newcomer,
    Rigged,
    RotatingWinner,
    Seasonal,
    Spoiled,
    Storm,
    SwitchingWalk,
    UtilityWalk,
)

ARMS = 10
PREFIX = "league-"


@dataclass(frozen=True)
class Size:
    """How long the matches are and how often each is played."""

    T: int
    runs: int


SCALES: Mapping[str, Size] = MappingProxyType(
    {"quick": Size(T=20_000, runs=5), "full": Size(T=200_000, runs=10)}
)


WEAK = Regret("preference", "condorcet", "weak")


def suite(scale: str | Size = "full") -> Mapping[str, Fixture]:
    """Every world of the league by name.

    Examples
    --------
    >>> fixture = suite("quick")["fresh-10"]
    >>> fixture.world.S, str(fixture.regret)
    (10, 'preference/stretch')
    """
    K, T = ARMS, _size(scale).T
    fixtures = [
        Fixture("walk", "Gaussian walk (Sec. 7.1)", GaussianWalk(K, T), "horizon", False),
        Fixture("switching", "Switching walk, S = 10", SwitchingWalk(K, T, S=10), "stretch", False),
        Fixture("drift", "Drift, V_T = 10", BudgetedDrift(K, T, V_T=10), "round", False),
        Fixture(
            "hard-paper",
            "Hard, the paper's, S = 10",
            CondorcetSwitches(K, T, S=10, family="paper"),
            "stretch",
            True,
        ),
        Fixture(
            "hard-simple",
            "Hard, simple, S = 10",
            CondorcetSwitches(K, T, S=10),
            "stretch",
            True,
        ),
        Fixture("stationary", "One winner that stays", FreshWinner(K, T, S=1), "stretch", True),
        *(
            Fixture(
                f"fresh-{S}", f"Fresh winners, S = {S}", FreshWinner(K, T, S=S), "stretch", True
            )
            for S in (2, 10, 50)
        ),
        *(
            Fixture(
                f"rotating-{V_T}",
                f"Rotating, V_T = {V_T}",
                RotatingWinner(K, T, V_T=V_T),
                "round",
                True,
            )
            for V_T in (2, 10, 50)
        ),
        Fixture("utilities", "Slow utility walks", UtilityWalk(K, T), "round", True),
        Fixture("cyclic", "Rock, paper, scissors", Cyclic(K, T, gap=0.4), "horizon", False),
        Fixture("storm", "Calm then storm, S = 10", Storm(K, T, S=10), "stretch", True),
        Fixture("newcomers", "Newcomers, S = 5", Newcomer(K, T, S=5), "stretch", True),
    ]
    return MappingProxyType({fixture.name: fixture for fixture in fixtures})


def _size(scale: str | Size) -> Size:
    """The size that a scale stands for."""
    if isinstance(scale, str):
        if scale not in SCALES:
            raise checks.refuse("scale", f"one of {sorted(SCALES)}", scale)
        return SCALES[scale]
    return scale


def beside(scale: str | Size = "full") -> Mapping[str, Fixture]:
    """Worlds that play only if they are named: for some learners they are what those are made for.

    So they are no part of ranks and means, but where they play alone. Spoiled answers are asked and
    told from Python, which takes some ten times as long.

    Examples
    --------
    >>> list(beside("quick"))
    ['seasons', 'many-seasons', 'bought', 'bought-in-bursts']
    """
    K, T = ARMS, _size(scale).T
    plain = FreshWinner(K, T, S=2)
    fixtures = [
        Fixture(
            "seasons",
            "2 seasons, 6 times",
            Seasonal(K, T, period=T // 6, seasons=2),
            "stretch",
            True,
        ),
        Fixture(
            "many-seasons",
            "6 seasons, 3 times",
            Seasonal(K, T, period=T // 3, seasons=6),
            "stretch",
            True,
        ),
        Fixture(
            "bought",
            "10% against the leader, S = 2",
            Spoiled(plain, 0.1, aim="leader"),
            "stretch",
            True,
        ),
        Fixture(
            "bought-in-bursts",
            "10% in bursts, S = 2",
            Rigged(plain, 0.1, plan="bursts"),
            "stretch",
            True,
        ),
    ]
    return MappingProxyType({fixture.name: fixture for fixture in fixtures})


def of_the_league() -> Mapping[str, Fixture]:
    """The worlds of both suites and those beside, by name; long ones at the quick scale."""
    return MappingProxyType({**suite("quick"), **beside("quick"), **few()})


def given(name: str, world: Any) -> Fixture:
    """A world of the user's own, such as one read from a file; its name is part of every seed.

    Learners are told how often the best arm of a recorded history changes, not how many periods it
    has. The regret is still that to the best arm of each stretch of constant P: a period, or equal
    neighbours.
    """
    moves = getattr(world, "S", None) is None
    title = "".join(letter if letter.isprintable() else " " for letter in name).strip() or "world"
    clean = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "world"
    unique = f"{clean}-{_mark(world.to_json())}"
    return Fixture(unique, title, world, "round" if moves else "stretch", False)


def experiments(
    fixtures: Iterable[Fixture],
    own: Mapping[str, Entrant] = MappingProxyType({}),
    *,
    only: Collection[str] = (),
    everybody: bool = False,
) -> list[Experiment]:
    """The experiments of a league, one for each world: contenders and the user's own learners.

    In the long suite one contender for each idea plays, or all with `everybody`, or `only` those
    named by label or learner. RAND always plays, as all are compared with it.
    """
    found = []
    for fixture in fixtures:
        field = contenders(fixture)
        twice = [label for label in own if label in field]
        if twice:
            rule = "other than those of the league"
            raise checks.refuse("the labels of learners of your own", rule, twice[0])
        if only:
            names = {*only, CHANCE}
            field = {label: who for label, who in field.items() if {label, who.learner} & names}
        elif not (everybody or fixture.few):
            field = {label: who for label, who in field.items() if label in USUAL}
        found.append(_experiment(fixture, {**field, **own}))
    return found


def _experiment(fixture: Fixture, entrants: dict[str, Entrant]) -> Experiment:
    return Experiment(
        PREFIX + fixture.name,
        fixture.title,
        "T",
        [fixture.world],
        entrants,
        fixture.regret,
        also=(fixture.borda, WEAK),
        luck=PREFIX + fixture.name,
        checkpoints=CHECKPOINTS if fixture.few else 40,
        favourites=fixture.few,
        alarms=fixture.changes is not None,
        told=None if fixture.told == known(fixture.world) else fixture.told,
    )


def _mark(content: Any) -> str:
    """A few letters that distinguish contents."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]
