"""What an alarm remembers: arrays that grow with the pairs met, not with the votes."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.learners.snapshots import Fields
from sparring.problem import LONGEST
from sparring.votes import _watches as kernels
from sparring.votes._watches import WatchMemory, WatchNumbers
from sparring.votes.values import Votes

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


class Rung(NamedTuple):
    """An alarm, in numbers."""

    kind: str
    vote: int
    """The number, from 1, of the vote after which it rang."""
    pair: int
    """The place of the pair in the memory."""
    arms: tuple[int, int]
    """The favourite and who beats it, or the pair in order."""
    against: tuple[int, ...]
    """All who have a part in the evidence against the favourite, the strongest first."""


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
