"""Restarting: a learner that starts again at planned rounds, and forgets all it knew."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.durations import Moment
from sparring.learners import blocks, snapshots
from sparring.learners.compiled import ROOM
from sparring.learners.frame import Frame, restore
from sparring.learners.plans import Period, Plan
from sparring.learners.registry import PLAIN
from sparring.problem import Block, Duel, Plays


class Inside(NamedTuple):
    """What an open duel is to the learner inside."""

    epoch: int
    duel: Duel


class Restarting(Frame):
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
        super().__init__(K, seed)
        options = {} if options is None else options
        self._plan = Plan(learner, options, every, changes, T)
        self._told = 0
        self._epoch = self._plan.period(0)
        self._inner = self._fresh(self._epoch)
        self._book.differ = self._inner.differ
        for rounds in self._plan.extremes():  # better refused now than when they come
            self._planned(rounds, 0)

    def _described(self) -> str:
        told_of = {n: value for n, value in self._plan.to_json().items() if value not in (None, {})}
        return "".join(f", {name}={checks.short(value, 40)}" for name, value in told_of.items())

    def _standing(self) -> str:
        return f", epoch {self._epoch.number}"

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

    def _distributions(self) -> NDArray[np.float64]:
        p: NDArray[np.float64] = self._inner.p
        return p

    def _state(self) -> Any:
        inner, generator = self._inner, self._rng.bit_generator.state
        return inner, self._epoch, self._told, (inner.t, inner._state()), generator

    def _adopt(self, state: Any) -> None:
        self._inner, self._epoch, self._told, played, generator = state
        if played is not None:
            self._inner._go_back(*played)
        if generator is not None:
            self._rng.bit_generator.state = generator

    def _choose(self, t: int) -> Duel:
        duel: Duel = self._do(self._asked, t, int, (self._inner.t + 1,))
        return duel

    def _asked(self, t: int, inside: int) -> Duel:
        inner = self._inner
        duel = inner.ask() if inner.t < inside else inner.open[inside]
        note = Inside(self._epoch.number, duel)
        return self._book.enter(t, duel.row, duel.col, duel.p, note)

    def _shown(self, note: Inside) -> NDArray[np.float64]:
        return note.duel.p

    def _learn(self, o: float, asked: Duel, note: Inside, at: Moment | None) -> None:
        told = self._told + 1
        before = self._state() if told >= self._epoch.end else None
        now = (self._inner, self._epoch, told)
        self._do(self._learnt, (o, asked, note), self._gone_on, now, before)

    def _learnt(self, kept: tuple[float, Duel, Inside], state: Any) -> None:
        o, asked, note = kept
        if self._awaited(note):
            self._inner.tell(note.duel, o)
        self._adopt(state)
        self._book.close(asked)

    def _dropped(self, note: Inside) -> None:
        if self._awaited(note):
            self._inner.forget(note.duel)

    def _play(self, block: Block, coins: NDArray[np.float64], out: Plays) -> Any:
        if self._told + len(coins) > self._epoch.end:
            blocks.demand_chances(block.P)  # or only the first epochs might be played
        inner, epoch, told, done = self._inner, self._epoch, self._told, 0
        while done < len(coins):
            stop = min(done + epoch.end - told, len(coins))
            part = Plays._make(arms[done:stop] for arms in out)
            inner.play(blocks.cut(block, done, stop), coins[done:stop], out=part)
            inner, epoch, told, *_ = self._gone_on(inner, epoch, told + stop - done)
            done = stop
        return inner, epoch, told, None, None

    def _kept(self) -> Any:
        return self._told, self._inner, self._inner._moment(), streams.to_json(self._rng)

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Inside]) -> dict[str, Any]:
        told, inner, moment, generator = kept
        return {
            "plan": self._plan.to_json(),
            "told": told,
            "inner": inner._sealed(*moment),
            "generator": generator,
            "inside": [[note.epoch, note.duel.t] for note in notes],
            "distributions": [note.duel.p.tolist() for note in notes],
        }

    @classmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        inner: Any = fields.read("inner", restore)
        fields.demand("inner", inner.K == K)  # first, as a damaged K might not fit into memory
        learner = cls.__new__(cls)
        Frame.__init__(learner, K, 0)
        learner._plan = fields.read("plan", lambda plan: Plan(**plan))
        learner._told = fields.read("told", lambda told: checks.whole("told", told, low=0))
        learner._epoch = learner._plan.period(learner._told)
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

    def _awaited(self, inside: Inside) -> bool:
        """Whether the learner inside still waits for it: not told, and its epoch not over."""
        return inside.epoch == self._epoch.number and inside.duel.t in self._inner.open

    def _gone_on(self, inner: Any, epoch: Period, told: int) -> Any:
        """The state after this many rounds told, with a fresh learner if it is time for one."""
        if told >= epoch.end:
            epoch = self._plan.period(told)
            inner = self._fresh(epoch)
        return inner, epoch, told, None, None

    def _fresh(self, epoch: Period) -> Any:
        return self._planned(epoch.length, int(self._rng.integers(2**63)))

    def _planned(self, rounds: int, seed: int) -> Any:
        return PLAIN[self._plan.learner](self.K, T=rounds, **self._plan.options, seed=seed)


def _shown(rows: Any, K: int) -> NDArray[np.float64]:
    """What the arms of an open duel in a snapshot were drawn from; empty if they are coupled."""
    p = checks.array("p", rows, np.float64, (None, K))
    if len(p) > 2 or not np.isfinite(p).all():
        raise checks.refuse("p", "at most two rows of finite numbers", rows)
    p.flags.writeable = False
    return p
