"""Clock: the time of an arena, which never runs backwards and never stops."""

import time
from collections.abc import Callable

from sparring import checks
from sparring.arena import making

LATEST = 253_402_300_799.0  # the end of the year 9999
PACE = 9, 10  # how fast time goes on while the wall clock is behind: slower, so that it catches up


class Clock:
    """The wall clock, in microseconds since 1970, adjusted to date events.

    If the wall clock jumps forward, so does this one: the machine may have slept. If it is set
    back, this one runs on at nine tenths of its pace until the wall clock has caught up. Otherwise
    time would stop for that long, and with it all that waits for some seconds to pass, such as the
    time to undo.

    Parameters
    ----------
    given
        Instead of the wall clock, for rehearsals and tests: a function that returns seconds since
        1970. Time goes on as it says, and only never back.
    """

    def __init__(self, given: Callable[[], float] | None = None) -> None:
        self._given = given
        self._said = self._tick = 0

    def now(self, latest: int) -> int:
        """The time now; no earlier than this one of the latest event."""
        if self._given is not None:
            return max(round(1e6 * checks.real("clock", self._given(), low=0, high=LATEST)), latest)
        tick = time.monotonic_ns() // 1000
        passed = (tick - self._tick) * PACE[0] // PACE[1]
        self._said, self._tick = max(making.now(), latest, self._said + passed), tick
        return self._said
