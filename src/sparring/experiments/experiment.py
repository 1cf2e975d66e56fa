"""An experiment as data: worlds along an axis, learners, a regret."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sparring import checks, results
from sparring.regret import Regret
from sparring.sequences import PreferenceSequence, world_from_json
from sparring.simulation import Entrant
from sparring.simulation.entrants import known, labelled

AXES = ("T", "K", "S", "V_T")
MOST_CHECKPOINTS = 10_000
LINES = ("irreducible", "lower bound")


@dataclass(frozen=True)
class Experiment:
    """A figure panel as data: a value, equal, printable, into and out of JSON.

    Parameters
    ----------
    name
        What files and commands call it; part of every seed.
    title
        What a figure calls it.
    axis
        "T", "K", "S" or "V_T": along what the worlds differ.
    worlds
        One for each point of the axis.
    entrants
        Learners of `sparring.LEARNERS` by label, with options as an `Entrant`.
    regret
        What is drawn.
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
        Where the paper has it; empty if it has not.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> experiment = Experiment(
    ...     name="mine",
    ...     title="Fresh winners",
    ...     axis="T",
    ...     worlds=[FreshWinner(K=5, T=T, S=4) for T in (1000, 4000)],
    ...     entrants={"DEX3.S": "dex3s", "RAND": "rand"},
    ...     regret=Regret("preference", "stretch"),
    ... )
    >>> experiment.points
    (1000, 4000)
    >>> Experiment.from_json(experiment.to_json()) == experiment
    True
    """

    name: str
    title: str
    axis: str
    worlds: Sequence[PreferenceSequence]
    entrants: Mapping[str, str | Entrant] | tuple[tuple[str, Entrant], ...]
    regret: Regret
    slope: float | None = None
    guide: str = ""
    lines: Sequence[str] = ()
    checkpoints: int = 40
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not results.is_name(self.name):
            rule = "letters, digits, points, dashes and underscores, for a folder"
            raise checks.refuse("name", rule, self.name)
        if self.axis not in AXES:
            raise checks.refuse("axis", f"one of {AXES}", self.axis)
        given = dict(self.entrants) if isinstance(self.entrants, tuple) else self.entrants
        entrants = labelled(given)
        for label, entrant in entrants.items():
            remedy = "Name it, or use simulate for a function of your own"
            checks.instance(f"entrant {label!r}", entrant, Entrant, remedy)
        checks.instance("regret", self.regret, Regret, "For instance Regret('borda', 'stretch')")
        object.__setattr__(self, "entrants", tuple(entrants.items()))
        object.__setattr__(self, "worlds", tuple(self.worlds))
        object.__setattr__(self, "lines", tuple(self.lines))
        points = [getattr(known(world), self.axis) for world in self.worlds]
        if not points or None in points or len(set(points)) < len(points):
            raise checks.refuse("worlds", f"one for each of some {self.axis}", points)
        number = checks.whole("checkpoints", self.checkpoints, low=1, high=MOST_CHECKPOINTS)
        object.__setattr__(self, "checkpoints", number)
        if not set(self.lines) <= set(LINES):
            raise checks.refuse("lines", f"among {LINES}", self.lines)
        if self.guide and self.guide not in entrants:
            raise checks.refuse("guide", f"one of {sorted(entrants)}", self.guide)

    @cached_property
    def points(self) -> tuple[float, ...]:
        """Where the worlds are on the axis."""
        return tuple(getattr(world, self.axis) for world in self.worlds)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the entrants are called."""
        return tuple(label for label, _ in self._entrants)

    def to_json(self) -> dict[str, Any]:
        """The experiment as a dictionary for `json.dumps`; `from_json` makes it again."""
        return {
            "name": self.name,
            "title": self.title,
            "axis": self.axis,
            "worlds": [_world_json(world) for world in self.worlds],
            "entrants": {label: entrant.to_json() for label, entrant in self._entrants},
            "regret": self.regret.to_json(),
            "slope": self.slope,
            "guide": self.guide,
            "lines": list(self.lines),
            "checkpoints": self.checkpoints,
            "source": self.source,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Experiment":
        """The experiment that `to_json` wrote."""
        try:
            entrants = fields["entrants"].items()
            return cls(
                **{
                    **fields,
                    "worlds": [world_from_json(world) for world in fields["worlds"]],
                    "entrants": {label: Entrant.from_json(entrant) for label, entrant in entrants},
                    "regret": Regret.from_json(fields["regret"]),
                }
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not an experiment as its to_json writes it: {error!r}") from None

    @property
    def _entrants(self) -> tuple[tuple[str, Entrant], ...]:
        return self.entrants  # type: ignore[return-value]


def _world_json(world: Any) -> dict[str, Any]:
    """A world's JSON, where it has one that `world_from_json` reads."""
    if not hasattr(world, "to_json"):
        remedy = "sparring.WORLDS has some; simulate takes any"
        raise checks.refuse("worlds", "worlds with a to_json", world, remedy)
    return world.to_json()  # type: ignore[no-any-return]
