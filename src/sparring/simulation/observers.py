"""What is noted about a learner while it plays: observers watch and do not play."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sparring import checks
from sparring.learners.monitored import KEPT
from sparring.problem import Plays
from sparring.regret import Regret
from sparring.simulation.meter import Meter
from sparring.simulation.path import PIECE, Path, Piece

# In the column of regrets of a table.
FAVOURITE = "favourite"  # whose value is 1 if it is the best arm, else 0
ALARM = "alarm"  # raised in round t


class Noted(NamedTuple):
    """One number that was noted."""

    name: str
    """The label of a regret, FAVOURITE or ALARM."""
    t: int
    value: float
    undefined: int = 0
    """Rounds that the value leaves out."""


class Observer:
    """Watches one learner in one run; a subclass defines the methods it needs."""

    stride = PIECE
    """The most rounds between two looks."""

    def before(self, learner: Any) -> None:
        """The last round before a reading is about to begin."""

    def look(self, learner: Any) -> None:
        """At most `stride` rounds were played since the last look."""

    def played(self, piece: Piece, plays: Plays) -> None:
        """A piece of the path was played."""

    def read(self, path: Path) -> Iterable[Noted]:
        """What is to be noted at this moment."""
        return ()


class Charges(Observer):
    """What the plays cost, by labelled regrets."""

    def __init__(self, regrets: dict[str, Regret], K: int) -> None:
        self._labels, self._meter = list(regrets), Meter(list(regrets.values()), K)

    def played(self, piece: Piece, plays: Plays) -> None:
        """Charge them."""
        self._meter.charge(piece, plays)

    def read(self, path: Path) -> Iterable[Noted]:
        """Each regret up to now."""
        for label, (value, undefined) in zip(self._labels, self._meter.values(path), strict=True):
            yield Noted(label, path.t, value, undefined)


class Favourite(Observer):
    """Whether the learner's favourite is the best arm.

    It is asked for before the round: a learner that starts again after it has none yet.
    """

    _arm: int | None = None

    def before(self, learner: Any) -> None:
        """Ask for it."""
        self._arm = favourite_of(learner)

    def read(self, path: Path) -> Iterable[Noted]:
        """1 if it was right, else 0; NaN if there was none."""
        right = math.nan if self._arm is None else float(path.best_arms()[self._arm])
        return [Noted(FAVOURITE, path.t, right)]


class Alarms(Observer):
    """The rounds in which a learner that has `alarms` raised one."""

    stride = KEPT  # a learner keeps its latest alarms only

    def __init__(self) -> None:
        self._seen: dict[int, None] = {}
        self._told = 0

    def look(self, learner: Any) -> None:
        """Note the new ones."""
        self._seen.update(dict.fromkeys(learner.alarms))

    def read(self, path: Path) -> Iterable[Noted]:
        """Those since it was last read."""
        new = list(self._seen)[self._told :]
        self._told += len(new)
        return [Noted(ALARM, t, 1.0) for t in new]


def favourite_of(learner: Any) -> int | None:
    """A learner's `favourite`; without one, the arm that it draws most often.

    None if it has none, or if it has no `favourite` and its `p` is empty because arms are coupled.

    Examples
    --------
    >>> import sparring
    >>> favourite_of(sparring.rand(5, seed=1))
    0
    """
    if hasattr(learner, "favourite"):
        found = learner.favourite
        if found is None:
            return None
        return checks.whole("its favourite", found, low=0, high=learner.K - 1)
    p = np.asarray(learner.p, float)
    return int(p.mean(axis=0).argmax()) if len(p) else None
