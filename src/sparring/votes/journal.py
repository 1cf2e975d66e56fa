"""Journal: a call is either done or not done, wherever an interrupt comes."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import starmap
from typing import Any

from sparring.learners.frame import Turns


class Journal(Turns, ABC):
    """Makes calls all or nothing.

    Python runs signal handlers between two bytecodes, and what a handler raises, KeyboardInterrupt
    above all, cuts a call off there. So a call prepares what it needs and changes nothing; then
    `_do` writes down how the call will be finished, makes the change in a single bytecode, which
    also writes down that it is made, and finishes. The next call settles what was cut off: if its
    change was made, the call is finished, in steps that may be repeated; otherwise it is dropped.
    """

    def __init__(self) -> None:
        super().__init__()
        # Of the call under way: how to finish it, with what, what its step gave, the state before.
        self._doing: tuple[Callable[[Any, Any], Any], Any, list[Any], Any] | None = None

    @abstractmethod
    def _adopt(self, state: Any) -> None:
        """Take over a state; may be repeated."""

    @property
    def _turn(self) -> Any:
        """The lock to take, with the last call finished if an interrupt cut it off."""
        if self._doing is not None:
            self._catch_up()
        return super()._turn

    def _catch_up(self) -> None:
        """Finish a call whose change is made, unless it is under way in this very thread."""
        doing = self._doing
        if doing is not None and doing[2] and not self._lock._is_owned():
            with self._lock:
                self._settle()

    def _do(
        self,
        finish: Callable[[Any, Any], Any],
        kept: Any,
        step: Callable[..., Any],
        arguments: tuple[Any, ...],
        before: Any = None,
    ) -> Any:
        """Do a call: finish(kept, step(*arguments)); returns what that returns.

        The change is made when the step's result is written down. Either the step makes it, in
        machine code: no handler runs before its result is in the list. Or finish does, and then the
        step may be anything; if that is cut off, the learner goes back to the state before, if any.
        """
        done: list[Any] = []
        self._doing = finish, kept, done, before
        done += starmap(step, (arguments,))
        result = finish(kept, done[0])
        self._doing = None
        return result

    def _settle(self) -> None:
        """Finish a call that was cut off if its change was made, else go back; holds the lock."""
        if self._doing is not None:
            finish, kept, done, before = self._doing
            if done:
                finish(kept, done[0])
            elif before is not None:
                self._adopt(before)
            self._doing = None
