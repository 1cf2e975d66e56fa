"""From the votes you have to answers: who leads now, since when, how sure, and what if."""

from sparring.votes.alarm import alarm, changes
from sparring.votes.answering import Findings, Report, answer, report
from sparring.votes.arenas import from_arena
from sparring.votes.borda import borda
from sparring.votes.evaluating import evaluate
from sparring.votes.example import example
from sparring.votes.fitting import Fit, fit
from sparring.votes.histories import Histories, histories
from sparring.votes.importing import VotesError, VotesRead, examine, read
from sparring.votes.live import Alarm
from sparring.votes.logged import from_duels, shown_shares
from sparring.votes.memories import Memories, memories
from sparring.votes.planning import votes_needed
from sparring.votes.replaying import replay
from sparring.votes.running import RunningStandings
from sparring.votes.standings import Place, Since, Standings, standings
from sparring.votes.uniform import uniformity
from sparring.votes.values import Votes
from sparring.votes.wishing import plan, world

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
