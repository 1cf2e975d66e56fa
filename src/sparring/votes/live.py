"""Alarm: takes votes one by one and says when the leader fell or a pair changed."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sparring import checks
from sparring._jit import machine_code
from sparring.durations import moment
from sparring.learners import snapshots
from sparring.problem import LONGEST
from sparring.votes import _watches as kernels
from sparring.votes._watches import WatchMemory
from sparring.votes.alarms import AlarmReport, evidence_of
from sparring.votes.changes import Change, Changes, change_from, change_of, turned
from sparring.votes.telling import Told
from sparring.votes.values import Votes
from sparring.votes.watching import SETTLE, WATCHES, Rung, Watching, chosen, sorted_arms

EVERY = 100_000
MOST = 1000  # changes that are kept


class _Kept(NamedTuple):
    """What it takes to finish counting a vote."""

    pair: tuple[int, int, int]
    """The two arms, and the place of the pair."""
    made: WatchMemory | None
    """What an interpreted kernel has made of the pair."""
    when: float | None
    prepared: list[Any]
    """What rang and how to begin again, once that is known."""


class Alarm(Told):
    """An alarm for votes as they come; its memory grows with the pairs met, not with the votes.

    **The leader fell.** Earlier votes choose a favourite f: the arm with the largest Bradley-Terry
    strength in the votes since the last alarm, once these are `settle`, and again each time they
    have doubled. While it is watched, each vote on f and j, with f's score o, makes R_j(b) <- (1 +
    R_j(b)) (1 + b (1/2 - o)) for six bets b in (0, 2), a Shiryaev-Roberts e-detector (Shin, Ramdas
    and Rinaldo 2024). With M the sum over j of the mean over b, it rings when M >= A.

    *Promise.* Suppose that f leads: in each vote, given the past and the pair, it beats the other
    with probability at least 1/2. Then E[1 + b (1/2 - o)] <= 1, so a vote on f raises the mean of M
    by at most 1, and other votes do not change it: M - N is a supermartingale, where N counts the
    votes on f. A new favourite sets M to 0, which only lowers it. At an alarm M >= A, so the mean
    number of votes on the favourite to a false alarm is at least A, and n votes on it have at most
    n / A false alarms on average: A times their number, plus M - N, is a supermartingale, too.

    **A pair changed.** For each pair confidence sequences begin at its votes 1, 1 + d, 1 + 2 d, ...
    at six scales d = 32, 128, ..., 32,768, with a sixth of the votes since the last one of their
    scale, this one included, divided by A as their level. It rings when the intervals seen so far
    have no chance in common (Shekhar and Ramdas 2023).

    *Promise.* Suppose that a pair's chance was the same in all its votes since its last alarm. Then
    an alarm is false, and one of the sequences begun since has missed that chance. Which one
    begins, and whether it does before an alarm, is settled by the past; given the past it misses
    with at most its level. So the mean number of false alarms within n votes is at most the mean
    sum of the levels begun by then, which is at most n / A: over all pairs together, however many
    there are, and whatever rule chooses them. The mean number of votes to the first is at least A.

    With both watches A is twice `every`, so that together they ring falsely at most once in
    `every` votes on average. docs/alarm.md has the proofs, and what was measured.

    *After an alarm.* After an alarm about the leader, a new favourite is chosen from later votes.
    After one about a pair, that pair starts again as if never seen, and the others continue. A
    favourite that did not lead when it was chosen may set off the alarm; nothing was promised about
    that.

    Parameters
    ----------
    names
        The names of the arms.
    every
        Votes to a false alarm on average, at the least.
    watch
        "leader", "pairs" or both.
    settle
        Votes before a favourite is chosen; 20 for each arm if None.

    Examples
    --------
    >>> alarm = Alarm(["tea", "coffee"], every=1_000, settle=20)
    >>> for _ in range(100):
    ...     _ = alarm.update("tea", "coffee", 1.0)
    >>> alarm.favourite
    'tea'
    >>> for _ in range(100):
    ...     for change in alarm.update("tea", "coffee", 0.0):
    ...         print(change.kind, change.arms, change.vote)
    pair ('tea', 'coffee') 108
    leader ('tea', 'coffee') 114
    """

    KIND = "alarm"

    def __init__(
        self,
        names: Iterable[str],
        *,
        every: float = EVERY,
        watch: str | Iterable[str] = WATCHES,
        settle: int | None = None,
    ) -> None:
        super().__init__(names)
        K = len(self._names)
        every = checks.real("every", every, low=2, high=1e15)
        settle = SETTLE * K if settle is None else settle
        settle = checks.whole("settle", settle, low=1, high=LONGEST // 4)
        self._watching = Watching(K, every, chosen(watch), settle)
        self._changes: list[Change] = []
        self._rung = 0

    def __repr__(self) -> str:
        told = f"{self.votes:,} votes; rang {self.rung:,} times; favourite {self.favourite}"
        return f"<Alarm of {len(self._names)} arms, every={self.every:g}: {told}>"

    @property
    def every(self) -> float:
        """Votes to a false alarm on average, at the least."""
        return self._watching.every

    @property
    def votes(self) -> int:
        """Votes so far."""
        self._catch_up()
        return self._watching.votes

    @property
    def rung(self) -> int:
        """How often it rang."""
        self._catch_up()
        return self._rung

    @property
    def favourite(self) -> str | None:
        """The arm whose fall is watched for; None while there is none."""
        self._catch_up()
        arm = self._watching.favourite
        return self._names[arm] if arm >= 0 else None

    def update(
        self, first: str | int, second: str | int, outcome: float, *, at: Any = None
    ) -> tuple[Change, ...]:
        """Count a vote; returns what rang, usually nothing.

        Parameters
        ----------
        first, second
            The arms shown, by name or by place in `names`.
        outcome
            How the first did: 1 it won, 0 the second won, 0.5 a tie.
        at
            When, in seconds since 1970 or as a datetime with a time zone. With every
            vote, or never.
        """
        i, j = self._arms(first, second)
        o = checks.outcome(outcome)
        with self._turn:
            self._settle()
            when = self._moment(at)
            if i > j:
                i, j, o = j, i, 1.0 - o
            w, code = self._watching, machine_code(kernels.add)
            pair = w.place(i, j)
            made = None if code else w.copied(pair)
            memory, place = (w.memory, pair) if made is None else (made, 0)
            arguments = (i, j, place, o, when or 0.0, tuple(memory), tuple(w.numbers))
            kept = _Kept((i, j, pair), made, when, [])
            found: tuple[Change, ...] = self._do(
                self._counted, kept, code or kernels.add, arguments
            )
            return found

    def _counted(self, kept: _Kept, events: int) -> tuple[Change, ...]:
        """Take over the result of a vote, and return what rang; may be repeated."""
        i, j, pair = kept.pair
        self._watching.enter(i, j, pair)
        if kept.made is not None:
            self._watching.take_over(kept.made, pair)
        return self._begin_again(kept, events, pair)

    def update_many(self, votes: Votes) -> tuple[Change, ...]:
        """Count many votes, as `update` would one by one; returns what rang.

        If it is interrupted, `votes` says how many were counted.
        """
        if not isinstance(votes, Votes):
            raise checks.refuse("votes", "a sparring.votes.Votes", votes, "update takes one vote")
        if votes.names != self._names:
            remedy = "Make an Alarm with the names of the votes"
            raise checks.refuse("votes.names", "those of the alarm", list(votes.names), remedy)
        found: list[Change] = []
        with self._turn:
            self._settle()
            if not len(votes):
                return ()
            self._demand_clock(None if votes.time is None else float(votes.time[0]))
            low, high, o, times = sorted_arms(votes)
            w = self._watching
            pairs, done = w.place_all(low, high), 0
            while done < len(o):
                code = machine_code(kernels.add_many)
                made = None if code else w.copied()
                memory = tuple(w.memory if made is None else made)
                arguments = (low, high, pairs, o, times, done, memory, tuple(w.numbers))
                kept: Any = (pairs, None if votes.time is None else times, made, [])
                done, rang = self._do(self._counted_many, kept, code or kernels.add_many, arguments)
                found += rang
        return tuple(found)

    def _counted_many(self, kept: Any, made: tuple[int, int]) -> tuple[int, tuple[Change, ...]]:
        """The same of the votes up to one with which something rang."""
        (pairs, times, memory, prepared), (done, events) = kept, made
        if memory is not None:
            self._watching.take_over(memory)
        when = None if times is None else float(times[done - 1])
        told = _Kept((0, 0, 0), None, when, prepared)
        return int(done), self._begin_again(told, int(events), int(pairs[done - 1]))

    def report(self) -> AlarmReport:
        """What it found so far, and the evidence."""
        names = self._names
        with self._turn:
            self._settle()
            w = self._watching
            A = w.every * len(w.watch)
            traces, width = w.memory.traces, int(w.memory.width[0])
            return AlarmReport(
                names=names,
                votes=self.votes,
                every=w.every,
                watch=w.watch,
                favourite=self.favourite,
                favourites=tuple((v, names[arm] if arm >= 0 else None) for v, arm in w.favourites),
                changes=Changes(tuple(self._changes), w.every, self.votes),
                rung=self._rung,
                evidence=evidence_of(traces, width, self.votes, A),
            )

    def snapshot(self) -> dict[str, Any]:
        """Everything the alarm knows, for `json.dumps`; `Alarm.restore` continues bit for bit."""
        with self._turn:
            self._settle()
            w = self._watching
            options = {
                "names": list(self._names),
                "every": w.every,
                "watch": list(w.watch),
                "settle": w.settle,
                "timed": self._timed,
                "last": self._last,
                "rung": self._rung,
                "changes": [change.to_json() for change in self._changes],
            }
            return snapshots.seal(self.KIND, options | w.to_json())

    @classmethod
    def restore(cls, snapshot: dict[str, Any]) -> "Alarm":
        """The alarm that the snapshot was taken from."""
        given = snapshots.Fields(snapshot, cls.KIND)
        options = {name: given.read(name, lambda it: it) for name in ("every", "watch", "settle")}
        found = given.read("names", lambda names: cls(list(names), **options))
        found._watching.read(given)
        found._timed = given.read("timed", lambda it: None if it is None else bool(it))
        found._last = given.read("last", float)
        found._rung = given.read("rung", lambda it: checks.whole("rung", it, low=0, high=LONGEST))
        found._changes = given.read("changes", lambda it: [change_from(one) for one in it])
        given.verify(found.snapshot())
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by snapshot."""
        return type(self).restore, (self.snapshot(),)

    def _moment(self, at: Any) -> float | None:
        """The time of a vote, None if unknown; refuses times that go backwards."""
        when = None if at is None else moment("at", at)
        self._demand_clock(when)
        return when

    def _begin_again(self, kept: _Kept, events: int, pair: int) -> tuple[Change, ...]:
        """Tell what rang, and begin again: all is made before, so that it may be repeated."""
        self._timed = kept.when is not None
        if kept.when is not None:
            self._last = kept.when
        if not events:
            return ()
        w = self._watching
        if not kept.prepared:
            found = [self._change(rung) for rung in w.ring(events, pair)]
            changes = (self._changes + found)[-MOST:]
            kept.prepared.append((found, w.begin_again(events), self._rung + len(found), changes))
        found, begun, rung, changes = kept.prepared[0]
        w.settle_down(events, pair, begun)
        self._rung, self._changes = rung, changes
        return tuple(found)

    def _change(self, rung: Rung) -> Change:
        """A change by what is in memory: cuts where a sequence began."""
        if rung.kind == "leader" and (known := self._known(rung)) is not None:
            return known
        memory = self._watching.memory
        born, record = memory.born[rung.pair], memory.record[rung.pair]
        alive = born[born[..., 0] >= 0]
        starts = alive[np.unique(alive[:, 0], return_index=True)[1]]  # two may have begun at once
        if not len(starts):  # the pair has just begun again, by an alarm of its own
            starts = np.array([[0.0, 0.0, self.votes, self._last]])
        if starts[0, 0] > 0:  # the pair's first votes are too long ago
            starts = np.concatenate([[[0.0, 0.0, *starts[0, 2:]]], starts])
        end = np.array([*record, self.votes, self._last])
        return change_of(rung, self._names, starts, end, timed=bool(self._timed), gaps=True)

    def _known(self, rung: Rung) -> Change | None:
        """A leader's fall that was already reported as the change of a pair.

        That pair began again with its alarm, so it has forgotten what was before.
        """
        names = tuple(self._names[arm] for arm in rung.arms)
        for change in reversed(self._changes):
            if change.kind == "leader":
                return None
            if set(change.arms) == set(names):
                told = change if change.arms == names else turned(change)
                if told.before is None or told.after >= told.before:
                    return None
                against = tuple(self._names[arm] for arm in rung.against)
                rang_at = self._last if self._timed else None
                return replace(
                    told, kind="leader", against=against, vote=rung.vote, rang_at=rang_at
                )
        return None
