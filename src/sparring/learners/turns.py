"""Turns: one thread at a time, and never twice in one."""

import sys
import threading
from types import FrameType, TracebackType


class Turns:
    """A lock that tells instead of hanging when the thread that holds it comes back for it.

    That happens in a signal handler: it runs in the midst of whatever the main thread was doing,
    and a snapshot taken there would be of a learner half-way through a call. An interrupt may also
    cut off a call between taking its turn and giving it back; the next call then takes it over.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holder: FrameType | None = None

    def __enter__(self) -> None:
        caller = sys._getframe(1)
        self._lock.acquire()
        if self._holder is not None:  # this thread has it already: no other could get here
            self._lock.release()
            if _runs(self._holder, caller):
                raise RuntimeError(
                    "the learner is in the midst of another call, which a signal interrupted: let "
                    "the handler set a flag, and save or stop where the call has returned"
                )
        self._holder = caller

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._holder = None
        finally:
            self._lock.release()


def _runs(holder: FrameType, caller: FrameType | None) -> bool:
    """Whether the call that took its turn is still running, somewhere below the caller."""
    while caller is not None and caller is not holder:
        caller = caller.f_back
    return caller is not None
