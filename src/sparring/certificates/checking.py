"""What a duel in a log must be to be certified."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.certificates._estimates import possible

TOLERANCE = 1e-5  # of the sum of probabilities, which a log may have rounded
LEAST = 1e-12  # probability of an arm that was drawn: of its inverse, sums would lose all else

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ImpossibleDuelError(ValueError):
    """A duel in a log that cannot have happened, and its number, from 0."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


class CouplingError(ValueError):
    """The two arms of a duel were not drawn independently, so no certificate holds."""


def demand_players(players: int) -> None:
    """Refuse duels of a learner that does not log independent distributions of its arms."""
    if players == 0:
        raise CouplingError(
            "the duel has no distributions (p has no player): its learner does not draw the two "
            "arms independently, and then no certificate holds"
        )


def check_duels(rows: Ints, cols: Ints, outcomes: Floats, p: Floats, differ: Flags) -> None:
    """Refuse n duels if one of them is impossible; p is (n, players, K)."""
    demand_players(p.shape[1])
    if p.shape[1] > 2:
        raise checks.refuse("p", "of one or two players", checks.Shown(f"shape {p.shape}"))
    _first("col", cols, differ & (rows == cols), "another arm than row, as differ says")
    if not possible(rows, cols, outcomes, p, LEAST, TOLERANCE):
        _explain(rows, cols, outcomes, p)


def _explain(rows: Ints, cols: Ints, outcomes: Floats, p: Floats) -> None:
    """Refuse the first duel that cannot have happened."""
    K = p.shape[2]
    bad = ~((p >= 0) & (p <= 1 + TOLERANCE)).all(axis=(1, 2))
    bad |= (np.abs(p.sum(axis=2) - 1) > TOLERANCE).any(axis=1)
    remedy = "Log them as Duel.to_json writes them, unrounded"
    _first("p", p, bad, "probabilities that sum to 1", remedy)
    _first("outcome", outcomes, ~((outcomes >= 0) & (outcomes <= 1)), "in [0, 1]")
    for name, arms, player in (("row", rows, 0), ("col", cols, -1)):
        rule, outside = f"an arm from 0 to {K - 1}", (arms < 0) | (arms >= K)
        _first(name, arms, outside, rule, "Arms count from 0")
        chances = p[np.arange(len(arms)), player, arms]
        rule = f"at least {LEAST:g}, as it was drawn"
        _first(f"the probability of the {name} arm", chances, chances < LEAST, rule)


def _first(name: str, values: Any, bad: Flags, rule: str, remedy: str = "") -> None:
    """Refuse the first bad value."""
    if bad.any():
        at = int(np.argmax(bad))
        raise ImpossibleDuelError(str(checks.refuse(name, rule, values[at].tolist(), remedy)), at)
