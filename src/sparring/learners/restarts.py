"""Restarting: a learner that starts again at planned rounds, and forgets all it knew."""

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from sparring import checks, streams
from sparring._jit import ASKED, LEARNT, PLAYED, ROW, TOLD, Floats
from sparring.durations import Moment
from sparring.learners import blocks, snapshots
from sparring.learners.family import Family, restore
from sparring.learners.frame import PLAIN, ROOM, Built, Frame, register
from sparring.problem import LONGEST, Block, Duel, Plays, Problem, demand_one
from sparring.streams import Seed

MOST = 10**6  # rounds to start again at, if they are given one by one
NEVER = 2**63


class Period(NamedTuple):
    """The rounds between two restarts, one epoch."""

    number: int
    """From 0."""
    start: int
    """Rounds before it."""
    length: int
    """How many rounds its learner is planned for."""
    end: int
    """Rounds told when it is over; never for the last."""


@dataclass(frozen=True)
class Plan:
    """The arguments of a `Restarting` besides K and seed, checked, and as JSON."""

    learner: str
    options: dict[str, Any]
    every: int | None
    changes: Any
    T: int | None

    def __post_init__(self) -> None:
        if not isinstance(self.learner, str) or self.learner not in PLAIN:
            raise checks.unknown("learner", self.learner, sorted(PLAIN))
        self._set("options", _options(self.learner, self.options))
        if (self.every is None) is (self.changes is None):
            raise ValueError("give every or changes, and not both")
        if self.T is not None and self.changes is None:
            raise checks.refuse("T", "given only with changes", self.T, "every needs no end")
        for name in ("every", "T"):
            value = getattr(self, name)
            if value is not None:
                self._set(name, checks.whole(name, value, low=1, high=LONGEST))
        if self.changes is not None:
            self._set("changes", _changes(self.changes, self.T))

    def _set(self, name: str, value: Any) -> None:
        """Store a checked argument, which a frozen dataclass allows only like this."""
        object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """Copies of the arguments that make it."""
        changes = None if self.changes is None else list(self.changes)
        return {**vars(self), "options": dict(self.options), "changes": changes}

    def period(self, told: int) -> Period:
        """The present epoch after this many rounds were told."""
        last = False
        if self.every is not None:
            number = told // self.every
            start, length = number * self.every, self.every
        else:
            number = bisect_right(self.changes, told + 1)
            last = number == len(self.changes)
            start = self.changes[number - 1] - 1 if number else 0
            length = (self.T or 0) - start if last else self.changes[number] - 1 - start
        return Period(number, start, length, NEVER if last else start + length)

    def extremes(self) -> tuple[int, ...]:
        """The lengths of the shortest and the longest epoch: the hardest to plan for."""
        if not self.changes:
            return ()
        lengths = [b - a for a, b in pairwise([1, *self.changes, (self.T or 0) + 1])]
        return min(lengths), max(lengths)


def _options(inside: str, given: Any) -> dict[str, Any]:
    """The options of the learner inside, with plain numbers for those of NumPy."""
    if not isinstance(given, dict):
        raise checks.refuse("options", "a dictionary", given)
    takes = set(signature(PLAIN[inside]).parameters) - {"K", "T", "seed", "tuning"}
    for name in given:
        if name not in takes:
            raise checks.refuse("options", f"among {sorted(takes)} for {inside}", name)
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in given.items()
    }


def _changes(given: Any, T: int | None) -> tuple[int, ...]:
    """The rounds at whose beginning a learner starts again."""
    rule = "ascending rounds from 2 to T"
    if T is None:
        raise checks.refuse("T", "given with changes", None, "It is the last round planned for")
    try:
        found = tuple(checks.whole("changes", change, low=2, high=T) for change in given)
    except TypeError:
        raise checks.refuse("changes", rule, given) from None
    if len(found) > MOST or any(a >= b for a, b in pairwise(found)):
        raise checks.refuse("changes", rule, given)
    return found


class Nothing(NamedTuple):
    """It has no memory of its own: that is the inner learner's."""


class Inside(NamedTuple):
    """What an open duel is to the learner inside."""

    epoch: int
    duel: Duel


class Restarting(Family):
    """A learner that starts again at planned rounds.

    Each epoch has a fresh learner, planned for the length of the epoch. Rounds are counted as they
    are told. An answer to a duel of an earlier epoch teaches nothing.

    Parameters
    ----------
    K
        Number of arms.
    learner
        The name of the learner inside, from `sparring.LEARNERS`; not one that needs no plan or is
        itself made of another.
    options
        Its options besides K, T and seed; no tuning, as each epoch has one for its length.
    every
        Start again after each this many rounds; or
    changes
        at the beginning of these rounds, with `T` for the length of the last epoch.
    seed
        An int, a SeedSequence, a numpy Generator or None.

    Examples
    --------
    >>> learner = Restarting(5, "dex3p", every=1000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner
    <Restarting K=5, learner='dex3p', every=1000; t=1, 0 open, epoch 0>
    """

    KIND = "restarts"

    def __init__(
        self,
        K: int,
        learner: str,
        *,
        options: dict[str, Any] | None = None,
        every: int | None = None,
        changes: Any = None,
        T: int | None = None,
        seed: streams.Seed = None,
    ) -> None:
        super().__init__(K, {}, seed)
        options = {} if options is None else options
        self._plan = Plan(learner, options, every, changes, T)
        self._epoch = self._plan.period(0)
        self._inner = self._fresh(self._epoch)
        self._begun = 0  # rounds asked before its epoch
        self._missed = 0  # rounds told that it did not learn
        self._book.differ = self._inner.differ
        for rounds in self._plan.extremes():  # better refused now than when they come
            self._planned(rounds, 0)

    def _described(self) -> str:
        told_of = {n: value for n, value in self._plan.to_json().items() if value not in (None, {})}
        return "".join(f", {name}={checks.short(value, 40)}" for name, value in told_of.items())

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, epoch {self._epoch.number}>"

    @property
    def epoch(self) -> int:
        """How often it has started again."""
        return self._epoch.number

    @property
    def inner(self) -> Any:
        """The learner of this epoch: to look at, not to ask."""
        return self._inner

    @property
    def favourite(self) -> int:
        """The arm that the learner of this epoch thinks best at present."""
        with self._turn:
            favourite: int = self._inner.favourite
            return favourite

    def _build(self, *_: Any, **options: Any) -> Built:
        return Built(Nothing(), ())

    def _possible(self) -> bool:
        return True

    def _distributions(self) -> Floats:
        p: Floats = self._inner.p
        return p

    def _shown(self, note: Inside) -> Floats:
        return note.duel.p

    # The inner learner asks and is told: its clock says what was done, and the book follows.

    @property
    def _told(self) -> int:
        return self._missed + self._inner._state.clock.item(LEARNT)  # type: ignore[no-any-return]

    def _choose(self) -> Duel:
        self._under_way = True
        self._inner.ask()
        self._follow()
        self._under_way = False
        return self._book.duels[self._book.latest]

    def _learn(self, o: float, asked: Duel, note: Inside, at: Moment | None) -> None:
        told = self._told + 1
        if told < self._epoch.end and self._awaited(note):
            self._inner.tell(note.duel, o)
            return
        state = self._state.copy()
        state.clock[TOLD] = asked.t
        self._assign(lambda: (self, {**self._gone_on(told), "_state": state}))

    def _gone_on(self, told: int) -> dict[str, Any]:
        """What is other after a round told that the inner learner does not learn."""
        epoch = self._plan.period(told)
        if epoch == self._epoch:
            return {"_missed": self._missed + 1}
        now = {"_epoch": epoch, "_begun": self._book.latest, "_missed": told}
        return {**now, "_inner": self._fresh(epoch)}

    def _dropped(self, notes: list[Inside]) -> None:
        for note in notes:
            if self._awaited(note):
                self._inner.forget(note.duel)

    def _follow(self) -> None:
        """Enter what the inner learner asked; may be repeated."""
        inner, book = self._inner, self._book
        t = self._begun + inner.t
        if t > book.latest:
            if inner._state.clock[ROW] == PLAYED:
                book.latest = t
            else:
                duel = inner._book.duels[inner.t]
                note = Inside(self._epoch.number, duel)
                book.enter(t, duel.row, duel.col, duel.p, note)

    def _catch_up(self) -> None:
        super()._catch_up()
        self._follow()
        inner, book = self._inner, self._book
        awaited = {
            book.notes[t].duel.t: t for t in book.duels if book.notes[t].epoch == self._epoch.number
        }
        for t in awaited.keys() - inner.open.keys():  # told
            book.close(awaited[t])
        for t in inner.open.keys() - awaited.keys():  # forgotten
            inner.forget(inner.open[t])

    def _awaited(self, inside: Inside) -> bool:
        """Whether the learner inside still waits for it: not told, and its epoch not over."""
        return inside.epoch == self._epoch.number and inside.duel.t in self._inner.open

    def glimpse(self) -> tuple[int, int]:
        """The arms of the duel that `ask` would choose, entered nowhere; its luck moves on."""
        with self._turn:
            self._settle()
            arms: tuple[int, int] = self._inner.glimpse()
            return arms

    def _lose_track(self, asked: int) -> None:
        super()._lose_track(asked)
        self._begun = self._book.latest - self._inner.t

    def _generators(self) -> tuple[Any, ...]:
        return self._rng, self._inner._rng

    def _played(self, block: Block, coins: Floats, out: Plays) -> tuple[Frame, dict[str, Any]]:
        told, last = self._told, self._told + len(coins)
        if last < self._epoch.end:
            played: tuple[Frame, dict[str, Any]] = self._inner._played(block, coins, out)
            return played
        if last > self._epoch.end:
            blocks.demand_chances(block.P)  # or only the first epochs might be played
        inner, epoch, done = self._inner, self._epoch, 0
        while done < len(coins):
            stop = min(done + epoch.end - told, len(coins))
            part = Plays._make(arms[done:stop] for arms in out)
            piece = blocks.cut(block, done, stop), coins[done:stop]
            if inner is self._inner:
                inner._played(*piece, part)  # for what it shows: its epoch ends with it
            else:
                inner.play(*piece, out=part)
            told, done = told + stop - done, stop
            if told >= epoch.end:
                epoch = self._plan.period(told)
                inner = self._fresh(epoch)
        state, t = self._state.copy(), self._book.latest + len(coins)
        state.clock[ASKED], state.clock[ROW] = t, PLAYED
        now = {"_inner": inner, "_epoch": epoch, "_begun": t - inner.t, "_state": state}
        return self, {**now, "_missed": told - inner._state.clock.item(LEARNT)}

    # Snapshots.

    def _alike(self, K: int) -> Self:
        return type(self)(K, **self._plan.to_json(), seed=0)

    def _kept(self) -> Any:
        return self._told, self._inner.snapshot_later(), streams.to_json(self._rng)

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Inside]) -> dict[str, Any]:
        told, inner, generator = kept
        return {
            "plan": self._plan.to_json(),
            "told": told,
            "inner": inner(),
            "generator": generator,
            "inside": [[note.epoch, note.duel.t] for note in notes],
            "distributions": [note.duel.p.tolist() for note in notes],
        }

    @classmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        inner: Any = fields.read("inner", restore)
        fields.demand("inner", inner.K == K)  # first, as a damaged K might not fit into memory
        learner = cls.__new__(cls)
        Frame.__init__(learner, K, {}, 0)
        learner._plan = fields.read("plan", lambda plan: Plan(**plan))
        learner._missed = fields.read("told", lambda told: checks.whole("told", told, low=0))
        learner._epoch = learner._plan.period(learner._missed)
        room = ROOM.set(inner._size())  # of this epoch's learner, whatever a forged plan asks for
        try:
            planned = fields.read("plan", lambda _: learner._fresh(learner._epoch))
        finally:
            ROOM.reset(room)
        fields.demand("inner", type(inner) is type(planned))
        learner._inner = inner
        learner._book.differ = inner.differ
        learner._rng = fields.read("generator", streams.from_json)
        return learner

    def _notes(self, fields: snapshots.Fields, duels: list[list[int]]) -> Iterable[Inside]:
        self._begun = self._book.latest - self._inner.t
        fields.demand("told", self._told + len(duels) <= self.t)
        places = fields.array("inside", np.int64, (len(duels), 2)).tolist()
        number, inner = self._epoch.number, self._inner.open
        fields.demand("inside", all(0 <= epoch <= number for epoch, _ in places))
        now = [t for epoch, t in places if epoch == number]
        fields.demand("inside", sorted(now) == sorted(inner))
        shown = fields.read("distributions", lambda all_p: [_shown(p, self.K) for p in all_p])
        fields.demand("distributions", len(shown) == len(duels))
        notes = [
            Inside(epoch, inner[t] if epoch == number else Duel(t, row, col, p))
            for (_, row, col), (epoch, t), p in zip(duels, places, shown, strict=True)
        ]
        for (_, row, col), note in zip(duels, notes, strict=True):
            fields.demand("open", (note.duel.row, note.duel.col) == (row, col))
        return notes

    def _fresh(self, epoch: Period) -> Any:
        return self._planned(epoch.length, int(self._rng.integers(2**63)))

    def _planned(self, rounds: int, seed: int) -> Any:
        make = PLAIN[self._plan.learner]
        planned = {"T": rounds} if "T" in make.told else {}
        return make(self.K, **planned, **self._plan.options, seed=seed)


def _shown(rows: Any, K: int) -> Floats:
    """What the arms of an open duel in a snapshot were drawn from; empty if they are coupled."""
    p = checks.array("p", rows, np.float64, (None, K))
    if len(p) > 2 or not np.isfinite(p).all():
        raise checks.refuse("p", "at most two rows of finite numbers", rows)
    p.flags.writeable = False
    return p


@register("T", "S", "V_T", plain=False)
def periodic_restarts(
    K: int,
    T: int | None = None,
    *,
    learner: str = "sym_exp3s",
    every: int | None = None,
    S: int | None = None,
    V_T: float | None = None,
    seed: Seed = None,
    **options: Any,
) -> Restarting:
    """A static learner that starts again every D rounds (Besbes, Gur and Zeevi 2014).

    D = ceil((K ln K)^(1/3) (T / V_T)^(2/3)) for a variation V_T, ceil(T / S) for S segments, unless
    `every` says otherwise. With neither S nor V_T there is one segment, D = T, and it never starts
    again within T rounds. It is trivial, and a strong baseline.

    Parameters
    ----------
    learner
        The name of the learner inside; by default SYM-EXP3.S for one segment.
    options
        Options of that learner; S and V_T belong to the plan.

    Examples
    --------
    >>> periodic_restarts(10, 100_000, V_T=10, seed=1)
    <Restarting K=10, learner='sym_exp3s', options={'S': 1}, every=1321; t=0, 0 open, epoch 0>
    """
    if every is None:
        every = _period(K, T, S, V_T)
    elif not (S is V_T is None):
        raise ValueError("give every, or T with S or V_T, not both")
    if learner == "sym_exp3s":
        options = {"S": 1, **options}
    return Restarting(K, learner, options=options, every=every, seed=seed)


def _period(K: int, T: int | None, S: int | None, V_T: float | None) -> int:
    if T is None:
        remedy = "Or say how often with every=ROUNDS"
        raise checks.refuse("T", "given: the number of rounds", None, remedy)
    problem = Problem(K, T, S, V_T)
    demand_one(S, V_T)
    if not problem.V_T:
        return math.ceil(problem.T / (problem.S or 1))
    K_ln_K = problem.K * math.log(problem.K)
    rounds = math.cbrt(K_ln_K) * math.cbrt(problem.T / problem.V_T) ** 2
    return math.ceil(min(rounds, problem.T))
