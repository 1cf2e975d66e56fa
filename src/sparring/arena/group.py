"""Group: calls of many threads, carried out together by whichever thread comes first."""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

LARGEST = 256  # calls together
AT_LEAST = 0.1  # seconds after which a caller looks for itself, if an interrupt swallowed its call


class Call(Generic[Result]):
    """Something to do, and what came of it."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self.work = work
        self.given_up = False
        self.settled = False
        self.wake = threading.Event()  # it is settled, or its caller's turn to carry out calls
        self._result: Any = None
        self._error: Exception | None = None

    def attempt(self) -> None:
        """Do it; an error is the caller's, and the others go on."""
        self._result = self._error = None
        try:
            self._result = self.work()
        except ValueError as error:
            self._error = error

    def settle(self, error: Exception | None = None) -> None:
        """It has happened, or it failed with all others for this reason."""
        self._error = error or self._error
        self.settled = True
        self.wake.set()

    def outcome(self) -> Result:
        """What its caller gets."""
        if self._error is not None:
            raise self._error
        result: Result = self._result
        return result


class Group:
    """Carries out calls together.

    While one thread is at work, calls of others pile up; then the first of those takes them all.
    So a lone call waits for nothing, and many share the price of a commit.

    Parameters
    ----------
    together
        Attempts the calls it is given and makes the results last. If it raises an `Exception`, all
        of them fail with it.
    """

    def __init__(self, together: Callable[[list[Call[Any]]], None]) -> None:
        self._together = together
        self._lock = threading.Lock()
        self._waiting: deque[Call[Any]] = deque()

    def do(self, work: Callable[[], Result]) -> Result:
        """Have it done, and return what it returns."""
        call = Call(work)
        self._waiting.append(call)
        try:
            while not call.settled:
                if self._lock.acquire(blocking=False):
                    try:
                        self._carry_out(call)
                    finally:
                        self._lock.release()
                        self._wake_next()
                else:
                    call.wake.wait(AT_LEAST)
                    call.wake.clear()
        except BaseException:
            call.given_up = True
            raise
        return call.outcome()

    def alone(self, work: Callable[[], Result]) -> Result:
        """Do something while nothing else is done."""
        try:
            with self._lock:
                return work()
        finally:
            self._wake_next()

    def _wake_next(self) -> None:
        """Let the first that waits carry out the calls of all that wait."""
        with suppress(IndexError):
            self._waiting[0].wake.set()

    def _carry_out(self, own: Call[Any]) -> None:
        if own.settled:
            return
        # A call that an interrupt leaves unsettled is its own thread's to carry out.
        calls = [own]
        while self._waiting and len(calls) < LARGEST:
            call = self._waiting.popleft()
            if not (call is own or call.settled or call.given_up):
                calls.append(call)
        try:
            self._together(calls)
        except Exception as error:
            for call in calls:
                call.settle(error)
        else:
            for call in calls:
                call.settle()
