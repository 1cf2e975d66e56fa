"""From the votes you have to answers: who leads now, since when, how sure, and what if."""

from sparring.votes.alarm import Alarm, alarm, changes
from sparring.votes.answer import Findings, Report, answer, report
from sparring.votes.borda import borda, uniformity
from sparring.votes.data import Votes, example
from sparring.votes.histories import Histories, histories
from sparring.votes.off_policy import evaluate, replay
from sparring.votes.plans import plan, votes_needed
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
from sparring.votes.stream import RunningStandings
from sparring.votes.strengths import Fit, Memories, fit, memories
from sparring.votes.world import world

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
