"""check: replay all events of an arena, and compare with what was saved."""

import os
from collections.abc import Callable
from typing import NamedTuple

from sparring.arena.checkpoints import Checkpoints
from sparring.arena.database import StorageError, open_to_read
from sparring.arena.events import Log
from sparring.arena.making import find
from sparring.arena.saving import agree
from sparring.arena.state import State


class Checked(NamedTuple):
    """The result of replaying an arena's events."""

    events: int
    """How many events there are, all intact and in order."""
    votes: int
    """Answers that were learnt."""
    redrawn: int
    """Pairs that this release would not have chosen, for instance after a learner was updated."""
    equal: tuple[int, ...]
    """The numbers of the events at which a checkpoint was right."""
    other: tuple[int, ...]
    """Where it was not: damaged, of another release, or beyond the end of a log that was cut. Those
    with a learner that went are not counted."""
    favourite: str
    """The name of the arm that the learner thinks best."""


def check(
    address: str | os.PathLike[str],
    *,
    name: str = "arena",
    progress: Callable[[int, int], None] = lambda done, all_of_them: None,
) -> Checked:
    """Replay the events of an arena from the first, and compare with each checkpoint.

    A damaged or missing event is a `StorageError` that says which. So is any other damage of a
    file that SQLite's own check finds.

    Parameters
    ----------
    address, name
        As for `Arena`.
    progress
        A function that is called at times with the events done and the total.
    """
    database = open_to_read(address)
    try:
        arena, _ = find(database, name)
        count = "SELECT count(*) FROM sparring_events WHERE arena = ?"
        events = database.rows(count, (arena,))[0][0]
        saved = Checkpoints(database, arena).all()
        log = Log(database, arena)
        state = State(log.last_verdicts())
        equal: list[int] = []
        other: list[int] = []
        for event, chain in log.after(0, ""):
            log.hand(event, state.apply, chain)
            found = saved.get(event.number)
            if event.number in saved and (found is not None or not state.gone):
                same = found is not None and agree(found, state)
                (equal if same else other).append(event.number)
            if event.number % 1000 == 0:
                progress(event.number, events)
        log.first()  # there is one
        damage = database.damage()
        if damage:
            raise StorageError(
                f"{database.shown}: all events can be read, but SQLite finds damage: {damage}. "
                "Restore a copy, or let SQLite mend it with REINDEX"
            )
    finally:
        database.close()
    other += [number for number in saved if number > state.number]  # beyond the end of the log
    favourite = state.arms[state.favourite()].name
    return Checked(state.number, state.votes, state.redrawn, tuple(equal), tuple(other), favourite)
