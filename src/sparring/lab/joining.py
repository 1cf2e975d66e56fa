"""The experiments of a sweep joined along what their worlds differ in, to draw as one."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars

from sparring import atomic
from sparring.lab import results
from sparring.lab.experiments import Experiment
from sparring.lab.experiments.given import described, is_number
from sparring.lab.summaries import Summary

FIRST = ("T", "K", "S", "V_T")  # what is rather an axis than any other option


def joined(found: Sequence[Summary]) -> list[Summary]:
    """The panels, where those with the same luck and family of worlds become one per axis.

    The axis is the number with the most values; worlds that also differ in something else get
    separate panels.
    """
    families: dict[Any, list[Summary]] = {}
    for place, one in enumerate(found):
        families.setdefault(_family(one) or place, []).append(one)
    kinds = Counter(_kind(family[0]) for family in families.values() if len(family) > 1)
    return [
        panel
        for family in families.values()
        for panel in _along(family, alone=kinds[_kind(family[0])] == 1)
    ]


def _kind(one: Summary) -> str:
    """What the world of a panel is called, which others may be called as well."""
    return _maker(one).rpartition(":")[2]


def _maker(one: Summary) -> str:
    return str(one.experiment.worlds[0].to_json()["world"])


def _family(one: Summary) -> tuple[Any, ...] | None:
    """What must be equal for two panels to be joined; None if a panel cannot be joined."""
    experiment = one.experiment
    if not experiment.luck or len(experiment.worlds) != 1:
        return None
    shared = (experiment.entrants, experiment.regret, experiment.also, experiment.checkpoints)
    return (experiment.luck, one.seed, _maker(one), *shared, experiment.favourites)


def _fields(one: Summary) -> dict[str, Any]:
    """The options of a panel's world; what is not a number is only compared."""
    options = described(one.experiment.worlds[0])
    return {name: it if is_number(it) else repr(it) for name, it in options.items()}


def _along(family: Sequence[Summary], *, alone: bool) -> list[Summary]:
    """The panels of one family, along the axis with the most points."""
    options = [_fields(one) for one in family]
    values = {name: {fields.get(name) for fields in options} for name in options[0]}
    numbers = [
        name for name, found in values.items() if len(found) > 1 and all(map(is_number, found))
    ]
    if not numbers:
        return list(family)
    axis = max(numbers, key=lambda name: (len(values[name]), name in FIRST))
    groups: dict[tuple[Any, ...], list[Summary]] = {}
    for one, fields in zip(family, options, strict=True):
        rest = tuple(sorted((name, it) for name, it in fields.items() if name != axis))
        groups.setdefault(rest, []).append(one)
    return [
        _join(group, axis, alone=alone and len(groups) == 1) if len(group) > 1 else group[0]
        for group in groups.values()
    ]


def _join(group: Sequence[Summary], axis: str, *, alone: bool) -> Summary:
    """One panel from several along an axis."""
    group = sorted(group, key=lambda one: _fields(one)[axis])
    first, kind = group[0].experiment, _kind(group[0])
    name = f"{kind if alone and atomic.is_name(kind) else first.name}-vs-{axis}"[:100]
    experiment = Experiment(
        name=name,
        title=kind if alone else _maker(group[0]),
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
