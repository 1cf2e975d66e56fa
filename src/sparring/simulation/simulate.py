"""simulate: many learners on one path, charged by many regrets, run by run."""

import pickle
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import (
    FIRST_EXCEPTION,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from typing import TYPE_CHECKING, Any

from sparring import checks, extras
from sparring.problem import Problem
from sparring.regret import Regret
from sparring.sequences import PreferenceSequence
from sparring.sequences.protocol import name_of
from sparring.simulation.entrants import Factory, known, labelled
from sparring.simulation.labels import by_label, writable
from sparring.simulation.match import Match, Row, play_run
from sparring.simulation.meter import demand_fit
from sparring.simulation.progress import Tick, progress_bar

if TYPE_CHECKING:
    import polars

COLUMNS = ("world", "entrant", "K", "T", "S", "V_T", "run", "regret", "t", "value")
FURTHER = ("undefined", "seed")
MOST = 10**6  # runs or checkpoints of one table


def simulate(
    world: PreferenceSequence,
    entrants: str | Factory | Sequence[str | Factory] | Mapping[str, str | Factory],
    regrets: Regret | Sequence[Regret] | Mapping[str, Regret],
    *,
    runs: int | Iterable[int] = 10,
    seed: int = 0,
    checkpoints: int | Iterable[int] | None = None,
    plays: bool = False,
    executor: Executor | None = None,
    progress: bool = False,
    experiment: str = "",
) -> "polars.DataFrame":
    """Play learners on paths through a world and charge them, as a tidy table.

    In each run all entrants meet the same path and the same coins. No number depends on the
    executor, on the number of workers, on how a path is cut into blocks, or on who else plays.

    Parameters
    ----------
    world
        One of `sparring.sequences`, or your own: K, T and a generator of blocks.
    entrants
        Names from `sparring.LEARNERS`, which get the world's K and T, and its S or V_T where the
        world states one and the learner takes it; an `Entrant` with options, such as
        `Entrant("dex3s", corrected=True)`; or functions `(Problem, Generator) -> Learner`. A
        mapping gives them labels; each label has its own stream of random numbers.
    regrets
        What to charge; a mapping gives them labels.
    runs
        How many, or which ones: `range(10, 20)` adds ten to a table of ten.
    seed
        The same seed gives the same table.
    checkpoints
        Rounds at which to read the regrets, or how many evenly spaced ones; only the last round if
        None.
    plays
        Whether to add a column with how often each arm was shown; in a duel with itself, twice.
    executor
        Any `concurrent.futures.Executor` to do the runs, for instance a ThreadPoolExecutor: the
        kernels let threads run in parallel. One after the other if None.
    progress
        Whether to show a bar with the time left.
    experiment
        A name that is part of the seed: other names, other luck.

    Returns
    -------
    A polars DataFrame with a row for each run, entrant, checkpoint and regret. `world` is its name
    with all but K and T. S and V_T are those of the path, as measured. `undefined` counts the
    rounds up to t in which the regret's benchmark does not exist; the value leaves them out.

    Examples
    --------
    >>> from sparring import FreshWinner, Regret
    >>> world, regret = FreshWinner(K=5, T=2000, S=2), Regret("preference", "stretch")
    >>> table = simulate(world, ["dex3s", "rand"], regret, runs=3)
    >>> table.shape, table.columns[:3]
    ((6, 12), ['world', 'entrant', 'K'])
    """
    problem = known(world)
    match = Match(
        world=world,
        problem=problem,
        entrants=labelled(entrants),
        regrets=_regrets(regrets, problem),
        stops=_stops(checkpoints, problem.T),
        seed=checks.whole("seed", seed, low=0, high=2**63 - 1),
        experiment=str(experiment),
        plays=checks.flag("plays", plays),
    )
    if not writable(name_of(world)):
        raise checks.refuse("the world's name", "a text", name_of(world))
    numbers, shown = _runs(runs), checks.flag("progress", progress)
    polars = extras.demand("polars", "the table of sparring.simulate")
    if any(regret.benchmark == "von neumann" for regret in match.regrets.values()):
        extras.demand("scipy.optimize", "a von Neumann winner")
    with progress_bar(len(numbers) * problem.T, shown=shown) as tick:
        done = _done(match, numbers, executor, tick)
    columns = (*COLUMNS, *FURTHER, "plays") if plays else (*COLUMNS, *FURTHER)
    rows = [row[: len(columns)] for table in done for row in table]
    return polars.DataFrame(rows, schema=columns, orient="row")  # type: ignore[no-any-return]


def _done(match: Match, runs: list[int], executor: Executor | None, tick: Tick) -> list[list[Row]]:
    """The rows of each run, in the order of the runs."""
    if executor is None:
        return [play_run(match, run, tick) for run in runs]
    if not isinstance(executor, Executor):
        raise checks.refuse("executor", "a concurrent.futures.Executor or None", executor)
    if isinstance(executor, ProcessPoolExecutor):
        _demand_portable(match)
    given_up = threading.Event()

    def tick_or_stop(rounds: int) -> None:
        if given_up.is_set():
            raise RuntimeError("another run failed")
        tick(rounds)

    futures: list[Future[list[Row]]] = []
    try:
        for run in runs:
            if isinstance(executor, ThreadPoolExecutor):
                futures.append(executor.submit(play_run, match, run, tick_or_stop))
            else:  # elsewhere a bar cannot be reached, and moves when a run is done
                futures.append(executor.submit(play_run, match, run))
                futures[-1].add_done_callback(lambda _: tick(match.problem.T))
        waiting = list(futures)
        while waiting:
            # Now and then, as polars makes an interrupt wait for a wait without an end; and by
            # `done`, as `wait` does not see what an executor cancels when it is shut down.
            wait(waiting, timeout=0.2, return_when=FIRST_EXCEPTION)
            for future in [future for future in waiting if future.done()]:
                future.result()
                waiting.remove(future)
        return [future.result() for future in futures]
    except CancelledError:
        raise RuntimeError("the executor was shut down before all runs were done") from None
    finally:  # of a failure or an interrupt: what has not begun never will
        given_up.set()
        for future in futures:
            future.cancel()


def _demand_portable(match: Match) -> None:
    """Refuse what cannot be sent to another process, before any is started."""
    try:
        pickle.dumps(match)
    except Exception as error:
        raise ValueError(
            "world and entrants must be such that pickle can send them to another process; got "
            f"{type(error).__name__}: {error}. Name them, define them at the top of a module, or "
            "use threads"
        ) from None


def _regrets(regrets: Any, problem: Problem) -> dict[str, Regret]:
    """Regrets by label, checked."""
    if isinstance(regrets, Regret):
        regrets = [regrets]
    rule = "a sparring.Regret('preference', 'stretch'), several, or a dictionary of them"
    found = by_label("regrets", rule, regrets, str)
    for label, regret in found.items():
        remedy = "For instance sparring.Regret('preference', 'stretch')"
        demand_fit(checks.instance(f"regret {label!r}", regret, Regret, remedy), problem)
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
