"""Many tasks on an executor: results as they come, some queued ahead, stopping at a failure."""

import os
import pickle
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar

from sparring import checks
from sparring.simulation.progress import Tick

Came = TypeVar("Came", covariant=True)

AHEAD = 1000  # tasks handed to an executor at a time, of what may be millions


class Task(Protocol[Came]):
    """Something to do, which pickle can send elsewhere."""

    @property
    def work(self) -> float:
        """How much it is, in the units of the progress bar."""
        ...

    def __call__(self, tick: Tick = ...) -> Came:
        """Do it; `tick` is called with work done, at times with 0, and may raise to end it."""
        ...


class Done(NamedTuple):
    """A task that is done."""

    number: int
    """Which one, from 0."""
    result: Any


def cores() -> int:
    """How many processors this process may use."""
    count = getattr(os, "sched_getaffinity", None)  # what containers and taskset leave of them
    return len(count(0)) if count else os.cpu_count() or 1


def completed(
    tasks: Iterable[Task[Any]], executor: Executor | None, tick: Tick, *, ahead: int = AHEAD
) -> Iterator[Done]:
    """Do the tasks; yields each as soon as it is done, in any order.

    At most `ahead` of them are queued before they can begin. If one fails, or the caller stops
    iterating, no further task begins, and threads end at the next tick.
    """
    if executor is None:
        for number, task in enumerate(tasks):
            yield Done(number, task(tick))
        return
    if not isinstance(executor, Executor):
        raise checks.refuse("executor", "a concurrent.futures.Executor or None", executor)
    given_up, waiting = threading.Event(), dict[Future[Any], int]()
    # Not concurrent.futures.wait: an interrupt inside it would leave the futures locked for good.
    ended = queue.SimpleQueue[Future[Any]]()

    def tick_or_stop(work: float) -> None:
        if given_up.is_set():
            raise RuntimeError("another run failed")
        tick(work)

    try:
        # Within: Python 3.11 takes an interrupt at the loop's jump back for one before its start.
        todo = enumerate(tasks)
        while True:
            for number, task in islice(todo, ahead - len(waiting)):
                future = _submit(executor, task, tick, tick_or_stop)
                waiting[future] = number
                future.add_done_callback(ended.put)
            if not waiting:
                return
            try:  # now and then, as polars makes an interrupt wait for a wait without an end
                future = ended.get(timeout=0.2)
            except queue.Empty:
                continue
            yield Done(waiting.pop(future), future.result())
    except CancelledError:
        raise RuntimeError("the executor was shut down before all runs were done") from None
    finally:
        given_up.set()
        for future in waiting:
            future.cancel()


def _submit(
    executor: Executor, task: Task[Any], tick: Tick, tick_or_stop: Callable[[float], None]
) -> Future[Any]:
    """Submit a task; a progress bar that it cannot reach moves when the task is done."""
    if isinstance(executor, ThreadPoolExecutor):
        return executor.submit(task, tick_or_stop)
    if isinstance(executor, ProcessPoolExecutor):
        _demand_portable(task)
    future = executor.submit(task)
    future.add_done_callback(lambda _: tick(task.work))
    return future


def _demand_portable(task: Task[Any]) -> None:
    """Refuse what cannot be sent to another process, before anyone waits for it in vain."""
    try:
        pickle.dumps(task)
    except Exception as error:
        raise ValueError(
            "world and entrants must be such that pickle can send them to another process; got "
            f"{type(error).__name__}: {error}. Name them, define them at the top of a module, or "
            "use threads"
        ) from None
