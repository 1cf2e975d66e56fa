"""A progress bar with the time left, for whatever takes more than two seconds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tick = Callable[[int], None]


@contextmanager
def progress_bar(rounds: int, *, shown: bool) -> Iterator[Tick]:
    """A function to call with rounds done; it moves a bar on the terminal, if one is shown."""
    if not shown:
        yield lambda done: None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as bar:
        task = bar.add_task(f"{rounds:.3g} rounds", total=rounds)
        yield lambda done: bar.advance(task, done)
