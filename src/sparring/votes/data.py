"""Votes: who was shown beside whom, who won, and what else was noted; and a file to try."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.formats import Counted, Dates, Moments

LIGHTEST, HEAVIEST = 1e-6, 1e6  # votes whose weights differ more cannot be added up
DAY = 86_400.0
FEW = 25  # votes, below which a side cannot be told


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """Votes, in the order in which they came.

    `read` makes them from a file; in Python, give arrays. Nothing is drawn or guessed here.

    Parameters
    ----------
    names
        The names of the arms.
    first, second
        (n,): the arms shown, as places in `names`. They differ in every vote.
    outcome
        (n,): how the first did: 1 it won, 0 the second won, 0.5 a tie, or any share between.
    time
        (n,): when, in seconds since 1970, in order. None if unknown: then a vote's age is counted
        in votes.
    weight
        (n,): how much a vote counts, from 1e-6 to 1e6. None if all count the same.
    voter
        (n,): who voted, as places in `voters`. None if unknown.
    voters
        What the voters are called; numbers from 0 if None.
    bad
        (n,): whether both were bad, as some ties say. None if unknown.
    present
        The names of the arms that can still be asked for, as an arena knows. None if unknown: then
        an arm that was not shown for long is taken to be gone.
    chance
        (n,): the probability, when the pair was chosen, that exactly these two would be shown, in
        either order, given that two different arms are shown. None if unknown.
    shuffled
        Whether being first says nothing about an arm. False if the first is always the winner.

    Examples
    --------
    >>> votes = Votes(("tea", "coffee"), first=[0, 1, 0], second=[1, 0, 1], outcome=[1, 0.5, 0])
    >>> votes
    3 votes on 2 arms
    >>> votes.wins.tolist()  # of the row's arm over the column's
    [[0.0, 1.5], [1.5, 0.0]]
    """

    names: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    outcome: NDArray[np.float64]
    time: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | None = None
    voter: NDArray[np.int32] | None = None
    chance: NDArray[np.float64] | None = None
    shuffled: bool = True
    voters: tuple[str, ...] | None = None
    bad: NDArray[np.bool_] | None = None
    present: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "names", tuple(checks.names("names", self.names)))
        n = len(self.outcome)
        for name in ("first", "second", "voter"):
            if getattr(self, name) is not None:
                given = np.ascontiguousarray(getattr(self, name))
                if given.dtype.kind not in "iu" and given.size:
                    raise checks.refuse(name, "whole numbers", checks.Shown(f"{given.dtype}"))
                if given.size and not 0 <= given.min() <= given.max() < 2**31:
                    worst = given.min() if given.min() < 0 else given.max()
                    raise checks.refuse(name, "places from 0", checks.Shown(f"{worst}"))
                set_field(self, name, given.astype(np.int32))
        for name in ("outcome", "time", "weight", "chance"):
            if getattr(self, name) is not None:
                given = checks.array(name, getattr(self, name), np.float64, (n,))
                set_field(self, name, given.copy())  # who gave it may write to it
        if self.bad is not None:
            set_field(self, "bad", np.array(self.bad, np.bool_))
        for name in ("first", "second", "voter", "bad"):
            given = getattr(self, name)
            if given is not None and given.shape != (n,):
                raise checks.refuse(name, f"of length {n}", checks.Shown(f"{given.shape}"))
        self._demand()

    def _demand(self) -> None:
        """Refuse a bad vote, by its number."""
        K = len(self.names)
        _every("first", self.first, (self.first >= 0) & (self.first < K), f"in 0..{K - 1}")
        _every("second", self.second, (self.second >= 0) & (self.second < K), f"in 0..{K - 1}")
        _every("second", self.second, self.first != self.second, "another arm than the first")
        _every("outcome", self.outcome, (self.outcome >= 0) & (self.outcome <= 1), "in [0, 1]")
        if self.time is not None:
            _every("time", self.time, np.isfinite(self.time), "finite")
            rising = np.diff(self.time, prepend=-np.inf) >= 0
            _every("time", self.time, rising, "in the order of time")
        if self.weight is not None:
            good = (self.weight >= LIGHTEST) & (self.weight <= HEAVIEST)
            _every("weight", self.weight, good, f"from {LIGHTEST:g} to {HEAVIEST:,.0f}")
        if self.voter is not None and self.voters is not None:
            many = len(self.voters)
            _every("voter", self.voter, self.voter < many, f"a place in voters, below {many}")
        if self.chance is not None:
            _every("chance", self.chance, (self.chance > 0) & (self.chance <= 1), "in (0, 1]")

    def __len__(self) -> int:
        return len(self.outcome)

    def __repr__(self) -> str:
        days = f" over {self.days:,.1f} days" if self.time is not None and len(self) else ""
        return f"{len(self):,} votes on {len(self.names):,} arms{days}"

    def __getitem__(self, chosen: slice | NDArray[Any]) -> "Votes":
        """Some of the votes, on the same arms: a slice, or a mask."""
        if not isinstance(chosen, (slice, np.ndarray)):
            raise checks.refuse("votes[...]", "taken by a slice or a mask", chosen)
        parts = {
            field.name: getattr(self, field.name)[chosen]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        return replace(self, **parts)

    @property
    def K(self) -> int:
        """Number of arms."""
        return len(self.names)

    @property
    def days(self) -> float:
        """From the first vote to the last."""
        if self.time is None or not len(self):
            return 0.0
        return float(self.time[-1] - self.time[0]) / DAY

    @cached_property
    def clock(self) -> NDArray[np.float64]:
        """(n,): the clock for ages: days since the first vote, or votes before this one."""
        if self.time is None:
            return np.arange(len(self), dtype=np.float64)
        return (self.time - (self.time[0] if len(self) else 0.0)) / DAY

    @property
    def unit(self) -> str:
        """What the clock counts."""
        return "votes" if self.time is None else "days"

    @property
    def moments(self) -> Moments:
        """How to say when a vote was."""
        if self.time is None or not len(self):
            return Counted(len(self))
        return Dates(float(self.time[0]), float(self.time[-1]))

    def when(self, number: float) -> float:
        """When a vote was, counted from 1: seconds since 1970 or, without times, its number."""
        place = min(max(round(number), 1), len(self))
        return float(place if self.time is None else self.time[place - 1])

    @cached_property
    def sided(self) -> bool:
        """Whether pairs came in both orders often enough to tell a side from an arm."""
        n, K = len(self), self.K
        if not self.shuffled or n < FEW:
            return False
        code = self.first.astype(np.int64) * K + self.second
        if 4 * n >= K * K:
            often = np.bincount(code, minlength=K * K).reshape(K, K)
            return bool(np.minimum(often, often.T).sum() >= n / 4)
        pairs, often = np.unique(code, return_counts=True)
        back = (pairs % K) * K + pairs // K
        place = np.minimum(np.searchsorted(pairs, back), len(pairs) - 1)
        turned = np.where(pairs[place] == back, often[place], 0)
        return bool(np.minimum(often, turned).sum() >= n / 4)

    @cached_property
    def wins(self) -> NDArray[np.float64]:
        """(K, K): how often the row's arm beat the column's; a tie is half a win."""
        return self.sums(self.outcome) + self.sums(1 - self.outcome).T

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """(K, K): how often two arms met."""
        met = self.sums(np.ones(len(self)))
        return met + met.T

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(K, K): sums of values, one for each vote, by first arm (row) and second (column)."""
        if self.weight is not None:
            values = values * self.weight
        pair = self.first.astype(np.int64) * self.K + self.second
        found = np.bincount(pair, values, self.K**2).reshape(self.K, self.K)
        return found.astype(np.float64, copy=False)

    def groups(self) -> list[list[int]]:
        """Groups of arms that votes link and that can be compared, the largest first.

        Examples
        --------
        >>> Votes(("a", "b", "c", "d"), first=[0, 2], second=[1, 3], outcome=[1, 1]).groups()
        [[0, 1], [2, 3]]
        """
        label = np.arange(self.K)
        pairs = np.unique(self.first.astype(np.int64) * self.K + self.second)
        i, j = pairs // self.K, pairs % self.K
        # Of two groups that met, the one with the higher label takes the lower. In each round every
        # group that met another is joined, so a million arms take some twenty rounds.
        while len(i):
            np.minimum.at(label, np.maximum(i, j), np.minimum(i, j))
            while not np.array_equal(above := label[label], label):
                label = above
            i, j = label[i], label[j]
            i, j = i[i != j], j[i != j]
        order = np.argsort(label, kind="stable")
        cuts = np.flatnonzero(np.diff(label[order])) + 1
        found = [group.tolist() for group in np.split(order, cuts)]
        return sorted(found, key=len, reverse=True)

    def only(self, arms: Sequence[str | int]) -> "Votes":
        """The votes on these arms only, by name or by place in `names`, which is their new order.

        The votes keep their order. Their chances go: those were of all arms.
        """
        if isinstance(arms, str) or not isinstance(arms, Iterable):
            remedy = f"Write [{arms!r}]"
            raise checks.refuse("arms", "a list of names or places", arms, remedy)
        kept = [self._place(arm) for arm in arms]
        if len(set(kept)) < len(kept):
            raise checks.refuse("arms", "different arms", list(arms))
        place = np.full(self.K, -1, np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        both = (place[self.first] >= 0) & (place[self.second] >= 0)
        votes = self[both]
        return replace(
            votes,
            names=tuple(self.names[arm] for arm in kept),
            first=place[votes.first],
            second=place[votes.second],
            chance=None,
            present=None
            if self.present is None
            else tuple(self.names[arm] for arm in kept if self.names[arm] in self.present),
        )

    def _place(self, arm: str | int) -> int:
        """Where an arm stands in `names`."""
        if isinstance(arm, str):
            if arm not in self.names:
                raise checks.unknown("arms", arm, self.names)
            return self.names.index(arm)
        return checks.whole("arms", arm, low=0, high=self.K - 1)

    def rows(self) -> Iterator[tuple[str, str, float]]:
        """The votes one by one: two names, and how the first did."""
        for i, j, o in zip(
            self.first.tolist(), self.second.tolist(), self.outcome.tolist(), strict=True
        ):
            yield self.names[i], self.names[j], o

    def to_table(self) -> Any:
        """A polars table with one row for each vote, in columns that `read` recognises."""
        from sparring import extras

        polars = extras.demand("polars", "a table")
        columns = self._columns()
        if self.time is not None:
            moments = polars.Series((self.time * 1e6).round().astype(np.int64))
            columns["time"] = moments.cast(polars.Datetime("us", "UTC"))
        return polars.DataFrame(columns)

    def to_json(self) -> list[dict[str, Any]]:
        """The votes for `json.dumps`, as a list that `read` reads.

        Examples
        --------
        >>> Votes(("tea", "coffee"), [0], [1], [1.0], time=[0.0]).to_json()
        [{'a': 'tea', 'b': 'coffee', 'outcome': 1.0, 'time': '1970-01-01T00:00:00+00:00'}]
        """
        columns = self._columns()
        if self.time is not None:
            columns["time"] = [
                datetime.fromtimestamp(at, UTC).isoformat() for at in columns["time"]
            ]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _columns(self) -> dict[str, Any]:
        """What was noted of each vote, by columns; arms and voters by name."""
        columns: dict[str, Any] = {
            "a": [self.names[arm] for arm in self.first.tolist()],
            "b": [self.names[arm] for arm in self.second.tolist()],
        }
        for name in ("outcome", "time", "weight", "voter", "chance"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name).tolist()
        if self.voter is not None and self.voters is not None:
            columns["voter"] = [self.voters[place] for place in self.voter.tolist()]
        return columns


def _every(name: str, values: NDArray[Any], good: NDArray[np.bool_], rule: str) -> None:
    """Refuse the first bad value."""
    if not good.all():
        at = int(np.argmin(good))
        raise checks.refuse(name, rule, checks.Shown(f"{values[at]} in vote {at + 1:,}"))


# --- An example ----------------------------------------------------------------------------------

MODELS = ("aster", "birch", "cedar", "dahlia", "elder", "fern", "gorse", "hazel")
# What each is worth in the three parts of the year.
STRENGTHS = (
    (0.9, 0.6, 0.3, 0.1, -0.2, -0.4, -0.6, -0.7),
    (0.4, 0.6, 1.2, 0.1, -0.2, -0.4, -0.6, -0.7),
    (0.4, 0.6, 0.5, 0.1, -0.2, 1.1, -0.6, -0.7),
)
CHANGES = (120, 260)  # days
DAYS = 365
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
TIES = 0.1
VOTERS = 300


def example(votes: int = 12_000, seed: int = 0) -> str:
    """The text of a CSV file: a year of votes, most of them on pairs drawn at random.

    Examples
    --------
    >>> print(example(2))
    time,model_a,model_b,winner,voter
    2025-06-18T02:27:16+00:00,cedar,elder,model_b,v14
    2025-12-30T01:52:31+00:00,elder,gorse,model_b,v72
    <BLANKLINE>
    """
    n = checks.whole("votes", votes, low=1, high=10_000_000)
    K = len(MODELS)
    rng = streams.keyed(seed, "example", experiment="votes", K=K, T=n, run=0)
    day = np.sort(rng.random(n)) * DAYS
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    part = np.searchsorted(CHANGES, day, side="right")
    strengths = np.array(STRENGTHS)
    lead = strengths[part, first] - strengths[part, second]
    wins = rng.random(n) < 1 / (1 + np.exp(-lead))
    words = np.where(rng.random(n) < TIES, "tie", np.where(wins, "model_a", "model_b"))
    voter = rng.integers(VOTERS, size=n)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", "model_a", "model_b", "winner", "voter"])
    for t in range(n):
        at = (BEGIN + timedelta(days=float(day[t]))).replace(microsecond=0)
        pair = (MODELS[first[t]], MODELS[second[t]])
        writer.writerow([at.isoformat(), *pair, words[t], f"v{voter[t]}"])
    return text.getvalue()
