"""Turns: one thread at a time, and never a call within another."""

import sys
import threading
from types import FrameType
from typing import Any


class Turns:
    """An object whose calls take turns; a call within another is an error and does not hang.

    That happens in a signal handler: it runs in the midst of whatever the main thread was doing,
    and would find a learner half-way through a call.

    Methods take it by `with self._turn:`. So it is a lock written in C that `with` enters and
    leaves, and Python runs no handler between the two. Methods of our own would have moments in
    which an interrupt leaves the lock taken, and other threads waiting for ever.
    """

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()

    @property
    def _turn(self) -> Any:
        """The lock, unless a call of this thread that is under way has it."""
        if self._lock._is_owned():
            self._take_over()
        return self._lock

    def _take_over(self) -> None:
        """Refuse a call within another, or release a lock that no call holds any more.

        Since Python 3.14 a handler may run when `with` has just taken it.
        """
        if _turns_taken(self, sys._getframe(1)) > 1:
            raise RuntimeError(
                "the learner is in the midst of another call, which a signal interrupted: let "
                "the handler set a flag, and save or stop where the call has returned"
            )
        while self._lock._is_owned():
            self._lock.release()


def _turns_taken(owner: object, frame: FrameType | None) -> int:
    """How many functions under way take a turn of the owner: this one, and any below it."""
    found = 0
    while frame is not None:
        takes_turns = "_turn" in frame.f_code.co_names
        found += takes_turns and frame.f_locals.get("self") is owner
        frame = frame.f_back
    return found
