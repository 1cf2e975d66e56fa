"""From votes that are there already to an answer: who leads now, since when, how sure, what if."""

from sparring.votes.alarm import alarm, changes
from sparring.votes.live import Alarm
from sparring.votes.values import Votes

__all__ = ["Alarm", "Votes", "alarm", "changes"]
