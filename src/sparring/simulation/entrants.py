"""Who plays: learners by name or made by a function, and what they may know of the world."""

from collections.abc import Callable
from typing import Any

from numpy.random import Generator

from sparring import checks
from sparring.learners import LEARNERS, Learner
from sparring.problem import Problem
from sparring.sequences import PreferenceSequence
from sparring.simulation.labels import REMEDY, by_label

Entrant = Callable[[Problem, Generator], Learner]

# What else than K and T a learner's theorems ask for; the first that the world states is given.
KNOWS: dict[str, tuple[str, ...]] = {"dex3s": ("S", "V_T"), "borda_dex3s": ("S",)}


def known(world: PreferenceSequence) -> Problem:
    """What a learner may know of a world in advance: its sizes, S and V_T where it states them."""
    return Problem(world.K, world.T, getattr(world, "S", None), getattr(world, "V_T", None))


def labelled(entrants: Any) -> dict[str, str | Entrant]:
    """Entrants by label, checked: a name is its own label, a function's is its name."""
    single = isinstance(entrants, str) or callable(entrants)
    found = by_label("entrants", [entrants] if single else entrants, _own_label)
    for label, entrant in found.items():
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
    """The learner of an entrant."""
    if not isinstance(entrant, str):
        learner = entrant(problem, rng)
        if not isinstance(learner, Learner):
            raise checks.refuse("what it made", "a learner (K, p, ask, tell)", learner)
        if learner.K != problem.K:
            raise checks.refuse("its learner's K", f"the world's, {problem.K}", learner.K)
        return learner
    known = [name for name in KNOWS.get(entrant, ()) if getattr(problem, name) is not None]
    given = {name: getattr(problem, name) for name in known[:1]}
    return LEARNERS[entrant](problem.K, problem.T, **given, seed=rng)
