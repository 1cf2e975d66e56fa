"""Since when the leader leads: who was ahead before, and when that changed."""

from typing import Any, NamedTuple

import numpy as np

from sparring.votes.memories import Memories
from sparring.votes.splitting import split
from sparring.votes.standings import moment
from sparring.votes.values import Votes

CLEARLY = 1.645  # standard errors: one side of 95%
LATE = 3  # votes for each arm: of pairs drawn evenly, e^-6 of the arms are not yet in one


class Leading(NamedTuple):
    """Since which vote an arm leads: since its first, if no other was ever clearly ahead."""

    arm: str
    before: str
    """The arm that led before; empty if no other was ever clearly ahead."""
    since: int
    """The number of the first vote after the change, most likely."""
    earliest: int
    latest: int
    """The votes between which it was, with about 95% if the change was sudden."""
    clear: bool
    """Whether it is clearly ahead by now."""
    times: tuple[float, float, float] | None = None
    """Of since, earliest and latest, in seconds since 1970, if votes have times."""
    joined_late: bool = False
    """Whether its first vote came later than it would have if it had been there from the start."""

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`, times as ISO 8601."""
        found = self._asdict()
        names = ("since_at", "earliest_at", "latest_at")
        moments = (
            [None] * 3 if self.times is None else [moment(at).isoformat() for at in self.times]
        )
        del found["times"]
        return found | dict(zip(names, moments, strict=True))

    def __str__(self) -> str:
        if self.times is None:
            since, low, high = (f"vote {at:,}" for at in (self.since, self.earliest, self.latest))
        else:
            form = "%Y-%m-%d" if self.times[2] - self.times[1] > 86_400 else "%Y-%m-%d %H:%M"
            since, low, high = (f"{moment(at):{form}}" for at in self.times)
        if not self.before and self.joined_late:
            return f"It has led since its first vote, {since}."
        if not self.before:
            return "It has led for as long as the votes can tell."
        between = f" (between {low} and {high})" if low != high else ""
        yet = "" if self.clear else "; it is not clearly ahead yet"
        return f"It has led since about {since}{between}; before that it was {self.before}{yet}."


def lead(votes: Votes, found: Memories, leader: int) -> Leading:
    """Since when an arm leads.

    The strengths over time say who was ahead before: the last arm that was clearly ahead. They lag
    behind, so the date comes from the best cut (`split`) of the votes around that time. This is an
    estimate, not a test; `alarm` is a test. Without a sign of change, no arm led before. Before its
    first vote an arm neither leads nor trails, so nothing is said of any earlier time.

    Examples
    --------
    >>> from sparring.votes import memories
    >>> rng = np.random.default_rng(2)
    >>> first = rng.integers(2, size=2000)
    >>> tea = rng.random(2000) < np.where(np.arange(2000) < 1200, 0.7, 0.3)
    >>> votes = Votes(("tea", "coffee"), first, 1 - first, np.where(first == 0, tea, ~tea))
    >>> found = lead(votes, memories(votes), leader=1)
    >>> found.before, found.earliest <= 1200 <= found.latest
    ('tea', True)
    """
    name, past, errors = votes.names[leader], found.past, found.past_errors
    joined = int(votes.begun[leader])
    others = np.where(found.marks[:, None] > votes.begun, past, -np.inf)
    others[:, leader] = -np.inf
    second, rows = others.argmax(1), np.arange(len(past))
    ahead = past[:, leader] - past[rows, second]
    score = ahead / np.hypot(errors[:, leader], errors[rows, second])
    score[found.marks <= joined] = 0.0
    is_late, clear = joined > LATE * votes.K, bool(score[-1] > CLEARLY)
    first = (joined + 1, joined + 1, joined + 1)
    always = Leading(name, "", *first, clear, _times(votes, *first), is_late)
    behind = np.flatnonzero(score < -CLEARLY)
    if not found.moved or not len(behind):
        return always
    last, now = int(behind[-1]), np.flatnonzero(score[behind[-1] :] > CLEARLY)
    after = int(found.marks[last + now[0]]) if len(now) else len(votes)
    before = int(found.marks[last])
    # As far back as another change is unlikely, and the memory lags.
    room = max(after - before, int(np.searchsorted(votes.clock, 3 * found.half_life)), 1)
    end = min(len(votes), after + room)
    begin = min(max(joined, before - room), end - 2)  # two votes can be cut
    cut = split(votes, max(begin, 0), end)
    since, earliest, latest = (min(max(at, joined) + 1, len(votes)) for at in cut)
    times = _times(votes, since, earliest, latest)
    rival, cleared = votes.names[second[last]], bool(len(now))
    return Leading(name, rival, since, earliest, latest, cleared, times, is_late)


def _times(
    votes: Votes, since: int, earliest: int, latest: int
) -> tuple[float, float, float] | None:
    if votes.time is None:
        return None
    at = votes.time
    return float(at[since - 1]), float(at[earliest - 1]), float(at[latest - 1])
