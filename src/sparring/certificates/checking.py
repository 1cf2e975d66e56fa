"""What a duel in a log must be to be certified."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels.certifying import possible

TOLERANCE = 1e-5  # of the sum of probabilities, which a log may have rounded
LEAST = 1e-300  # probability of an arm that was drawn, so that sums of its inverses are finite

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class CouplingError(ValueError):
    """The two arms of a duel were not drawn independently, so no certificate holds."""


def demand_players(players: int) -> None:
    """Refuse duels of a learner that does not say what its arms were drawn from independently."""
    if players == 0:
        raise CouplingError(
            "the duel has no distributions (p has no player): its learner does not draw the two "
            "arms independently, and then no certificate holds"
        )


def check_duels(rows: Ints, cols: Ints, outcomes: Floats, p: Floats) -> None:
    """Refuse n duels of which one is impossible; p is (n, players, K)."""
    demand_players(p.shape[1])
    if p.shape[1] > 2:
        raise checks.refuse("p", "of one or two players", checks.Shown(f"shape {p.shape}"))
    if not possible(rows, cols, outcomes, p, LEAST, TOLERANCE):
        _explain(rows, cols, outcomes, p)


def _explain(rows: Ints, cols: Ints, outcomes: Floats, p: Floats) -> None:
    """Refuse the first duel that cannot have happened."""
    K = p.shape[2]
    bad = ~((p >= 0) & (p <= 1 + TOLERANCE)).all(axis=(1, 2))
    bad |= (np.abs(p.sum(axis=2) - 1) > TOLERANCE).any(axis=1)
    _first("p", p, bad, "probabilities that sum to 1")
    _first("outcome", outcomes, ~((outcomes >= 0) & (outcomes <= 1)), "in [0, 1]")
    for name, arms, player in (("row", rows, 0), ("col", cols, -1)):
        _first(name, arms, (arms < 0) | (arms >= K), f"an arm from 0 to {K - 1}")
        chances = p[np.arange(len(arms)), player, arms]
        rule = f"at least {LEAST:g}, as it was drawn"
        _first(f"the probability of the {name} arm", chances, chances < LEAST, rule)


def _first(name: str, values: Any, bad: NDArray[np.bool_], rule: str) -> None:
    """Refuse the first bad value."""
    if bad.any():
        at = int(np.argmax(bad))
        where = f" of duel {at + 1:,}" if len(values) > 1 else ""
        raise checks.refuse(f"{name}{where}", rule, values[at].tolist())
