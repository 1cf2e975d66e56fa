"""Desk: where coroutines leave calls for an arena, which one thread carries out together."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from sparring.arena import StorageError

Result = TypeVar("Result")
Work = Callable[[], Any]

TOGETHER = 256  # calls in one transaction, at most
PATIENCE = 10.0  # seconds that a caller waits for the database
LOOK = 1.0  # seconds between two looks at who has waited too long


class DeskFullError(RuntimeError):
    """Too many calls are waiting. Nothing was stored."""


class Request(NamedTuple):
    """A call, and the coroutine that waits for it."""

    work: Work
    waiter: "asyncio.Future[Any]"
    since: float
    """When it came, by the clock of the event loop."""


class Desk:
    """Takes calls from the coroutines of one event loop to one thread, and results back.

    The thread does all waiting calls in one transaction; calls that come meanwhile wait for the
    next. So a single call does not wait, and many share a commit. All results of a transaction go
    back to the loop in one step: waking it for each would cost more than the work.

    After ten seconds a caller is told that the database does not answer. Work that was begun by
    then may still be done, so calling again must give the same result.

    Parameters
    ----------
    perform
        A function that does calls together and returns each result or exception.
    most
        How many calls may wait. One more is refused at once: a queue that only grows would answer
        everyone too late.
    failed
        Told of what goes wrong beside the calls.
    """

    def __init__(
        self,
        perform: Callable[[list[Work]], list[Any]],
        most: int = 1024,
        failed: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        self._perform, self._failed = perform, failed
        self._most = most
        self._waiting: deque[Request] = deque()
        self._taken: list[Request] = []
        self._look: asyncio.TimerHandle | None = None
        self._something = threading.Event()
        self._closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="sparring-desk", daemon=True)

    def open(self) -> None:
        """Begin to work, for the event loop that runs now."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        self._give_up_on_slow()

    async def close(self) -> None:
        """Finish what waits, then end the thread."""
        self._closing = True
        self._something.set()
        await asyncio.to_thread(self._thread.join)
        if self._look is not None:
            self._look.cancel()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_alive(self) -> bool:
        """Whether its thread works."""
        return self._thread.is_alive()

    async def do(self, work: Callable[[], Result]) -> Result:
        """Do it in the next transaction. It is on disk when this returns."""
        if self._closing or len(self._waiting) >= self._most:
            raise DeskFullError("too many calls wait")
        assert self._loop is not None
        waiter = self._loop.create_future()
        self._waiting.append(Request(work, waiter, self._loop.time()))
        self._something.set()
        result: Result = await waiter
        return result

    def _work(self) -> None:
        while True:
            self._something.wait()
            self._something.clear()  # before looking: what comes after sets it again
            while self._waiting:
                try:
                    self._carry_out()
                except BaseException as error:  # those who wait are told by the clock; go on
                    self._failed(error)
            if self._closing and not self._waiting:
                return

    def _carry_out(self) -> None:
        taken: list[Request] = []
        while self._waiting and len(taken) < TOGETHER:
            request = self._waiting.popleft()
            if not _is_given_up(request):
                taken.append(request)
        if not taken:
            return
        self._taken = taken
        try:
            results = self._perform([request.work for request in taken])
        except Exception as error:  # of the database: it is everybody's
            results = [error] * len(taken)
        except BaseException as error:
            self._failed(error)
            results = [RuntimeError(f"a call ended with {type(error).__name__}")] * len(taken)
        assert self._loop is not None
        self._taken = []
        self._loop.call_soon_threadsafe(_give_back, taken, results)

    def _give_up_on_slow(self) -> None:
        """Tell callers that have waited too long; at intervals, as timers for each cost more."""
        assert self._loop is not None
        self._look = self._loop.call_later(LOOK, self._give_up_on_slow)
        late = self._loop.time() - PATIENCE
        for request in (*self._taken, *self._waiting.copy()):
            if request.since < late and not request.waiter.done():
                request.waiter.set_exception(StorageError(f"no answer for {PATIENCE:g} s"))


def _is_given_up(request: Request) -> bool:
    """Whether its caller was told to call again; one who has just gone is not meant."""
    return request.waiter.done() and not request.waiter.cancelled()


def _give_back(taken: list[Request], results: list[Any]) -> None:
    for (_, waiter, _), result in zip(taken, results, strict=True):
        if waiter.done():  # its caller has gone; the work is done all the same
            continue
        if isinstance(result, Exception):
            waiter.set_exception(result)
        else:
            waiter.set_result(result)
