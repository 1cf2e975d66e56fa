"""A learner in service: durable, named, for many processes."""

from sparring.arena.arena import Answer, AnswerConflictError, Arena
from sparring.arena.checking import Checked, check
from sparring.arena.database import StorageError
from sparring.arena.group import Call
from sparring.arena.standing import ArmStanding, Standing
from sparring.arena.tickets import Ticket, TicketError

__all__ = [
    "Answer",
    "AnswerConflictError",
    "Arena",
    "ArmStanding",
    "Call",
    "Checked",
    "Standing",
    "StorageError",
    "Ticket",
    "TicketError",
    "check",
]
