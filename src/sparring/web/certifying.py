"""The certificate so far: what the learner's regret is at most, where its log can tell."""

import os
from typing import Any, NamedTuple

import numpy as np

from sparring.arena.database import open_database
from sparring.arena.events import Event, Log
from sparring.arena.making import find
from sparring.certificates import Certificate, CouplingError

DELTA = 0.05
SETTLED = 100  # duels, below which a bound says nothing
NONE = (
    "None: this learner does not draw its pairs by chance, so its log cannot bound its regret. "
    "The uniform pairs are the yardstick. A learner such as steady has a certificate."
)


class Asked(NamedTuple):
    """A pair on its way to an answer."""

    row: int
    col: int
    swapped: bool
    p: list[list[float]]


class Duels:
    """The answered duels since the items last changed: a certificate is for fixed arms."""

    def __init__(self) -> None:
        self.present: list[int] = []
        self.arms = 0
        self.by_chance = True
        """Whether all pairs were drawn by logged probabilities."""
        self.answered: dict[str, tuple[Asked, float]] = {}
        """By ticket, with the outcome for the row arm."""
        self._asked: dict[str, Asked] = {}

    def take_in(self, event: Event) -> None:
        """Follow the log by one event."""
        body, ticket = event.body, event.ticket or ""
        if event.kind == "asked":
            self._ask(ticket, body)
        elif event.kind == "told" and ticket in self._asked:
            if not (body["why"] or "verdict" in body):
                asked, o = self._asked[ticket], body["outcome"]
                self.answered[ticket] = (asked, 1 - o if asked.swapped else o)
        elif event.kind == "undone" and ticket in self._asked:
            self.answered.pop(ticket, None)
            self._asked[body["again"]] = self._asked[ticket]
        elif event.kind in ("made", "added", "withdrawn"):
            self._change(event)

    def _ask(self, ticket: str, body: dict[str, Any]) -> None:
        K = len(self.present)
        p = [[1 / K] * K] if body.get("uniform") else body.get("p")
        if p is None:
            self.by_chance = False
            return
        row, col = (self.present.index(body[side]) for side in ("row", "col"))
        self._asked[ticket] = Asked(row, col, body["swapped"], p)

    def _change(self, event: Event) -> None:
        if event.kind == "withdrawn":
            self.present.remove(event.body["arm"])
        else:
            many = len(event.body["arms"]) if event.kind == "made" else 1
            self.present += range(self.arms, self.arms + many)
            self.arms += many
        self.answered, self._asked = {}, {}


def so_far(address: str | os.PathLike[str], name: str) -> dict[str, Any]:
    """The certificate of an arena's answered duels, or in plain words why there is none.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.
    """
    duels = Duels()
    database = open_database(address, create=False)
    try:
        arena, _ = find(database, name)
        for event, _ in Log(database, arena).after(0, ""):
            duels.take_in(event)
            if not duels.by_chance:
                return {"text": NONE}
    finally:
        database.close()
    if len(duels.answered) < SETTLED:
        more = SETTLED - len(duels.answered)
        return {"text": f"Not yet: it needs {more} more answers since the items last changed."}
    return _certified(duels)


def _certified(duels: Duels) -> dict[str, Any]:
    found = list(duels.answered.values())
    rows = np.array([asked.row for asked, _ in found])
    cols = np.array([asked.col for asked, _ in found])
    outcomes = np.array([outcome for _, outcome in found], np.float64)
    players = max(len(asked.p) for asked, _ in found)  # a uniform pair has one p for both
    p = np.array([asked.p * (players // len(asked.p)) for asked, _ in found])
    certificate = Certificate(len(duels.present), DELTA, only_answered=True)
    try:
        certificate.add_many(rows, cols, outcomes, p, np.ones(len(rows), np.bool_))
        bound, many = certificate.static, certificate.rounds
    except CouplingError as error:
        return {"text": f"None: {error}"}
    if certificate.vacuous:
        text = f"After {many:,} answered pairs it says nothing yet: the bound is above 0.5 a pair."
    else:
        text = (
            f"With 95 % confidence the {many:,} pairs since the items last changed cost at most "
            f"{bound / many:.3f} a pair more than the best item would have."
        )
    text += f" It holds if {certificate.condition}."
    return {"text": text, "rounds": many, "bound": bound, "delta": DELTA}
