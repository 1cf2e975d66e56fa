"""Who plays: learners by name or made by a function, and what they may know about the world."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Any

from numpy.random import Generator

from sparring import checks
from sparring.learners import LEARNERS, Frame, Learner
from sparring.learners.frame import PLAIN
from sparring.problem import Problem, Tuning
from sparring.simulation import own
from sparring.simulation.labels import REMEDY, by_label
from sparring.worlds import PreferenceSequence

Factory = Callable[[Problem, Generator], Learner]


@dataclass(frozen=True, init=False)
class Entrant:
    """A learner with options, for `simulate`: one of `sparring.LEARNERS`, or your own.

    It gets K and T from the world. It also gets S or V_T if the world states one, the learner takes
    it and the options do not say otherwise. Name your own "module:function", where the function or
    class makes a learner from a Problem, a Generator and the options. Unlike a lambda, an entrant
    can be sent to other processes and written to files.

    Examples
    --------
    >>> Entrant("dex3s", corrected=True)
    Entrant('dex3s', corrected=True)
    >>> print(Entrant("borda_dex3s", S=10))
    borda_dex3s(S=10)
    >>> Entrant.from_json(Entrant("dex3s", S=None).to_json())  # a learner that is not told S
    Entrant('dex3s', S=None)
    """

    learner: str
    options: own.Options = ()
    source: str = ""
    """A digest of the file of your own learner: if its text changes, it is another entrant."""

    def __init__(self, learner: str, /, **options: Any) -> None:
        given = own.plain(options)
        if isinstance(learner, str) and ":" in learner:
            own.demand_json(given)
            self._store(learner, given, own.digest(learner))
            return
        if not isinstance(learner, str) or learner not in LEARNERS:
            remedy = "module:function is one of your own"
            raise checks.unknown("learner", learner, sorted(LEARNERS), remedy)
        takes = _taken(learner, options.get("learner"))
        for name in options:
            if name not in takes:
                raise checks.refuse("options", f"among {sorted(takes)} for {learner}", name)
        self._store(learner, given, "")

    def _store(self, learner: str, options: own.Options, source: str) -> None:
        for name, value in (("learner", learner), ("options", options), ("source", source)):
            object.__setattr__(self, name, value)

    def __call__(self, problem: Problem, rng: Generator) -> Learner:
        """The learner for a world's problem."""
        if ":" in self.learner:
            maker = own.unchanged(self.learner, self.source, self)
            made: Learner = maker(problem, rng, **dict(self.options))
            return made
        options = dict(self.options)
        make = LEARNERS[self.learner]
        # Each of S and V_T has its own theorem, and some options leave nothing to plan; a rule for
        # the tuning does.
        tuned = "tuning" in options and not callable(options["tuning"])
        if not tuned and not {"S", "V_T", "every"} & options.keys():
            known = [name for name in ("S", "V_T") if getattr(problem, name) is not None]
            stated = [name for name in known if name in make.told][:1]
            options.update({name: getattr(problem, name) for name in stated})
        if not tuned and "T" in make.told:
            options["T"] = problem.T
        try:
            learner: Learner = make(problem.K, **options, seed=rng)
        except ValueError as error:
            remedy = f"sparring.Entrant('{self.learner}', ...) takes options"
            raise ValueError(f"{error}. {remedy}") from None
        return learner

    def to_json(self) -> dict[str, Any]:
        """The entrant as a dictionary for `json.dumps`; `from_json` makes it again."""
        options = {name: _as_json(name, value) for name, value in self.options}
        source = {"source": self.source} if self.source else {}
        return {"learner": self.learner, "options": options, **source}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Entrant":
        """The entrant that `to_json` wrote."""
        try:
            options = dict(fields["options"])
            if ":" in fields["learner"]:  # as it was then: it need not be there any more
                entrant = cls.__new__(cls)
                entrant._store(fields["learner"], own.plain(options), str(fields["source"]))
                return entrant
            if options.get("tuning") is not None:
                options["tuning"] = Tuning(**options["tuning"])
            return cls(fields["learner"], **options)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an entrant as Entrant.to_json writes it: {error!r}") from None

    def __repr__(self) -> str:
        options = f", {own.called(self.options)}" if self.options else ""
        return f"Entrant({self.learner!r}{options})"

    def __str__(self) -> str:
        return f"{self.learner}({own.called(self.options)})" if self.options else self.learner


def _as_json(name: str, value: Any) -> Any:
    """An option for JSON."""
    if callable(value):
        remedy = "Give the numbers that the rule makes; simulate takes rules"
        raise checks.refuse(f"option {name!r}", "one that JSON can hold", value, remedy)
    return asdict(value) if isinstance(value, Tuning) else value


def _taken(learner: str, inside: Any) -> set[str]:
    """The options of a learner, and those of the learner inside if it passes them on."""
    parameters = signature(LEARNERS[learner]).parameters
    found = {name for name, it in parameters.items() if it.kind is not it.VAR_KEYWORD}
    if len(found) < len(parameters):
        inside = parameters["learner"].default if inside is None else inside
        if not isinstance(inside, str) or inside not in PLAIN:
            raise checks.unknown("the learner inside", inside, sorted(PLAIN))
        found |= set(signature(PLAIN[inside]).parameters) - {"tuning"}
    return found - {"K", "T", "seed"}


def known(world: Any) -> Problem:
    """What a learner may know about a world in advance: its sizes, and S and V_T if stated."""
    if isinstance(world, type):
        remedy = f"Make one, {world.__name__}(...)"
        raise checks.refuse("world", "a world (K, T, blocks), not its class", world, remedy)
    if not isinstance(world, PreferenceSequence):
        remedy = "sparring.WORLDS has some, and a class with these three is one"
        raise checks.refuse("world", "a world (K, T, blocks)", world, remedy)
    return Problem(world.K, world.T, getattr(world, "S", None), getattr(world, "V_T", None))


def labelled(entrants: Any) -> dict[str, Factory]:
    """Entrants by label, checked: a name is its own label, a function's is its name."""
    if isinstance(entrants, str) or callable(entrants):
        entrants = [entrants]
    rule = "names of learners, functions (Problem, Generator) -> Learner, or a dictionary of them"
    found = by_label("entrants", rule, entrants, _own_label)
    for label, entrant in found.items():
        for name, learner in LEARNERS.items():  # sparring.dex3s may stand for "dex3s"
            if entrant is learner or (isinstance(entrant, str) and entrant == name):
                entrant = Entrant(name)
        if isinstance(entrant, str):
            remedy = "An entrant may also be a function (Problem, Generator) -> Learner"
            raise checks.unknown(f"entrant {label!r}", entrant, sorted(LEARNERS), remedy)
        if not callable(entrant):
            rule = f"one of {sorted(LEARNERS)} or a function (Problem, Generator) -> Learner"
            raise checks.refuse(f"entrant {label!r}", rule, entrant)
        found[label] = entrant
    return found


def _own_label(entrant: Any) -> str:
    """A name; it must not contain an address, as labels are part of seeds."""
    if isinstance(entrant, (str, Entrant)):
        return str(entrant)
    label = getattr(entrant, "__name__", None)
    if not isinstance(label, str):
        rule = "a learner's name or a function with a name"
        raise checks.refuse("an entrant without a label", rule, entrant, REMEDY)
    return label


def make(entrant: Factory, problem: Problem, rng: Generator) -> Learner:
    """The learner of an entrant, if it is one and is new."""
    learner = entrant(problem, rng)
    if not isinstance(learner, Learner):
        raise checks.refuse("what it made", "a learner (K, p, ask, tell)", learner)
    if learner.K != problem.K:
        raise checks.refuse("its learner's K", f"the world's, {problem.K}", learner.K)
    if getattr(learner, "t", 0) != 0:
        remedy = "Make a new one each time, as every run starts fresh"
        raise checks.refuse("its learner", "one that has not played", learner, remedy)
    if isinstance(learner, Frame) and learner.seed is not None:
        remedy = "Pass seed=rng on, or the run cannot be repeated"
        raise checks.refuse("its learner", "one that draws from the rng given", learner, remedy)
    return learner
