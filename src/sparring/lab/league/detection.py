"""How soon changes are noticed: the alarms of learners, compared with the truth.

In a segment the first alarm counts as its detection, whatever raised it; all others, and those
before the first change, are false. Of a recorded history only changes of the best arm count.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparring.lab.league.contenders import BY_LABEL
from sparring.lab.league.standings import League, Meeting


@dataclass(frozen=True)
class Detected:
    """A detector's alarms on a world, over some runs."""

    world: str
    title: str
    label: str
    T: int
    runs: int
    changes: int
    """True changes in all runs together."""
    delays: tuple[int, ...]
    """Rounds from a change to the alarm, of those that were noticed."""
    false_alarms: int

    @property
    def share(self) -> float:
        """The share of changes that were noticed before the next one; NaN if there was none."""
        return len(self.delays) / self.changes if self.changes else math.nan

    @property
    def delay(self) -> float:
        """The median delay of those noticed; NaN if none was."""
        return float(np.median(self.delays)) if self.delays else math.nan

    @property
    def false_rate(self) -> float:
        """False alarms in 100,000 rounds."""
        return self.false_alarms / (self.runs * self.T) * 1e5

    def to_json(self) -> dict[str, Any]:
        """The numbers as a dictionary for `json.dumps`."""
        return {**asdict(self), "delays": list(self.delays)}


def detected(league: League) -> list[Detected]:
    """All alarms, on each world that reports its changes."""
    return [
        _judged(meeting, meeting.changes, label)
        for meeting in league.meetings
        if meeting.changes is not None
        for label in meeting.labels
        if raises_alarms(meeting, label)
    ]


def raises_alarms(meeting: Meeting, label: str) -> bool:
    """Whether a contender is a detector; the user's own is one if it has raised an alarm."""
    return BY_LABEL[label].alarms if label in BY_LABEL else bool(any(meeting.alarms(label)))


def _judged(meeting: Meeting, changes: Sequence[int], label: str) -> Detected:
    delays, false = list[int](), 0
    alarms = meeting.alarms(label)
    for rounds in alarms:
        found = list(noticed(changes, rounds))
        delays += found
        false += len(rounds) - len(found)
    return Detected(
        meeting.name,
        meeting.title,
        label,
        meeting.T,
        len(alarms),
        len(changes) * len(alarms),
        tuple(delays),
        false,
    )


def noticed(changes: Sequence[int], alarms: Sequence[int]) -> Iterator[int]:
    """The delay of each change that an alarm followed before the next change.

    Examples
    --------
    >>> list(noticed((101, 201, 301), (40, 110, 150, 320)))
    [10, 20]
    """
    ends = [*changes[1:], math.inf]
    for change, end in zip(changes, ends, strict=False):
        within = [alarm for alarm in alarms if change <= alarm < end]
        if within:
            yield min(within) - change + 1
