"""replay: a learner after a crash, from a snapshot and a log of the answers since."""

from collections.abc import Iterable, Mapping
from typing import Any

from sparring import checks
from sparring.checks import DuelError
from sparring.learners.frame import Frame, restore
from sparring.learners.protocol import OnlineLearner
from sparring.problem import Duel


def replay(snapshot: dict[str, Any], events: Iterable[Mapping[str, Any]]) -> OnlineLearner:
    """The learner that a snapshot and a log of later answers describe.

    Write a line for each answer, with the duel and the outcome, and make sure it is on disk before
    you acknowledge it. Then a crash loses nothing that was acknowledged, and nothing is learnt
    twice: an answer that is already in the snapshot, or twice in the log, is skipped.

    Duels that were asked after the snapshot and not yet answered are forgotten in a crash, but
    their answers may still come: `learner.adopt(duel)` accepts each once. Round numbers jump by a
    million, so that no earlier duel is mistaken for a later one. Save a snapshot of what this
    returns before it asks: after another crash it would jump to the same rounds again, and one of
    two duels of a round is refused. Take a new snapshot, too, whenever arms are added or withdrawn.

    Parameters
    ----------
    snapshot
        What `learner.snapshot()` returned.
    events
        For each answer, in order, a dictionary {"duel": duel.to_json(), "outcome": outcome}, with
        "at" if the learner's memory is a time. An `AnswerLog` will do.

    Examples
    --------
    >>> import sparring
    >>> learner = sparring.steady(4, seed=1)
    >>> saved, log = learner.snapshot(), []
    >>> first, second = learner.ask(), learner.ask()
    >>> log.append({"duel": first.to_json(), "outcome": 1.0})
    >>> learner.tell(first, 1.0)
    >>> again = sparring.replay(saved, log)  # after a crash
    >>> bool((again.p == learner.p).all())
    True
    >>> again.tell(again.adopt(second), 0.0)  # asked before it, answered after
    """
    learner = restore(snapshot)
    assert isinstance(learner, Frame)
    learner._lose_track(learner.t + 1)
    for event in events:
        if not isinstance(event, dict) or not event.keys() >= {"duel", "outcome"}:
            rule = "a dictionary with duel and outcome"
            raise checks.refuse("an event", rule, event, "An AnswerLog has such")
        duel = Duel.from_json(event["duel"])
        if duel.learner != learner._book.owner:
            raise DuelError(
                f"the log is of another learner ({checks.short(duel.learner)}) than the snapshot "
                f"({checks.short(learner._book.owner)})"
            )
        learner._lose_track(duel.t)  # after a crash before, rounds went on far beyond the snapshot
        if learner._book.awaits(duel):
            learner.tell(learner.adopt(duel), event["outcome"], at=event.get("at"))
    return learner
