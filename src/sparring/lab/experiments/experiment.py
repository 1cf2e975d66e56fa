"""An experiment as data: worlds along an axis, learners, a regret."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from sparring import atomic, checks
from sparring.lab import marks, results
from sparring.lab.experiments.given import demand_learners, from_json, kept, number_of
from sparring.problem import Problem
from sparring.regret import Regret, regret_of
from sparring.simulation import Entrant
from sparring.simulation.entrants import known, labelled
from sparring.simulation.labels import writable

MOST_CHECKPOINTS = 10_000
LINES = ("irreducible", "lower bound")
# What each line bounds from below; on a hard instance the three benchmarks are one.
BOUNDED_BY = {
    "irreducible": (Regret("preference", "round"),),
    "lower bound": tuple(Regret("preference", b) for b in ("round", "stretch", "condorcet")),
}


@dataclass(frozen=True)
class Experiment:
    """A figure panel as data: a value that can be compared, printed and written as JSON.

    Parameters
    ----------
    name
        Its name in files and commands; part of every seed.
    title
        Its title in figures.
    axis
        In what the worlds differ: "T", "K", "S", "V_T" or any other number that they have.
    worlds
        One for each point of the axis.
    entrants
        Learners from `sparring.LEARNERS` by label; use an `Entrant` for options or for your own.
    regret
        What is drawn: a `Regret`, or the paper's word for one.
    slope
        The exponent that theory gives along the axis, for a dotted line; None for no line.
    guide
        The label of the entrant through whose last point the line goes.
    lines
        What else is drawn: the "irreducible" regret of each path, which no learner avoids; the
        "lower bound" of each world.
    checkpoints
        How many evenly spaced rounds each regret is noted at, for curves over time.
    source
        Where the paper has it; empty if it does not.
    also
        Regrets that are also noted.
    luck
        Part of every seed, instead of the name: experiments with the same luck have the same paths
        and coins, so that a learner that plays later can be compared run by run.
    told
        The `Problem` that learners are told, with the worlds' K and T; what each world states if
        None.
    favourites
        Whether to note, with each regret, if the learner's favourite is the best arm.
    alarms
        Whether to note the rounds in which a learner with `alarms` raised one.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> experiment = Experiment(
    ...     name="mine",
    ...     title="Fresh winners",
    ...     axis="T",
    ...     worlds=[FreshWinner(K=5, T=T, S=4) for T in (1000, 4000)],
    ...     entrants={"DEX3.S": "dex3s", "RAND": "rand"},
    ...     regret="dynamic",
    ... )
    >>> experiment.points
    (1000, 4000)
    >>> Experiment.from_json(experiment.to_json()) == experiment
    True
    """

    name: str
    title: str
    axis: str
    worlds: Sequence[Any]
    entrants: Any
    regret: Any
    slope: float | None = None
    guide: str = ""
    lines: Sequence[str] = ()
    checkpoints: int = 40
    source: str = ""
    also: Sequence[Regret] = ()
    luck: str = ""
    told: Problem | None = None
    favourites: bool = False
    alarms: bool = False

    def __post_init__(self) -> None:
        named = isinstance(self.name, str) and atomic.is_name(self.name)
        if not named or self.name in results.OURS:
            rule = f"letters, digits, points, dashes, underscores, and none of {results.OURS}"
            raise checks.refuse("name", rule, self.name)
        for name in ("title", "guide", "source", "luck"):
            if not (writable(getattr(self, name)) and getattr(self, name).isprintable()):
                raise checks.refuse(name, "a text on one line", getattr(self, name))
        if not (isinstance(self.axis, str) and self.axis.isidentifier()):
            raise checks.refuse("axis", "the name of a number that all worlds have", self.axis)
        self._set("regret", regret_of(self.regret))
        if self.slope is not None:
            self._set("slope", checks.real("slope", self.slope, low=-10, high=10))
        number = checks.whole("checkpoints", self.checkpoints, low=1, high=MOST_CHECKPOINTS)
        self._set("checkpoints", number)
        self._set("worlds", self._checked_worlds())
        self._set("entrants", self._checked_entrants())
        self._set("lines", self._checked_lines())
        self._set("also", self._checked_also())
        self._check_told()
        for name in ("favourites", "alarms"):
            self._set(name, checks.flag(name, getattr(self, name)))
        if self.guide and self.guide not in self.labels:
            raise checks.refuse("guide", f"one of {sorted(self.labels)}", self.guide)

    def _set(self, name: str, value: Any) -> None:
        """Store a checked argument, which a frozen dataclass allows only like this."""
        object.__setattr__(self, name, value)

    def _checked_worlds(self) -> tuple[Any, ...]:
        rule = f"one for each of some {self.axis}"
        if not isinstance(self.worlds, Iterable):
            raise checks.refuse("worlds", rule, self.worlds)
        worlds = tuple(self.worlds)
        for world in worlds:
            known(world)
            _demand_json(world)
        points = [number_of(world, self.axis) for world in worlds]
        numbers = all(x is not None and math.isfinite(x) for x in points)
        if not points or not numbers or len(set(points)) < len(points):
            raise checks.refuse("worlds", rule, points)
        return worlds

    def _checked_entrants(self) -> tuple[tuple[str, Entrant], ...]:
        given: Any = self.entrants
        if isinstance(given, tuple) and given and all(isinstance(pair, tuple) for pair in given):
            labels = [label for label, _ in given]  # as this class stores them
            if len(set(labels)) < len(labels):
                raise checks.refuse("the labels of the entrants", "different", labels)
            given = dict(given)
        given = kept(given)
        demand_learners(given)
        entrants = labelled(given)
        for label, entrant in entrants.items():
            if label in LINES:
                raise checks.refuse("a label of the entrants", f"none of {LINES}", label)
            if not label.isprintable():
                raise checks.refuse("a label of the entrants", "a text on one line", label)
            remedy = "Name it, or use simulate for a function of your own"
            checks.instance(f"entrant {label!r}", entrant, Entrant, remedy)
        return tuple(entrants.items())  # type: ignore[arg-type]

    def _checked_lines(self) -> tuple[str, ...]:
        rule, given = f"among {LINES}", self.lines
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise checks.refuse("lines", rule, given)
        lines = tuple(given)
        if not set(lines) <= set(LINES):
            raise checks.refuse("lines", rule, given)
        if "lower bound" in lines and not all(hasattr(w, "lower_bound") for w in self.worlds):
            remedy = "CondorcetSwitches has a lower bound"
            raise checks.refuse("lines", "those that the worlds have", given, remedy)
        for line in lines:
            if self.regret not in BOUNDED_BY[line]:
                named = ", ".join(map(str, BOUNDED_BY[line]))
                rule = f"drawn beside a regret that it bounds, for {line!r} {named}"
                raise checks.refuse("lines", rule, checks.Shown(str(self.regret)))
        return lines

    def _checked_also(self) -> tuple[Regret, ...]:
        rule, given = "regrets other than the one that is drawn", self.also
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise checks.refuse("also", rule, given)
        also = tuple(regret_of(regret, "also") for regret in given)
        if len({self.regret, *also}) < 1 + len(also):
            raise checks.refuse("also", rule, checks.Shown(", ".join(map(str, also))))
        return also

    def _check_told(self) -> None:
        if self.told is None:
            return
        told = checks.instance("told", self.told, Problem, "For instance Problem(K=5, T=1000, S=3)")
        for world in self.worlds:
            if (told.K, told.T) != (world.K, world.T):
                rule = f"of the world's K = {world.K} and T = {world.T}"
                raise checks.refuse("told", rule, told)

    @cached_property
    def points(self) -> tuple[float, ...]:
        """Where the worlds are on the axis."""
        found = (number_of(world, self.axis) for world in self.worlds)
        return tuple(x for x in found if x is not None)  # all of them, as was checked

    @property
    def labels(self) -> tuple[str, ...]:
        """What the entrants are called."""
        return tuple(label for label, _ in self.entrants)

    @cached_property
    def marks(self) -> list[dict[str, str]]:
        """By world and label, what distinguishes an entrant, or a line, from any other."""
        entrants = self._entrants_json()
        return [marks.of(world.to_json(), entrants, self.lines) for world in self.worlds]

    @property
    def seeded_by(self) -> str:
        """What is part of every seed."""
        return self.luck or self.name

    def only(self, labels: Collection[str]) -> "Experiment":
        """The same with only these entrants and lines; to play, not to draw."""
        entrants = tuple(pair for pair in self.entrants if pair[0] in labels)
        lines = tuple(line for line in self.lines if line in labels)
        return replace(self, entrants=entrants or self.entrants[:1], lines=lines, guide="")

    def to_json(self) -> dict[str, Any]:
        """The experiment as a dictionary for `json.dumps`; `from_json` makes it again."""
        return {
            "name": self.name,
            "title": self.title,
            "axis": self.axis,
            "worlds": [world.to_json() for world in self.worlds],
            "entrants": self._entrants_json(),
            "regret": self.regret.to_json(),
            "slope": self.slope,
            "guide": self.guide,
            "lines": list(self.lines),
            "checkpoints": self.checkpoints,
            "source": self.source,
            "also": [regret.to_json() for regret in self.also],
            "luck": self.luck,
            "told": None if self.told is None else asdict(self.told),
            "favourites": self.favourites,
            "alarms": self.alarms,
        }

    def _entrants_json(self) -> list[dict[str, Any]]:
        return [{"label": label, **entrant.to_json()} for label, entrant in self.entrants]

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Experiment":
        """The experiment that `to_json` wrote."""
        try:
            entrants = [(entry["label"], Entrant.from_json(entry)) for entry in fields["entrants"]]
            return cls(
                **{
                    **fields,
                    "worlds": [from_json(world) for world in fields["worlds"]],
                    "entrants": tuple(entrants),
                    "regret": Regret.from_json(fields["regret"]),
                    "also": tuple(map(Regret.from_json, fields.get("also", ()))),
                    "told": None if fields.get("told") is None else Problem(**fields["told"]),
                }
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not an experiment as its to_json writes it: {error!r}") from None


def _demand_json(world: Any) -> None:
    """Refuse a world that cannot be restored from JSON, as its manifest could not."""
    remedy = "Name it with sparring.lab.world('module:name', ...); simulate takes any"
    if not hasattr(world, "to_json"):
        raise checks.refuse("worlds", "worlds with a to_json", world, remedy)
    try:
        same = from_json(world.to_json()) == world
    except ValueError:
        same = False
    if not same:
        raise checks.refuse("worlds", "worlds that JSON brings back", world, remedy)
