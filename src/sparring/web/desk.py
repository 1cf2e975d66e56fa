"""Desk: where coroutines leave calls for an arena, which one thread carries out together."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")
Work = Callable[[], Any]

TOGETHER = 256  # calls in one transaction, at most


class DeskFullError(RuntimeError):
    """So many calls wait that another would wait too long. Nothing was stored."""


class Request(NamedTuple):
    """A call, and the coroutine that waits for it."""

    work: Work
    waiter: "asyncio.Future[Any]"


class Desk:
    """Takes calls from the coroutines of one event loop to one thread, and results back.

    The thread takes whatever waits and has it done in one transaction; what comes meanwhile waits
    for the next. So a lone call waits for nothing and many share a commit. All results of a
    transaction go back to the loop in one step: to wake it for each would cost more than the work.

    Parameters
    ----------
    perform
        Does calls together; gives for each what it returned, or the exception that it raised.
    most
        How many calls may wait. One more is refused at once: a queue that only grows would answer
        everybody too late.
    """

    def __init__(self, perform: Callable[[list[Work]], list[Any]], most: int = 1024) -> None:
        self._perform = perform
        self._most = most
        self._waiting: deque[Request] = deque()
        self._something = threading.Event()
        self._closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="sparring-desk", daemon=True)

    def open(self) -> None:
        """Begin to work, for the event loop that runs now."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def close(self) -> None:
        """Finish what waits, then end the thread."""
        self._closing = True
        self._something.set()
        await asyncio.to_thread(self._thread.join)

    def __len__(self) -> int:
        return len(self._waiting)

    async def do(self, work: Callable[[], Result]) -> Result:
        """Have it done in the next transaction. It is on disk when this returns."""
        if self._closing or len(self._waiting) >= self._most:
            raise DeskFullError("too many calls wait")
        assert self._loop is not None
        waiter = self._loop.create_future()
        self._waiting.append(Request(work, waiter))
        self._something.set()
        result: Result = await waiter
        return result

    def _work(self) -> None:
        while True:
            self._something.wait()
            self._something.clear()  # before looking: what comes after sets it again
            while self._waiting:
                self._carry_out()
            if self._closing and not self._waiting:
                return

    def _carry_out(self) -> None:
        taken: list[Request] = []
        while self._waiting and len(taken) < TOGETHER:
            taken.append(self._waiting.popleft())
        try:
            results = self._perform([request.work for request in taken])
        except Exception as error:  # of the database: it is everybody's
            results = [error] * len(taken)
        assert self._loop is not None
        self._loop.call_soon_threadsafe(_give_back, taken, results)


def _give_back(taken: list[Request], results: list[Any]) -> None:
    for (_, waiter), result in zip(taken, results, strict=True):
        if waiter.done():  # its caller has gone; the work is done all the same
            continue
        if isinstance(result, Exception):
            waiter.set_exception(result)
        else:
            waiter.set_result(result)
