"""How far long work is: a bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Lock, Timer
from typing import Any

from sparring import _jit as jit
from sparring import extras

Tick = Callable[[float], None]

SHORT = 2.0  # seconds that need no bar
FIRST = 10.0  # seconds of work before the rest is estimated; then again after twice as long
LONG = 600.0  # seconds left that deserve a warning
COMPILING = "compiling, the first time only"


@contextmanager
def progress_bar(total: float, what: str, *, shown: bool | None, less: str = "") -> Iterator[Tick]:
    """A function to call with work done, from any thread.

    On a terminal there is a bar, elsewhere, as in a pipe, now and then a line. With `shown=None`
    there are no lines, and the bar appears after two seconds. `less` says how the work gets
    shorter, to whom it will take long.
    """
    if shown is None and extras.absent("rich"):
        shown = False
    if shown is False:
        yield lambda done: None
        return
    rich = extras.demand("rich.progress", "a progress bar")
    console = extras.demand("rich.console", "a progress bar").Console(stderr=True)
    terminal = console.is_terminal or console.is_jupyter
    if not terminal and shown is None:
        yield lambda done: None
        return

    pace, lock, over = Pace(total), Lock(), False
    bar: Any
    bar, task = _bar(rich, console, total, what) if terminal else (None, None)

    def tick(done: float) -> None:
        with lock:
            pace.done += done
            if bar is not None:
                bar.update(task, completed=pace.done)
            left = pace.estimated()
            if left is None or (bar is not None and (pace.told > 1 or left < LONG)):
                return  # a bar says it all
        advice = f". {less}" if less and left >= LONG else ""
        share = f"{pace.done / total:.0%} done"
        text = f"{what}: {share}, about {timedelta(seconds=round(left))} left{advice}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    def begin() -> None:
        with lock:
            if not over:
                bar.start()

    if bar is None:
        yield tick
        return
    late = Timer(SHORT if shown is None else 0.0, begin)
    late.daemon = True  # it keeps nobody from leaving
    late.start()
    try:
        with jit.watched(
            lambda busy: bar.update(task, description=f"{what} ({COMPILING})" if busy else what)
        ):
            yield tick
    finally:
        late.cancel()
        with lock:
            over = True
        if bar.live.is_started:
            bar.stop()


class Pace:
    """How long the rest takes, by the speed since the first work was done: before, it compiles."""

    def __init__(self, total: float) -> None:
        self.total, self.done, self.told = total, 0.0, 0
        self._began: tuple[float, float] | None = None

    def estimated(self) -> float | None:
        """The seconds left, where it is time to say so: ever more seldom."""
        now = time.monotonic()
        if self._began is None:
            if self.done > 0:
                self._began = now, self.done
            return None
        took, did = now - self._began[0], self.done - self._began[1]
        if did <= 0 or took < FIRST * 2**self.told:
            return None
        self.told += 1
        return took * (self.total - self.done) / did


def _bar(rich: Any, console: Any, total: float, what: str) -> tuple[Any, Any]:
    bar = rich.Progress(
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.TaskProgressColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("left"),
        rich.TimeRemainingColumn(),
        console=console,
    )
    return bar, bar.add_task(what, total=total)
