"""Votes that come one by one: what takes them, and standings that follow them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from sparring import _strengths as kernels
from sparring import checks, extras
from sparring._jit import machine_code
from sparring.durations import moment
from sparring.learners import snapshots
from sparring.learners.frame import Turns
from sparring.votes.data import DAY
from sparring.votes.strengths import FOLLOWED_RIDGE, Follower, demand_few


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


# --- Standings -----------------------------------------------------------------------------------

LONGEST = 1e15
ARRAYS = ("state", "strengths", "information", "met", "won")


class RunningPlace(NamedTuple):
    """Where an arm stands."""

    name: str
    strength: float
    error: float
    """Its standard error, by a diagonal approximation, which is good if many pairs meet."""


class RunningStandings(Told):
    """Standings for votes as they come, with one half-life and in constant memory.

    `standings` of all votes is exact and finds how long to remember. This is for a service that
    needs the strengths after every vote.

    Parameters
    ----------
    names
        The names of the arms.
    half_life
        After how many days a vote counts half, or after how many votes if votes have no times. If
        infinite, nothing is forgotten.
    side
        Whether to estimate how much it helps to be shown first.
    ridge
        The precision of the prior on strengths.

    Examples
    --------
    >>> running = RunningStandings(["tea", "coffee"], half_life=100)
    >>> for _ in range(20):
    ...     loss = running.update("tea", "coffee", 1.0)
    >>> running.leader, running.chance("tea", "coffee") > 0.8
    ('tea', True)
    >>> RunningStandings.restore(running.snapshot()).places() == running.places()
    True
    """

    KIND = "running standings"

    def __init__(
        self,
        names: Iterable[str],
        half_life: float = np.inf,
        *,
        side: bool = False,
        ridge: float = FOLLOWED_RIDGE,
    ) -> None:
        super().__init__(names)
        K = len(self._names)
        demand_few(K)
        if half_life != math.inf:
            half_life = checks.real("half_life", half_life, low=1e-9, high=LONGEST)
        self._side = checks.flag("side", side)
        ridge = checks.real("ridge", ridge, low=1e-6, high=1e6)
        run = kernels.follow_online
        self._follower = Follower(K, half_life, ridge=ridge, side=self._side, run=run)
        self._begun = 0.0
        self._weight, self._marks = np.ones(1), np.zeros(0, np.int64)
        self._past = np.zeros((0, K))

    def __repr__(self) -> str:
        return f"<RunningStandings of {len(self._names)} arms after {self.votes:,} votes>"

    @property
    def votes(self) -> int:
        """Votes so far."""
        self._catch_up()
        return int(self._follower.state[kernels.VOTES])

    @property
    def leader(self) -> str:
        """The strongest arm."""
        self._catch_up()
        return self._names[int(self._follower.strengths.argmax())]

    def update(
        self, first: str | int, second: str | int, outcome: float, *, at: Any = None
    ) -> float:
        """Count a vote; returns how surprising it was, the log-loss of its prediction in nats.

        Parameters
        ----------
        first, second
            The arms shown, by name or by place in `names`.
        outcome
            How the first did: 1 it won, 0 the second won, 0.5 a tie.
        at
            When, in seconds since 1970 or as a datetime with a time zone. With every vote, or
            never.
        """
        i, j = self._arms(first, second)
        o = checks.outcome(outcome)
        when = None if at is None else moment("at", at)
        with self._turn:
            self._settle()
            self._demand_clock(when)
            begun = when if when is not None and self._timed is None else self._begun
            now = self._follower.state[kernels.VOTES] if when is None else (when - begun) / DAY
            vote: Any = (np.array([i], np.int32), np.array([j], np.int32), np.array([o]))
            loss, code = np.empty(1), machine_code(kernels.follow_online)
            learner, before = self._follower, None
            if code is None:
                learner, where = learner.beside(), learner.written(i, j, float(now))
                before = where, learner.met[where].copy(), learner.won[where].copy()
            vote = (*vote, self._weight, np.array([now]), loss, self._marks, self._past, self._past)
            arguments = learner.arguments(*vote)
            kept = learner, begun, when, loss
            counted: float = self._do(
                self._counted, kept, code or kernels.follow_online, arguments, before
            )
            return counted

    def _counted(self, kept: tuple[Follower, float, float | None, Any], _: None) -> float:
        """Take over the result of a vote; may be repeated."""
        self._follower, self._begun, when, loss = kept
        self._timed, self._last = when is not None, 0.0 if when is None else when
        return float(loss[0])

    def _adopt(self, state: Any) -> None:
        """Undo what an interrupted kernel wrote into the counts."""
        where, met, won = state
        self._follower.met[where], self._follower.won[where] = met, won

    def chance(self, first: str | int, second: str | int) -> float:
        """The probability that the first beats the second, at present."""
        i, j = self._arm("first", first), self._arm("second", second)
        with self._turn:
            self._settle()
            lead = self._follower.strengths[i] - self._follower.strengths[j]
        return float(1 / (1 + np.exp(-lead)))

    def places(self) -> tuple[RunningPlace, ...]:
        """Where the arms stand, the strongest first."""
        with self._turn:
            self._settle()
            strengths = self._follower.strengths - self._follower.strengths.mean()
            errors = 1 / np.sqrt(self._follower.information)
        order = np.argsort(-strengths, kind="stable").tolist()
        return tuple(
            RunningPlace(self._names[i], float(strengths[i]), float(errors[i])) for i in order
        )

    def to_json(self) -> dict[str, Any]:
        """The standings for `json.dumps`."""
        return {"votes": self.votes, "places": [place._asdict() for place in self.places()]}

    def to_table(self) -> Any:
        """A polars table with one row for each arm, the strongest first."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame([place._asdict() for place in self.places()])

    def snapshot(self) -> dict[str, Any]:
        """Everything it knows, for `json.dumps`; `restore` continues bit for bit."""
        with self._turn:
            self._settle()
            follower = self._follower
            half = follower.half_life
            options = {
                "names": list(self._names),
                "half_life": None if math.isinf(half) else half,
                "side": self._side,
                "ridge": follower.ridge,
                "timed": self._timed,
                "begun": self._begun,
                "last": self._last,
            }
            state = follower.state.copy()
            if not self._side:  # which JSON cannot say
                state[kernels.SIDE_INFORMATION] = 0.0
            arrays = {name: getattr(follower, name).tolist() for name in ARRAYS}
            return snapshots.seal(self.KIND, options | arrays | {"state": state.tolist()})

    @classmethod
    def restore(cls, snapshot: dict[str, Any]) -> "RunningStandings":
        """The standings that the snapshot was taken from."""
        given = snapshots.Fields(snapshot, cls.KIND)
        half = given.read("half_life", lambda it: math.inf if it is None else float(it))
        options = {name: given.read(name, lambda it: it) for name in ("side", "ridge")}
        found = given.read("names", lambda names: cls(list(names), half, **options))
        K = len(found._names)
        shapes = {"state": (kernels.SIZE,), "met": (K, K), "won": (K, K)}
        for name in ARRAYS:
            array = given.array(name, np.float64, shapes.get(name, (K,)))
            given.demand(name, bool(np.isfinite(array).all()))
            getattr(found._follower, name)[...] = array
        if not found._side:
            found._follower.state[kernels.SIDE_INFORMATION] = np.inf
        found._timed = given.read("timed", lambda it: None if it is None else bool(it))
        found._begun, found._last = given.read("begun", float), given.read("last", float)
        given.verify(found.snapshot())
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by snapshot."""
        return type(self).restore, (self.snapshot(),)
