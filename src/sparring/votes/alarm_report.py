"""What an alarm found: what changed, when, by how much; what it promises, and the evidence."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import extras
from sparring.formats import Counted, Dates, Moments, chance, isolated, many
from sparring.votes._watches import POINTS

Floats = NDArray[np.float64]

# Of a change that is small beside the noise, the likelihood is a walk that drifts down on both
# sides, and each side's highest rise above the true change is Exp(1): (1 - e^-3.68)^2 = 0.95.
DROP = 3.68


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


class Split(NamedTuple):
    """Where to cut a pair's votes in two: places among the candidates."""

    best: int
    first: int
    last: int
    all_along: bool


@dataclass(frozen=True)
class Change:
    """What an alarm found."""

    kind: str
    """ "leader" if the favourite fell, "pair" if the preference between two arms changed."""
    arms: tuple[str, str]
    """The favourite and the arm that beats it now, or the pair."""
    against: tuple[str, ...]
    """All arms with a tenth or more of the evidence against the favourite; empty for a pair."""
    vote: int
    """The number, from 1, of the vote after which the alarm rang."""
    since: int
    """The first vote after the change, most likely."""
    earliest: int
    latest: int
    """The votes between which the change lies, with about 95% if there was one sudden change."""
    before: float | None
    after: float
    """The share of the votes on the two that the first of `arms` won, before and after; None if
    there were none before."""
    votes_before: int
    votes_after: int
    """How many votes on the two that is."""
    all_along: bool
    """Whether it may also have been so all along, since the last alarm of this kind."""
    rang_at: float | None = None
    since_at: float | None = None
    earliest_at: float | None = None
    latest_at: float | None = None
    """The same moments in seconds since 1970, if votes have times."""

    def __str__(self) -> str:
        first, second = self.arms
        if self.kind == "leader":
            others = len(self.against) - 1
            more = f" and {others} more beat it" if others > 0 else " beats it"
            what = f"{isolated(first)} no longer leads: {isolated(second)}{more}"
        else:
            what = f"{isolated(first)} against {isolated(second)} changed"
        when = f"since {self._dated()}" + (", or all along" if self.all_along else "")
        before = "" if self.before is None else f"{chance(self.before)} before, "
        share = f"{isolated(first)} won {before}{chance(self.after)} after"
        return f"{what}, {when}; rang after vote {self.vote:,}; {share}"

    def _dated(self) -> str:
        """When it was, most likely, and between when."""
        moments: Moments = Counted(self.vote)
        found: list[Any] = [self.since, self.earliest, self.latest]
        if self.rang_at is not None:
            found = [self.since_at, self.earliest_at, self.latest_at]
            moments = Dates(found[1], self.rang_at)
        return f"{moments.full(found[0])} ({moments.between(*found[1:])})"

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`; `change_from` reads it."""
        return {**asdict(self), "arms": list(self.arms), "against": list(self.against)}


@dataclass(frozen=True)
class Changes:
    """The changes that alarms found, in order."""

    found: tuple[Change, ...]
    every: float
    """Votes to a false alarm on average, at the least."""
    votes: int

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.found)

    def __getitem__(self, place: int) -> Change:
        return self.found[place]

    def __repr__(self) -> str:
        head = many(len(self), "change")
        expected = self.votes / self.every
        head += f" in {self.votes:,} votes; false ones on average at most {expected:.2g}"
        return "\n".join([head, *(f"  {change}" for change in self.found)])

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        found = [change.to_json() for change in self.found]
        return {"votes": self.votes, "every": self.every, "changes": found}

    def to_table(self) -> Any:
        """A polars table with one row for each change."""
        polars = extras.demand("polars", "a table")
        kinds = {
            "kind": polars.String,
            "first": polars.String,
            "second": polars.String,
            "against": polars.List(polars.String),
            **dict.fromkeys(("vote", "since", "earliest", "latest"), polars.Int64),
            **dict.fromkeys(("before", "after"), polars.Float64),
            **dict.fromkeys(("votes_before", "votes_after"), polars.Int64),
            "all_along": polars.Boolean,
        }
        moments = ("rang_at", "since_at", "earliest_at", "latest_at")
        rows = []
        for change in self.found:
            row = {name: getattr(change, name, None) for name in (*kinds, *moments)}
            row |= {"first": change.arms[0], "second": change.arms[1]}
            rows.append(row | {"against": list(change.against)})
        table = polars.DataFrame(rows, schema=kinds | dict.fromkeys(moments, polars.Float64))
        stamp = polars.Datetime("us", "UTC")
        return table.with_columns(
            (polars.col(*moments) * 1e6).round().cast(polars.Int64).cast(stamp)
        )


def likelihood(n: Floats, wins: Floats) -> Floats:
    """The largest log-likelihood of so many wins in n votes, 0 for none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = wins / n
        won = np.where(wins > 0, wins * np.log(p), 0.0)
        lost = np.where(wins < n, (n - wins) * np.log1p(-p), 0.0)
    return np.asarray(won + lost)


def split(n: Floats, wins: Floats, votes: float, won: float, *, falling: bool) -> Split:
    """Where a change is most likely, and the candidates whose likelihood is at most DROP lower.

    Parameters
    ----------
    n, wins
        Before each candidate, rising; the first is 0 and 0, no change at all.
    votes, won
        In all.
    falling
        Whether only a fall of the share counts.
    """
    after, late = votes - n, won - wins
    found = likelihood(n, wins) + likelihood(after, late)
    if falling:
        with np.errstate(divide="ignore", invalid="ignore"):
            found[1:][(late / after >= wins / n)[1:]] = -math.inf
    never = found[0]
    found[0] = -math.inf
    if not np.isfinite(found).any():
        return Split(0, 0, 0, True)
    best = int(np.argmax(found))
    near = np.flatnonzero(found >= found[best] - DROP)
    return Split(best, int(near[0]), int(near[-1]), bool(never >= found[best] - DROP))


def change_of(
    rung: Rung,
    names: tuple[str, ...],
    starts: Floats,
    end: Floats,
    *,
    timed: bool,
    gaps: bool,
) -> Change:
    """The change behind an alarm.

    Parameters
    ----------
    rung
        The alarm.
    names
        The names of all arms.
    starts
        (n, 4): for each vote before which the two may have changed: the votes on them so far, the
        wins of the arm that comes first in `names`, the vote's number, and its time.
    end
        (4,): the same after the last.
    timed
        Whether votes have a time.
    gaps
        Whether there were also votes on the two between the starts.
    """
    n, wins, number, time = starts.T
    votes, won = end[:2].tolist()
    first, second = rung.arms
    if first > second:
        wins, won = n - wins, votes - won
    cut = split(n, wins, votes, won, falling=rung.kind == "leader")
    before, after = float(n[cut.best]), votes - float(n[cut.best])
    # A start that is unlikely tells of the change that it is not right before it: later, it may be.
    early = max(cut.first - 1, 0)
    earliest = int(number[early]) + (cut.first > 0)
    latest, latest_at = int(number[cut.last]), float(time[cut.last])
    if gaps:
        ends, moments = np.append(number, end[2] + 1), np.append(time, end[3])
        latest, latest_at = int(ends[cut.last + 1]) - 1, float(moments[cut.last + 1])
    moments_of = {
        "rang_at": float(end[3]),
        "since_at": float(time[cut.best]),
        "earliest_at": float(time[early]),
        "latest_at": latest_at,
    }
    return Change(
        kind=rung.kind,
        arms=(names[first], names[second]),
        against=tuple(names[arm] for arm in rung.against),
        vote=rung.vote,
        since=int(number[cut.best]),
        earliest=earliest,
        latest=latest,
        before=float(wins[cut.best]) / before if before else None,
        after=(won - float(wins[cut.best])) / after,
        votes_before=int(before),
        votes_after=int(after),
        all_along=cut.all_along,
        **(moments_of if timed else {}),
    )


def change_from(given: dict[str, Any]) -> Change:
    """A change from what `Changes.to_json` made of it."""
    first, second = given["arms"]
    return Change(**{**given, "arms": (first, second), "against": tuple(given["against"])})


def turned(change: Change) -> Change:
    """The same change, seen from the other arm."""
    first, second = change.arms
    before = None if change.before is None else 1 - change.before
    return replace(change, arms=(second, first), before=before, after=1 - change.after)


# --- The report ----------------------------------------------------------------------------------

FALSE = {
    "leader": "An alarm about a leader is false if, in all votes since it was chosen, it beat each "
    "other arm with probability 1/2 or more; if it never led, the alarm rightly says that the "
    "choice was wrong. After an alarm a new favourite is chosen from later votes, and the promise "
    "begins again with it.",
    "pairs": "An alarm about a pair is false if all votes on it since its last alarm had the same "
    "chance. After an alarm that pair begins again, as if never seen; the promise is about the "
    "number of false alarms on all pairs together.",
}


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """The evidence over time, in nats, at no more than 512 points, for drawing.

    Each point is the maximum over the votes it stands for. The alarm rings at the threshold.
    """

    vote: NDArray[np.int64]
    """(n,): the last vote of each point."""
    leader: Floats
    """(n,): ln of the sum against the favourite; 0 if it is below 1 or no arm is watched."""
    pairs: Floats
    """(n,): the strongest evidence that a pair has changed; 0 if there is none."""
    threshold: float

    def __len__(self) -> int:
        return len(self.vote)

    def __repr__(self) -> str:
        top = {"leader": self.leader, "pairs": self.pairs}
        shown = ", ".join(f"{name} up to {x.max(initial=0):.1f}" for name, x in top.items())
        return f"{len(self)} points: {shown}; rings at {self.threshold:.1f} nats"

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        columns = {name: getattr(self, name).tolist() for name in ("vote", "leader", "pairs")}
        return {**columns, "threshold": self.threshold}

    def to_table(self) -> Any:
        """A polars table with one row for each point."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame({"vote": self.vote, "leader": self.leader, "pairs": self.pairs})


def evidence_of(traces: Floats, width: int, votes: int, A: float) -> Evidence:
    """The evidence from an alarm's traces."""
    n = min(-(-votes // width), POINTS)
    last = np.minimum(np.arange(1, n + 1) * width, votes)
    leader = np.log(np.maximum(traces[:n, 0], 1.0))
    return Evidence(last, leader, traces[:n, 1].copy(), float(np.log(A)))


@dataclass(frozen=True, repr=False)
class AlarmReport:
    """What an alarm found in votes, and what it promises.

    `changes` has what rang. `favourites` says which arm was watched from which vote on. `evidence`
    is for a figure.
    """

    names: tuple[str, ...]
    votes: int
    every: float
    watch: tuple[str, ...]
    favourite: str | None
    favourites: tuple[tuple[int, str | None], ...]
    changes: Changes
    rung: int
    """How often it rang in all; `changes` has the latest 1,000."""
    evidence: Evidence

    @property
    def promise(self) -> str:
        """What is guaranteed, in plain words."""
        return " ".join(
            [
                f"At most one false alarm in {self.every:,.0f} votes on average, so in these "
                f"{self.votes:,} at most {self.votes / self.every:.2g}, for any way to choose "
                "pairs by earlier votes.",
                *(FALSE[name] for name in self.watch),
            ]
        )

    def __repr__(self) -> str:
        leader = f"{self.favourite} leads" if self.favourite else "no favourite yet"
        if "leader" not in self.watch:
            leader = "leaders not watched"
        times = {0: "never rang", 1: "rang once"}.get(self.rung, f"rang {self.rung:,} times")
        head = f"{self.votes:,} votes on {len(self.names):,} arms: {times}; {leader}"
        shown = [f"  {change}" for change in self.changes]
        return "\n".join([head, *shown, self.promise])

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {
            "names": list(self.names),
            "votes": self.votes,
            "every": self.every,
            "watch": list(self.watch),
            "favourite": self.favourite,
            "favourites": [list(one) for one in self.favourites],
            "rung": self.rung,
            "changes": self.changes.to_json()["changes"],
            "evidence": self.evidence.to_json(),
            "promise": self.promise,
        }

    def to_table(self) -> Any:
        """A polars table with one row for each alarm; the table of `evidence` is for drawing."""
        return self.changes.to_table()
