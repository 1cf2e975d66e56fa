"""The experiments of a sweep put together along what their worlds differ in, to be drawn as one."""

from collections.abc import Sequence
from typing import Any

import polars

from sparring.lab import results
from sparring.lab.experiments import Experiment
from sparring.lab.experiments.given import described
from sparring.lab.summaries import Summary

FIRST = ("T", "K", "S", "V_T")  # what is rather an axis than any other option


def joined(found: Sequence[Summary]) -> list[Summary]:
    """The same panels; those of one luck whose worlds are of one family become one for each axis.

    The axis is the number that takes the most values; worlds that differ in something else as well
    are in panels of their own.
    """
    families: dict[Any, list[Summary]] = {}
    for place, one in enumerate(found):
        families.setdefault(_family(one) or place, []).append(one)
    return [panel for family in families.values() for panel in _along(family)]


def _family(one: Summary) -> tuple[Any, ...] | None:
    """What must be equal for two panels to be joined; None if a panel stands alone."""
    experiment = one.experiment
    if not experiment.luck or len(experiment.worlds) != 1:
        return None
    shared = (experiment.entrants, experiment.regret, experiment.also, experiment.checkpoints)
    return (experiment.luck, one.seed, _fields(one)["world"], *shared, experiment.favourites)


def _fields(one: Summary) -> dict[str, Any]:
    """The options of a panel's world; what is no number is only told apart."""
    options = described(one.experiment.worlds[0])
    return {name: it if isinstance(it, (int, float)) else repr(it) for name, it in options.items()}


def _along(family: Sequence[Summary]) -> list[Summary]:
    """The panels of one family, along the axis with the most points."""
    options = [_fields(one) for one in family]
    values = {name: {fields.get(name) for fields in options} for name in options[0]}
    numbers = [
        name
        for name, found in values.items()
        if len(found) > 1 and all(isinstance(value, (int, float)) for value in found)
    ]
    if not numbers:
        return list(family)
    axis = max(numbers, key=lambda name: (len(values[name]), name in FIRST))
    groups: dict[tuple[Any, ...], list[Summary]] = {}
    for one, fields in zip(family, options, strict=True):
        rest = tuple(sorted((name, it) for name, it in fields.items() if name != axis))
        groups.setdefault(rest, []).append(one)
    return [
        _join(group, axis, alone=len(groups) == 1) if len(group) > 1 else group[0]
        for group in groups.values()
    ]


def _join(group: Sequence[Summary], axis: str, *, alone: bool) -> Summary:
    """One panel of several along an axis; if it is not alone, the first tells it from others."""
    group = sorted(group, key=lambda one: float(getattr(one.experiment.worlds[0], axis)))
    first = group[0].experiment
    family = str(described(first.worlds[0])["world"])
    name = f"{family if alone else group[0].name}-vs-{axis}"[:100]
    experiment = Experiment(
        name=name,
        title=family,
        axis=axis,
        worlds=[one.experiment.worlds[0] for one in group],
        entrants=first.entrants,
        regret=first.regret,
        also=first.also,
        luck=first.luck,
        checkpoints=first.checkpoints,
        favourites=first.favourites,
    )
    tables = [
        one.everything.with_columns(panel=polars.lit(name), x=polars.lit(float(x)))
        for one, x in zip(group, experiment.points, strict=True)
    ]
    about = {"experiment": experiment.to_json(), "seed": group[0].seed}
    history = [entry for one in group for entry in one.history]
    damaged = tuple(path for one in group for path in one.damaged)
    return Summary(results.Contents(about, history, polars.concat(tables), damaged))
