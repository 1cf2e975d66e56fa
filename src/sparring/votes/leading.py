"""Since when the leader leads, by the strengths over time."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.votes.memories import Memories
from sparring.votes.standings import moment
from sparring.votes.values import Votes

CLEARLY = 1.645  # standard errors: one side of 95 %


class Lead(NamedTuple):
    """Since when an arm leads, in votes: since the first of them if it always has."""

    arm: str
    before: str
    """Who led before; empty if nobody else ever did."""
    since: int
    """The number of the first vote after the change, most likely."""
    earliest: int
    latest: int
    """The votes between which it was: from the last at which the arm was clearly behind to the
    first at which it was clearly ahead, or to the last vote if it is not yet."""
    clear: bool
    """Whether it is clearly ahead by now."""

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return self._asdict()

    def when(self, votes: Votes) -> str:
        """In words: dates, if votes have times."""
        if not self.before:
            return "from the first vote on"
        since, low, high = (_place(votes, at) for at in (self.since, self.earliest, self.latest))
        between = f" (between {low} and {high})" if low != high else ""
        return f"since about {since}{between}"


def lead(votes: Votes, found: Memories, leader: int) -> Lead:
    """Since when an arm leads, from the strengths that `memories` noted.

    They lag behind what happened, by about the memory that the votes need, so the date is rather
    late than early. It is no test: `alarm` is one.
    """
    past, errors = found.past, found.past_errors
    others = past.copy()
    others[:, leader] = -np.inf
    second = others.argmax(1)
    rows = np.arange(len(past))
    ahead = past[:, leader] - past[rows, second]
    score = ahead / np.hypot(errors[:, leader], errors[rows, second])
    behind = np.flatnonzero(ahead <= 0)
    if not len(behind) or behind[-1] == len(past) - 1:
        at = len(past) - 1 if len(behind) else 0
        before = votes.names[second[at]] if len(behind) else ""
        return Lead(votes.names[leader], before, _vote(found, at), 1, len(votes), False)
    since = int(behind[-1]) + 1
    low, high = _last(score[:since] < -CLEARLY), _first(score[since:] > CLEARLY)
    return Lead(
        votes.names[leader],
        votes.names[second[since - 1]],
        _vote(found, since),
        1 if low is None else _vote(found, low),
        len(votes) if high is None else _vote(found, since + high),
        high is not None,
    )


def _vote(found: Memories, mark: int) -> int:
    return int(found.marks[mark])


def _last(true: NDArray[np.bool_]) -> int | None:
    at = np.flatnonzero(true)
    return int(at[-1]) if len(at) else None


def _first(true: NDArray[np.bool_]) -> int | None:
    at = np.flatnonzero(true)
    return int(at[0]) if len(at) else None


def _place(votes: Votes, number: int) -> str:
    if votes.time is None:
        return f"vote {number:,}"
    return f"{moment(votes.time[number - 1]):%Y-%m-%d}"
