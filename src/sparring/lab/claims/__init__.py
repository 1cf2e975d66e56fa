"""Claims as data, each with a way to decide it, and the verdicts that results give."""

from sparring.lab.claims.claim import ORIGINS, PAPER, THEORY, Claim
from sparring.lab.claims.decisions import FAILS, HOLDS, OPEN, SO_FAR
from sparring.lab.claims.paper import OF_THE_PAPER
from sparring.lab.claims.theory import OF_THEORY
from sparring.lab.claims.verdict import CLAIMS, Verdict, judge

__all__ = [
    "CLAIMS",
    "FAILS",
    "HOLDS",
    "OF_THEORY",
    "OF_THE_PAPER",
    "OPEN",
    "ORIGINS",
    "PAPER",
    "SO_FAR",
    "THEORY",
    "Claim",
    "Verdict",
    "judge",
]
