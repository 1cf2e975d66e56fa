"""How often favourites are right, beside regret: over all worlds of few votes, and by parts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sparring.formats import Estimate
from sparring.lab import measures
from sparring.lab.league.advice import Scores
from sparring.lab.league.contenders import CHANCE
from sparring.lab.league.few import ARMS, CASES, KINDS, ROUNDS
from sparring.lab.league.standings import League, Meeting
from sparring.lab.measures import UNKNOWN

ALL = "all"


class Score(NamedTuple):
    """A learner over some worlds."""

    right: Estimate
    """In which share of the runs its favourite was the best arm in the end, with Wilson's interval.

    It takes all runs for draws from one urn; worlds differ, so the true interval is narrower.
    """
    over: Estimate
    """The same on average over all checkpoints, with a t interval over runs."""
    to_chance: Estimate
    """Its regret over that of RAND, in the geometric mean over worlds."""
    runs: int
    """In how many runs it had a favourite in the end."""


def noting(league: League) -> tuple[Meeting, ...]:
    """The meetings in which favourites were noted."""
    return tuple(one for one in league.meetings if one.favourites)


def score(league: League, label: str, meetings: Sequence[Meeting]) -> Score | None:
    """A learner over some worlds; None if it did not play on all of them in all runs."""
    if not meetings or not all(one.complete(label) for one in meetings):
        return None
    ends = [one.right(label)[-1] for one in meetings]
    means = [one.right(label).mean(axis=0) for one in meetings]
    told = np.concatenate([values[np.isfinite(values)] for values in ends])
    regrets = Scores(league, meetings, halved=False)
    ratio = regrets.ratio(label, CHANCE) if CHANCE in regrets.labels else UNKNOWN
    return Score(measures.share(told), _over(means), ratio, len(told))


def _over(means: Sequence[measures.Values]) -> Estimate:
    """The mean over worlds, which have independent luck."""
    known = [values[np.isfinite(values)] for values in means]
    if not all(len(values) for values in known):
        return UNKNOWN
    value = float(np.mean([values.mean() for values in known]))
    return measures.around(value, [values / len(known) for values in known])


def parts(league: League) -> dict[str, tuple[Meeting, ...]]:
    """All worlds, and those of each kind, of each number of rounds and of each number of arms.

    Worlds that are not of the suite of few votes count only among all.
    """
    meetings = noting(league)
    cases = {one: CASES[one.name] for one in meetings if one.name in CASES}
    found = {ALL: meetings}
    for kind in KINDS:
        found[kind] = tuple(one for one, case in cases.items() if case.kind == kind)
    for T in ROUNDS:
        found[f"T = {T:,}"] = tuple(one for one, case in cases.items() if case.T == T)
    for K in ARMS:
        found[f"K = {K}"] = tuple(one for one, case in cases.items() if case.K == K)
    return {name: some for name, some in found.items() if some}


def cells(league: League, kind: str) -> dict[tuple[int, int], tuple[Meeting, ...]]:
    """The worlds of one kind by K and T; those of all margins together."""
    found: dict[tuple[int, int], tuple[Meeting, ...]] = {}
    for one in noting(league):
        case = CASES.get(one.name)
        if case is not None and case.kind == kind:
            found[case.K, case.T] = (*found.get((case.K, case.T), ()), one)
    return dict(sorted(found.items()))


def scores(
    league: League, worlds: Mapping[str, Sequence[Meeting]]
) -> dict[str, dict[str, Score | None]]:
    """All learners over some sets of worlds, by label and set; the most often right first."""
    labels = dict.fromkeys(label for one in noting(league) for label in one.labels)
    found = {
        label: {name: score(league, label, some) for name, some in worlds.items()}
        for label in labels
    }

    def key(label: str) -> float:
        whole = next(iter(found[label].values()))  # who lacks a world comes last
        return -whole.right.value if whole is not None and whole.right.value >= 0 else 1.0

    return {label: found[label] for label in sorted(found, key=key)}
