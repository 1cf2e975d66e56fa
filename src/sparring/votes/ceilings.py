"""How sure you can ever be while strengths keep moving: votes grow old as new ones come."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ceiling:
    """What can be known of the gap between two drifting arms, however long you wait."""

    gap: float
    floor: float
    """The standard error that the gap cannot get below, at the rate at which votes came."""
    wanted: float
    """The standard error that tells the two apart."""

    @property
    def faster(self) -> float:
        """How many times as fast votes must come; at most 1 means that they come fast enough."""
        return (self.floor / self.wanted) ** 4

    @property
    def reached(self) -> bool:
        """Whether waiting does not help."""
        return self.faster > 1

    def __str__(self) -> str:
        if not self.floor:
            return "no sign of drift: each vote adds to what is known"
        head = f"strengths move, and the standard error of the gap stays at {self.floor:.3f} or so"
        if not self.reached:
            return f"{head}, which is enough"
        much = f"{self.faster:,.1f}" if self.faster < 10 else f"{self.faster:,.0f}"
        return f"{head} however long you wait: votes would have to come {much} times as fast"

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`; what is infinite is None."""
        faster = self.faster if math.isfinite(self.faster) else None
        return {"floor": self.floor, "wanted": self.wanted, "faster": faster}


def ceiling(
    strengths: Floats,
    pairs: Floats,
    arms: tuple[int, int],
    *,
    pace: float,
    rate: float,
    delta: float,
    power: float,
) -> Ceiling:
    """What can be known of the gap between two arms whose strengths walk randomly.

    Let each strength gain the variance `pace` in a unit of time, so that the gap gains 2 pace, and
    let votes bring the information `rate` / v in that time, where v is the variance of the gap by
    Bradley-Terry from one vote on a pair drawn as they were. The best filter then has a variance P
    with dP/dt = 2 pace - P^2 rate / v (Kalman and Bucy), which settles at sqrt(2 pace v / rate). So
    the error falls like the fourth root of the rate: to halve it, votes must come sixteen times as
    fast.

    Parameters
    ----------
    strengths
        (K,): Bradley-Terry strengths.
    pairs
        (K, K): how often each pair is shown, in any units.
    arms
        The two arms.
    pace, rate
        The variance that a strength gains in a unit of time, and the number of votes in that time.
    delta, power
        They are told apart if an interval of 1 - delta excludes 0, with this probability.

    Examples
    --------
    >>> two = np.array([[0.0, 1.0], [0.0, 0.0]])
    >>> at = {"rate": 100.0, "delta": 0.05, "power": 0.8}
    >>> print(ceiling(np.array([0.2, -0.2]), two, (0, 1), pace=0.0, **at))
    no sign of drift: each vote adds to what is known
    >>> found = ceiling(np.array([0.2, -0.2]), two, (0, 1), pace=0.01, **at)
    >>> round(found.floor, 3), round(found.faster, 1)
    (0.17, 2.0)
    """
    pace = checks.real("pace", pace, low=0, high=math.inf)
    rate = checks.real("rate", rate, low=0, high=math.inf)
    one, other = arms
    together = pairs + pairs.T
    p = 1 / (1 + np.exp(strengths[None] - strengths[:, None]))
    told = together / together.sum() * p * (1 - p)  # each pair is there twice: half of it, twice
    information = np.diag(2 * told.sum(axis=1)) - 2 * told
    direction = np.zeros(len(strengths))
    direction[one], direction[other] = 1.0, -1.0
    v = float(direction @ np.linalg.pinv(information, hermitian=True) @ direction)
    normal = NormalDist()
    gap = float(abs(strengths[one] - strengths[other]))
    wanted = gap / (normal.inv_cdf(1 - delta / 2) + normal.inv_cdf(power))
    floor = 0.0
    if pace > 0:
        floor = (2 * pace * v / rate) ** 0.25 if rate > 0 else math.inf
    return Ceiling(gap, floor, max(wanted, 1e-12))
