"""Group: calls of many threads, carried out together by whichever thread comes first."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from sparring.learners.frame import Turns

Result = TypeVar("Result")

LARGEST = 256  # calls together
PATIENCE = 0.1  # seconds after which a caller looks for itself, if an interrupt swallowed its call


class Call(Generic[Result]):
    """Something to do, and its result."""

    __slots__ = ("_arguments", "_error", "_gate", "_result", "_work", "given_up", "next", "settled")

    def __init__(self, work: Callable[..., Result], *arguments: Any) -> None:
        self._work = work
        self._arguments = arguments
        self._result: Any = None
        self._error: Exception | None = None
        self.settled = False
        self.given_up = False
        self.next: Call[Any] | None = None  # whoever is to be woken after its caller
        self._gate = threading.Lock()  # shut until there is something for its caller to see
        self._gate.acquire()

    def attempt(self, fatal: tuple[type[Exception], ...]) -> None:
        """Do it. An error goes to its caller; the others continue, unless it is fatal."""
        self._result = self._error = None
        try:
            self._result = self._work(*self._arguments)
        except fatal:
            raise
        except Exception as error:
            self._error = error

    def settle(self, error: Exception | None = None) -> None:
        """It has happened, or it failed for this reason."""
        self._error = error or self._error
        self.settled = True

    def wake(self) -> None:
        """It is settled, or its caller's turn to carry out calls."""
        try:
            self._gate.release()
        except RuntimeError:  # it was woken before, and has not looked yet
            return

    def sleep(self) -> bool:
        """Wait to be woken; False if that took too long."""
        return self._gate.acquire(timeout=PATIENCE)

    def outcome(self) -> Result:
        """What its caller gets: returns what the call returned, or raises its error."""
        if not self.settled:
            raise RuntimeError("the call has not been performed yet")
        if self._error is not None:
            raise self._error
        result: Result = self._result
        return result


class Group(Turns):
    """Carries out calls together.

    While one thread works, calls of others queue up; then the first of those takes them all. So a
    single call does not wait, and many share the cost of a commit.

    Parameters
    ----------
    together
        A function that attempts the given calls, stores the results and settles the calls. If it
        raises an `Exception`, the calls that are not settled fail with it.
    """

    def __init__(self, together: Callable[[list[Call[Any]]], None]) -> None:
        self._together = together
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        super().__init__()
        self._busy = False  # a hint: whoever trusts it looks again soon
        self._waiting: deque[Call[Any]] = deque()

    def do(self, work: Callable[[], Result]) -> Result:
        """Have it done, and return what it returns."""
        return self.wait(Call(work))

    def wait(self, call: Call[Result]) -> Result:
        """Carry out a call, together with those of other threads, and return its outcome."""
        self._forget_parent()
        self._waiting.append(call)
        try:
            while not call.settled:
                if self._busy and call.sleep():
                    continue
                with self._turn:
                    if not call.settled:  # by somebody else, while this one waited for its turn
                        self._carry_out([call])
        except BaseException:
            call.given_up = True
            self._wake_next()
            raise
        finally:
            self._pass_on(call)
        return call.outcome()

    def perform(self, calls: Iterable[Call[Any]]) -> None:
        """Carry out many calls of one thread, together with those of others that wait."""
        self._forget_parent()
        own = [call for call in calls if not call.settled]
        if not own:
            return
        try:
            with self._turn:
                self._carry_out(own)
        except BaseException:
            self._wake_next()
            raise
        finally:
            self._pass_on(own[-1])

    def alone(self, work: Callable[[], Result]) -> Result:
        """Do something while nothing else is done."""
        self._forget_parent()
        try:
            with self._turn:
                return work()
        finally:
            self._wake_next()

    def _forget_parent(self) -> None:
        """After a fork, start fresh: the lock may belong to a thread that does not exist here."""
        if self._process != os.getpid():
            self._begin()

    def _pass_on(self, call: Call[Any]) -> None:
        """Wake the next caller of a group; after the last, wake the next group.

        They wake one by one: only one thread can run at a time, so if all woke at once, most would
        have to sleep again. The next group waits until then for the same reason, and meanwhile the
        threads that woke add their next calls to it.
        """
        following = call.next
        while following is not None and following.given_up:
            following = following.next  # an interrupt took its caller away, who cannot pass it on
        if following is None:
            self._wake_next()
        else:
            following.wake()

    def _wake_next(self) -> None:
        """Let the first waiting caller carry out the calls of all that wait."""
        self._busy = False
        with suppress(IndexError):
            self._waiting[0].wake()

    def _carry_out(self, own: list[Call[Any]]) -> None:
        """Carry out these calls and those that wait."""
        self._busy = True
        # A call that an interrupt leaves unsettled is its own thread's to carry out.
        calls = own.copy()
        while self._waiting and len(calls) < LARGEST:
            call = self._waiting.popleft()
            if not (call is own[0] or call.settled or call.given_up):
                calls[-1].next = call  # now: a caller that sees it settled does not look again
                calls.append(call)
        try:
            self._together(calls)
        except Exception as error:
            for call in calls:
                if not call.settled:
                    call.settle(error)
