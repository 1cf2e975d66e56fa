"""Since when the leader leads: who was ahead before, and when that changed."""

from typing import Any, NamedTuple

import numpy as np

from sparring.votes.memories import Memories
from sparring.votes.splitting import split
from sparring.votes.standings import moment
from sparring.votes.values import Votes

CLEARLY = 1.645  # standard errors: one side of 95%


class Leading(NamedTuple):
    """Since which vote an arm leads: since the first, if no other was ever clearly ahead."""

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
        if not self.before:
            return "It has led for as long as the votes can tell."
        if self.times is None:
            since, low, high = (f"vote {at:,}" for at in (self.since, self.earliest, self.latest))
        else:
            form = "%Y-%m-%d" if self.times[2] - self.times[1] > 86_400 else "%Y-%m-%d %H:%M"
            since, low, high = (f"{moment(at):{form}}" for at in self.times)
        between = f" (between {low} and {high})" if low != high else ""
        yet = "" if self.clear else "; it is not clearly ahead yet"
        return f"It has led since about {since}{between}; before that it was {self.before}{yet}."


def lead(votes: Votes, found: Memories, leader: int) -> Leading:
    """Since when an arm leads.

    The strengths over time say who was ahead before: the last arm that was clearly ahead. They lag
    behind, so the date comes from the best cut (`split`) of the votes around that time. This is an
    estimate, not a test; `alarm` is a test. Without a sign of change, no arm led before.

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
    others = past.copy()
    others[:, leader] = -np.inf
    second, rows = others.argmax(1), np.arange(len(past))
    ahead = past[:, leader] - past[rows, second]
    score = ahead / np.hypot(errors[:, leader], errors[rows, second])
    always = Leading(name, "", 1, 1, 1, bool(score[-1] > CLEARLY))
    behind = np.flatnonzero(score < -CLEARLY)
    if not found.moved or not len(behind):
        return always
    last, now = int(behind[-1]), np.flatnonzero(score[behind[-1] :] > CLEARLY)
    after = int(found.marks[last + now[0]]) if len(now) else len(votes)
    before = int(found.marks[last])
    # As far back as another change is unlikely, and the memory lags.
    room = max(after - before, int(np.searchsorted(votes.clock, 3 * found.half_life)), 1)
    cut = split(votes, max(0, before - room), min(len(votes), after + room))
    since, earliest, latest = (min(at + 1, len(votes)) for at in cut)
    times = None
    if votes.time is not None:
        since_at, low, high = (float(votes.time[at - 1]) for at in (since, earliest, latest))
        times = (since_at, low, high)
    return Leading(name, votes.names[second[last]], since, earliest, latest, bool(len(now)), times)
