"""Coverage: how often the guarantees fail in runs, and how much sharper ones would be refuted."""

from sparring.lab.coverage.cases import cases
from sparring.lab.coverage.files import read, write
from sparring.lab.coverage.judging import Covered, judge
from sparring.lab.coverage.running import run

__all__ = ["Covered", "cases", "judge", "read", "run", "write"]
