"""What pages show of votes: curves, figures, events, places and pairs, as values of `charts`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.charts.course import Line, Takeover
from sparring.charts.standing import Event, Figure, Met, Standing, met, told_apart
from sparring.formats import (
    DASH,
    Counted,
    Dates,
    Moments,
    chance,
    isolated,
    near,
    number,
    points,
    series,
)
from sparring.votes.answering import Findings
from sparring.votes.values import DAY, Votes

Floats = NDArray[np.float64]

MAYBE = 0.05  # the chance from which on one may be the leader
CLEARLY = 0.75  # the chance from which on an arm leads
COLOURED = 6  # arms in colour
SURE = 1.96  # standard errors of a band
LATE = 0.05  # of the file, after which an arm joined
STRETCHES = 40  # of votes, in which shares are counted
FULL = 8  # votes in one of them, at least
# Seconds that votes are counted in, and what a rate is said in.
WIDTHS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, DAY, 7 * DAY)
MINUTE, HOUR = 60.0, 3600.0
PAIRED = 30  # arms in the table of pairs
CLEAREST = 20  # votes on a pair, from which on its share is worth a sentence
MARKS = (0.02, 0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95, 0.98)
APART = 0.055  # of the axis, from one mark to the next
COUNTED = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


class Change(NamedTuple):
    """An arm's strength changed at once."""

    arm: int
    low: float
    high: float
    """The moments between which it was."""
    before: float
    after: float
    """The share of votes it won then, and since."""


@dataclass(frozen=True, eq=False)
class Past:
    """Every arm's past, as pages show it. Arms are places in `votes.names`."""

    votes: Votes
    at: Floats
    """(B,): moments, in seconds since 1970; or numbers of votes, if these have no times."""
    share: Floats
    low: Floats
    high: Floats
    """(K, B): the share of votes each arm wins against an opponent as strong as all were on average
    over the file, and its interval."""
    there: NDArray[np.bool_]
    """(K, B): whether an arm was there."""
    began: Floats
    ended: Floats
    """(K,): the moments of its first and its last vote."""
    joined: NDArray[np.bool_]
    here: NDArray[np.bool_]
    """(K,): whether it came later than the file began; whether it is there now."""
    best: Floats
    """(K,): the chance that it is the best of those that are there now."""
    places: NDArray[np.int64]
    """(K, 2): the places it may have."""
    takeovers: tuple[Takeover, ...]
    """Changes of the leader, the oldest first."""
    changes: tuple[Change, ...]
    moved: tuple[tuple[int, bool], ...]
    """Arms that moved, there is no telling when; whether they rose."""

    @property
    def leader(self) -> int:
        """The arm that is most likely the best."""
        return int(self.best.argmax())

    @property
    def leads(self) -> bool:
        """Whether it clearly leads."""
        return bool(self.best[self.leader] >= CLEARLY)

    @property
    def strong(self) -> list[int]:
        """The arms that are there, the strongest first."""
        here = np.flatnonzero(self.here)
        return here[np.argsort(-self.share[here, -1], kind="stable")].tolist()

    @property
    def gone(self) -> list[int]:
        """The arms that were there once."""
        return np.flatnonzero(~self.here & self.there.any(1)).tolist()

    @property
    def moments(self) -> Moments:
        """How to say when."""
        return moments_of(self.votes)

    @property
    def since(self) -> Takeover | None:
        """When the leader took over; None if it never did, or nobody leads."""
        last = self.takeovers[-1] if self.takeovers else None
        return last if last and last.key == self.leader and self.leads else None

    @property
    def coloured(self) -> list[int]:
        """The leader, the first three, and who led before: in colour."""
        led = [arm for one in reversed(self.takeovers) for arm in (one.key, one.old)]
        return list(dict.fromkeys([self.leader, *self.strong[:3], *led]))[:COLOURED]

    @property
    def latest(self) -> int:
        """The number of votes before the latest change ended; 0 if there was none, or just now."""
        ends = [one.high for one in self.takeovers] + [one.high for one in self.changes]
        if not ends:
            return 0
        when = moments(self.votes, np.arange(len(self.votes)))
        found = int(np.searchsorted(when, max(ends), "right"))
        return found if found < 0.95 * len(self.votes) else 0

    def name(self, arm: int) -> str:
        """Its name, within a sentence."""
        return isolated(self.votes.names[arm])


def moments_of(votes: Votes) -> Moments:
    """How to say when a vote was."""
    if votes.time is None or not len(votes):
        return Counted(len(votes))
    return Dates(float(votes.time[0]), float(votes.time[-1]))


def moments(votes: Votes, places: NDArray[np.int64]) -> Floats:
    """When votes were, by their places: seconds since 1970, or numbers of votes from 1 on."""
    if votes.time is None:
        return np.asarray(places + 1, np.float64)
    return np.asarray(votes.time[np.clip(places, 0, len(votes) - 1)], np.float64)


def lines(past: Past) -> list[Line]:
    """The curves, the strongest first and then those that left; the first two with bands."""
    coloured = past.coloured
    banded = [arm for arm in coloured if past.here[arm]][:2]
    found = []
    for arm in [*past.strong, *past.gone]:
        on = np.flatnonzero(past.there[arm])
        x = past.at[on].copy()
        if past.joined[arm]:  # a curve begins and ends with its arm, not with a bin
            x[0] = past.began[arm]
        if not past.here[arm]:
            x[-1] = past.ended[arm]
        rising = np.concatenate([[True], np.diff(x) > 0])
        on, x = on[rising], x[rising]
        found.append(
            Line(
                arm,
                past.votes.names[arm],
                x,
                past.share[arm, on],
                past.low[arm, on],
                past.high[arm, on],
                coloured=arm in coloured,
                banded=arm in banded,
                joined=bool(past.joined[arm]),
                left=not past.here[arm],
            )
        )
    return found


def finding(past: Past) -> str:
    """The finding, as a headline."""
    if not past.leads:
        two = np.argsort(-past.best, kind="stable")[:2].tolist()
        names = [past.name(arm) for arm in two if past.best[arm] >= MAYBE]
        return f"Nobody clearly leads: {series(names, 'or')}"
    if past.since is None:
        return f"{past.name(past.leader)} leads"
    return f"{past.name(past.leader)} has led since {past.moments.on(past.since.at)}"


def figures(past: Past) -> list[Figure]:
    """The three figures on top: who, how sure, since when."""
    leader, when = past.leader, past.moments
    order = np.argsort(-past.best, kind="stable").tolist()
    others = [arm for arm in order[1:3] if past.best[arm] >= 0.01] or order[1:2]
    following = ", ".join(f"{past.name(arm)} {chance(past.best[arm])}" for arm in others)
    wins = f"wins {100 * past.share[leader, -1]:.0f}% against an average opponent"
    who = "Leader" if past.leads else "Most likely the best"
    found = [Figure(who, past.name(leader), wins, leader)]
    sure = chance(float(past.best[leader]))
    found.append(Figure("Chance that this is right", sure, f"next: {following}" if others else ""))
    first, last = (float(one) for one in moments(past.votes, np.array([0, len(past.votes) - 1])))
    if past.since is None:
        word = "In the lead since" if past.leads else "Open since"
        told = f"{when.full(first)}, as far as these votes can tell"
        if not past.leads and past.takeovers:
            ended = past.takeovers[-1]
            told = f"{past.name(ended.key)} took over on about {when.on(ended.at)}, but not clearly"
        return [*found, Figure(word, "the beginning", told)]
    low, at, high = past.since.low, past.since.at, past.since.high
    detail = f"{when.between(low, high)} (95%), {when.lasted(at, last)}"
    return [*found, Figure("In the lead since", when.on(at), detail)]


def story(past: Past) -> str:
    """Who took over when, the latest first."""
    if not past.takeovers:
        if past.leads:
            leader = past.name(past.leader)
            return f"{leader} has led since the file begins, as far as these votes can tell."
        return "Nobody has clearly led."
    told = [
        f"{past.name(one.key)} took over from {past.name(one.old)} "
        f"on about {past.moments.on(one.at)}"
        for one in reversed(past.takeovers)
    ]
    return "; ".join(told) + "."


def now(past: Past, most: int = 3) -> str:
    """How the first ones stand, for those who do not see the chart."""
    told = [f"{past.name(arm)} {100 * past.share[arm, -1]:.0f}%" for arm in past.strong[:most]]
    return f"Now: {series(told)}." if told else ""


def events(past: Past) -> list[Event]:
    """What rose, fell, joined and left, the latest first."""
    when = past.moments
    found: list[tuple[float, int, Event]] = []

    def add(at: float, way: str, arm: int, verb: str, detail: str, *, dated: bool = True) -> None:
        told, machine = (when.brief(at), when.machine(at)) if dated else ("", "")
        event = Event(told, machine, way, f"{past.name(arm)} {verb}", detail)
        found.append((at, way == "up", event))

    told = set()
    for one in past.changes:
        at, rose, lead = (one.low + one.high) / 2, one.after > one.before, ""
        for other in past.takeovers:
            if one.low <= other.at <= one.high and one.arm in (other.key, other.old):
                at = other.at
                took = one.arm == other.key
                told |= {other}
                lead = f" and took the lead from {past.name(other.old)}"
                lead = lead if took else f" and lost the lead to {past.name(other.key)}"
        shares = f"from {100 * one.before:.0f}% to {100 * one.after:.0f}%"
        detail = f"{shares}, {when.between(one.low, one.high)}"
        add(at, "up" if rose else "down", one.arm, ("rose" if rose else "fell") + lead, detail)
    for other in past.takeovers:
        if other not in told:
            verb = f"took the lead from {past.name(other.old)}"
            add(other.at, "up", other.key, verb, when.between(other.low, other.high))
    named = {one.arm for one in past.changes}
    for arm, rose in past.moved:
        if arm not in named:
            way, verb = ("up", "rose") if rose else ("down", "fell")
            add(-np.inf, way, arm, verb, "over the file; when cannot be told", dated=False)
    for arm in np.flatnonzero(past.joined & past.there.any(1)).tolist():
        share = (
            f"stands at {100 * past.share[arm, -1]:.0f}% now" if past.here[arm] else "left since"
        )
        at = float(past.began[arm])
        add(at, "in", arm, "joined", f"{share}, first seen {when.on(at)}")
    for arm in past.gone:
        at = float(past.ended[arm])
        share = 100 * past.share[arm, np.flatnonzero(past.there[arm])[-1]]
        add(
            at,
            "out",
            arm,
            "left",
            f"stood at {share:.0f}%; not counted now, last seen {when.on(at)}",
        )
    return [event for *_, event in sorted(found, key=lambda one: (-one[0], not one[1]))]


def placed(past: Past, standing: Sequence[Standing]) -> str:
    """The places in a sentence or two: only as far as they can be told."""
    names = [isolated(one.name) for one in standing]
    alone = [one for one in standing if one.places[0] == one.places[1]]
    if len(alone) == len(standing):
        return f"Every place is settled: {series(names)}." if len(names) > 1 else ""
    said = []
    if alone:
        own = [f"{isolated(one.name)} ({one.place})" for one in alone]
        said.append(
            f"Only {series(own)} {'has a place' if len(own) == 1 else 'have places'} of "
            f"{'its' if len(own) == 1 else 'their'} own."
        )
    if told_apart(standing):
        return " ".join(
            [*said, "A bar spans the places that are possible; with 95% all are right at once."]
        )
    top = [one for one in standing if one.places[0] == 1]
    closed = max(one.places[1] for one in top) == len(top)
    rest = len(standing) - len({one.key for one in alone} | {one.key for one in top if closed})
    if len(top) > 1:
        who = [isolated(one.name) for one in top]
        if closed:
            said.append(f"{series(who)} share the first {_counted(len(top))} places.")
        elif len(top) <= 4:
            said.append(f"{series(who, 'or')} is first.")
        else:
            said.append(f"{_counted(len(top)).capitalize()} arms may be first.")
    if rest:
        others = f"the other {_counted(rest)}" if rest < len(standing) else f"the {_counted(rest)}"
        said.append(
            f"The order of {others} cannot be told yet; the standings give the places that "
            "are possible for each."
        )
    return " ".join(said)


def _counted(size: int) -> str:
    return COUNTED[size] if size < len(COUNTED) else number(size)


class Table(NamedTuple):
    """The standings and their axis."""

    rows: list[Standing]
    marks: list[tuple[str, str]]
    half: float


def standings(past: Past) -> Table:
    """How each arm that is there stands now."""
    strong, coloured = past.strong, past.coloured
    if not strong:
        return Table([], [], 0.5)
    low, high = _odds(past.low[strong, -1]), _odds(past.high[strong, -1])
    bounds = float(low.min()) - 0.08, float(high.max()) + 0.08

    def at(share: float) -> float:
        return float((_odds(np.float64(share)) - bounds[0]) / (bounds[1] - bounds[0]))

    shown = np.bincount(
        np.concatenate([past.votes.first, past.votes.second]), minlength=past.votes.K
    )
    rows = []
    for arm in strong:
        share, left, right = (float(one[arm, -1]) for one in (past.share, past.low, past.high))
        begin = float(past.share[arm, np.flatnonzero(past.there[arm])[0]])
        best = float(past.best[arm])
        rows.append(
            Standing(
                key=arm,
                name=past.votes.names[arm],
                coloured=arm in coloured,
                places=(int(past.places[arm, 0]), int(past.places[arm, 1])),
                share=near(share, (right - left) / 2),
                at=at(share),
                low=at(left),
                high=at(right),
                first=chance(best) if best >= 0.005 else DASH,
                change="joined" if past.joined[arm] else points(share - begin),
                shown=int(shown[arm]),
            )
        )
    marks: list[tuple[float, str]] = []
    for one in sorted(MARKS, key=lambda one: abs(one - 0.5)):
        place = at(one)
        if 0 < place < 1 and all(abs(place - other) >= APART for other, _ in marks):
            marks.append((place, f"{100 * one:.0f}%"))
    return Table(rows, [(f"{100 * place:.2f}%", text) for place, text in sorted(marks)], at(0.5))


def _odds(share: Floats | np.float64) -> Floats:
    safe = np.clip(share, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(safe / (1 - safe)))


class Window(NamedTuple):
    """How the arms did against each other, over some of the votes."""

    label: str
    names: list[str]
    table: list[list[Met]]


def windows(past: Past) -> list[Window]:
    """The table of pairs since the latest change, if there was one; and over all votes."""
    arms = past.strong[:PAIRED]
    names = [past.votes.names[arm] for arm in arms]
    at = np.ix_(arms, arms)
    found = []
    if past.latest:
        when = float(moments(past.votes, np.array([past.latest]))[0])
        wins, counts = pairs(past.votes, past.latest)
        label = f"since {past.moments.on(when)}, the latest change"
        found.append(Window(label, names, met(names, wins[at], counts[at])))
    wins, counts = pairs(past.votes, 0)
    return [*found, Window("all votes", names, met(names, wins[at], counts[at]))]


def pairs(votes: Votes, start: int) -> tuple[Floats, Floats]:
    """(K, K) each: how often row beat column, a tie as half a win, and how often they met."""
    K, size = votes.K, votes.K**2
    code = votes.first[start:].astype(np.int64) * K + votes.second[start:]
    weight = np.ones(len(code)) if votes.weight is None else votes.weight[start:]
    outcome = votes.outcome[start:]
    counts = np.bincount(code, weight, size).reshape(K, K)
    wins = np.bincount(code, weight * outcome, size).reshape(K, K)
    return np.asarray(wins + (counts - wins).T), np.asarray(counts + counts.T)


def clearest(window: Window) -> str:
    """How to read the table of pairs, and the clearest pair of it."""
    said = "The row against the column, with the number of votes."
    found = [
        (abs(cell.won - 0.5), row, cell)
        for row, cells in zip(window.names, window.table, strict=True)
        for cell in cells
        if cell.votes and "few" not in cell.kind and cell.won > 0.5
    ]
    if not found:
        return said
    _, row, cell = max(found, key=lambda one: one[0])
    return (
        f"{said} The clearest pair: {isolated(row)} wins {cell.share} of {cell.votes} votes "
        f"against {isolated(cell.name)}."
    )


def shares(past: Past) -> list[Line]:
    """In which share of the pairs each arm was shown, over time.

    Votes are taken in stretches of equal number, so that a busy hour does not hide in a bin.
    """
    votes, coloured = past.votes, past.coloured
    many = max(2, min(STRETCHES, len(votes) // FULL))
    ends = np.linspace(0, len(votes), many + 1).round().astype(np.int64)
    x = moments(votes, (ends[1:] + ends[:-1]) // 2)
    rising = np.concatenate([[True], np.diff(x) > 0])
    found = []
    for arm in past.strong:
        there = np.concatenate([[0], np.cumsum((votes.first == arm) | (votes.second == arm))])
        y = (np.diff(there[ends]) / np.diff(ends))[rising]
        on = arm in coloured
        found.append(Line(arm, votes.names[arm], x[rising], y, y, y, coloured=on))
    return found


def rate(times: Floats) -> tuple[Floats, Floats, str]:
    """Votes per hour, or per minute while there are no two hours: edges, rates, the unit."""
    span = float(times[-1] - times[0])
    width = next((wide for wide in WIDTHS if span / wide <= 60), span / 60)
    edges = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 2) * width
    unit, seconds = ("minute", MINUTE) if span < 2 * HOUR else ("hour", HOUR)
    return edges, np.histogram(times, edges)[0] * (seconds / width), unit


def past_of(found: Findings) -> Past:
    """The past of all arms, as an answer has it."""
    votes, noted = found.votes, found.now.memories
    assert noted is not None
    arm = np.concatenate([votes.first, votes.second])
    place = np.tile(np.arange(len(votes)), 2)
    first, last = np.full(votes.K, len(votes)), np.full(votes.K, -1)
    np.minimum.at(first, arm, place)
    np.maximum.at(last, arm, place)
    marks = np.clip(noted.marks - 1, 0, len(votes) - 1)
    there = first[:, None] <= marks
    there[:, -1] = True
    strength = noted.past.T - noted.past.T[there].mean()
    error = SURE * noted.past_errors.T
    share, low, high = (
        1 / (1 + np.exp(-one)) for one in (strength, strength - error, strength + error)
    )
    order = [votes.names.index(one.name) for one in found.now.places]
    best, ranks = np.zeros(votes.K), np.ones((votes.K, 2), np.int64)
    best[order] = [one.leads for one in found.now.places]
    ranks[order] = [one.ranks for one in found.now.places]
    led = found.lead
    takeovers = []
    if found.leads and led.before:
        ends = np.array([led.since, led.earliest, led.latest]) - 1
        arms = votes.names.index(led.arm), votes.names.index(led.before)
        takeovers.append(Takeover(*arms, *moments(votes, ends).tolist()))
    return Past(
        votes=votes,
        at=moments(votes, marks),
        share=share,
        low=low,
        high=high,
        there=there,
        began=moments(votes, first),
        ended=moments(votes, last),
        joined=first > LATE * len(votes) + votes.K,
        here=last >= 0,
        best=best,
        places=ranks,
        takeovers=tuple(takeovers),
        changes=(),
        moved=(),
    )
