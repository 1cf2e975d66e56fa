"""Coverage: how often the guarantees fail, in runs, and how much of them runs could refute."""

from sparring.coverage.cases import cases
from sparring.coverage.files import read, write
from sparring.coverage.judging import Covered, judge
from sparring.coverage.running import run

__all__ = ["Covered", "cases", "judge", "read", "run", "write"]
