"""Alarm: says when the leader fell or a pair changed, vote by vote or in votes already there."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._jit import machine_code
from sparring.durations import moment
from sparring.learners import snapshots
from sparring.learners.snapshots import Fields
from sparring.problem import LONGEST
from sparring.votes import _watches as kernels
from sparring.votes._watches import WatchMemory, WatchNumbers
from sparring.votes.alarm_report import (
    AlarmReport,
    Change,
    Changes,
    Rung,
    change_from,
    change_of,
    evidence_of,
    turned,
)
from sparring.votes.data import Votes
from sparring.votes.stream import Told

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Favourites = list[tuple[int, int]]  # after which vote, which arm, -1 for none

WATCHES = ("leader", "pairs")
BETS = (0.06, 0.12, 0.25, 0.5, 1.0, 1.7)  # best for a loser's chance of 0.485 down to 0.075
SHORTEST, RATIO, SCALES = 32, 4, 6  # a pair's sequences begin every 32, 128, ..., 32,768 votes
SETTLE = 20  # votes an arm before a favourite is chosen
SWEEPS, CLOSE = 200, 1e-3  # how long, and how closely, strengths are fitted for it
PAIR_FIELDS = ("arms", "tally", "record", "ends", "logs", "born")
PLAIN_FIELDS = tuple(name for name in WatchMemory._fields if name not in PAIR_FIELDS)


class Begun(NamedTuple):
    """What a memory will be when it begins again."""

    arrays: dict[str, Any]
    favourites: Favourites


def numbers(every: float, watch: tuple[str, ...]) -> WatchNumbers:
    """The tuning, with an equal share of the false alarms for each watch."""
    A = every * len(watch)
    span = SHORTEST * RATIO ** np.arange(SCALES)
    # Level of a sequence: its scale's share of the votes since that scale's last one began, / A.
    level = np.minimum(np.stack([np.ones(SCALES), span], axis=1) / (SCALES * A), 1.0)
    limit = np.log(2 / level)
    rate = np.sqrt(8 * limit[:, 1] / span)  # narrowest after `span` votes of a coin
    return WatchNumbers(
        bets=np.array(BETS),
        span=span.astype(np.int64),
        rate=rate,
        growth=np.expm1(rate),
        limit=limit,
        leader=A,
        pairs=math.log(A),
        ringing="pairs" in watch,
    )


# Not `fitting.fit`: that solves for a (K, K) matrix, and an alarm may have more arms than that
# bears, and few pairs that met. Only who is first is wanted, while a vote waits to be counted.
def strongest(arms: Ints, tally: Floats, K: int) -> int:
    """The arm with the largest Bradley-Terry strength, with a ridge of 1.

    Each strength moves by half of what a bound on the curvature allows, so that all may move at
    once and the likelihood never falls.
    """
    i, j = arms.T
    n, wins = tally.T
    theta = np.zeros(K)
    curve = 1 + (np.bincount(i, n, K) + np.bincount(j, n, K)) / 2
    for _ in range(SWEEPS):
        rest = wins - n / (1 + np.exp(theta[j] - theta[i]))
        step = (np.bincount(i, rest, K) - np.bincount(j, rest, K) - theta) / curve
        theta += step
        if np.abs(step).max() < CLOSE:
            break
    return int(np.argmax(theta))


class Watching:
    """Both watches over K arms: counts votes, tells what rang, begins again.

    Parameters
    ----------
    K
        Number of arms.
    every
        Votes to a false alarm on average, at the least.
    watch
        Which of "leader" and "pairs".
    settle
        Votes before a favourite is chosen.
    """

    def __init__(self, K: int, every: float, watch: tuple[str, ...], settle: int) -> None:
        self.K, self.every, self.watch, self.settle = K, every, watch, settle
        self.numbers = numbers(every, watch)
        self.places: dict[int, int] = {}  # of pairs in the memory, by i K + j
        self.favourites: Favourites = []
        first_choice = settle if "leader" in watch else LONGEST
        self.memory = WatchMemory(
            counts=np.array([0, 0, first_choice, -1, 0]),
            width=np.ones(1, np.int64),
            R=np.zeros((K, len(BETS))),
            means=np.zeros(K),
            total=np.zeros(1),
            traces=np.zeros((kernels.POINTS, 2)),
            arms=np.zeros((0, 2), np.int64),
            tally=np.zeros((0, 2)),
            record=np.zeros((0, 2)),
            ends=np.zeros((0, 2)),
            logs=np.zeros((0, 4, SCALES)),
            born=np.zeros((0, SCALES, 2, 4)),
        )

    @property
    def votes(self) -> int:
        """Votes so far."""
        return int(self.memory.counts[kernels.VOTES])

    @property
    def favourite(self) -> int:
        """The arm whose fall is watched for, -1 if there is none."""
        return int(self.memory.counts[kernels.FAVOURITE])

    @property
    def met(self) -> int:
        """Pairs met so far."""
        return len(self.places)

    def place(self, i: int, j: int) -> int:
        """Where the pair i < j is in the memory, or will be: `enter` gives it the place."""
        code = i * self.K + j
        found = self.places.get(code)
        if found is None:
            found = self.met
            self._make_room(np.array([code]))
        return found

    def enter(self, i: int, j: int, place: int) -> None:
        """Give the pair i < j its place; may be repeated."""
        self.places[i * self.K + j] = place

    def place_all(self, low: Ints, high: Ints) -> Ints:
        """Where the pairs are, in the order in which they are first met; all get their places."""
        codes, first, back = np.unique(low * self.K + high, return_index=True, return_inverse=True)
        fresh = [k for k in np.argsort(first).tolist() if int(codes[k]) not in self.places]
        self._make_room(codes[fresh])
        met = self.met
        self.places |= {code: met + k for k, code in enumerate(codes[fresh].tolist())}  # at once
        places = np.array([self.places[code] for code in codes.tolist()], np.int64)
        return np.asarray(places[back])

    def _make_room(self, codes: Ints) -> None:
        """Make the memory ready for new pairs, after those that have a place."""
        met, more = self.met, self.met + len(codes)
        if more > len(self.memory.arms):
            room = max(more, 2 * met, 16)
            grown = {
                name: np.concatenate([old, np.zeros((room - len(old), *old.shape[1:]), old.dtype)])
                for name in PAIR_FIELDS
                for old in [getattr(self.memory, name)]
            }
            self.memory = self.memory._replace(**grown)
        m = self.memory
        m.arms[met:more] = np.stack([codes // self.K, codes % self.K], axis=1)
        m.ends[met:more] = (0.0, 1.0)
        whole = [math.log1p(growth) for growth in self.numbers.growth.tolist()]  # as the kernel
        m.logs[met:more, 1::2] = whole
        m.born[met:more, :, :, 0] = -1.0

    def copied(self, pair: int | None = None) -> WatchMemory:
        """A copy of the memory, or of what it has of one pair, which then has the place 0."""
        which = slice(None) if pair is None else slice(pair, pair + 1)
        pairs = {name: getattr(self.memory, name)[which].copy() for name in PAIR_FIELDS}
        plain = {name: getattr(self.memory, name).copy() for name in PLAIN_FIELDS}
        return WatchMemory(**plain, **pairs)

    def take_over(self, made: WatchMemory, pair: int | None = None) -> None:
        """Take over such a copy; may be repeated."""
        if pair is None:
            self.memory = made
            return
        for name in PAIR_FIELDS:
            getattr(self.memory, name)[pair] = getattr(made, name)[0]
        plain = {name: getattr(made, name) for name in PLAIN_FIELDS}
        self.memory = self.memory._replace(**plain)

    def ring(self, events: int, pair: int) -> list[Rung]:
        """What rang with the last vote. `settle_down` begins again."""
        found = []
        m = self.memory
        low, high = m.arms[pair].tolist()
        if events & kernels.LEADER:
            order = np.argsort(-m.means, kind="stable")
            part = m.means[order] >= 0.1 * m.total[0]
            against = tuple(order[part].tolist()) or (int(order[0]),)
            f, j = self.favourite, against[0]
            between = self.places[min(f, j) * self.K + max(f, j)]
            found.append(Rung("leader", self.votes, between, (f, j), against))
        if events & kernels.PAIR:
            found.append(Rung("pair", self.votes, pair, (low, high), ()))
        return found

    def begin_again(self, events: int) -> "Begun":
        """What the memory will be when what rang has begun again; nothing is changed yet."""
        m = self.memory
        counts, tally = m.counts.copy(), m.tally
        favourites, zero = self.favourites, False
        if events & kernels.LEADER:
            counts[kernels.SINCE] = 0
            counts[kernels.CHOICE] = self.settle
            tally, zero = np.zeros_like(tally), True
            favourites = self._watch_for(-1, counts, favourites)
        if events & kernels.CHOOSE:
            counts[kernels.CHOICE] = 2 * counts[kernels.SINCE]
            chosen = strongest(m.arms[: self.met], tally[: self.met], self.K)
            if chosen != counts[kernels.FAVOURITE]:
                zero, favourites = True, self._watch_for(chosen, counts, favourites)
        held = {name: getattr(m, name) for name in ("R", "means", "total")}
        if zero:
            held = {name: np.zeros_like(array) for name, array in held.items()}
        return Begun({"counts": counts, "tally": tally, **held}, favourites)

    def settle_down(self, events: int, pair: int, begun: "Begun") -> None:
        """Begin again what rang; may be repeated."""
        if events & kernels.PAIR:
            kernels.forget(pair, tuple(self.memory), tuple(self.numbers))
        self.memory = self.memory._replace(**begun.arrays)
        self.favourites = begun.favourites

    def _watch_for(self, arm: int, counts: Ints, before: Favourites) -> Favourites:
        """Note that an arm, or none, is watched from now on."""
        counts[kernels.FAVOURITE] = arm
        counts[kernels.ON] = 0
        return [*before[-999:], (self.votes, arm)]

    def to_json(self) -> dict[str, Any]:
        """All of it, for a snapshot."""
        plain = {name: getattr(self.memory, name).tolist() for name in PLAIN_FIELDS}
        pairs = {name: getattr(self.memory, name)[: self.met].tolist() for name in PAIR_FIELDS}
        return {**plain, **pairs, "favourites": [list(one) for one in self.favourites]}

    def read(self, fields: Fields) -> None:
        """Become what a snapshot describes."""
        old, K = self.memory, self.K
        met = len(fields.read("arms", list))
        found: dict[str, Any] = {}
        for name in WatchMemory._fields:
            like = getattr(old, name)
            shape = (met, *like.shape[1:]) if name in PAIR_FIELDS else like.shape
            found[name] = fields.array(name, like.dtype.type, shape).reshape(shape)
        m = WatchMemory(**found)
        low, high = m.arms.T
        fields.demand("arms", bool(((low >= 0) & (low < high) & (high < K)).all()))
        codes = (low * K + high).tolist()
        fields.demand("arms", len(set(codes)) == met)
        top = m.counts <= LONGEST
        fields.demand("counts", bool((m.counts >= [0, 0, 1, -1, 0]).all() and top.all()))
        fields.demand("counts", bool(m.counts[kernels.FAVOURITE] < K))
        fields.demand("width", bool(m.width[0] >= 1))
        fits = m.counts[kernels.VOTES] <= m.width[0] * kernels.POINTS
        fields.demand("width", bool(fits))
        for name in ("R", "means", "total", "traces", "logs"):
            fields.demand(name, bool((getattr(m, name) >= 0).all()))
        for name in ("tally", "record"):
            n, wins = getattr(m, name).T
            fields.demand(name, bool(((wins >= 0) & (wins <= n) & (n % 1 == 0)).all()))
        fields.demand("ends", bool(((m.ends >= 0) & (m.ends <= 1)).all()))
        fields.demand("born", bool((m.born[..., 0] <= m.record[:, None, None, 0]).all()))
        self.favourites = fields.read("favourites", lambda given: _favourites(given, K))
        self.memory = m
        self.places = {code: k for k, code in enumerate(codes)}


def _favourites(given: Any, K: int) -> list[tuple[int, int]]:
    """Who was watched since when, checked."""
    found = []
    for vote, arm in given:
        number = checks.whole("vote", vote, low=0, high=LONGEST)
        found.append((number, checks.whole("arm", arm, low=-1, high=K - 1)))
    return found


def sorted_arms(votes: Votes) -> tuple[Ints, Ints, Floats, Floats]:
    """The arms of each vote in order, the outcome of the lower one, and the time."""
    turned = votes.first > votes.second
    low = np.minimum(votes.first, votes.second).astype(np.int64)
    high = np.maximum(votes.first, votes.second).astype(np.int64)
    o = np.where(turned, 1.0 - votes.outcome, votes.outcome)
    return low, high, o, np.zeros(len(votes)) if votes.time is None else votes.time


def chosen(given: str | Iterable[str]) -> tuple[str, ...]:
    """What to watch, in one order."""
    found = [given] if isinstance(given, str) else list(given)
    for name in found:
        if name not in WATCHES:
            raise checks.unknown("watch", name, WATCHES)
    if not found:
        raise checks.refuse("watch", f"one or more of {list(WATCHES)}", given)
    return tuple(name for name in WATCHES if name in found)


# --- Vote by vote --------------------------------------------------------------------------------

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


# --- All votes at once ---------------------------------------------------------------------------

USUAL = 10.0  # votes to a false alarm, for each vote there is; a stream has no such number
LEAST = 10_000.0


def alarm(
    votes: Votes,
    *,
    every: float | None = None,
    watch: str | Iterable[str] = WATCHES,
    settle: int | None = None,
) -> AlarmReport:
    """Go through votes and say when the leader fell or a pair changed.

    This does what `Alarm` does vote by vote; its docstring says what is promised. To date a change,
    however, this looks at all votes on the two arms.

    Parameters
    ----------
    votes
        The votes, in their order. Weights, voters and probabilities are not used.
    every
        As for `Alarm`. If None, ten times the number of votes, and at least 10,000: then the
        expected number of false alarms is at most a tenth.
    watch, settle
        As for `Alarm`.

    Examples
    --------
    >>> votes = Votes(("tea", "coffee"), [0] * 400, [1] * 400, [1.0, 1, 0] * 80 + [0.0] * 160)
    >>> found = alarm(votes, every=1_000)
    >>> found.favourite, found.rung
    ('coffee', 2)
    >>> found.changes[0].kind, found.changes[0].since, found.changes[0].vote
    ('leader', 240, 253)
    """
    if not isinstance(votes, Votes):
        remedy = "sparring.votes.read makes them from a file"
        raise checks.refuse("votes", "a sparring.votes.Votes", votes, remedy)
    every = max(USUAL * len(votes), LEAST) if every is None else every
    watching = Alarm(votes.names, every=every, watch=watch, settle=settle)
    found = watching.update_many(votes)
    told = watching.report()
    if not found:
        return told
    exact = _exactly(votes, found)
    return replace(told, changes=replace(told.changes, found=exact))


def changes(
    votes: Votes,
    *,
    every: float | None = None,
    watch: str | Iterable[str] = WATCHES,
    settle: int | None = None,
) -> Changes:
    """What `alarm` found in the votes: what changed, when, between which arms and by how much.

    For each alarm, take the votes on the two arms since the last alarm of its kind (about this
    pair, or about a leader). The change is dated to the cut in two that has the largest likelihood.
    The interval has all cuts whose log-likelihood is at most 3.68 lower, which is 95% for one
    small and sudden change among many votes (docs/alarm.md has what was measured).

    Parameters
    ----------
    votes, every, watch, settle
        As for `alarm`.

    Examples
    --------
    >>> votes = Votes(("tea", "coffee"), [0] * 400, [1] * 400, [1.0, 1, 0] * 80 + [0.0] * 160)
    >>> changes(votes, every=1_000, watch="pairs").to_table()["since"].to_list()
    [240]
    """
    return alarm(votes, every=every, watch=watch, settle=settle).changes


def _exactly(votes: Votes, found: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes dated by all votes on the two arms, not only by those where a sequence began."""
    low, high, o, times = sorted_arms(votes)
    place = {name: k for k, name in enumerate(votes.names)}
    pairs = low * votes.K + high
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    begun: dict[int, int] = {}  # after which vote a pair began again, and the leader's watch as -1
    exact = []
    for change in found:
        first, second = (place[name] for name in change.arms)
        code = min(first, second) * votes.K + max(first, second)
        span = np.searchsorted(ordered, [code, code + 1])
        at = order[span[0] : span[1]]
        watch = code if change.kind == "pair" else -1
        at = at[np.searchsorted(at, begun.get(watch, 0)) : np.searchsorted(at, change.vote)]
        wins = np.concatenate([[0.0], np.cumsum(o[at])])
        starts = np.stack([np.arange(len(at)), wins[:-1], at + 1, times[at]], axis=1)
        end = np.array([len(at), wins[-1], change.vote, times[change.vote - 1]])
        against = tuple(place[name] for name in change.against)
        rung = Rung(change.kind, change.vote, 0, (first, second), against)
        timed = votes.time is not None
        exact.append(change_of(rung, votes.names, starts, end, timed=timed, gaps=False))
        begun[watch] = change.vote
    return tuple(exact[-MOST:])
