"""The votes of an arena, from its log of events."""

import os

import numpy as np

from sparring.arena.database import open_database
from sparring.arena.events import Log
from sparring.arena.making import find
from sparring.votes.values import Votes


def from_arena(address: str | os.PathLike[str], *, name: str = "arena") -> Votes:
    """The votes that an arena has learnt, in their order, with times and voters by pseudonym.

    The arena may be in use meanwhile. Answers that came too late, or on an arm that was withdrawn
    before, are left out. Arms that were withdrawn since are there.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.

    Examples
    --------
    >>> import tempfile, sparring
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "prompts.db")
    >>> with sparring.Arena(path, arms=["plain", "polite"]) as arena:
    ...     for _ in range(3):
    ...         _ = arena.tell(arena.ask(), "polite")
    >>> votes = from_arena(path)
    >>> len(votes), votes.wins[votes.names.index("polite")].sum().item()
    (3, 3.0)
    >>> folder.cleanup()
    """
    arms: list[str] = []  # by id; a name that was withdrawn and added again has two
    asked: dict[str, tuple[int, int, str | None]] = {}
    rows: list[tuple[int, int, float, float, str | None]] = []
    database = open_database(address, create=False)
    try:
        arena, _ = find(database, name)
        for event, _ in Log(database, arena).after(0, ""):
            body, ticket = event.body, event.ticket or ""
            if event.kind == "made":
                arms += body["arms"]
            elif event.kind == "added":
                arms.append(body["name"])
            elif event.kind == "asked":
                row, col = body["row"], body["col"]
                pair = (col, row) if body["swapped"] else (row, col)
                asked[ticket] = (*pair, body["voter"])
            elif event.kind == "told" and body["why"] == "" and ticket in asked:
                first, second, voter = asked.pop(ticket)
                rows.append((first, second, body["outcome"], event.at / 1e6, voter))
    finally:
        database.close()
    place = {arm: k for k, arm in enumerate(dict.fromkeys(arms))}
    who = {voter: k for k, voter in enumerate(dict.fromkeys(row[4] or "" for row in rows))}
    return Votes(
        tuple(place),
        np.array([place[arms[row[0]]] for row in rows], np.int32),
        np.array([place[arms[row[1]]] for row in rows], np.int32),
        np.array([row[2] for row in rows], np.float64),
        np.array([row[3] for row in rows], np.float64),
        voter=np.array([who[row[4] or ""] for row in rows], np.int32),
        voters=tuple(who),
    )
