"""Workers: the threads and tasks that a service cannot do without, and what went wrong in them."""

import logging
from collections.abc import Callable

from prometheus_client import Counter

log = logging.getLogger("sparring.web")


class Workers:
    """Knows which workers there are, and whether they still work.

    A worker catches what goes wrong in one of its turns, says so with `failed`, and takes the next
    turn. `gone` names those that have ended all the same, for `/ready`.

    Parameters
    ----------
    failures
        Where failures are counted, by worker.
    """

    def __init__(self, failures: Counter | None = None) -> None:
        self._failures = failures
        self._alive: dict[str, Callable[[], bool]] = {}

    def add(self, name: str, is_alive: Callable[[], bool]) -> None:
        """There is another one, until it is removed."""
        self._alive[name] = is_alive

    def remove(self, name: str) -> None:
        """It ends, as it should."""
        self._alive.pop(name, None)

    def failed(self, name: str, error: BaseException) -> None:
        """Something went wrong in a turn."""
        log.error("%s: %s", name, type(error).__name__, exc_info=error)
        if self._failures is not None:
            self._failures.labels(name).inc()

    def gone(self) -> list[str]:
        """Those that have ended and should not have."""
        return [name for name, is_alive in list(self._alive.items()) if not is_alive()]
