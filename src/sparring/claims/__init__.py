"""Claims as data, each with a test; verdicts are computed from results, never written down."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sparring.claims.claim import Claim
from sparring.claims.decisions import FAILS, HOLDS, OPEN
from sparring.claims.paper import OF_THE_PAPER
from sparring.claims.theory import OF_THEORY
from sparring.measures import Estimate
from sparring.summaries import Summary

__all__ = [
    "CLAIMS",
    "FAILS",
    "HOLDS",
    "OF_THEORY",
    "OF_THE_PAPER",
    "OPEN",
    "Claim",
    "Verdict",
    "judge",
]

CLAIMS = (*OF_THE_PAPER, *OF_THEORY)


class Verdict(NamedTuple):
    """A claim, what was measured, and what follows."""

    claim: Claim
    measured: str
    estimate: Estimate
    wanted: str
    verdict: str
    note: str

    def to_json(self) -> dict[str, Any]:
        """The verdict as a dictionary for `json.dumps`; None where a number is unknown."""
        estimate = {
            name: value if value == value else None
            for name, value in self.estimate._asdict().items()
        }
        return {**self._asdict(), "claim": self.claim.to_json(), "estimate": estimate}


def judge(panels: Sequence[Summary], claims: Sequence[Claim] = CLAIMS) -> list[Verdict]:
    """The verdicts on all claims about these panels."""
    by_name = {panel.name: panel for panel in panels}
    return [
        Verdict(claim, *claim.test(by_name[claim.panel]))
        for claim in claims
        if claim.panel in by_name
    ]
