"""Whether a guarantee fails more often than it may: a binomial test, and its power."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

FALSE_ALARM = 1e-4  # how often a guarantee that fails as often as it may is taken to fail


@dataclass(frozen=True)
class Covered:
    """How a guarantee did in many runs."""

    name: str
    says: str
    """Where the guarantee comes from."""
    world: str
    printed: bool
    """Whether it is as the paper prints it, and need not hold."""
    delta: float
    """How often it may fail."""
    bound: float | None
    """What it says of the regret; None if that differs from run to run."""
    ratios: tuple[float, ...]
    """In each run, the regret as a part of what it may be: above 1 the guarantee failed."""
    failures: int
    allowed: int
    """More failures than this refute it."""

    @property
    def runs(self) -> int:
        """How many runs."""
        return len(self.ratios)

    @property
    def holds(self) -> bool:
        """Whether it fails no more often than it may."""
        return self.failures <= self.allowed

    @property
    def refutable(self) -> float:
        """The power: these runs would refute a guarantee below this fraction of the tested one.

        0 if there are too few runs to refute anything, infinite if they refute the tested one.
        """
        if self.allowed >= self.runs:
            return 0.0
        return sorted(self.ratios)[-1 - self.allowed]

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        fields = {**asdict(self), "holds": self.holds, "refutable": _finite(self.refutable)}
        return {**fields, "ratios": [_finite(ratio) for ratio in self.ratios]}


def _finite(ratio: float) -> float | None:
    """None for infinity, which JSON cannot say."""
    return ratio if math.isfinite(ratio) else None


def judge(ratios: NDArray[np.float64], delta: float, **about: Any) -> Covered:
    """Count the failures, and compare with what chance allows.

    Examples
    --------
    >>> judge(np.array([0.5] * 399 + [1.2]), 0.05, name="", says="", world="").holds
    True
    """
    about = {"printed": False, "bound": None, **about}
    return Covered(
        delta=delta,
        ratios=tuple(float(ratio) for ratio in ratios),
        failures=int((~(ratios <= 1)).sum()),  # NaN has failed, too
        allowed=allowed(len(ratios), delta),
        **about,
    )


def allowed(runs: int, delta: float) -> int:
    """The least number of failures that this many runs exceed at most once in 10,000 times.

    Examples
    --------
    >>> allowed(400, 0.05)
    38
    """
    failures = np.arange(runs + 1)
    return int(np.argmax(special.bdtrc(failures, runs, delta) <= FALSE_ALARM))
