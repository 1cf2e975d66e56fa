"""From votes that are there already to an answer: who leads now, since when, how sure, what if."""

from sparring.votes.borda import borda
from sparring.votes.evaluating import evaluate
from sparring.votes.fitted import world
from sparring.votes.logged import from_duels, shown_shares
from sparring.votes.planning import plan, votes_needed
from sparring.votes.replaying import replay
from sparring.votes.uniform import uniformity
from sparring.votes.values import Votes

__all__ = [
    "Votes",
    "borda",
    "evaluate",
    "from_duels",
    "plan",
    "replay",
    "shown_shares",
    "uniformity",
    "votes_needed",
    "world",
]
