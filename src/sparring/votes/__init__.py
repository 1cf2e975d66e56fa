"""From votes that are there already to an answer: who leads now, since when, how sure, what if."""

from sparring.votes.values import Votes

__all__ = ["Votes"]
