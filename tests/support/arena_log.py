"""What the log of an arena says, read without the code that folds it."""

import json
from typing import NamedTuple

from sparring.arena import Arena, tickets
from sparring.arena.database import open_to_read
from sparring.arena.saving import fingerprint


class Told(NamedTuple):
    """An answer in the log."""

    number: int
    first: str
    second: str
    outcome: float
    learnt: bool


def answers(address):
    """Every answer by the name of its ticket, and how many events there are.

    Fails unless they are numbered without a gap and no ticket was spent twice.
    """
    database = open_to_read(address)
    rows = database.rows("SELECT number, kind, ticket, body FROM sparring_events ORDER BY number")
    database.close()
    assert [number for number, *_ in rows] == list(range(1, len(rows) + 1))
    names, asked, found = [], {}, {}
    for number, kind, ticket, text in rows:
        body = json.loads(text)
        if kind == "made":
            names = list(body["arms"])
        elif kind == "added":
            names.append(body["name"])
        elif kind == "asked":
            arms = [names[body["row"]], names[body["col"]]]
            asked[ticket] = arms[::-1] if body["swapped"] else arms
        elif kind == "told":
            assert ticket not in found
            found[ticket] = Told(number, *asked[ticket], body["outcome"], body["why"] == "")
    return found, len(rows)


def demand_kept(address, acknowledged):
    """Each answer that was acknowledged is in the log as it was said to be, and counts once.

    Parameters
    ----------
    acknowledged
        Winner, number of the event, and whether it was learnt, by the text of the ticket.
    """
    with Arena(address) as arena:
        key = arena._key
    found, _ = answers(address)
    for text, (winner, number, learnt) in acknowledged.items():
        told = found[tickets.read(text, key).name]
        assert told.number == number
        assert told.learnt == learnt
        assert winner == (told.first if told.outcome == 1.0 else told.second)
    opened, folded = fold_again(address)
    assert opened == folded


def fold_again(address):
    """The fingerprints of the arena as it opens, and of all its events folded from the first."""
    with Arena(address) as arena:
        opened = arena._look(fingerprint)
        arena._database.change("DELETE FROM sparring_checkpoints")
        arena._state, arena._saved = None, 0
        return opened, arena._look(fingerprint)
