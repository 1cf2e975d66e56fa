"""From votes that are there already to an answer: who leads now, since when, how sure, what if."""

from sparring.votes.borda import borda
from sparring.votes.logged import from_duels, shown_shares
from sparring.votes.uniform import uniformity
from sparring.votes.values import Votes

__all__ = ["Votes", "borda", "from_duels", "shown_shares", "uniformity"]
