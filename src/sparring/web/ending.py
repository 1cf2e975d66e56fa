"""Ending: what must stop before a server can, as soon as it is told to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def told_at_once(tell: Callable[[], None]) -> Iterator[None]:
    """Within this, a signal to stop is told first, and then handled as before.

    A server waits for its connections to end before it closes the app; a stream that the app ends
    only then would keep it waiting. Outside of the main thread, as in tests, nothing is done.
    """
    before: dict[int, Any] = {}

    def handle(number: int, frame: FrameType | None) -> None:
        tell()
        before[number](number, frame)

    try:
        for number in SIGNALS:
            found = signal.getsignal(number)
            if callable(found):
                before[number] = found
                signal.signal(number, handle)
    except ValueError:  # not the main thread
        before.clear()
    try:
        yield
    finally:
        for known, handler in before.items():
            signal.signal(known, handler)
