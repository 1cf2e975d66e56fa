"""compare: what theory says from above and below of a hard world, and what was measured there."""

import math
import warnings
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import bounds, checks, tunings
from sparring.problem import Problem, Tuning
from sparring.regret import Regret
from sparring.sequences import CondorcetSwitches
from sparring.simulation import Entrant, simulate
from sparring.simulation.progress import progress_bar

REGRET = Regret("preference", "condorcet")
A_DECADE = 2  # points
SHORTEST = 1000  # rounds to begin with

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Curves over T, for K arms and S segments or a variation V_T."""

    K: int
    S: int | None
    V_T: float | None
    delta: float
    T: Floats
    trivial: Floats
    printed: Floats
    """The bound as printed, of the printed tuning; not capped."""
    upper: dict[str, Floats]
    """The corrected bound with probability 1 - delta of each tuning, by label; not capped."""
    lower: Floats
    measured: dict[str, Floats]
    """(points, runs): regret to the winner, by label."""

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return dict(_plain(asdict(self)))


def compare(
    K: int,
    T: int,
    *,
    S: int | None = None,
    V_T: float | None = None,
    delta: float = 0.05,
    runs: int = 10,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool = False,
) -> Comparison:
    """Upper bounds, the lower bound and measured regrets up to T, on the lower bound's instance.

    The world is `CondorcetSwitches` of its hardest margin for each T, on which no learner can be
    below the lower bound; the upper bounds hold on every world.

    Parameters
    ----------
    K, T, S, V_T
        The problem; exactly one of S and V_T.
    delta
        How often the upper bounds may fail.
    runs, seed, executor, progress
        As for `simulate`.

    Examples
    --------
    >>> found = compare(3, 4000, S=2, runs=2)
    >>> bool((found.lower < found.measured["DEX3.S best"].mean(axis=1)).all())
    True
    """
    problem = Problem(K, T, S, V_T)
    if (S is None) == (V_T is None):
        raise ValueError(f"give S or V_T, and not both; got S={S}, V_T={V_T}")
    rule = tunings.dex3s_known if S is not None else tunings.dex3s_continuous
    points, tuned = [], []
    for rounds in _points(problem):
        here = Problem(K, rounds, S, V_T)
        if found := _tunings(here, rule, delta):
            points.append(here)
            tuned.append(found)
    if not points:
        raise ValueError(
            f"no theorem applies to {problem}: `sparring bounds` tells from which T on"
        )
    measured: dict[str, list[Floats]] = {label: [] for label in tuned[0]}
    work = sum(here.T for here in points)
    with progress_bar(work, f"{len(points)} points, {runs} runs", shown=progress) as tick:
        for here, found in zip(points, tuned, strict=True):
            entrants = {label: Entrant("dex3s", tuning=it) for label, it in found.items()}
            world = CondorcetSwitches(here.K, here.T, S=here.S, V_T=here.V_T)
            table = simulate(world, entrants, REGRET, runs=runs, seed=seed, executor=executor)
            for label in entrants:
                mine = table.filter(table["entrant"] == label).sort("run")
                measured[label].append(mine["value"].to_numpy())
            tick(here.T)
    uppers = [
        {label: _upper(here, it, delta) for label, it in found.items()}
        for here, found in zip(points, tuned, strict=True)
    ]
    return Comparison(
        problem.K,
        problem.S,
        problem.V_T,
        delta,
        T=np.array([here.T for here in points], float),
        trivial=np.array([here.T / 2 for here in points]),
        printed=np.array([upper["DEX3.S"].printed.raw for upper in uppers]),
        upper={label: np.array([up[label].probable.raw for up in uppers]) for label in measured},
        lower=np.array([_lower(here) for here in points]),
        measured={label: np.array(values) for label, values in measured.items()},
    )


def _tunings(problem: Problem, rule: Any, delta: float) -> dict[str, Tuning]:
    """The tunings to compare, by label; none where the theorem does not apply."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", checks.TheoremWarning)
            return {
                "DEX3.S": rule(problem),
                "DEX3.S corrected": rule(problem, corrected=True),
                "DEX3.S best": tunings.best(problem, delta),
            }
    except (tunings.NoTuningError, checks.TheoremWarning):
        return {}


def _points(problem: Problem) -> list[int]:
    """Sizes up to T, evenly in their logarithm; the first at which a segment has a few rounds."""
    least = max(SHORTEST, 4 * (problem.S or 1), math.ceil(problem.V_T or 0))
    first = min(least, problem.T)
    decades = np.log10(problem.T / first)
    steps = max(round(A_DECADE * decades), 1) + 1
    spaced = np.geomspace(first, problem.T, steps).round().astype(np.int64)
    return [int(T) for T in np.unique(spaced)]


def _upper(problem: Problem, tuning: Tuning, delta: float) -> bounds.Upper:
    K, T = problem.K, problem.T
    if problem.S is not None:
        return bounds.dex3s_known(K, T, problem.S, tuning=tuning, delta=delta)
    return bounds.dex3s_continuous(K, T, problem.V_T, tuning=tuning, delta=delta)


def _lower(problem: Problem) -> float:
    if problem.S is not None:
        return float(bounds.lower_switching(problem.K, problem.T, problem.S).value)
    return float(bounds.lower_continuous(problem.K, problem.T, problem.V_T).value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
