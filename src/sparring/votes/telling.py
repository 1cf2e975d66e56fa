"""What takes votes one by one: names, places, times that never go back."""

from collections.abc import Iterable
from typing import Any

from sparring import checks
from sparring.votes.journal import Journal


class Told(Journal):
    """Something that takes votes on named arms one by one, either all with a time or none.

    A vote is either counted or not, wherever an interrupt comes: it is first checked, which changes
    nothing, and then carried out by the journal.

    Parameters
    ----------
    names
        The names of the arms, two or more.
    """

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self._names = tuple(checks.names("names", names))
        if len(self._names) < 2:
            raise checks.refuse("names", "two or more", list(self._names))
        self._places = {name: k for k, name in enumerate(self._names)}
        self._timed: bool | None = None  # known with the first vote
        self._last = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self._names

    def _arms(self, first: str | int, second: str | int) -> tuple[int, int]:
        """The places of two different arms."""
        i, j = self._arm("first", first), self._arm("second", second)
        if i == j:
            raise checks.refuse("second", "another arm than the first", second)
        return i, j

    def _arm(self, name: str, given: Any) -> int:
        """An arm's place."""
        if isinstance(given, str):
            if given not in self._places:
                raise checks.unknown(name, given, self._names)
            return self._places[given]
        return checks.whole(name, given, low=0, high=len(self._names) - 1)

    def _adopt(self, state: Any) -> None:
        """Go back to an earlier state; nothing to do if nothing is changed in place."""

    def _demand_clock(self, when: float | None) -> None:
        """Refuse votes with and without times together, and times that go back; changes nothing."""
        timed = when is not None
        if self._timed is not None and timed != self._timed:
            rule = "given with every vote, as before" if self._timed else "left out, as before"
            raise checks.refuse("at", rule, when)
        if when is not None and self._timed and when < self._last:
            raise checks.refuse("at", f"at least {self._last}, the time of the last vote", when)
