"""A learner in service: durable, with named arms, for many processes."""

from sparring.arena.arena import Arena
from sparring.arena.checking import Checked, check
from sparring.arena.database import StorageError
from sparring.arena.group import Call
from sparring.arena.history import History, Record
from sparring.arena.making import arenas
from sparring.arena.managing import Comparison
from sparring.arena.settings import Settings
from sparring.arena.standing import ArmStanding, Item, Standing
from sparring.arena.tallies import Tallies
from sparring.arena.tickets import Ticket, TicketError
from sparring.arena.voting import Answer, AnswerConflictError, ArenaClosedError, UndoError

__all__ = [
    "Answer",
    "AnswerConflictError",
    "Arena",
    "ArenaClosedError",
    "ArmStanding",
    "Call",
    "Checked",
    "Comparison",
    "History",
    "Item",
    "Record",
    "Settings",
    "Standing",
    "StorageError",
    "Tallies",
    "Ticket",
    "TicketError",
    "UndoError",
    "arenas",
    "check",
]
