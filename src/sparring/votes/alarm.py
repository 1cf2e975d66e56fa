"""alarm and changes: when the leader fell or a pair changed, in votes already collected."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sparring import checks
from sparring.votes.alarms import AlarmReport
from sparring.votes.changes import Change, Changes, change_of
from sparring.votes.live import MOST, Alarm
from sparring.votes.values import Votes
from sparring.votes.watching import WATCHES, Rung, sorted_arms

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
