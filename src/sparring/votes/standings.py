"""Who leads now, since when and how sure; what rose, fell, joined and left.

All answers are counts over draws of every arm's past (`sparring.votes.histories`).

`standings` returns `Standings`. Its fields, for those who draw or print them: `places`, one `Place`
for each candidate, the leader first and then by strength; `leader` and `leads`, the arm that is
most probably the best and that probability; `since`, a `Since`; `turns`, the rises and falls that
can be dated, a `Turn` each; `rose` and `fell`, arms that changed at no certain time; `joined` and
`gone`, a `Seen` each; `hardly`, candidates that were hardly asked lately; `needed`, the votes that
would settle it; `reigns`, who led when; `past`, the strengths over time. Votes are numbered from 1
and times are seconds since 1970. Strengths are log-odds against an opponent as strong as all arms
were on average over the file; `share` makes them a share of votes won.
"""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks, extras, streams
from sparring.formats import chance, isolated, many, near, places
from sparring.votes.data import Votes
from sparring.votes.histories import Histories, histories, moments
from sparring.votes.strengths import demand_few

Floats = NDArray[np.float64]

LEADS = 0.75  # in whole percent, as it is told: with less nobody clearly leads
AHEAD = 0.5  # and with more than this somebody is ahead all the same
CERTAIN = 0.99
MAYBE = 0.05  # who may lead, too
LEVEL = 0.95
ALWAYS = 0.1  # a change of the leader is claimed if it always led with at most this probability
CLEARLY, LASTING = 0.5, 0.02  # who led: more probable than not, over such a share of the file
SURE, WIDEST, MOST = 0.9, 0.25, 6  # of a dated change: probability, share of the bins, how many
SMALL = 0.02  # of a share of votes won: a change that is hardly one
MOVED = 0.95
GIVEN_UP = 1.0, 0.75, 0.5, 0.25, 0.0  # of the draws that may be given up for narrower places
WIDER = 2  # places by which all are widened, to give up more
LATELY, SELDOM = 0.1, 0.2  # of the file; and of an even share of the pairs in it
NEEDED = 1.645 + 0.84  # standard errors: 95% sure in four of five cases


class Place(NamedTuple):
    """Where a candidate stands."""

    name: str
    strength: float
    low: float
    """Of its strength; with `high` it holds the strength in 95% of the draws."""
    high: float
    ranks: tuple[int, int]
    """The best and the worst rank among the candidates. All arms' hold at once with 95%."""
    leads: float
    """How probable it is that it is the best."""
    votes: int
    """All votes on pairs that it was in."""

    @property
    def ranked(self) -> str:
        """Its rank, or the best and the worst one."""
        return places(*self.ranks)

    @property
    def share(self) -> tuple[float, float, float]:
        """The share of votes won against an average opponent: as it is, low and high."""
        return share(self.strength), share(self.low), share(self.high)

    @property
    def won(self) -> str:
        """The same in words, with half of the interval.

        Examples
        --------
        >>> Place("tea", 0.94, 0.8, 1.1, (1, 2), 0.9, 100).won
        '72% ± 3'
        """
        middle, low, high = self.share
        return near(middle, (high - low) / 2)


class Since(NamedTuple):
    """Since when the leader leads."""

    arm: str
    always: float
    """How probable it is that it led for as long as there were votes on it, or on anybody."""
    joined: bool
    """Whether it leads since its own first vote, which came later than the file's."""
    before: str
    """The arm that led before; empty if there is none or it is not clear."""
    since: int
    """The first vote under this leader, most likely."""
    earliest: int
    latest: int
    """The votes between which it was, with 95%."""
    times: tuple[float, float, float] | None = None
    """Of since, earliest and latest, if votes have times."""

    @property
    def changed(self) -> bool:
        """Whether it took the lead after the file began."""
        return self.joined or self.always <= ALWAYS


class Turn(NamedTuple):
    """A rise or a fall that can be dated."""

    arm: str
    rose: bool
    wins: float
    """The share of votes it would win since then against itself of before."""
    chance: float
    """How probable it is that it jumped between `earliest` and `latest`."""
    since: int
    earliest: int
    latest: int
    times: tuple[float, float, float] | None = None


class Seen(NamedTuple):
    """When an arm was seen first, or last."""

    arm: str
    vote: int
    time: float | None = None


class Reign(NamedTuple):
    """A time during which one arm was more probably the best than not."""

    arm: str
    begin: int
    """Votes."""
    end: int


class Needed(NamedTuple):
    """What would settle who leads."""

    leader: str
    second: str
    votes: float | None
    """On these two, if nothing changes, until it is 95% sure in four of five cases; None if they
    are too close to say."""


class Past(NamedTuple):
    """The strengths in B bins; NaN where an arm is not there."""

    vote: Floats
    """(B,): the middle of each bin, in votes."""
    time: Floats | None
    """(B,): the mean time of its votes."""
    strength: Floats
    """(K, B)."""
    low: Floats
    high: Floats
    """95% of the draws."""
    leads: Floats
    """(K, B): how probable it is that the arm was the best of those that were there."""


@dataclass(frozen=True, eq=False)
class Standings:
    """Who leads now, since when, and how sure."""

    histories: Histories
    places: tuple[Place, ...]
    since: Since
    turns: tuple[Turn, ...]
    """The latest first."""
    rose: tuple[str, ...]
    fell: tuple[str, ...]
    joined: tuple[Seen, ...]
    gone: tuple[Seen, ...]
    hardly: tuple[str, ...]
    needed: Needed | None
    """None if the leader is 95% sure, or has no rival."""
    reigns: tuple[Reign, ...]
    unseen: tuple[str, ...]
    """Candidates that were not shown since the latest change."""
    alpha: float
    votes: int
    at: datetime | None
    """Time of the last vote, if votes have times."""
    times: Floats | None
    """(B,): the mean time of the votes of each bin."""

    @property
    def names(self) -> tuple[str, ...]:
        """All arms, in the order of `Votes.names` and of the arrays."""
        return self.histories.names

    @property
    def leader(self) -> str:
        """The arm that is most probably the best."""
        return self.places[0].name

    @property
    def leads(self) -> float:
        """How probable it is that the leader is the best."""
        return self.places[0].leads

    @property
    def clear(self) -> bool:
        """Whether one arm clearly leads."""
        return clearly(self.leads)

    @property
    def ahead(self) -> bool:
        """Whether one arm is rather the best than not, and does not clearly lead."""
        return not self.clear and round(float(self.leads), 2) > AHEAD

    @property
    def headline(self) -> str:
        """Who leads, in three words: one rule for pages, sentences and JSON."""
        if self.clear or self.ahead:
            return isolated(self.leader) + (" leads" if self.clear else " is ahead, not clearly")
        return "Nobody clearly leads"

    @property
    def settled(self) -> bool:
        """Whether the leader is certainly above all others.

        They were all shown since the latest change: one that was not may have risen.
        """
        return self.leads >= CERTAIN and self.places[0].ranks == (1, 1) and not self.unseen

    @property
    def rivals(self) -> tuple[Place, ...]:
        """Who else may lead, the most probable first."""
        found = [place for place in self.places[1:] if place.leads >= MAYBE]
        return tuple(sorted(found, key=lambda place: -place.leads))

    @cached_property
    def strengths(self) -> Floats:
        """(K,): present strengths; of an arm that is gone, its last one."""
        return np.asarray(self._drawn.mean(0))

    @cached_property
    def covariance(self) -> Floats:
        """(K, K): of the present strengths."""
        return np.atleast_2d(np.cov(self._drawn.T))

    @property
    def side(self) -> float:
        """How much it helps to be shown first, in units of strength; 0 if it was not estimated."""
        return float(self.histories.side.mean())

    @property
    def side_error(self) -> float:
        """Its standard error."""
        return float(self.histories.side.std())

    @cached_property
    def past(self) -> Past:
        """The strengths over time."""
        found = self.histories
        drawn = found.strengths - reference(found)[:, None, None]
        low, high = spans(drawn, LEVEL)
        away = ~found.there
        strength = np.where(away, np.nan, drawn.mean(0, dtype=np.float64))
        middle = (found.edges[1:] + found.edges[:-1] + 1) / 2
        low, high = (np.where(away, np.nan, end) for end in (low, high))
        return Past(middle, self.times, strength, low, high, reign_chances(found))

    def chance(self, first: str, second: str) -> float:
        """The probability that the first beats the second now."""
        i, j = (self._place(name) for name in (first, second))
        lead = self._drawn[:, i] - self._drawn[:, j]
        return float((1 / (1 + np.exp(-lead))).mean())

    @cached_property
    def _drawn(self) -> Floats:
        found = self.histories
        return found.strengths[:, :, -1].astype(np.float64) - reference(found)[:, None]

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise checks.unknown("name", name, self.names)
        return self.names.index(name)

    def __str__(self) -> str:
        whose = "" if self.clear else f"{isolated(self.leader)} "
        lead = f"{self.headline}: {whose}{chance(self.leads)}"
        width = max(len(place.name) for place in self.places)
        lines = [
            f"  {place.name:<{width}}  place {place.ranked:<7} wins {place.won:<9} "
            f"{many(place.votes, 'vote')}"
            for place in self.places
        ]
        return "\n".join([lead, *lines])

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`, the strongest first."""
        return {
            "leader": self.leader,
            "leads": self.leads,
            "clear": self.clear,
            "headline": self.headline,
            "settled": self.settled,
            "votes": self.votes,
            "at": None if self.at is None else self.at.isoformat(),
            "level": 1 - self.alpha,
            "side": {"effect": self.side, "error": self.side_error},
            "places": [{**place._asdict(), "share": place.share[0]} for place in self.places],
            "since": dated(self.since) | {"changed": self.since.changed},
            "turns": [dated(turn) for turn in self.turns],
            "rose": list(self.rose),
            "fell": list(self.fell),
            "joined": [dated(seen) for seen in self.joined],
            "gone": [dated(seen) for seen in self.gone],
            "hardly_asked": list(self.hardly),
            "needed": None if self.needed is None else self.needed._asdict(),
            "reigns": [reign._asdict() for reign in self.reigns],
            "agreed": self.histories.agreed,
        }

    def to_table(self) -> Any:
        """A polars table with one row for each candidate, the leader first."""
        polars = extras.demand("polars", "a table")
        rows = [
            {**place._asdict(), "best_rank": place.ranks[0], "worst_rank": place.ranks[1]}
            for place in self.places
        ]
        return polars.DataFrame(rows).drop("ranks")


def standings(
    votes: Votes, *, alpha: float = 0.05, side: bool | None = None, seed: int = 0
) -> Standings:
    """Who leads after the last vote, since when, and how sure.

    Every arm has its own past: its strength may stay, walk or jump, at its own times, and an arm
    may join or leave. Pairs are taken as given, so they may be chosen in any way that looks only at
    earlier votes.

    Parameters
    ----------
    votes
        The votes, which must link all arms.
    alpha
        How often an interval may miss, and how often any rank set may.
    side
        Whether to estimate how much it helps to be shown first. None: if the votes allow it.
    seed
        Of the draws.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=400)
    >>> tea = rng.random(400) < 0.7
    >>> outcome = np.where(first == 0, tea, ~tea)
    >>> found = standings(Votes(("tea", "coffee"), first, 1 - first, outcome))
    >>> found.leader, found.clear, round(found.chance("tea", "coffee"), 1)
    ('tea', True, 0.7)
    """
    if not len(votes):
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    demand_few(votes.K)
    demand_linked(votes)
    alpha = checks.real("alpha", alpha, low=1e-9, high=0.5)
    return summed_up(votes, histories(votes, side=side, seed=seed), alpha, seed)


def demand_linked(votes: Votes) -> None:
    """Refuse votes that do not link all arms, even through others: they cannot be compared."""
    groups = votes.groups()
    if len(groups) > 1:
        shown = "; ".join(
            ", ".join(votes.names[arm] for arm in group[:5]) + (", ..." if len(group) > 5 else "")
            for group in groups[:5]
        )
        remedy = "Take one of them, such as votes.only(votes.groups()[0])"
        found = checks.Shown(
            f"{len(groups):,} groups that never met: {checks.short(checks.Shown(shown), 200)}"
        )
        raise ValueError(f"votes must link all arms; got {found}. {remedy}")


def summed_up(votes: Votes, found: Histories, alpha: float, seed: int) -> Standings:
    """What the draws say."""
    n, here = len(votes), np.flatnonzero(found.here).tolist()
    drawn = found.strengths[:, :, -1] - reference(found)[:, None]
    leads = chances(found)
    leader = max(here, key=lambda k: (leads[k], drawn[:, k].mean()))
    rivals = [k for k in here if k != leader]
    second = max(rivals, key=lambda k: (leads[k], drawn[:, k].mean()), default=None)
    reigned = reigns(votes, found)
    since = led_since(votes, found, leader, reigned, seed)
    turned = turns(votes, found)
    rose, fell = moved(found, {turn.arm for turn in turned})
    changed = [turn.latest for turn in turned]
    if since.changed and clearly(leads[leader]):
        changed.append(since.latest)
    late = n - math.ceil(LATELY * n)
    shown, even = times_shown(votes, late), 2 * (n - late) / len(here)
    later = times_shown(votes, max(changed, default=1) - 1)
    joined = np.flatnonzero(found.joined & (found.last >= 0)).tolist()
    gone = np.flatnonzero(~found.here & (found.last >= 0)).tolist()
    return Standings(
        histories=found,
        places=placed(votes, found, drawn, leads, leader, alpha),
        since=since,
        turns=turned,
        rose=rose,
        fell=fell,
        joined=tuple(seen(votes, k, found.first[k]) for k in joined),
        gone=tuple(seen(votes, k, found.last[k]) for k in gone),
        hardly=tuple(votes.names[k] for k in here if shown[k] < SELDOM * even),
        unseen=tuple(votes.names[k] for k in here if not later[k]),
        needed=None
        if second is None or leads[leader] >= LEVEL
        else needed(votes.names, drawn, leader, second),
        reigns=reigned,
        alpha=alpha,
        votes=n,
        at=None if votes.time is None else moment(votes.time[-1]),
        times=None if votes.time is None else moments(votes.time, found.edges),
    )


def reference(found: Histories) -> NDArray[np.float32]:
    """(D,): how strong all arms were on average over the file, in each draw."""
    weight = (found.there * np.diff(found.edges)).astype(np.float32)
    mean = found.strengths.reshape(len(found.strengths), -1) @ (weight / weight.sum()).ravel()
    return np.asarray(mean)


def share(strength: float) -> float:
    """The share of votes won against an average opponent."""
    return float(1 / (1 + np.exp(-strength)))


def clearly(leads: float) -> bool:
    """Whether an arm that is the best with this probability clearly leads."""
    return round(float(leads), 2) >= LEADS


def chances(found: Histories) -> Floats:
    """(K,): how often an arm is the best candidate now."""
    now = np.where(found.here, found.strengths[:, :, -1], -np.inf)
    return np.asarray(np.bincount(now.argmax(1), minlength=now.shape[1]) / len(now))


def best_then(found: Histories) -> NDArray[np.int64]:
    """(D, B): the best arm in each bin, of those that were there."""
    return np.asarray(np.where(found.there, found.strengths, -np.inf).argmax(1))


def reign_chances(found: Histories) -> Floats:
    """(K, B): how probable it is that an arm was the best in a bin."""
    who, K = best_then(found), len(found.names)
    counts = [np.bincount(who[:, b], minlength=K) for b in range(who.shape[1])]
    return np.asarray(np.array(counts).T / len(who))


def reigns(votes: Votes, found: Histories) -> tuple[Reign, ...]:
    """Who led when: bins in which an arm is more probably the best than not."""
    leads, edges = reign_chances(found), found.edges.tolist()
    spans = list[list[int]]()
    for b, k in enumerate(leads.argmax(0).tolist()):
        if leads[k, b] > CLEARLY:
            if spans and spans[-1][0] == k:
                spans[-1][2] = b
            else:
                spans.append([k, b, b])
    kept = list[list[int]]()
    for k, begin, end in spans:
        lasts = edges[end + 1] - edges[begin] >= LASTING * len(votes)
        if not lasts and end < len(edges) - 2:
            continue
        if kept and kept[-1][0] == k:
            kept[-1][2] = end
        else:
            kept.append([k, begin, end])
    return tuple(Reign(votes.names[k], edges[b] + 1, edges[e + 1]) for k, b, e in kept)


def led_since(
    votes: Votes, found: Histories, leader: int, reigned: tuple[Reign, ...], seed: int
) -> Since:
    """Since when the leader leads, from the draws in which it leads now.

    In each draw another arm led last in some bin; the vote at which that ended is drawn within that
    bin and the next, by how probable the outcomes are with the strengths before and after it.
    """
    names, edges = votes.names, found.edges
    who = best_then(found)
    mine = np.flatnonzero(who[:, -1] == leader)
    other = who[mine] != leader
    last = np.where(other.any(1), other.shape[1] - 1 - other[:, ::-1].argmax(1), -1)
    rng = streams.keyed(seed, "since", experiment="votes", K=votes.K, T=len(votes), run=0)
    at = np.zeros(len(mine))
    for b in np.unique(last[last >= 0]).tolist():
        those = np.flatnonzero(last == b)
        cut = switch(votes, found, mine[those], b)
        at[those] = edges[b] + rng.choice(len(cut), len(those), p=cut)
    always = float(np.mean(last < 0))
    begin = int(found.bins[0][leader])
    joined = bool(found.joined[leader] and np.mean((last >= 0) & (last < begin)) > CLEARLY)
    if joined:
        at = np.maximum(at, found.first[leader])
    if found.joined[leader]:
        at[last == begin - 1] = found.first[leader]
    middle, low, high = (int(one) for one in np.quantile(at, [0.5, 0.025, 0.975]))
    before = next((one.arm for one in reversed(reigned) if one.arm != names[leader]), "")
    return Since(names[leader], always, joined, before, *numbered(votes, middle, low, high))


def switch(votes: Votes, found: Histories, draws: NDArray[Any], b: int) -> Floats:
    """How probable it is that strengths changed before each vote of bins b and b + 1."""
    edges, B = found.edges, found.strengths.shape[2]
    before, after = (
        found.strengths[draws, :, c].mean(0, dtype=np.float64)
        for c in (max(b - 1, 0), min(b + 2, B - 1))
    )
    part = slice(edges[b], edges[min(b + 2, B)])
    i, j, o = votes.first[part], votes.second[part], votes.outcome[part]
    was, now = (lead[i] - lead[j] + found.side.mean() for lead in (before, after))
    gain = o * (was - now) - np.logaddexp(0, was) + np.logaddexp(0, now)
    if votes.weight is not None:
        gain *= votes.weight[part]
    power = np.cumsum(np.concatenate([[0.0], gain]))[: len(gain)]
    mass = np.exp(power - power.max())
    return np.asarray(mass / mass.sum())


def turns(votes: Votes, found: Histories) -> tuple[Turn, ...]:
    """The jumps that are nearly certain, the latest first.

    Of an arm the bin in which most draws have a jump is widened until 90% of the draws have one in
    there; if that takes more than a quarter of the bins, there is none to tell.
    """
    edges, B = found.edges, found.strengths.shape[2]
    begin, end = found.bins
    told = list[Turn]()
    for k in np.flatnonzero(found.last >= 0).tolist():
        left = found.jumped[:, k].copy()
        left[:, : begin[k] + 1] = left[:, end[k] + 1 :] = False
        for _ in range(MOST):
            often = left.mean(0)
            low = high = peak = int(often.argmax())
            while left[:, low : high + 1].any(1).mean() < SURE and high - low + 1 < WIDEST * B:
                below = often[low - 1] if low > 1 else -1.0
                above = often[high + 1] if high + 1 < B else -1.0
                if max(below, above) <= 0:
                    break
                low, high = (low - 1, high) if below >= above else (low, high + 1)
            sure = float(left[:, low : high + 1].any(1).mean())
            if sure < SURE:
                break
            left[:, low - 1 : high + 2] = False
            there = found.there[:, low - 1] & found.there[:, high]
            there[k] = False
            if not there.any():
                continue
            lead = found.strengths[:, k] - found.strengths[:, there].mean(1)
            wins = share(float(np.median(lead[:, high] - lead[:, low - 1])))
            if abs(wins - 0.5) < SMALL:
                continue
            span = numbered(votes, int(edges[peak]), int(edges[low - 1]), int(edges[high + 1]) - 1)
            told.append(Turn(votes.names[k], wins > 0.5, wins, sure, *span))
    return tuple(sorted(told, key=lambda turn: (-turn.since, not turn.rose)))


def moved(found: Histories, named: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Candidates that are stronger, and weaker, than when they or the file began.

    Few and large changes are more probable than many, so the draws say which arm moved: one that
    neither jumped nor walked has moved by nothing at all.
    """
    begin, _ = found.bins
    rose, fell = list[tuple[float, str]](), list[tuple[float, str]]()
    for k in np.flatnonzero(found.here).tolist():
        rise = found.strengths[:, k, -1] - found.strengths[:, k, begin[k]]
        up, down = float((rise > 1e-5).mean()), float((rise < -1e-5).mean())
        for sure, told in ((up, rose), (down, fell)):
            if sure >= MOVED and found.names[k] not in named:
                told.append((float(np.median(rise)), found.names[k]))
    return tuple(name for _, name in sorted(rose)[::-1]), tuple(name for _, name in sorted(fell))


def placed(
    votes: Votes,
    found: Histories,
    drawn: NDArray[np.float32],
    leads: Floats,
    leader: int,
    alpha: float,
) -> tuple[Place, ...]:
    """The candidates, the leader first and then by strength."""
    here = np.flatnonzero(found.here)
    ranks = rank_sets(1 + (-drawn[:, here]).argsort(1).argsort(1), alpha)
    mean = drawn.mean(0, dtype=np.float64)
    low, high = spans(drawn, 1 - alpha)
    shown = times_shown(votes, 0)
    order = sorted(range(len(here)), key=lambda at: (here[at] != leader, -mean[here[at]]))
    return tuple(
        Place(
            votes.names[k],
            float(mean[k]),
            float(low[k]),
            float(high[k]),
            (int(ranks[at, 0]), int(ranks[at, 1])),
            float(leads[k]),
            int(shown[k]),
        )
        for at, k in zip(order, here[order].tolist(), strict=True)
    )


def spans(drawn: NDArray[Any], level: float) -> tuple[Floats, Floats]:
    """Between which numbers such a share of the draws is: the rest is half below, half above."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.asarray(low, float), np.asarray(high, float)


def rank_sets(ranks: NDArray[np.int64], alpha: float) -> NDArray[np.int64]:
    """(k, 2): the best and the worst rank of each arm; all hold at once with 1 - alpha.

    Draws are given up where that narrows the ranks most. Sets that fit these draws fit others less
    well: how much less, is seen by what sets of one half of the draws, a chain, leave out of the
    other half; of sets of all draws it is about half as much. More or fewer draws are given up, and
    all ranks are widened by more or fewer places, so that 1 - alpha is left after that; of these
    sets the narrowest are taken.

    Parameters
    ----------
    ranks
        (D, k): the rank of each arm in each draw, those of one chain first.
    alpha
        How often any of the ranks may be outside.

    Examples
    --------
    >>> drawn = np.tile([1, 2, 3], (200, 1))
    >>> drawn[:100:50] = [1, 3, 2]
    >>> rank_sets(drawn, 0.05).tolist()
    [[1, 1], [2, 2], [3, 3]]
    """
    D, k = ranks.shape
    halves = ranks[: D // 2], ranks[D // 2 :]
    tried = [
        [narrowest(part, int(given_up * len(part))) for part in (ranks, *halves)]
        for given_up in alpha * np.array(GIVEN_UP)
    ]
    fitting: list[NDArray[np.int64]] = []
    for wider in range(k):
        more = np.array([-wider, wider])
        for sets, one, other in tried:
            own, others = (
                held(halves[0], one + more) + held(halves[1], other + more),
                held(halves[1], one + more) + held(halves[0], other + more),
            )
            if held(ranks, sets + more) - (own - others) / 4 >= 1 - alpha:
                fitting.append(np.clip(sets + more, 1, k))
        if len(fitting) and wider >= WIDER:
            break
    return min(fitting, key=lambda sets: int((sets[:, 1] - sets[:, 0]).sum()))


def held(ranks: NDArray[np.int64], sets: NDArray[np.int64]) -> float:
    """The share of draws in which all ranks are inside the sets."""
    return float(((ranks >= sets[:, 0]) & (ranks <= sets[:, 1])).all(1).mean())


def narrowest(ranks: NDArray[np.int64], spare: int) -> NDArray[np.int64]:
    """(k, 2): the ranges of the ranks when so many draws are given up, the costliest first."""
    D, k = ranks.shape
    kept = np.ones(D, bool)
    while True:
        left = ranks[kept]
        low, high, most, drop = left.min(0), left.max(0), 0.0, None
        for end, sign in ((low, 1), (high, -1)):
            at = left == end
            costs = at.sum(0)
            saved = np.where(at, D * k, sign * (left - end)).min(0)
            gain = np.where((costs <= spare) & (saved < D * k), saved / costs, 0.0)
            arm = int(gain.argmax())
            if gain[arm] > most:
                most, drop = float(gain[arm]), at[:, arm]
        if drop is None:
            return np.stack([low, high], axis=1)
        spare -= int(drop.sum())
        kept[np.flatnonzero(kept)[drop]] = False


def needed(names: tuple[str, ...], drawn: NDArray[Any], leader: int, second: int) -> Needed:
    """How many votes on the first two would settle who is better, if nothing changes."""
    lead = drawn[:, leader].astype(np.float64) - drawn[:, second]
    gap, variance = float(np.median(lead)), float(lead.var())
    if gap < math.sqrt(variance) / 2:
        return Needed(names[leader], names[second], None)
    p = share(gap)
    more = ((NEEDED / gap) ** 2 - 1 / variance) / (p * (1 - p))
    return Needed(names[leader], names[second], max(1.0, more))


def times_shown(votes: Votes, begin: int) -> NDArray[np.int64]:
    """(K,): how many votes each arm was in, from one of them on."""
    parts = (np.bincount(arm[begin:], minlength=votes.K) for arm in (votes.first, votes.second))
    return np.asarray(sum(parts))


def seen(votes: Votes, arm: int, vote: int) -> Seen:
    """An arm's first or last vote, counted from 0."""
    time = None if votes.time is None else float(votes.time[vote])
    return Seen(votes.names[arm], int(vote) + 1, time)


def numbered(votes: Votes, *places: int) -> tuple[int, int, int, tuple[float, float, float] | None]:
    """Three votes, counted from 0, as their numbers and their times."""
    middle, low, high = (min(max(place, 0), len(votes) - 1) for place in places)
    times = None
    if votes.time is not None:
        times = float(votes.time[middle]), float(votes.time[low]), float(votes.time[high])
    return middle + 1, low + 1, high + 1, times


def moment(seconds: float) -> datetime:
    """A moment as a date and time in UTC."""
    return datetime.fromtimestamp(float(seconds), UTC)


def dated(told: Since | Turn | Seen) -> dict[str, Any]:
    """For `json.dumps`: times as ISO 8601."""
    found = told._asdict()
    if isinstance(told, Seen):
        time = found.pop("time")
        return found | {"at": None if time is None else moment(time).isoformat()}
    times = found.pop("times")
    given = [None] * 3 if times is None else [moment(time).isoformat() for time in times]
    return found | dict(zip(("since_at", "earliest_at", "latest_at"), given, strict=True))
