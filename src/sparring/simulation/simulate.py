"""simulate: many learners on one path, charged by many regrets, run by run."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from sparring import _jit as jit
from sparring import checks, extras
from sparring.problem import Problem
from sparring.regret import WORDS, Regret, regret_of
from sparring.simulation.entrants import Factory, known, labelled
from sparring.simulation.labels import by_label, writable
from sparring.simulation.match import Match, Run
from sparring.simulation.meter import demand_fit
from sparring.simulation.observers import ALARM, FAVOURITE
from sparring.simulation.progress import progress_bar
from sparring.simulation.workers import completed
from sparring.worlds import PreferenceSequence
from sparring.worlds.protocol import name_of

if TYPE_CHECKING:
    import polars

Regrets = str | Regret | Sequence[str | Regret] | Mapping[str, str | Regret]

MOST = 10**6  # runs or checkpoints of one table
LONG = 20_000  # rounds from which on it matters whether they are compiled


def simulate(
    world: PreferenceSequence,
    entrants: str | Factory | Sequence[str | Factory] | Mapping[str, str | Factory],
    regrets: Regrets = "dynamic",
    *,
    runs: int | Iterable[int] = 10,
    seed: int = 0,
    checkpoints: int | Iterable[int] | None = None,
    plays: bool = False,
    favourites: bool = False,
    executor: Executor | None = None,
    progress: bool | None = None,
    experiment: str = "",
) -> "polars.DataFrame":
    """Play learners on paths through a world, and return their regrets as a tidy table.

    In each run all entrants meet the same path and the same coins. No number depends on the
    executor, the number of workers, how a path is cut into blocks, or which other entrants play.

    Parameters
    ----------
    world
        One of `sparring.worlds`, or your own: K, T and a generator of blocks. In `Late`,
        `Silent`, `Spoiled` and `Rigged` learners are asked and told round by round, in some ten
        microseconds each (benchmarks/answers.py --times).
    entrants
        Names from `sparring.LEARNERS`, which get the world's K and T, and its S or V_T if the world
        states one and the learner takes it; an `Entrant` with options, such as `Entrant("dex3s",
        corrected=True)`; or functions `(Problem, Generator) -> Learner`. A mapping gives them
        labels; each label has its own stream of random numbers.
    regrets
        What to charge: a `Regret`, or the paper's word for one, such as "static" or "dynamic"
        (`sparring.regret.WORDS`), or several. A mapping gives them labels.
    runs
        How many runs, or which ones: `range(10, 20)` adds ten to a table of ten.
    seed
        The same seed gives the same table.
    checkpoints
        Rounds at which to read the regrets, or how many evenly spaced rounds; only the last if
        None.
    plays
        Whether to add a column with how often each arm was shown; a self-duel counts twice.
    favourites
        Whether to add a row for each run, entrant and checkpoint whose `regret` is "favourite": its
        value is 1 if the learner's `favourite`, as that round begins, is the best arm of the round,
        as in `preferences.best_arms`, and 0 otherwise. For a learner without a favourite, the arm
        that it draws most often counts; NaN if that is unknown, too.
    executor
        Any `concurrent.futures.Executor` to do the runs, such as a ThreadPoolExecutor: the kernels
        let threads run in parallel. If None, runs are done one after the other.
    progress
        Whether to show a bar with the time left; by default on a terminal, after two seconds.
    experiment
        A name that is part of the seed: another name, other random numbers.

    Returns
    -------
    A polars DataFrame with one row for each run, entrant, checkpoint and regret. `world` is its
    name without K and T. S and V_T are those of the path, as measured. `undefined` counts the
    rounds up to t in which the regret's benchmark does not exist; the value leaves them out.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> table = simulate(FreshWinner(K=5, T=2000, S=2), ["dex3s", "rand"], "dynamic", runs=3)
    >>> table.shape, table.columns[:3]
    ((6, 12), ['world', 'entrant', 'K'])
    """
    match = match_of(
        world,
        entrants,
        regrets,
        seed=seed,
        checkpoints=checkpoints,
        plays=plays,
        favourites=favourites,
        experiment=experiment,
    )
    numbers = _runs(runs)
    shown = None if progress is None else checks.flag("progress", progress)
    polars = extras.demand("polars", "the table of sparring.simulate")
    rounds = len(numbers) * match.problem.T
    with progress_bar(rounds, f"{rounds:.3g} rounds", shown=shown) as tick:
        done = sorted(completed([Run(match, run) for run in numbers], executor, tick))
    rows = [row[: len(match.columns)] for _, table in done for row in table]
    return polars.DataFrame(rows, schema=match.columns, orient="row")  # type: ignore[no-any-return]


def match_of(
    world: PreferenceSequence,
    entrants: str | Factory | Sequence[str | Factory] | Mapping[str, str | Factory],
    regrets: Regrets,
    *,
    seed: int,
    checkpoints: int | Iterable[int] | None,
    plays: bool = False,
    favourites: bool = False,
    alarms: bool = False,
    experiment: str,
    told: Problem | None = None,
) -> Match:
    """What `simulate` plays in each run, checked.

    `told` is what learners may know, with the world's K and T, if it differs from what the world
    states.
    """
    problem = known(world) if told is None else told
    match = Match(
        world=world,
        problem=problem,
        entrants=labelled(entrants),
        regrets=regrets_by_label(regrets, problem),
        stops=_stops(checkpoints, problem.T),
        seed=checks.whole("seed", seed, low=0, high=2**63 - 1),
        experiment=str(experiment),
        plays=checks.flag("plays", plays),
        favourites=checks.flag("favourites", favourites),
        alarms=checks.flag("alarms", alarms),
    )
    for entrant in match.entrants.values():
        if callable(getattr(entrant, "demand_world", None)):
            entrant.demand_world(world)  # type: ignore[attr-defined]
    for noted, name in ((match.favourites, FAVOURITE), (match.alarms, ALARM)):
        if noted and name in match.regrets:
            rule = f"others than {name!r}, where {name}s are noted"
            raise checks.refuse("the labels of the regrets", rule, name)
    if problem.T >= LONG and jit.JIT_OFF and not jit.SWITCHED_OFF:
        warnings.warn(
            "without Numba this many rounds take a hundred times as long: "
            + extras.install("fast"),
            RuntimeWarning,
            stacklevel=3,
        )
    if not writable(name_of(world)):
        raise checks.refuse("the world's name", "a text", name_of(world))
    if any(regret.benchmark == "von neumann" for regret in match.regrets.values()):
        extras.demand("scipy.optimize", "a von Neumann winner")
    return match


def regrets_by_label(regrets: Any, problem: Problem) -> dict[str, Regret]:
    """Regrets by label, checked; a word is its own label."""
    if isinstance(regrets, (str, Regret)):
        regrets = [regrets]
    rule = f"a sparring.Regret or one of {sorted(WORDS)}, several, or a dictionary of them"
    found = by_label("regrets", rule, regrets, str)
    for label, given in found.items():
        found[label] = regret_of(given, f"regret {label!r}")
        demand_fit(found[label], problem)
    return found


def _stops(checkpoints: Any, T: int) -> tuple[int, ...]:
    """The rounds at which to read, ascending."""
    if checkpoints is None:
        return (T,)
    if not _several(checkpoints):
        number = min(checks.whole("checkpoints", checkpoints, low=1), T)
        checks.whole("checkpoints", number, low=1, high=MOST)
        return tuple(-(-i * T // number) for i in range(1, number + 1))
    stops = sorted({checks.whole("checkpoints", t, low=1) for t in checkpoints})
    if not stops or stops[-1] > T:
        raise checks.refuse("checkpoints", f"one or more rounds up to T = {T}", stops[-1:])
    return tuple(stops)


def _runs(runs: Any) -> list[int]:
    """The numbers of the runs."""
    if not _several(runs):
        return list(range(checks.whole("runs", runs, low=1, high=MOST)))
    numbers = [checks.whole("runs", run, low=0, high=2**32 - 1) for run in runs]
    if not numbers or len(set(numbers)) < len(numbers):
        raise checks.refuse("runs", "one or more different numbers", numbers)
    return numbers


def _several(value: Any) -> bool:
    """Whether it is a collection, and not a single number or text."""
    single = isinstance(value, str) or getattr(value, "ndim", 1) == 0
    return isinstance(value, Iterable) and not single
