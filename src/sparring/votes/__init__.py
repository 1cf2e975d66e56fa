"""From votes that are there already to an answer: who leads now, since when, how sure, what if."""

from sparring.votes.drifting import Drift, drift
from sparring.votes.fitting import Fit, fit
from sparring.votes.memories import Memories, memories
from sparring.votes.reading import Reading, VotesError, examine, read
from sparring.votes.standings import Place, Standings, standings
from sparring.votes.values import Votes

__all__ = [
    "Drift",
    "Fit",
    "Memories",
    "Place",
    "Reading",
    "Standings",
    "Votes",
    "VotesError",
    "drift",
    "examine",
    "fit",
    "memories",
    "read",
    "standings",
]
