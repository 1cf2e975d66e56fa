"""Few votes: short worlds of few and many arms, in which the winner stays, changes or wanders."""

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

from sparring.lab.league.fixtures import Fixture
from sparring.worlds import FreshWinner, RotatingWinner

KINDS = ("stays", "changes", "wanders")
ARMS = (5, 10, 20)
ROUNDS = (500, 2000, 10_000)
MARGINS = (0.1, 0.2)
RUNS: Mapping[str, int] = MappingProxyType({"quick": 20, "full": 200})
CHECKPOINTS = 10  # 10, 20, ..., 100% of the rounds
HANDOVERS = 3  # of a winner that wanders; one that changes does so as often


class FewVotes(NamedTuple):
    """What tells one of these worlds from the others."""

    kind: str
    """What the winner does: it "stays", "changes" or "wanders"."""
    K: int
    T: int
    margin: float
    """By how much the winner's chance exceeds 1/2; of one that wanders, at most."""

    @property
    def name(self) -> str:
        """What the league calls the world."""
        return f"few-{self.kind}-K{self.K}-T{self.T}-{self.margin}"

    @property
    def title(self) -> str:
        """What a figure calls it."""
        return f"It {self.kind}: K = {self.K}, T = {self.T:,}, margin {self.margin}"

    @property
    def world(self) -> Any:
        """The world."""
        K, T, margin = self.K, self.T, self.margin
        if self.kind == "wanders":
            # A handover costs a variation of twice the margin.
            return RotatingWinner(K, T, V_T=2 * HANDOVERS * margin, largest_margin=margin)
        return FreshWinner(K, T, S=1 if self.kind == "stays" else 1 + HANDOVERS, margin=margin)


CASES: Mapping[str, FewVotes] = MappingProxyType(
    {case.name: case for case in (FewVotes(*it) for it in product(KINDS, ARMS, ROUNDS, MARGINS))}
)


def few() -> Mapping[str, Fixture]:
    """Every world of the suite of few votes, by name.

    Examples
    --------
    >>> len(few()), few()["few-changes-K5-T500-0.2"].world
    (54, FreshWinner(K=5, T=500, S=4, margin=0.2))
    """
    fixtures = [
        Fixture(
            case.name,
            case.title,
            case.world,
            "round" if case.kind == "wanders" else "stretch",
            winner=True,
            few=True,
        )
        for case in CASES.values()
    ]
    return MappingProxyType({fixture.name: fixture for fixture in fixtures})
