"""compare: upper and lower bounds on a hard world, and the regret measured there."""

import math
import warnings
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import bounds, checks, tunings
from sparring.problem import Problem, Tuning, demand_one
from sparring.regret import Regret
from sparring.simulation import Entrant, simulate
from sparring.simulation.progress import progress_bar
from sparring.worlds import CondorcetSwitches

REGRET = Regret("preference", "condorcet")
A_DECADE, FINE = 2, 20  # points at which regret is measured, and at which bounds are drawn
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
    """Where bounds are; none is capped."""
    trivial: Floats
    printed: Floats
    """The bound as printed, of the printed tuning."""
    upper: dict[str, Floats]
    """The corrected bound with probability 1 - delta of each tuning, by label."""
    lower: Floats
    played: Floats
    """The T at which regret was measured."""
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

    The world is `CondorcetSwitches` with the hardest margin for each T, on which no learner can
    stay below the lower bound. The upper bounds hold on every world.

    Parameters
    ----------
    K, T, S, V_T
        The problem; give exactly one of S and V_T.
    delta
        How often the upper bounds may fail.
    runs, seed, executor, progress
        As for `simulate`.

    Examples
    --------
    >>> found = compare(3, 4000, S=2, runs=2)
    >>> found.lower[-1] < found.measured["DEX3.S best"][-1].mean() < found.upper["DEX3.S best"][-1]
    np.True_
    """
    problem = Problem(K, T, S, V_T)
    demand_one(S, V_T, needed=True)
    tuned = {
        rounds: _tunings(replace(problem, T=rounds), delta) for rounds in _points(problem, FINE)
    }
    tuned = {rounds: found for rounds, found in tuned.items() if found}
    if not tuned:
        raise ValueError(
            f"no theorem applies to {problem}: `sparring bounds` tells from which T on"
        )
    uppers = [
        {label: _upper(replace(problem, T=rounds), it, delta) for label, it in found.items()}
        for rounds, found in tuned.items()
    ]
    grid = np.array(list(tuned), float)
    played = [rounds for rounds in _points(problem, A_DECADE) if rounds >= grid[0]]
    return Comparison(
        problem.K,
        problem.S,
        problem.V_T,
        delta,
        T=grid,
        trivial=grid / 2,
        printed=np.array([upper["DEX3.S"].printed.raw for upper in uppers]),
        upper={label: np.array([up[label].probable.raw for up in uppers]) for label in uppers[0]},
        lower=np.array([_lower(replace(problem, T=rounds)) for rounds in tuned]),
        played=np.array(played, float),
        measured=_measured(problem, played, delta, runs, seed, executor, progress),
    )


def _measured(
    problem: Problem,
    played: list[int],
    delta: float,
    runs: int,
    seed: int,
    executor: Executor | None,
    progress: bool,
) -> dict[str, Floats]:
    """Regrets on the hard instance of each T, by label."""
    found: dict[str, list[Floats]] = {}
    with progress_bar(sum(played), f"{len(played)} points, {runs} runs", shown=progress) as tick:
        for rounds in played:
            here = replace(problem, T=rounds)
            entrants = {
                label: Entrant("dex3s", tuning=it) for label, it in _tunings(here, delta).items()
            }
            world = CondorcetSwitches(here.K, here.T, S=here.S, V_T=here.V_T)
            table = simulate(
                world,
                {**entrants, "RAND": "rand"},
                REGRET,
                runs=runs,
                seed=seed,
                executor=executor,
            )
            for label in (*entrants, "RAND"):
                mine = table.filter(table["entrant"] == label).sort("run")
                found.setdefault(label, []).append(mine["value"].to_numpy())
            tick(rounds)
    return {label: np.array(values) for label, values in found.items()}


def _tunings(problem: Problem, delta: float) -> dict[str, Tuning]:
    """The tunings to compare, by label; empty if the theorem does not apply."""
    rule = tunings.dex3s_known if problem.S is not None else tunings.dex3s_continuous
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


def _points(problem: Problem, a_decade: int) -> list[int]:
    """Sizes up to T, evenly in their logarithm; the first at which a segment has a few rounds."""
    least = max(SHORTEST, 4 * (problem.S or 1), math.ceil(problem.V_T or 0))
    first = min(least, problem.T)
    decades = np.log10(problem.T / first)
    steps = max(round(a_decade * decades), 1) + 1
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
