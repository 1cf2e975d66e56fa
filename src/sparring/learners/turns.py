"""Turns: one thread at a time, and never twice in one."""

import threading
from types import TracebackType


class Turns:
    """A lock that tells instead of hanging when the thread that holds it comes back for it.

    That happens in a signal handler: it runs in the midst of whatever the main thread was doing,
    and a snapshot taken there would be of a learner half-way through a call.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._taken = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._taken:
            self._lock.release()
            raise RuntimeError(
                "the learner is in the midst of another call, which a signal interrupted: let the "
                "handler set a flag, and save or stop where the call has returned"
            )
        self._taken = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._taken = False
        self._lock.release()
