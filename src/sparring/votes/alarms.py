"""What an alarm reports: who leads, what rang, what is promised, the evidence."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import extras
from sparring.votes._watches import POINTS
from sparring.votes.changes import Changes

Floats = NDArray[np.float64]

FALSE = {
    "leader": "An alarm about a leader is false if, in all votes since it was chosen, it beat each "
    "other arm with probability 1/2 or more; if it never led, the alarm rightly says that the "
    "choice was wrong. After an alarm a new favourite is chosen from later votes, and the promise "
    "begins again with it.",
    "pairs": "An alarm about a pair is false if all votes on it since its last alarm had the same "
    "chance. After an alarm that pair begins again, as if never seen; the promise is about the "
    "number of false alarms on all pairs together.",
}


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """The evidence over time, in nats, at no more than 512 points, for drawing.

    Each point is the maximum over the votes it stands for. The alarm rings at the threshold.
    """

    vote: NDArray[np.int64]
    """(n,): the last vote of each point."""
    leader: Floats
    """(n,): ln of the sum against the favourite; 0 if it is below 1 or no arm is watched."""
    pairs: Floats
    """(n,): the strongest evidence that a pair has changed; 0 if there is none."""
    threshold: float

    def __len__(self) -> int:
        return len(self.vote)

    def __repr__(self) -> str:
        top = {"leader": self.leader, "pairs": self.pairs}
        shown = ", ".join(f"{name} up to {x.max(initial=0):.1f}" for name, x in top.items())
        return f"{len(self)} points: {shown}; rings at {self.threshold:.1f} nats"

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        columns = {name: getattr(self, name).tolist() for name in ("vote", "leader", "pairs")}
        return {**columns, "threshold": self.threshold}

    def to_table(self) -> Any:
        """A polars table with one row for each point."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame({"vote": self.vote, "leader": self.leader, "pairs": self.pairs})


def evidence_of(traces: Floats, width: int, votes: int, A: float) -> Evidence:
    """The evidence from an alarm's traces."""
    n = min(-(-votes // width), POINTS)
    last = np.minimum(np.arange(1, n + 1) * width, votes)
    leader = np.log(np.maximum(traces[:n, 0], 1.0))
    return Evidence(last, leader, traces[:n, 1].copy(), float(np.log(A)))


@dataclass(frozen=True, repr=False)
class AlarmReport:
    """What an alarm found in votes, and what it promises.

    `changes` has what rang. `favourites` says which arm was watched from which vote on. `evidence`
    is for a figure.
    """

    names: tuple[str, ...]
    votes: int
    every: float
    watch: tuple[str, ...]
    favourite: str | None
    favourites: tuple[tuple[int, str | None], ...]
    changes: Changes
    rung: int
    """How often it rang in all; `changes` has the latest 1,000."""
    evidence: Evidence

    @property
    def promise(self) -> str:
        """What is guaranteed, in plain words."""
        return " ".join(
            [
                f"At most one false alarm in {self.every:,.0f} votes on average, so in these "
                f"{self.votes:,} at most {self.votes / self.every:.2g}, for any way to choose "
                "pairs by earlier votes.",
                *(FALSE[name] for name in self.watch),
            ]
        )

    def __repr__(self) -> str:
        leader = f"{self.favourite} leads" if self.favourite else "no favourite yet"
        if "leader" not in self.watch:
            leader = "leaders not watched"
        times = {0: "never rang", 1: "rang once"}.get(self.rung, f"rang {self.rung:,} times")
        head = f"{self.votes:,} votes on {len(self.names):,} arms: {times}; {leader}"
        shown = [f"  {change}" for change in self.changes]
        return "\n".join([head, *shown, self.promise])

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {
            "names": list(self.names),
            "votes": self.votes,
            "every": self.every,
            "watch": list(self.watch),
            "favourite": self.favourite,
            "favourites": [list(one) for one in self.favourites],
            "rung": self.rung,
            "changes": self.changes.to_json()["changes"],
            "evidence": self.evidence.to_json(),
            "promise": self.promise,
        }

    def to_table(self) -> Any:
        """A polars table with one row for each alarm; the table of `evidence` is for drawing."""
        return self.changes.to_table()
