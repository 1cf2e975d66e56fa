"""Readings: who reads the logs of a service's arenas, made when somebody wants to look."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparring.web.reading import Reading


class Readings:
    """The readings of all arenas of a database, made when needed.

    Parameters
    ----------
    address
        Of the database.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._made: dict[str, Reading] = {}

    def of(self, name: str) -> "Reading":
        """The reading of an arena; it takes a moment."""
        from sparring.web.reading import Reading  # only now: a start must not wait for SciPy

        with self._lock:
            if name not in self._made:
                self._made[name] = Reading(self._address, name)
            return self._made[name]
