"""restore: the learner a snapshot was taken of, whatever its kind."""

from typing import Any

from sparring.checks import SnapshotError
from sparring.learners import snapshots
from sparring.learners.adapter import Sparring
from sparring.learners.adaptive import Adaptive
from sparring.learners.counting import Counting
from sparring.learners.elimination import Elimination
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.guarding import Guarded
from sparring.learners.monitoring import Monitored
from sparring.learners.winners import BeatTheWinner

KINDS: dict[str, Any] = {
    learner.KIND: learner
    for learner in (
        Adaptive,
        Guarded,
        ExponentialWeights,
        Counting,
        BeatTheWinner,
        Monitored,
        Elimination,
        Sparring,
    )
}


def restore(snapshot: dict[str, Any]) -> Any:
    """The learner that `snapshot()` described; it goes on bit for bit, open duels included.

    Examples
    --------
    >>> import json, sparring
    >>> learner = sparring.dex3s(K=10, T=1_000_000, S=10, seed=7)
    >>> duel = learner.ask()
    >>> copy = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    >>> copy.tell(duel, 1.0)
    """
    kind = snapshots.kind_of(snapshot)
    if kind not in KINDS:
        raise SnapshotError(
            f"the snapshot is of an unknown kind of learner, {kind!r}: known are {sorted(KINDS)}"
        )
    return KINDS[kind].from_snapshot(snapshot)
