"""Studio: draws boards in the background, when votes have come, and not all the time."""

import threading
import time
from dataclasses import dataclass
from typing import Any

from sparring.arena import Arena
from sparring.web.readings import Readings
from sparring.web.workers import Workers

BUSY = 0.2  # of a core at most, so that votes are not kept waiting
BREATH = 1.0  # seconds between two drawings, at least
FRESH = 2.0  # seconds for which a board is as good as new
INTEREST = 60.0  # seconds after the last look, in which a board is kept up to date
NAME = "the board"  # among the workers


@dataclass(frozen=True)
class Board:
    """A board as it was drawn."""

    version: int
    facts: dict[str, Any]
    """All of it, for JSON."""
    part: str
    """The same as HTML, to be put into the page."""


@dataclass
class Seat:
    """An arena whose board someone is watching."""

    arena: Arena
    looked: float
    """When, on the monotonic clock."""
    board: Board | None = None
    mark: Any = None
    """What the arena had come to when the board was drawn."""
    drawn: float = 0.0
    """When that was, on the monotonic clock."""
    due: float = 0.0
    """When it may be drawn again."""
    failed: bool = False
    """Whether the last drawing ended in an error."""


class NoBoardError(RuntimeError):
    """The board could not be drawn; the log has why."""


class Studio:
    """One thread that draws the boards of all arenas that someone is watching.

    `newest` never waits: it returns what is drawn and notes that someone is watching. To see the
    present state, call it until `is_stale` is False.

    Parameters
    ----------
    readings
        What was read from the logs of the arenas.
    workers
        Told of what goes wrong.
    """

    def __init__(self, readings: Readings, workers: Workers | None = None) -> None:
        self.closed = False
        self._workers = Workers() if workers is None else workers
        self._readings = readings
        self.looks = 0
        """How often an arena was looked at, to see whether there is something to draw."""
        self._seats: dict[str, Seat] = {}
        self._something = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._warm = False

    def newest(self, name: str, arena: Arena) -> Board | None:
        """The board as it was last drawn, or None if it is drawn for the first time."""
        with self._lock:
            now = time.monotonic()
            seat = self._seats.get(name)
            if seat is None or seat.arena is not arena:
                seat = self._seats[name] = Seat(arena, now)
            seat.looked = now
            if (self._thread is None or not self._thread.is_alive()) and not self.closed:
                thread = threading.Thread(target=self._work, name="studio", daemon=True)
                thread.start()
                self._thread = thread
                self._workers.add(NAME, thread.is_alive)
        self._something.set()
        if seat.failed and seat.board is None:
            raise NoBoardError
        return seat.board

    def is_stale(self, name: str) -> bool:
        """Whether the newest board is old and the arena has changed since; for a thread."""
        seat = self._seats.get(name)
        if seat is None or seat.board is None:
            return True
        if self.closed:  # there will be no newer one
            return False
        return time.monotonic() - seat.drawn > FRESH and seat.mark != _mark(seat.arena)

    def stop(self) -> None:
        """Draw no more, and let streams end; it does not wait, so a signal handler may call it."""
        self.closed = True

    def close(self) -> None:
        """End the thread."""
        self.closed = True
        self._workers.remove(NAME)
        self._something.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self.closed:
            self._something.wait()
            self._something.clear()
            for name, seat in list(self._seats.items()):
                now = time.monotonic()
                if seat.looked < now - INTEREST:
                    del self._seats[name]
                elif seat.due <= now and not self.closed:
                    try:
                        self._draw(name, seat)
                    except BaseException as error:
                        seat.failed, seat.due = True, time.monotonic() + BREATH
                        self._workers.failed(NAME, error)
            time.sleep(0.05)  # who looks calls often

    def _draw(self, name: str, seat: Seat) -> None:
        from sparring.web.board import compose  # only now: votes are compiled kernels

        began = time.thread_time()
        self.looks += 1
        mark = _mark(seat.arena)
        if mark == seat.mark:
            seat.due = time.monotonic() + BREATH
            return
        facts, part = compose(self._readings.of(name), seat.arena)
        version = seat.board.version + 1 if seat.board else 1
        seat.board, seat.mark, seat.failed = Board(version, facts, part), mark, False
        seat.drawn = time.monotonic()
        cost = time.thread_time() - began
        rest = cost * (1 / BUSY - 1) if self._warm else 0.0  # the first one imports and compiles
        self._warm = True
        seat.due = time.monotonic() + max(BREATH, rest)


def _mark(arena: Arena) -> Any:
    """A mark of the arena's state; another mark means another board."""
    return arena.votes, arena.tallies(), arena.settings
