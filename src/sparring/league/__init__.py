"""The league: which learner to run, from one set of worlds that all of them meet."""

from sparring.league.suite import CONTENDERS, SCALES, Contender, Fixture, experiments, given, suite

__all__ = ["CONTENDERS", "SCALES", "Contender", "Fixture", "experiments", "given", "suite"]
