"""Verdicts on claims: computed from results, never written down."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sparring.formats import Estimate, interval
from sparring.lab.claims.claim import Claim
from sparring.lab.claims.decisions import HOLDS, OPEN, SO_FAR
from sparring.lab.claims.paper import OF_THE_PAPER
from sparring.lab.claims.theory import OF_THEORY
from sparring.lab.summaries import Summary

CLAIMS = (*OF_THE_PAPER, *OF_THEORY)


class Verdict(NamedTuple):
    """A claim, what was measured, and what follows."""

    claim: Claim
    measured: str
    estimate: Estimate
    wanted: str
    verdict: str
    note: str

    @property
    def number(self) -> str:
        """The estimate with its interval, in as many digits as make sense."""
        return interval(self.estimate)

    def to_json(self) -> dict[str, Any]:
        """The verdict as a dictionary for `json.dumps`; unknown numbers are None."""
        estimate = {
            name: value if abs(value) < float("inf") else None
            for name, value in self.estimate._asdict().items()
        }
        return {**self._asdict(), "claim": self.claim.to_json(), "estimate": estimate}


def judge(panels: Sequence[Summary], claims: Sequence[Claim] = CLAIMS) -> list[Verdict]:
    """The verdicts on all claims about these panels."""
    by_name = {panel.name: panel for panel in panels}
    return [
        _judged(claim, by_name[claim.panel])
        for claim in claims
        if claim.panel in by_name and claim.labels <= set(by_name[claim.panel].all_labels)
    ]


def _judged(claim: Claim, panel: Summary) -> Verdict:
    """The verdict, if the panel is as large as the claim."""
    reading = claim.decision(panel)
    largest = max(point.T for point in panel.realised)
    settled = panel.experiment.axis == "T" and reading.verdict in claim.decision.settled_by_a_part
    if largest < claim.T and not settled:
        short = f"T goes to {largest:,} here, and to {claim.T:,} in the claim"
        note = f"{reading.note}; {short}" if reading.note else short
        verdict = SO_FAR if reading.verdict == HOLDS else OPEN
        reading = reading._replace(verdict=verdict, note=note)
    if not panel.complete:
        unfinished = "the panel is not finished"
        note = f"{reading.note}; {unfinished}" if reading.note else unfinished
        reading = reading._replace(note=note)
    return Verdict(claim, *reading)
