"""From the votes you have to answers: who leads now, since when, how sure, and what if."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sparring.votes.answer import Findings, Report, answer, report
from sparring.votes.data import Votes, example
from sparring.votes.histories import Histories, histories
from sparring.votes.reader import (
    VotesError,
    VotesRead,
    examine,
    from_arena,
    from_duels,
    read,
    shown_shares,
)
from sparring.votes.standings import Place, Since, Standings, standings
from sparring.votes.strengths import Fit, Memories, fit, memories
from sparring.votes.world import world

if TYPE_CHECKING:
    from sparring.votes.alarms import Alarm, alarm, changes
    from sparring.votes.borda_scores import borda, uniformity
    from sparring.votes.off_policy import evaluate, replay
    from sparring.votes.plans import plan, votes_needed
    from sparring.votes.stream import RunningStandings

__all__ = [
    "Alarm",
    "Findings",
    "Fit",
    "Histories",
    "Memories",
    "Place",
    "Report",
    "RunningStandings",
    "Since",
    "Standings",
    "Votes",
    "VotesError",
    "VotesRead",
    "alarm",
    "answer",
    "borda",
    "changes",
    "evaluate",
    "examine",
    "example",
    "fit",
    "from_arena",
    "from_duels",
    "histories",
    "memories",
    "plan",
    "read",
    "replay",
    "report",
    "shown_shares",
    "standings",
    "uniformity",
    "votes_needed",
    "world",
]

# What the answer to a file does without, and where it is; no module has the name of one.
ON_DEMAND = {
    **dict.fromkeys(("Alarm", "alarm", "changes"), "alarms"),
    **dict.fromkeys(("borda", "uniformity"), "borda_scores"),
    **dict.fromkeys(("evaluate", "replay"), "off_policy"),
    **dict.fromkeys(("plan", "votes_needed"), "plans"),
    "RunningStandings": "stream",
}


def __getattr__(name: str) -> Any:
    """Import what a file's answer can do without when it is asked for."""
    if name not in ON_DEMAND:
        raise AttributeError(f"module 'sparring.votes' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"sparring.votes.{ON_DEMAND[name]}"), name)
    return found


def __dir__() -> list[str]:
    """Its names, with those that are imported on demand."""
    return sorted({*globals(), *__all__})
