"""The answer to a file of votes, in ten lines: who leads, what changed, what to do next."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.votes.alarm import alarm
from sparring.votes.alarms import AlarmReport
from sparring.votes.changes import Change
from sparring.votes.leading import Leading, lead
from sparring.votes.memories import MARKS, memories
from sparring.votes.planning import VotePlan
from sparring.votes.problems import Concern, problems
from sparring.votes.saving import Saving, saving
from sparring.votes.standings import Standings, moment, quantile, standings
from sparring.votes.values import Votes
from sparring.votes.wishing import plan

PLANNED = 40  # arms, up to which votes are planned by simulation
SIMULATED = 200  # arms, up to which a learner is simulated: it takes a matrix a period
RUNS = 200  # of a plan
PAIRED = 100  # arms whose pairs are in the JSON: a few thousand
CLEARLY = 0.75  # the best with less: nobody clearly leads
WIDER = 3.0  # times: by how much possible drift must widen intervals, to be worth a word
SAVED = 0.005  # of the regret; less is 0%

Step = Callable[[str], object]


@dataclass(frozen=True, eq=False)
class Findings:
    """Who leads now, since when, how sure, and what if."""

    votes: Votes
    """The votes that were compared: those on the largest linked group of arms."""
    apart: tuple[tuple[str, ...], ...]
    """Other groups of arms, which never met these and cannot be compared with them."""
    now: Standings
    ever: Standings
    """As if nothing had moved: every vote counts the same."""
    lead: Leading
    alarms: AlarmReport
    plan: VotePlan | None
    """Of the first two, at the level that lets all comparisons hold together, as rank sets do."""
    saving: Saving | None
    problems: tuple[Concern, ...]

    def lines(self) -> list[str]:
        """The answer in about ten lines."""
        # Where the alarm rang without another sign of change, it alone says who led before.
        since = [str(self.lead)] if self.leads and (self._moved or not self._fallen) else []
        found = [self._leader(), *since, self._ranks(), self._memory(), *self._changes()]
        if self.plan is not None:
            found.append(self._needed())
        if self.saving is not None and self.saving.saved >= SAVED:
            found.append(f"{self.saving} (simulated).")
        if self.apart:
            shown = "; ".join(self.strangers(3, 5))
            found.append(f"Left out, as they never met these arms: {shown}.")
        return found + [f"Beware: {one.text}." for one in self.problems]

    def settling(self) -> list[str]:
        """What would settle who leads."""
        return [] if self.plan is None else [self._needed()]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {
            "votes": len(self.votes),
            "arms": list(self.votes.names),
            "apart": [list(group) for group in self.apart],
            "standings": self.now.to_json(),
            "all_time": self.ever.to_json(),
            "since": self.lead.to_json(),
            "alarms": self.alarms.to_json(),
            "pairs": self.pairs(),
            "plan": None if self.plan is None else self.plan.to_json(),
            "saving": None if self.saving is None else self.saving.to_json(),
            "problems": [one.to_json() for one in self.problems],
            "lines": self.lines(),
        }

    def to_table(self) -> Any:
        """A polars table with one row for each arm, the strongest first."""
        return self.now.to_table()

    def pairs(self, most: int = PAIRED) -> list[dict[str, Any]]:
        """How the strongest arms did against each other: votes and share of each pair that met.

        The stronger comes first; `above` says whether it is certainly stronger at present.
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
                "above": bool(self.now.above[i, j]),
            }
            for (one, i), (other, j) in itertools.combinations(enumerate(at), 2)
            if met[i, j]
        ]

    def strangers(self, groups: int, arms: int) -> list[str]:
        """The groups of arms that cannot be compared with the others, in words, largest first."""
        found = [", ".join(_first(group, arms)) for group in self.apart[:groups]]
        rest = len(self.apart) - groups
        return found + ([f"and {rest:,} more groups"] if rest > 0 else [])

    @property
    def leads(self) -> bool:
        """Whether an arm clearly leads."""
        return self.now.settled or self.now.leads >= CLEARLY

    @property
    def _fallen(self) -> list[Change]:
        """Each leader that fell, by the alarm."""
        return [one for one in self.alarms.changes if one.kind == "leader"]

    @property
    def _moved(self) -> bool:
        """Whether there is a sign of change."""
        return self.now.memories is not None and self.now.memories.moved

    def _leader(self) -> str:
        votes, now = self.votes, self.now
        span = ""
        if votes.time is not None:
            first, last = (f"{moment(votes.time[at]):%Y-%m-%d}" for at in (0, -1))
            span = f" on {first}" if first == last else f" from {first} to {last}"
        many = "1 vote" if len(votes) == 1 else f"{len(votes):,} votes"
        counted = f"({many} on {votes.K:,} arms{span})"
        ever = (
            "" if self.ever.leader == now.leader else f"; over all time it was {self.ever.leader}"
        )
        if now.settled:
            return f"{now.leader} leads now, certainly above all others{ever} {counted}."
        if not self.leads:
            return (
                f"No arm clearly leads now: {now.leader} is the best with probability "
                f"{now.leads:.2f}{ever} {counted}."
            )
        return f"{now.leader} leads now, the best with probability {now.leads:.2f}{ever} {counted}."

    def _ranks(self, most: int = 12) -> str:
        shown = [
            f"{place.name} {place.ranks[0]}"
            + ("" if place.ranks[0] == place.ranks[1] else f"-{place.ranks[1]}")
            for place in self.now.places[:most]
        ]
        rest = len(self.now.places) - most
        return "Ranks: " + ", ".join(shown) + (f" and {rest:,} more" if rest > 0 else "") + "."

    def _memory(self) -> str:
        text = str(self.now.memories)
        if not self._moved:
            still = "forgetting does not predict clearly better, so no vote is forgotten"
            wider = np.diag(self.now.covariance) / np.diag(self.ever.covariance)
            times = float(np.sqrt(np.median(wider)))
            if times >= WIDER and self.now.drift is not None and self.now.drift.seen:
                wide = f"intervals are {_times(times)} times as wide for it"
                text = f"tastes may have moved: {wide}; {still}"
            elif self.alarms.changes:
                text = still
        return text[0].upper() + text[1:] + "."

    def _changes(self, most: int = 4) -> list[str]:
        """The latest changes of the leader, and which pairs changed."""
        fell = self._fallen
        pairs = [one for one in self.alarms.changes if one.kind == "pair"]
        found = [_fell(one) for one in fell[-most:]]
        if not fell:
            found = ["The alarm for a leader's fall never rang."]
        if self._moved and not self.alarms.changes:
            found = ["(The stricter alarm, which assumes no model, has not rung.)"]
        if pairs:
            names = list(dict.fromkeys(" and ".join(sorted(one.arms)) for one in reversed(pairs)))
            rest = f"; and {len(names) - most:,} more" if len(names) > most else ""
            found.append(f"Pairs that changed: {', '.join(names[:most])}{rest}.")
        return found

    def _needed(self) -> str:
        assert self.plan is not None
        one, other = (self.votes.names.index(name) for name in (self.plan.leader, self.plan.second))
        both = f"{self.plan.leader} and {self.plan.second}"
        if self.now.above[one, other]:
            return f"The votes tell {both} apart."
        if self.plan.gap < self.plan.error or not np.isfinite(self.plan.more):
            return (
                f"The lead of {self.plan.leader} over {self.plan.second} is within its error, so "
                "there is no saying how many votes would tell them apart."
            )
        among = ""
        if self.plan.gap > quantile(1 - self.now.alpha / 2) * self.plan.error:
            among = (
                f"{self.plan.leader} is ahead of {self.plan.second} if you compare only these two, "
                f"but not for certain among all {math.comb(self.votes.K, 2):,} pairs. "
            )
        settle = "settle it" if among else f"tell {both} apart"
        above = self.plan.ceiling
        # Some drift is always possible; it is blamed only where forgetting clearly predicts better.
        if self._moved and above is not None and above.reached:
            return (
                f"{among}Tastes move too fast to {settle} by waiting: ask for "
                f"{self.plan.alone:,.0f} votes on just these two now, or collect votes "
                f"{_times(above.faster)} times as fast."
            )
        most = self.plan.formula_high - self.plan.votes
        upto = f" (or up to {most:,.0f})" if np.isfinite(most) and most > self.plan.more else ""
        return (
            f"{among}About {self.plan.more:,.0f}{upto} more votes would {settle}, or "
            f"{self.plan.alone:,.0f} on just these two."
        )


def answer(
    votes: Votes,
    *,
    alpha: float = 0.05,
    every: float | None = None,
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
    what_if
        Whether to plan further votes and to simulate what a learner would have saved. Needs the
        extra `lab`.
    seed
        Seed of the simulations.
    step
        A function that is called with the name of each step, to show progress.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=600)
    >>> tea = rng.random(600) < 0.7
    >>> outcome = np.where(first == 0, tea, ~tea)
    >>> found = answer(Votes(("tea", "coffee"), first, 1 - first, outcome), what_if=False)
    >>> print(found.lines()[0])
    tea leads now, certainly above all others (600 votes on 2 arms).
    """
    groups = votes.groups()
    apart = tuple(tuple(votes.names[arm] for arm in group) for group in groups[1:])
    if apart:
        votes = votes.only(groups[0])
    step("memories")
    found = memories(votes, marks=MARKS)
    step("standings")
    now = standings(votes, found, alpha=alpha)
    ever = standings(votes, None, alpha=alpha)
    step("alarm")
    rang = alarm(votes, every=every)
    planned, saved = None, None
    if what_if:
        step("what if")
        saved = saving(votes, found, seed=seed) if votes.K <= SIMULATED else None
        runs = RUNS if votes.K <= PLANNED else 0
        # At Bonferroni's level Holm's test rejects, too, whatever becomes of the other pairs.
        planned = plan(votes, now, delta=alpha / math.comb(votes.K, 2), runs=runs, seed=seed)
    since = lead(votes, found, votes.names.index(now.leader))
    return Findings(votes, apart, now, ever, since, rang, planned, saved, problems(votes, now))


def _first(names: tuple[str, ...], most: int) -> list[str]:
    """The first names, and how many more there are."""
    rest = len(names) - most
    return [*names[:most], *([f"and {rest:,} more"] if rest > 0 else [])]


def _times(factor: float) -> str:
    return f"{factor:,.1f}" if factor < 10 else f"{factor:,.0f}"


def _fell(change: Change) -> str:
    """A leader's fall, in words."""
    first, second = change.arms
    if change.since_at is None:
        when = f"vote {change.since:,} (between {change.earliest:,} and {change.latest:,})"
    else:
        since, low, high = (
            f"{moment(at or 0):%Y-%m-%d}"
            for at in (change.since_at, change.earliest_at, change.latest_at)
        )
        when = since if low == high else f"{since} (between {low} and {high})"
    before = "" if change.before is None else f", {change.before:.0%} before"
    return (
        f"{first} fell: {second} beats it since about {when}; {first} wins {change.after:.0%} of "
        f"their votes{before}."
    )
