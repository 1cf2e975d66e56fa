"""A progress bar with the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sparring import extras

Tick = Callable[[float], None]


@contextmanager
def progress_bar(total: float, what: str, *, shown: bool) -> Iterator[Tick]:
    """A function to call with work done; it moves a bar on the terminal, if one is shown."""
    if not shown:
        yield lambda done: None
        return
    rich = extras.demand("rich.progress", "a progress bar")
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.TaskProgressColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("left"),
        rich.TimeRemainingColumn(),
    )
    console = extras.demand("rich.console", "a progress bar").Console(stderr=True)
    with rich.Progress(*columns, console=console) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
