"""Who plays: learners by name or made by a function, and what they may know of the world."""

from collections.abc import Callable, Hashable
from inspect import signature
from typing import Any

from numpy.random import Generator

from sparring import checks
from sparring.learners import LEARNERS, Learner
from sparring.problem import Problem
from sparring.sequences import PreferenceSequence
from sparring.simulation.labels import REMEDY, by_label

Entrant = Callable[[Problem, Generator], Learner]

NAMES = {learner: name for name, learner in LEARNERS.items()}


def known(world: Any) -> Problem:
    """What a learner may know of a world in advance: its sizes, S and V_T where it states them."""
    if not isinstance(world, PreferenceSequence) or isinstance(world, type):
        remedy = "See sparring.sequences, or docs/adding-a-world.md for one of your own"
        raise checks.refuse("world", "a world (K, T, blocks)", world, remedy)
    return Problem(world.K, world.T, getattr(world, "S", None), getattr(world, "V_T", None))


def labelled(entrants: Any) -> dict[str, str | Entrant]:
    """Entrants by label, checked: a name is its own label, a function's is its name."""
    single = isinstance(entrants, str) or callable(entrants)
    found = by_label("entrants", [entrants] if single else entrants, _own_label)
    for label, entrant in found.items():
        if isinstance(entrant, Hashable) and entrant in NAMES:  # sparring.dex3s for "dex3s"
            found[label] = NAMES[entrant]
            continue
        if not callable(entrant) and not (isinstance(entrant, str) and entrant in LEARNERS):
            rule = f"one of {sorted(LEARNERS)} or a function (Problem, Generator) -> Learner"
            raise checks.refuse(f"entrant {label!r}", rule, entrant)
    return found


def _own_label(entrant: Any) -> str:
    """A name; no address may be in it, as labels are part of seeds."""
    label = entrant if isinstance(entrant, str) else getattr(entrant, "__name__", None)
    if not isinstance(label, str):
        rule = "a learner's name or a function with a name"
        raise checks.refuse("an entrant without a label", rule, entrant, REMEDY)
    return label


def make(entrant: str | Entrant, problem: Problem, rng: Generator) -> Learner:
    """The learner of an entrant, which knows what its theorem asks for and the world states."""
    if isinstance(entrant, str):
        takes = signature(LEARNERS[entrant]).parameters
        stated = [name for name in ("S", "V_T") if getattr(problem, name) is not None]
        asked = [name for name in stated if name in takes][:1]  # each has a theorem of its own
        given = {name: getattr(problem, name) for name in asked}
        try:
            return LEARNERS[entrant](problem.K, problem.T, **given, seed=rng)
        except ValueError as error:
            remedy = f"lambda problem, rng: sparring.{entrant}(problem.K, problem.T, ..., seed=rng)"
            raise ValueError(f"{error}. To choose, enter a function, {remedy}") from None
    learner = entrant(problem, rng)
    if not isinstance(learner, Learner):
        raise checks.refuse("what it made", "a learner (K, p, ask, tell)", learner)
    if learner.K != problem.K:
        raise checks.refuse("its learner's K", f"the world's, {problem.K}", learner.K)
    if getattr(learner, "t", 0) != 0:
        remedy = "Make a new one each time: every run starts anew"
        raise checks.refuse("its learner", "one that has not played", learner, remedy)
    return learner
