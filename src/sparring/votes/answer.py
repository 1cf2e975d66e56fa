"""The answer to a file of votes, in ten lines, and what changed since a moment."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring import checks
from sparring.durations import moment as moment_of
from sparring.formats import Dates, chance, isolated, listed, many, points
from sparring.votes.data import Votes
from sparring.votes.problems import Concern, problems
from sparring.votes.standings import Place, Standings, Turn, moment, share, standings
from sparring.votes.world import Saving, saving

if TYPE_CHECKING:
    from sparring.votes.alarm_report import AlarmReport

SIMULATED = 200  # arms, up to which a learner is simulated: it takes a matrix a period
PAIRED = 100  # arms whose pairs are in the JSON: a few thousand
SAVED = 0.005  # of the regret; less is 0%
NEARLY = 0.01  # a probability nearer to 0 or 1 is not told exactly
NAMED, TURNED, PLACED = 5, 4, 12  # arms in a list; rises and falls; places
MOVED = 0.03  # of a share of votes won, that a report tells
WIDE = 0.4  # of the arms: places wider than that, on average, tell nothing

Step = Callable[[str], object]


@dataclass(frozen=True, eq=False)
class Findings:
    """Who leads now, since when, how sure, and what if."""

    votes: Votes
    """The votes that were compared: those on the largest linked group of arms."""
    apart: tuple[tuple[str, ...], ...]
    """Other groups of arms, which never met these and cannot be compared with them."""
    now: Standings
    alarms: "AlarmReport | None"
    """What the alarm says, a test that needs no model; None if it was not asked for."""
    saving: Saving | None
    problems: tuple[Concern, ...]

    @property
    def leads(self) -> bool:
        """Whether an arm clearly leads."""
        return self.now.clear

    def lines(self, called: str = "arm") -> list[str]:
        """The answer in about ten lines, the verdict first.

        Parameters
        ----------
        called
            The word for what was voted on: the pages of an arena call it an item.
        """
        now, votes = self.now, self.votes
        found = [self.verdict(called), *self.led(), *self._others(), self.standing()]
        found += [_turned(turn, votes) for turn in _largest(now.turns)]
        for word, names in (("Rose", now.rose), ("Fell", now.fell)):
            if names:
                found.append(f"{word} since the beginning, at no certain time: {_named(names)}.")
        for word, seen in (("Joined", now.joined), ("Gone, and not counted", now.gone)):
            if seen:
                each = [f"{isolated(one.arm)} ({_on(votes, one.vote)})" for one in seen]
                found.append(f"{word}: {listed(each)}.")
        if not (now.turns or now.rose or now.fell or now.joined or now.gone or now.since.changed):
            found.append(f"No {called} rose, fell, joined or left for certain.")
        if now.hardly:
            found.append(f"Hardly asked lately, and so hardly known: {_named(now.hardly)}.")
        found += self.wanted()
        if self.saving is not None and self.saving.saved >= SAVED:
            found.append(f"{self.saving} (simulated).")
        if self.apart:
            shown = "; ".join(self.strangers(3, 5))
            found.append(f"Left out, as they never met these {called}s: {shown}.")
        if not now.histories.agreed:
            found.append("Two runs of the sampler still differ, so chances are rough.")
        found += [f"Beware: {one.text}." for one in self.problems]
        span = "" if votes.time is None else f", {votes.moments.span()}"
        found.append(f"From {many(len(votes), 'vote')} on {many(votes.K, called)}{span}.")
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {
            "votes": len(self.votes),
            "arms": list(self.votes.names),
            "apart": [list(group) for group in self.apart],
            "standings": self.now.to_json(),
            "alarms": None if self.alarms is None else self.alarms.to_json(),
            "pairs": self.pairs(),
            "saving": None if self.saving is None else self.saving.to_json(),
            "problems": [one.to_json() for one in self.problems],
            "lines": self.lines(),
        }

    def to_table(self) -> Any:
        """A polars table with one row for each candidate, the leader first."""
        return self.now.to_table()

    def pairs(self, most: int = PAIRED) -> list[dict[str, Any]]:
        """How the strongest arms did against each other: votes and share of each pair that met.

        The stronger comes first.
        """
        names = [place.name for place in self.now.places[:most]]
        at = [self.votes.names.index(name) for name in names]
        wins, met = self.votes.wins, self.votes.counts
        return [
            {
                "first": names[one],
                "second": names[other],
                "votes": float(met[i, j]),
                "won": float(wins[i, j]),
                "share": float(wins[i, j] / met[i, j]),
            }
            for (one, i), (other, j) in itertools.combinations(enumerate(at), 2)
            if met[i, j]
        ]

    def strangers(self, groups: int, arms: int) -> list[str]:
        """The groups of arms that cannot be compared with the others, in words, largest first."""
        found = [_named(group, arms) for group in self.apart[:groups]]
        rest = len(self.apart) - groups
        return found + ([f"and {rest:,} more groups"] if rest > 0 else [])

    def alarm(self) -> list[str]:
        """What the alarm says, if it was asked: what rang, and what it promises."""
        if self.alarms is None:
            return []
        test = "The alarm, a test that needs no model"
        rang = [f"{test}: {change}." for change in self.alarms.changes]
        return [*(rang or [f"{test}, never rang."]), self.alarms.promise]

    def verdict(self, called: str = "arm") -> str:
        """Who leads now, and how sure that is."""
        now = self.now
        if len(now.places) == 1:
            return f"{isolated(now.leader)} is the only {called} left."
        if now.clear:
            who, sure = isolated(now.leader), chance(now.leads)
            return f"{who} leads now. Chance that this is right: {sure}."
        likely = sorted(now.places, key=lambda place: -place.leads)
        told = [place for place in likely if place.leads >= NEARLY][:3] or likely[:1]
        return f"{now.headline}: " + ", ".join(_chance(place) for place in told) + "."

    def standing(self, most: int = PLACED) -> str:
        """The places, as far as they can be told apart."""
        places = self.now.places
        if len(places) == 1:
            return f"Places: {isolated(places[0].name)} 1."
        widths = [place.ranks[1] - place.ranks[0] + 1 for place in places]
        told = [place for place in places if place.ranks != (1, len(places))]
        if not told:
            return "Places cannot be told apart yet."
        if sum(widths) > WIDE * len(places) ** 2:
            told = [place for place in told if place.ranks[1] - place.ranks[0] < len(places) / 2]
            if not told:
                return "Places can hardly be told apart yet."
        shown = listed([f"{isolated(place.name)} {place.ranked}" for place in told], most)
        rest = "" if len(told) == len(places) else "; the others cannot be told apart"
        return f"Places, all right at once with {chance(1 - self.now.alpha)}: {shown}{rest}."

    def led(self) -> list[str]:
        """Since when the leader leads, and who led before."""
        since, votes = self.now.since, self.votes
        if not self.now.clear or len(self.now.places) == 1:
            return []
        before = f"; before that {isolated(since.before)} led" if since.before else ""
        if not since.changed:
            sure = "" if since.always >= 1 - 2 * NEARLY else ", as far as these votes can tell"
            return [f"It has led since the file begins{sure}."]
        if since.joined:
            first = next(one for one in self.now.joined if one.arm == since.arm)
            return [f"It has led since it joined ({_on(votes, first.vote)}){before}."]
        about = _on(votes, since.since)
        if since.earliest <= 1:
            return [f"It has led since {_on(votes, since.latest)} at the latest{before}."]
        between = _between(votes, since.earliest, since.latest)
        shown = f" ({between})" if _on(votes, since.earliest) != _on(votes, since.latest) else ""
        return [f"It has led since about {about}{shown}{before}."]

    def _others(self) -> list[str]:
        if not self.now.clear or not self.now.rivals:
            return []
        return [f"Who else may lead: {listed([_chance(one) for one in self.now.rivals])}."]

    def wanted(self) -> list[str]:
        """What would settle who leads."""
        wanted = self.now.needed
        if wanted is None:
            return []
        both = f"{isolated(wanted.leader)} and {isolated(wanted.second)}"
        if wanted.votes is None:
            return [f"{both} are too close to say how many votes would settle it."]
        votes = many(round(float(f"{wanted.votes:.2g}")), "vote")
        return [f"What would settle it: about {votes} between {both}, if nothing changes."]


@dataclass(frozen=True, eq=False)
class Report:
    """What changed since a moment, beside what was known then."""

    found: Findings
    since: float
    """Seconds since 1970."""
    start: int
    """How many votes there were then."""
    then: Standings
    """As those votes alone had told."""

    @property
    def when(self) -> str:
        """The moment, in words."""
        time = self.found.votes.time
        assert time is not None
        return Dates(float(time[0]), max(self.since, float(time[-1]))).on(self.since)

    def lines(self, called: str = "arm") -> list[str]:
        """The report in some lines, for a mail or a chat; `called` as for `Findings.lines`."""
        found, now, votes = self.found, self.found.now, self.found.votes
        lines = [found.verdict(called)]
        if len(votes) == self.start:
            return [*lines, f"No votes since {self.when}."]
        if now.since.latest > self.start and now.since.changed:
            lines += found.led()
        lines.append(self._then(said=len(lines) == 1))
        lines += [_turned(turn, votes) for turn in _largest(self._recent(now.turns))]
        for word, seen in (("Joined", now.joined), ("Gone, and not counted", now.gone)):
            each = [
                f"{isolated(one.arm)} ({_on(votes, one.vote)})"
                for one in seen
                if one.vote > self.start
            ]
            if each:
                lines.append(f"{word}: {listed(each)}.")
        moved = self.moved()
        if moved:
            lines.append(f"Votes won, and the change in points: {listed(moved)}.")
        if len(lines) == 2:
            lines.append("Nothing changed for certain.")
        if now.hardly:
            lines.append(f"Hardly asked lately, and so hardly known: {_named(now.hardly)}.")
        lines += [*found.wanted(), *(f"Beware: {one.text}." for one in found.problems)]
        new = many(len(votes) - self.start, "vote")
        return [*lines, f"{new} since {self.when}, {len(votes):,} in all."]

    def moved(self) -> list[str]:
        """The arms whose share of votes won has changed by some points, by the most first."""
        now, past = self.found.now, self.found.now.past
        begin = int(np.searchsorted(now.histories.edges, self.start, "left")) - 1
        found = []
        for place in now.places:
            before = past.strength[now.names.index(place.name), begin]
            rise = place.share[0] - share(before)
            if abs(rise) >= MOVED:  # never of an arm that was not there
                told = f"{isolated(place.name)} {chance(place.share[0])} ({points(rise)})"
                found.append((abs(rise), told))
        return [told for _, told in sorted(found, reverse=True)]

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {
            "since": moment(self.since).isoformat(),
            "votes": len(self.found.votes) - self.start,
            "then": self.then.to_json(),
            "lines": self.lines(),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _recent(self, turned: Sequence[Turn]) -> list[Turn]:
        return [turn for turn in turned if turn.latest > self.start]

    def _then(self, *, said: bool) -> str:
        """Who led then; `said`: the line before is about the leader of now."""
        then, now = self.then, self.found.now
        if then.ahead:
            who, sure = isolated(then.leader), chance(then.leads)
            return f"On {self.when} {who} was ahead, not clearly ({sure})."
        if not then.clear:
            likely = sorted(then.places, key=lambda place: -place.leads)[:2]
            return f"On {self.when} nobody clearly led: {listed([_chance(one) for one in likely])}."
        sure = chance(then.leads)
        if said and now.clear and then.leader == now.leader:
            return f"It led on {self.when}, too ({sure})."
        return f"On {self.when} {isolated(then.leader)} led ({sure})."


def report(found: Findings, since: datetime | float) -> Report:
    """What changed since a moment.

    Parameters
    ----------
    found
        From `answer`. The votes must have times, and some must be older than that moment.
    since
        The moment: a datetime with a time zone, or seconds since 1970.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> first, day = rng.integers(2, size=800), np.arange(800) * 3600.0
    >>> tea = rng.random(800) < np.where(np.arange(800) < 500, 0.3, 0.8)
    >>> votes = Votes(("tea", "coffee"), first, 1 - first, np.where(first == 0, tea, ~tea), day)
    >>> told = report(answer(votes, what_if=False), 400 * 3600.0)
    >>> told.lines()[2]
    'On 17 January coffee led (over 99%).'
    """
    votes, since = found.votes, moment_of("since", since)
    if votes.time is None:
        raise ValueError("since needs votes with times. Name their column: --time COLUMN")
    start = int(np.searchsorted(votes.time, since, "left"))
    if not start:
        first = votes.moments.full(float(votes.time[0]))
        asked = checks.Shown(moment(since).isoformat())
        raise checks.refuse("since", f"after the first vote, {first}", asked)
    then = found.now
    if start < len(votes):
        before = replace(votes[:start], present=None)  # who was there then, is for pauses to say
        then = standings(before.only(before.groups()[0]), alpha=found.now.alpha)
    return Report(found, since, start, then)


def answer(
    votes: Votes,
    *,
    alpha: float = 0.05,
    every: float | None = None,
    alarmed: bool = False,
    what_if: bool = True,
    seed: int = 0,
    step: Step = lambda what: None,
) -> Findings:
    """Who leads now, since when, how sure, and what if.

    Parameters
    ----------
    votes
        The votes. Arms that are not linked by votes, even through others, cannot be compared; the
        largest linked group is taken.
    alpha
        How often an interval, or any rank set, may miss.
    every
        The least mean number of votes to a false alarm; by default at least ten times as many as
        there are.
    alarmed
        Whether to run the alarm, too: a test that needs no model, and more votes. So it is if
        `every` is given.
    what_if
        Whether to simulate what a learner would have saved. Needs the extra `lab`.
    seed
        Seed of the draws and simulations.
    step
        A function that is called with the name of each step, to show progress.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=600)
    >>> tea = rng.random(600) < 0.7
    >>> outcome = np.where(first == 0, tea, ~tea)
    >>> found = answer(Votes(("tea", "coffee"), first, 1 - first, outcome), what_if=False)
    >>> print(found.lines()[0])
    tea leads now. Chance that this is right: over 99%.
    """
    groups = votes.groups()
    apart = tuple(tuple(votes.names[arm] for arm in group) for group in groups[1:])
    if apart:
        votes = votes.only(groups[0])
    step("standings")
    now = standings(votes, alpha=alpha, seed=seed)
    rang, saved = None, None
    if alarmed or every is not None:
        from sparring.votes.alarms import alarm  # only now: it is asked for

        step("alarm")
        rang = alarm(votes, every=every)
    if what_if and votes.K <= SIMULATED:
        step("what if")
        saved = saving(votes, now, seed=seed)
    return Findings(votes, apart, now, rang, saved, problems(votes, now))


def _chance(place: Place) -> str:
    return f"{isolated(place.name)} {chance(place.leads)}"


def _named(names: Iterable[str], most: int = NAMED) -> str:
    return listed([isolated(name) for name in names], most)


def _largest(turned: Sequence[Turn]) -> list[Turn]:
    """The largest rises and falls, the latest first."""
    large = sorted(turned, key=lambda turn: -abs(turn.wins - 0.5))[:TURNED]
    return sorted(large, key=lambda turn: -turn.since)


def _turned(turn: Turn, votes: Votes) -> str:
    """A rise or a fall, in words."""
    verb, when = "rose" if turn.rose else "fell", _between(votes, turn.earliest, turn.latest)
    return (
        f"{isolated(turn.arm)} {verb} {when}: it wins {chance(turn.wins)} against itself of before."
    )


def _on(votes: Votes, number: int) -> str:
    """When a vote was."""
    return votes.moments.on(votes.when(number))


def _between(votes: Votes, one: int, other: int) -> str:
    """Between which votes it was."""
    return votes.moments.between(votes.when(one), votes.when(other))
