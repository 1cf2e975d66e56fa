"""An answer as pages tell it: curves, figures, events, places and pairs, as values of `charts`."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import streams
from sparring.charts.course import Line, Takeover
from sparring.charts.standing import Event, Figure, Met, Standing, met, told_apart
from sparring.formats import (
    DASH,
    chance,
    isolated,
    number,
    points,
    series,
)
from sparring.votes.answer import SAVED, Findings
from sparring.votes.data import DAY, Votes
from sparring.votes.standings import ALWAYS, LEVEL, MAYBE, Needed, clearly, switch

Floats = NDArray[np.float64]

COLOURED = 6  # arms in colour
STRETCHES = 40  # of votes, in which shares are counted
FULL = 8  # votes in one of them, at least
# Seconds that votes are counted in, and what a rate is said in.
WIDTHS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, DAY, 7 * DAY)
MINUTE, HOUR = 60.0, 3600.0
PAIRED = 30  # arms in the table of pairs
RECENT = 0.95  # of the votes: a change after that leaves too few since to count
TELLING = 5  # votes of a pair, on average, that are worth a table of their own
MARKS = (0.02, 0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95, 0.98)
APART = 0.13  # of the axis, from one mark to the next
STRANGE = 20  # groups that cannot be compared, and names of each
COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class View:
    """An answer as pages tell it. Arms are places in `votes.names`.

    Parameters
    ----------
    answer
        From `sparring.votes.answer`.
    """

    def __init__(self, answer: Findings) -> None:
        self.answer, self.votes, self.now = answer, answer.votes, answer.now
        self.key = {name: arm for arm, name in enumerate(self.votes.names)}
        self.moments = self.votes.moments
        self.strong = [self.key[place.name] for place in self.now.places]
        self.gone = [self.key[one.arm] for one in self.now.gone]
        self.joined = {self.key[one.arm] for one in self.now.joined}
        self.leader = self.strong[0]
        self.leads = [place.leads for place in self.now.places]
        self.at = moments(self.votes, np.rint(self.now.past.vote).astype(np.int64) - 1)
        if self.now.past.time is not None:
            self.at = self.now.past.time.copy()
        self.at[[0, -1]] = self.when(1), self.when(len(self.votes))

    def when(self, vote: float) -> float:
        """When a vote was, by its number: seconds since 1970, or the number itself."""
        return self.votes.when(vote)

    def name(self, arm: int) -> str:
        """The name of an arm, within a sentence."""
        return isolated(self.votes.names[arm])

    def share(self, arm: int, place: int = -1) -> str:
        """The share of votes that an arm won at a moment."""
        return f"{100 * self.shares[0][arm, place]:.0f}%"

    @cached_property
    def shares(self) -> tuple[Floats, Floats, Floats]:
        """(K, B) each: the share of votes won, and its interval; NaN where an arm is not there."""
        past = self.now.past
        odds = past.strength, past.low, past.high
        share, low, high = (np.asarray(1 / (1 + np.exp(-one))) for one in odds)
        return share, low, high

    @cached_property
    def takeovers(self) -> tuple[Takeover, ...]:
        """Changes of the leader, the oldest first."""
        since, reigns = self.now.since, self.now.reigns
        ours = self.now.clear and since.changed and len(self.strong) > 1
        found = []
        for before, reign in pairwise(reigns):
            if not (ours and reign is reigns[-1]):
                arms = self.key[reign.arm], self.key[before.arm]
                found += taken_over(self, *arms, reign.end)
        if ours:
            old = self.key[since.before] if since.before else None
            votes = (self.when(one) for one in (since.since, since.earliest, since.latest))
            found.append(Takeover(self.leader, old, *votes))
        return tuple(found)

    @property
    def since(self) -> Takeover | None:
        """When the leader took over; None if it never did, or nobody leads."""
        last = self.takeovers[-1] if self.takeovers else None
        return last if last and last.key == self.leader and self.now.clear else None

    @property
    def coloured(self) -> list[int]:
        """The leader, the first three, and who led before: in colour."""
        led = [arm for one in reversed(self.takeovers) for arm in (one.key, one.old)]
        chosen = dict.fromkeys([*self.strong[:3], *(arm for arm in led if arm is not None)])
        return list(chosen)[:COLOURED]

    @property
    def latest(self) -> int:
        """How many votes there were when the latest change was over; 0 if too few came since."""
        ends = [turn.latest for turn in self.now.turns]
        if self.since is not None:
            ends.append(self.now.since.latest)
        found = max(ends, default=0)
        return found if found < RECENT * len(self.votes) else 0

    def lines(self) -> list[Line]:
        """The curves, the strongest first and then those that left; the first two with bands."""
        coloured, there = self.coloured, self.now.histories.there
        banded = [arm for arm in coloured if arm in self.strong][:2]
        ends = {self.key[one.arm]: self.when(one.vote) for one in self.now.gone}
        starts = {self.key[one.arm]: self.when(one.vote) for one in self.now.joined}
        found = []
        for arm in [*self.strong, *self.gone]:
            on = np.flatnonzero(there[arm])
            x = self.at[on].copy()  # a curve begins and ends with its arm, not with a bin
            x[0], x[-1] = starts.get(arm, x[0]), ends.get(arm, x[-1])
            rising = x > np.maximum.accumulate(np.concatenate([[-np.inf], x[:-1]]))
            on, x = on[rising], x[rising]
            found.append(
                Line(
                    arm,
                    self.votes.names[arm],
                    x,
                    self.shares[0][arm, on],
                    self.shares[1][arm, on],
                    self.shares[2][arm, on],
                    coloured=arm in coloured,
                    banded=arm in banded,
                    joined=arm in starts,
                    left=arm in ends,
                )
            )
        return found

    def finding(self) -> str:
        """The finding, as a headline."""
        leader, since = self.name(self.leader), self.now.since
        if len(self.strong) == 1:
            return f"{leader} is the only arm left"
        if self.now.ahead:
            return self.now.headline
        if not self.now.clear:
            likely = sorted(self.now.places, key=lambda place: -place.leads)[:2]
            names = [isolated(one.name) for one in likely if one.leads >= MAYBE]
            return (
                f"Nobody clearly leads: {series(names, 'or')}" if names else "Nobody clearly leads"
            )
        if self.since is None:
            return f"{leader} leads"
        if since.joined:
            return f"{leader} has led since it joined: {self.moments.on(self.since.at)}"
        if since.earliest <= 1:
            return f"{leader} has led since {self.moments.on(self.since.high)} at the latest"
        return f"{leader} has led since {self.moments.on(self.since.at)}"

    def figures(self) -> list[Figure]:
        """The three figures on top: who, how sure, since when."""
        places = self.now.places
        wins = f"wins {self.share(self.leader)} against an average opponent"
        who = "Leader" if self.now.clear else "Most likely the best"
        likely = sorted(places[1:], key=lambda place: -place.leads)[:2]
        others = [one for one in likely if one.leads >= 0.01] or likely[:1]
        following = ", ".join(f"{isolated(one.name)} {chance(one.leads)}" for one in others)
        sure = chance(places[0].leads)
        return [
            Figure(who, self.name(self.leader), wins, self.leader),
            Figure("Chance that this is right", sure, f"next: {following}" if others else ""),
            self._since(),
        ]

    def _since(self) -> Figure:
        when, first, last = self.moments, self.when(1), self.when(len(self.votes))
        if not self.now.clear:
            return self._open()
        word, took = "In the lead since", self.since
        if took is None:
            sure = "" if self.now.since.always > 1 - MAYBE else ", as far as these votes can tell"
            return Figure(word, "the beginning", f"{when.full(first)}{sure}")
        if self.now.since.joined:
            before = "" if took.old is None else f"; before that {self.name(took.old)} led"
            return Figure(word, when.on(took.at), f"when it joined{before}")
        if self.now.since.earliest <= 1:
            return Figure(word, when.on(took.high), "at the latest")
        between, lasted = when.between(took.low, took.high), when.lasted(took.at, last)
        return Figure(word, when.on(took.at), f"{between} (95%), {lasted}")

    def _open(self) -> Figure:
        """Since when nobody clearly leads."""
        leads, word = self.now.past.leads, "Open since"
        clear = np.flatnonzero([clearly(one) for one in leads.max(0)])
        if not len(clear) or clear[-1] == leads.shape[1] - 1:
            return Figure(word, "the beginning", self.moments.full(self.when(1)))
        last = int(clear[-1])
        begins = self.now.histories.bins[0]
        came = [arm for arm in sorted(self.joined) if abs(int(begins[arm]) - last) <= 2]
        who = f"before that {self.name(int(leads[:, last].argmax()))} led"
        if came:
            first = next(one for one in self.now.joined if self.key[one.arm] == came[0])
            at, who = self.when(first.vote), f"when {self.name(came[0])} joined; {who}"
        else:
            at = self.when(self.now.histories.edges[last + 1] + 1)
        return Figure(word, self.moments.on(at), who)

    def story(self) -> str:
        """Who took over when, the latest first."""
        if self.takeovers:
            return "; ".join(self._took(one) for one in reversed(self.takeovers)) + "."
        if self.now.clear and len(self.strong) > 1:
            return f"{self.name(self.leader)} has led since the file begins."
        return "" if self.now.clear else "Nobody has clearly led."

    def _took(self, one: Takeover) -> str:
        whom = "the lead" if one.old is None else f"over from {self.name(one.old)}"
        on = "on about " if self.votes.time is not None else "at about "
        return f"{self.name(one.key)} took {whom} {on}{self.moments.on(one.at)}"

    def standing(self, most: int = 3) -> str:
        """How the first ones stand, for those who do not see the chart."""
        shown = [f"{self.name(arm)} {self.share(arm)}" for arm in self.strong[:most]]
        return f"Now: {series(shown)}."

    def events(self) -> list[Event]:
        """What rose, fell, joined and left, the latest first."""
        found: list[tuple[float, int, Event]] = []

        def add(
            at: float, way: str, arm: int, verb: str, detail: str, *, dated: bool = True
        ) -> None:
            when, machine = "", ""
            if dated:
                when, machine = self.moments.brief(at), self.moments.machine(at)
            event = Event(when, machine, way, self.votes.names[arm], verb, detail)
            found.append((at, way == "up", event))

        told: set[Takeover] = set()
        for turn in self.now.turns:
            arm, at, lead = self.key[turn.arm], self.when(turn.since), ""
            low, high = self.when(turn.earliest), self.when(turn.latest)
            for one in self.takeovers:
                if low <= one.at <= high and arm in (one.key, one.old):
                    at, told = one.at, told | {one}
                    lead = f" and {self._lead(one)}"
                    if arm == one.old:
                        lead = f" and lost the lead to {self.name(one.key)}"
            before, after = self._around(arm, turn.earliest, turn.latest)
            detail = f"from {before} to {after}, {self.moments.between(low, high)}"
            way, verb = ("up", "rose") if turn.rose else ("down", "fell")
            add(at, way, arm, verb + lead, detail)
        for one in self.takeovers:
            if one not in told:
                between = self.moments.between(one.low, one.high)
                add(one.at, "up", one.key, self._lead(one), between)
        for names, way, verb in ((self.now.rose, "up", "rose"), (self.now.fell, "down", "fell")):
            for name in names:
                detail = "over the file; when cannot be told"
                add(-np.inf, way, self.key[name], verb, detail, dated=False)
        for seen in self.now.joined:
            arm, at = self.key[seen.arm], self.when(seen.vote)
            stands = "left since" if arm in self.gone else f"stands at {self.share(arm)} now"
            add(at, "in", arm, "joined", f"{stands}, first seen {self.moments.on(at)}")
        for seen in self.now.gone:
            arm, at = self.key[seen.arm], self.when(seen.vote)
            share = self.share(arm, int(np.flatnonzero(self.now.histories.there[arm])[-1]))
            stood = f"stood at {share}; not counted now"
            add(at, "out", arm, "left", f"{stood}, last seen {self.moments.on(at)}")
        return [event for *_, event in sorted(found, key=lambda one: (-one[0], not one[1]))]

    def _lead(self, one: Takeover) -> str:
        return "took the lead" + ("" if one.old is None else f" from {self.name(one.old)}")

    def _around(self, arm: int, earliest: int, latest: int) -> tuple[str, str]:
        """The shares of votes won before and after a change."""
        edges, there = self.now.histories.edges, np.flatnonzero(self.now.histories.there[arm])
        ends = np.searchsorted(edges, [earliest - 1, latest - 1], "right") - 1 + [-1, 1]
        before, after = np.clip(ends, there[0], there[-1]).tolist()
        return self.share(arm, before), self.share(arm, after)

    def placed(self, standing: Sequence[Standing]) -> str:
        """The places in a sentence or two: only as far as they can be told apart."""
        names = [isolated(one.name) for one in standing]
        alone = [one for one in standing if one.places[0] == one.places[1]]
        if len(alone) == len(standing):
            return f"Every place is settled: {series(names)}."
        said = []
        if alone:
            own = [f"{isolated(one.name)} ({one.place})" for one in alone]
            verb, its = ("has a place", "its") if len(own) == 1 else ("have places", "their")
            said.append(f"Only {series(own)} {verb} of {its} own.")
        if told_apart(standing):
            bars = "A bar spans the places that are possible; with 95% all are right at once."
            return " ".join([*said, bars])
        top = [one for one in standing if one.places[0] == 1]
        closed = max(one.places[1] for one in top) == len(top)
        told = {one.key for one in [*alone, *(top if closed or len(top) <= 4 else [])]}
        rest = len(standing) - len(told)
        if len(top) > 1:
            who = [isolated(one.name) for one in top]
            if closed:
                said.append(f"{series(who)} share the first {counted(len(top))} places.")
            elif len(top) <= 4:
                said.append(f"{series(who, 'or')} is first.")
            else:
                said.append(f"{counted(len(top)).capitalize()} arms may be first.")
        if rest > 1:
            others = f"the {'other ' if rest < len(standing) else ''}{counted(rest)}"
            possible = "the standings give the places that are possible for each"
            said.append(f"The order of {others} cannot be told yet; {possible}.")
        return " ".join(said)

    def settle(self) -> list[str]:
        """What would settle who leads."""
        needed, saved = self.now.needed, self.answer.saving
        simulated = [f"{saved} (simulated)."] if saved and saved.saved >= SAVED else []
        return [*self._settle(needed), *simulated] if len(self.strong) > 1 else []

    def _settle(self, needed: Needed | None) -> list[str]:
        if needed is None:
            return [f"Nothing more is needed to say that {self.name(self.leader)} leads."]
        both = f"{isolated(needed.leader)} and {isolated(needed.second)}"
        if needed.votes is None:
            return [f"{both} are too close to say how many votes would settle it."]
        votes = float(f"{needed.votes:.2g}")
        many = "one vote" if votes == 1 else f"{votes:,.0f} votes"
        sure = f"to be {100 * LEVEL:.0f}% sure in four cases of five"
        return [f"About {many} between {both}, {sure}, if nothing changes."]

    def notes(self) -> list[str]:
        """What a reader should know of the votes."""
        found, answer = [], self.answer
        if self.now.hardly:
            names = [isolated(name) for name in self.now.hardly]
            found.append(f"Hardly asked lately, and so hardly known: {series(names)}.")
        if not self.now.histories.agreed:
            found.append("Two runs of the sampler still differ, so chances are rough.")
        found += [f"{one.text[0].upper()}{one.text[1:]}." for one in answer.problems]
        found += answer.alarm()
        apart = answer.strangers(STRANGE, STRANGE)
        return found + [f"Never met the others, and left out: {group}." for group in apart]

    def duel(self) -> str:
        """How the leader would do against the next one."""
        if len(self.strong) < 2:
            return ""
        one, other = self.now.places[:2]
        wins = chance(self.now.chance(one.name, other.name))
        whom = f"{isolated(other.name)}, the next"
        return f"{isolated(one.name)} would win {wins} of votes against {whom}."

    def standings(self) -> "Table":
        """How each arm that is there stands now."""
        low, high = (odds(one[self.strong, -1]) for one in self.shares[1:])
        bounds = float(low.min()) - 0.08, float(high.max()) + 0.08

        def at(share: float) -> float:
            return float((odds(np.float64(share)) - bounds[0]) / (bounds[1] - bounds[0]))

        rows, coloured = [], self.coloured
        begins = self.now.histories.bins[0]
        for arm, place in zip(self.strong, self.now.places, strict=True):
            middle, left, right = (float(one[arm, -1]) for one in self.shares)
            rise = middle - float(self.shares[0][arm, begins[arm]])
            rows.append(
                Standing(
                    key=arm,
                    name=place.name,
                    coloured=arm in coloured,
                    places=place.ranks,
                    share=place.won,
                    at=at(middle),
                    low=at(left),
                    high=at(right),
                    first=chance(place.leads) if place.leads >= 0.005 else DASH,
                    change="joined" if arm in self.joined else points(rise),
                    shown=place.votes,
                )
            )
        marks: list[tuple[float, str]] = []
        for one in sorted(MARKS, key=lambda one: abs(one - 0.5)):
            there = at(one)
            if 0 < there < 1 and all(abs(there - other) >= APART for other, _ in marks):
                marks.append((there, f"{100 * one:.0f}%"))
        shown = [(f"{100 * there:.2f}%", text) for there, text in sorted(marks)]
        return Table(rows, shown, at(0.5))

    def windows(self) -> list["Window"]:
        """The table of pairs since the latest change, if there was one; and over all votes."""
        arms = self.strong[:PAIRED]
        names = [self.votes.names[arm] for arm in arms]
        at = np.ix_(arms, arms)
        found = []
        wins, counts = pairs(self.votes, self.latest)
        if self.latest and counts[at].sum() >= TELLING * len(arms) * (len(arms) - 1):
            label = f"since {self.moments.on(self.when(self.latest))}, the latest change"
            found.append(Window(label, names, met(names, wins[at], counts[at])))
        wins, counts = pairs(self.votes, 0)
        return [*found, Window("all votes", names, met(names, wins[at], counts[at]))]

    def shown(self) -> list[Line]:
        """In which share of the pairs each arm was shown, over time.

        Votes are taken in stretches of equal number, so that a busy hour does not hide in a bin.
        """
        votes, coloured = self.votes, self.coloured
        many = max(2, min(STRETCHES, len(votes) // FULL))
        ends = np.linspace(0, len(votes), many + 1).round().astype(np.int64)
        x = moments(votes, (ends[1:] + ends[:-1]) // 2)
        rising = np.concatenate([[True], np.diff(x) > 0])
        found = []
        for arm in self.strong:
            there = np.concatenate([[0], np.cumsum((votes.first == arm) | (votes.second == arm))])
            y = (np.diff(there[ends]) / np.diff(ends))[rising]
            on = arm in coloured
            found.append(Line(arm, votes.names[arm], x[rising], y, y, y, coloured=on))
        return found


def taken_over(view: View, new: int, old: int, end: int) -> list[Takeover]:
    """When an arm that led up to a vote had passed the one before, if it had not always led.

    Of each draw in which it is ahead then, the last bin in which it was not; within that bin and
    the next one, the vote is drawn by how probable the outcomes are (`standings.switch`).
    """
    found, votes = view.now.histories, view.votes
    last = int(np.searchsorted(found.edges, end - 1, "right")) - 1
    ahead = found.strengths[:, new, : last + 1] > found.strengths[:, old, : last + 1]
    ahead = (ahead | ~found.there[old, : last + 1]) & found.there[new, : last + 1]
    mine = np.flatnonzero(ahead[:, -1])
    behind = ~ahead[mine]
    if not len(mine) or np.mean(~behind.any(1)) > ALWAYS:
        return []
    bins = np.where(behind.any(1), last - behind[:, ::-1].argmax(1), 0)
    rng = streams.keyed(0, "takeovers", experiment="votes", K=votes.K, T=len(votes), run=end)
    at = np.zeros(len(mine))
    for b in np.unique(bins).tolist():
        those = np.flatnonzero(bins == b)
        cut = switch(votes, found, mine[those], b)
        at[those] = found.edges[b] + rng.choice(len(cut), len(those), p=cut)
    at = np.clip(at, found.first[new], end - 1)
    middle, low, high = (view.when(one + 1) for one in np.quantile(at, [0.5, 0.025, 0.975]))
    return [Takeover(new, old, middle, low, high)]


def moments(votes: Votes, places: NDArray[np.int64]) -> Floats:
    """When votes were, by their places: seconds since 1970, or numbers of votes from 1 on."""
    safe = np.clip(places, 0, len(votes) - 1)
    return np.asarray(safe + 1 if votes.time is None else votes.time[safe], np.float64)


def counted(size: int) -> str:
    """A small number as a word."""
    return COUNTED[size] if size < len(COUNTED) else number(size)


class Table(NamedTuple):
    """The standings and their axis."""

    rows: list[Standing]
    marks: list[tuple[str, str]]
    half: float


def odds(share: Floats | np.float64) -> Floats:
    """Log-odds of a share, kept from being infinite."""
    safe = np.clip(share, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(safe / (1 - safe)))


class Window(NamedTuple):
    """How the arms did against each other, over some of the votes."""

    label: str
    names: list[str]
    table: list[list[Met]]


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


def rate(times: Floats) -> tuple[Floats, Floats, str]:
    """Votes per hour, or per minute while there are no two hours: edges, rates, the unit."""
    span = float(times[-1] - times[0])
    width = next((wide for wide in WIDTHS if span / wide <= 60), span / 60)
    edges = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 2) * width
    unit, seconds = ("minute", MINUTE) if span < 2 * HOUR else ("hour", HOUR)
    return edges, np.histogram(times, edges)[0] * (seconds / width), unit
