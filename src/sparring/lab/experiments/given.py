"""Worlds and learners by name, with options, as values for files and other processes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from numpy.random import Generator

from sparring import checks
from sparring.learners import LEARNERS
from sparring.problem import Block, Problem
from sparring.simulation import Entrant, own
from sparring.simulation.entrants import known
from sparring.worlds import WORLDS, PreferenceSequence, world_from_json


def world(name: str, /, **options: Any) -> PreferenceSequence:
    """A world of `sparring.WORLDS`, or your own by "module:name", made with options.

    Your own is a function or class that makes a world (K, T, blocks) from the options. If you edit
    its file, it is another world. The value can be compared, written to files and sent to other
    processes.

    Examples
    --------
    >>> world("FreshWinner", K=8, T=1000, S=4)
    FreshWinner(K=8, T=1000, S=4, margin=0.2)
    """
    if isinstance(name, str) and ":" in name:
        given = own.plain(options)
        own.demand_json(given)
        source = own.digest(name, "world")
        made = own.function(name, "world")(**dict(given))
        return OwnWorld(name, given, source, known(made))
    if not isinstance(name, str) or name not in WORLDS:
        raise checks.unknown("world", name, sorted(WORLDS), 'Your own is lab.world("module:name")')
    found: PreferenceSequence = WORLDS[name](**options)
    return found


def entrant(name: str, /, **options: Any) -> Entrant:
    """A learner of `sparring.LEARNERS`, or your own by "module:name", with options.

    Your own is a function or class that makes a learner from a Problem, a Generator and the
    options.

    Examples
    --------
    >>> entrant("steady", memory=2000)
    Entrant('steady', memory=2000)
    """
    demand_learners(name)
    return Entrant(name, **options)


def demand_learners(entrants: Any) -> None:
    """Refuse the name of a learner that does not exist, and suggest the closest ones."""
    if isinstance(entrants, Mapping):
        pairs = [(f"entrant {label!r}", name) for label, name in entrants.items()]
    else:
        several = isinstance(entrants, Iterable) and not isinstance(entrants, str)
        pairs = [("learner", name) for name in (entrants if several else [entrants])]
    for what, name in pairs:
        if isinstance(name, str) and ":" not in name and name not in LEARNERS:
            remedy = 'Your own is module:function, in Python lab.entrant("module:function")'
            raise checks.unknown(what, name, sorted(LEARNERS), remedy)


def kept(things: Any) -> Any:
    """A generator as a list, since it can be read only once; anything else as it is."""
    return list(things) if isinstance(things, Iterator) else things


@dataclass(frozen=True)
class OwnWorld:
    """A world of the user's own; what it states is known even without its module."""

    maker: str
    options: own.Options
    source: str
    """A digest of its file: another text is another world."""
    stated: Problem
    """Its sizes."""

    @property
    def K(self) -> int:
        """Number of arms."""
        return self.stated.K

    @property
    def T(self) -> int:
        """Number of rounds."""
        return self.stated.T

    @property
    def S(self) -> int | None:
        """Segments, if it states them."""
        return self.stated.S

    @property
    def V_T(self) -> float | None:
        """Variation, if it states one."""
        return self.stated.V_T

    @property
    def name(self) -> str:
        """Its class and its options, without K and T, for which tables have their own columns."""
        shown = tuple(option for option in self.options if option[0] not in ("K", "T"))
        return f"{self.maker.partition(':')[2]}({own.called(shown)})"

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path."""
        return self._make().blocks(rng)

    def _make(self) -> PreferenceSequence:
        maker = own.unchanged(self.maker, self.source, self, "world")
        made: PreferenceSequence = maker(**dict(self.options))
        return made

    def __getattr__(self, name: str) -> Any:
        """An option, which may be the axis of an experiment, or another attribute of the world."""
        if name.startswith("_"):  # asked for by pickle and copy, before there are fields
            raise AttributeError(name)
        options = dict(self.options)
        return options[name] if name in options else getattr(self._make(), name)

    def __repr__(self) -> str:
        return f"world({self.maker!r}, {own.called(self.options)})"

    def to_json(self) -> dict[str, Any]:
        """The world as a dictionary for `json.dumps`."""
        return {
            "world": self.maker,
            "options": dict(self.options),
            "source": self.source,
            "stated": asdict(self.stated),
        }


def described(world: Any) -> dict[str, Any]:
    """The arguments of a world by name, ours or the user's own; `world` is its kind.

    Examples
    --------
    >>> described(WORLDS["GaussianWalk"](3, 10))
    {'world': 'GaussianWalk', 'K': 3, 'T': 10, 'sigma': 0.002}
    """
    if isinstance(world, OwnWorld):
        return {"world": world.maker.partition(":")[2], **dict(world.options)}
    found: dict[str, Any] = world.to_json()
    return found


def number_of(world: Any, name: str) -> float | None:
    """An argument or attribute of a world with this name; None if it is not a number.

    Options come first: a user's option may have the name of something that every world has.

    Examples
    --------
    >>> number_of(WORLDS["GaussianWalk"](3, 10), "sigma")
    0.002
    """
    options = dict(world.options) if isinstance(world, OwnWorld) else {}
    for found in (options.get(name), getattr(world, name, None)):
        if is_number(found):
            return found
    return None


def is_number(value: Any) -> bool:
    """Whether it can be on an axis; a bool cannot."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def from_json(fields: dict[str, Any]) -> PreferenceSequence:
    """The world, ours or the user's own, that `to_json` wrote; its module may be missing."""
    if not (isinstance(fields, dict) and ":" in str(fields.get("world"))):
        if isinstance(fields, dict) and isinstance(fields.get("inside"), dict):
            fields = {**fields, "inside": from_json(fields["inside"])}
        return world_from_json(fields)
    try:
        options, stated = own.plain(fields["options"]), Problem(**fields["stated"])
        return OwnWorld(fields["world"], options, str(fields["source"]), stated)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"not a world as its to_json writes it: {error!r}") from None
