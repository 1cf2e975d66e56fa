"""LiveState: the state of an open arena, kept in step with its log on disk."""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from sparring.arena.checkpoints import Checkpoints, Packed, pack
from sparring.arena.clock import Clock
from sparring.arena.database import CommitError, Database, StorageError
from sparring.arena.events import Event, Log
from sparring.arena.group import Call, Group
from sparring.arena.pairs import Drawn
from sparring.arena.saving import to_json, to_json_later
from sparring.arena.state import State

CHECKPOINT = 2000  # events between two checkpoints, or more where a checkpoint is long
REST = 10.0  # seconds between two: to fold what happened in them takes a second or two
BYTES_AN_EVENT = 100  # of a checkpoint: a longer one is written more rarely

Result = TypeVar("Result")


class SpoiledError(Exception):
    """A change of the state failed half-way; `error` has the cause."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


FATAL = (SpoiledError, StorageError)  # for all calls of a transaction, whichever of them it hits


class LiveState:
    """Transactions around the state of an arena: a change is on disk, or it did not happen.

    Parameters
    ----------
    database
        Where the arena is.
    arena
        Its id there.
    clock
        What time it is; the wall clock by default.
    """

    def __init__(self, database: Database, arena: int, clock: Clock | None = None) -> None:
        self._database = database
        self._arena = arena
        self._log = Log(database, arena)
        self._checkpoints = Checkpoints(database, arena)
        self._group = Group(self._together)
        self._time = clock or Clock()
        self._state: State | None = None
        self._saved = 0
        self._saved_at = time.monotonic()
        self._worth = CHECKPOINT
        self._saver: threading.Thread | None = None

    def perform(self, calls: Iterable[Call[Any]]) -> None:
        """Carry out many calls in one transaction, from one thread, as for an event loop.

        They are on disk when it returns. Then `outcome()` of each call returns its result or raises
        its own error. `asking` and `telling` make calls.
        """
        self._group.perform(calls)

    def _happen(
        self,
        now: int,
        kind: str,
        body: dict[str, Any],
        ticket: str | None = None,
        drawn: Drawn | None = None,
    ) -> None:
        """Take in an event, and note it to be written."""
        state = self._current()
        event = Event(state.number + 1, now, kind, ticket, body)
        chain = self._log.append(event, state.chain)
        self._or_spoil(state.take_in, event, chain, drawn)

    def _or_spoil(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """Make a change of the state; if it fails half-way, so does the transaction."""
        try:
            return change(*arguments)
        except Exception as error:
            raise SpoiledError(error) from error

    def _together(self, calls: list[Call[Any]]) -> None:
        """Carry out calls in one transaction; all of it is on disk, or nothing happened."""
        try:
            self._commit(calls)
        except SpoiledError:  # one of them has failed half-way: it must not spoil the others
            for call in calls:
                try:
                    self._commit([call])
                except SpoiledError as spoiled:
                    call.settle(spoiled.error)
        if self._is_worth_saving():
            with suppress(Exception):  # what is committed is committed; without it starts are slow
                self._begin_to_save()

    def _commit(self, calls: list[Call[Any]]) -> None:
        try:
            try:
                with self._database.writing(self._arena):
                    self._catch_up()
                    for call in calls:
                        call.attempt(FATAL)
                    self._or_spoil(self._current().settle_arms)
                    self._log.write()
            except CommitError as error:
                self._demand_stored(error)
        except BaseException:
            self._state = None  # it may be ahead of the log, which is the truth
            self._log.discard()
            raise
        for call in calls:
            call.settle()

    def _demand_stored(self, failed: CommitError) -> None:
        """Look in the log whether a commit that failed was one: if it was, nothing has failed.

        Under the lock, which is not free before the server has ended that transaction, this way or
        the other. The last event is in the log, with its chain, if and only if all of them are. If
        it is, a commit that writes waits for the disk, and for a replica if there has to be one,
        until they have all that came before. If not, nothing is written: the disk may be full.
        """
        state = self._current()
        touch = "UPDATE sparring_arenas SET duplicates = duplicates WHERE id = ?"
        try:
            with self._database.writing(self._arena):
                stored = self._log.has(state.number, state.chain)
                if stored:
                    self._database.change(touch, [(self._arena,)])
        except StorageError:  # it cannot be looked up now: whoever tries again will find it
            raise failed from None
        if not stored:
            raise failed.if_undone from failed

    def _catch_up(self) -> None:
        """Take in what other processes have done."""
        state = self._state
        if state is not None:
            if self._log.ends(state.number, state.chain):
                return
            if not self._log.has(state.number, state.chain):
                self._state = None  # somebody has put another copy of the database in place
        if self._state is None:
            state = self._checkpoints.latest()
            self._saved, self._state = state.number, state
        try:
            self._state = self._advanced(self._state)
        except BaseException:
            self._state = None
            raise

    def _advanced(self, state: State) -> State:
        """The state with all that is in the log."""
        return advanced(state, self._log, self._checkpoints)

    def _look(self, read: Callable[[State], Result]) -> Result:
        """Look at the state, with all that has happened."""

        def look() -> Result:
            self._catch_up()
            return read(self._current())

        return self._group.alone(look)

    def _current(self) -> State:
        assert self._state is not None
        return self._state

    def _clock(self) -> int:
        """Now, in microseconds; no earlier than the latest event, whatever the wall clock does."""
        return self._time.now(self._current().at)

    def _is_worth_saving(self) -> bool:
        """Whether a start without another checkpoint would take long."""
        rested = time.monotonic() - self._saved_at >= REST
        return (
            rested and self._state is not None and self._state.number - self._saved >= self._worth
        )

    def _begin_to_save(self) -> None:
        """Save the state of now beside whoever votes: with many open pairs it takes a second."""
        if self._saver is not None and self._saver.is_alive():
            return
        state, self._saved_at = self._current(), time.monotonic()
        arms, later = state.present.copy(), to_json_later(state)

        def work() -> None:
            with suppress(Exception):  # it is tried again
                packed = pack(later())
                self._group.alone(lambda: self._save_packed(packed, state, arms))

        self._saver = threading.Thread(target=work, name="sparring-saver", daemon=True)
        self._saver.start()

    def _save_packed(self, packed: Packed, state: State, arms: list[int]) -> None:
        """Write what was made beside whoever votes, unless what it was made from has changed.

        That is when arms have come or gone, or when the events were folded again meanwhile.
        """
        if self._state is state and state.present == arms:
            self._write(packed)

    def _save(self) -> None:
        if self._state is not None and self._state.number > self._saved:
            self._write(pack(to_json(self._state)))

    def _write(self, packed: Packed) -> None:
        self._checkpoints.save(packed)
        self._saved, self._saved_at = packed.number, time.monotonic()
        self._worth = max(CHECKPOINT, len(packed.data) // BYTES_AN_EVENT)

    def _wait_for_saver(self) -> None:
        """Let a checkpoint that is being written be finished."""
        if self._saver is not None and self._saver.is_alive():
            self._group.alone(lambda: None)  # within another call this is an error, and no hang
            self._saver.join()

    def _finish(self) -> None:
        try:
            with suppress(StorageError):  # nothing is lost but time at the next start
                self._save()
        finally:
            self._database.close()


def advanced(state: State, log: Log, checkpoints: Checkpoints) -> State:
    """A state with all that is in the log after it."""
    for event, chain in log.after(state.number, state.chain):
        if state.is_overturned_by(event):
            # Whoever wrote it has saved what all events come to now; if not, they are folded again.
            return advanced(checkpoints.latest(at_least=event.number), log, checkpoints)
        log.hand(event, state.apply, chain)
    return state
