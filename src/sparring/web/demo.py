"""A demonstration: an arena with simulated voters whose taste changes as you watch."""

import logging
import math
import os
import threading
import time
from types import MappingProxyType
from typing import Any

import numpy as np

from sparring.arena import Arena

log = logging.getLogger("sparring.web")

NAME = "demo"
ITEMS: dict[str, dict[str, str]] = {
    "plain": {"kind": "text", "text": "Your parcel left us on Monday and arrives tomorrow."},
    "brief": {"kind": "text", "text": "Tomorrow."},
    "warm": {
        "kind": "text",
        "text": "Thank you for asking! Your parcel is on its way and will be with you tomorrow.",
    },
    "formal": {
        "kind": "text",
        "text": "We hereby inform you that your consignment is due for delivery on the 14th.",
    },
    "careful": {
        "kind": "text",
        "text": "It should arrive tomorrow. If it does not, write to us and we will look for it.",
    },
    "steps": {
        "kind": "markdown",
        "text": "1. Left us on **Monday**\n2. At the depot **today**\n3. With you **tomorrow**",
    },
    "cheerful": {"kind": "text", "text": "Great news: it is nearly there! See you tomorrow!"},
    "robot": {"kind": "text", "text": "STATUS: IN TRANSIT. ESTIMATED DELIVERY: T+1."},
}
SETTINGS = MappingProxyType(
    {
        "uniform": 0.1,
        "grace": 5.0,
        "answers": ["tie", "both bad", "skip"],
        "page": {
            "title": "Where is my parcel?",
            "question": "Which answer would you rather get?",
            "blind": True,
            "reveal": True,
            "board": "public",
        },
    }
)

# What people like, one after the other: strengths in the order of the items, in log-odds. Only the
# old favourite and the new one change, the new one is far ahead, and votes stay many: then the
# board is sure of a leader again after half a minute.
TASTES = (
    (0.2, -0.4, 1.8, -0.4, 0.4, 0.2, 0.0, -1.2),
    (0.2, 2.4, 0.0, -0.4, 0.4, 0.2, 0.0, -1.2),
    (0.2, -0.4, 0.0, -0.4, 0.4, 2.4, 0.0, -1.2),
)
FIRST = 20.0  # seconds of the first taste
LATER = 600.0  # seconds of each after it
BUSY = 60.0  # seconds of most votes, so that one need not wait
PACES = (30.0, 15.0)  # votes a second while busy, and after
CROWD = 60  # voters
TIE, BOTH_BAD, SKIP = 0.08, 0.02, 0.03  # of the answers


def prepare(address: str | os.PathLike[str]) -> Arena:
    """The arena of the demonstration, made if it does not exist."""
    arena = Arena(address, arms=list(ITEMS), name=NAME)
    for name, content in ITEMS.items():
        if name in arena.arms:
            arena.edit(name, content)
    if not arena.settings.page:
        arena.set(**SETTINGS)
    return arena


def run_voters(arena: Any, stop: threading.Event, *, pace: float | None = None) -> None:
    """Vote until told to stop; blocks, so give it a thread.

    Parameters
    ----------
    arena
        Anything with `ask` and `tell`: an `Arena`, or a client of one.
    stop
        Set it to end.
    pace
        Votes a second; if None, many in the first minute and few later.
    """
    rng, began = np.random.default_rng(), time.monotonic()
    places = {name: place for place, name in enumerate(ITEMS)}
    voters = [f"demo {number}" for number in range(CROWD)]
    while not stop.is_set():
        age = time.monotonic() - began
        wait = 1 / (pace or PACES[age > BUSY])
        try:
            _vote(arena, str(rng.choice(voters)), taste(age), places, rng)
        except Exception as error:  # it was paused, or changed otherwise, a moment ago; go on
            log.warning("a simulated voter: %s", error)
        stop.wait(wait * rng.exponential())


def _vote(
    arena: Any,
    voter: str,
    strengths: tuple[float, ...],
    places: dict[str, int],
    rng: np.random.Generator,
) -> None:
    """Let a voter answer once, if the arena is open."""
    if arena.settings.status != "open":
        return
    ticket = arena.ask(voter)
    one, other = (places.get(name) for name in (ticket.first, ticket.second))
    if one is not None and other is not None:
        given = opinion(strengths, one, other, rng, arena.settings.answers)
        arena.tell(ticket, {"first": ticket.first, "second": ticket.second}.get(given, given))
    else:  # an item that somebody added: nobody here has an opinion
        arena.tell(ticket, 0.5)


def taste(age: float) -> tuple[float, ...]:
    """What people like, this many seconds after the beginning."""
    return TASTES[0 if age < FIRST else (1 + int((age - FIRST) / LATER)) % len(TASTES)]


def opinion(
    strengths: tuple[float, ...],
    one: int,
    other: int,
    rng: np.random.Generator,
    allowed: tuple[str, ...],
) -> str:
    """What a voter with a taste says about two items."""
    draw = float(rng.random())
    for word, chance in (("tie", TIE), ("both bad", BOTH_BAD), ("skip", SKIP)):
        if draw < chance and word in allowed:
            return word
        draw -= chance
    wins = 1 / (1 + math.exp(strengths[other] - strengths[one]))
    return "first" if rng.random() < wins else "second"
