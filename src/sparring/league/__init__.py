"""The league: which learner to run, from one set of worlds that all of them meet."""

from sparring.league.advice import Advice, advise
from sparring.league.contenders import CONTENDERS, Contender
from sparring.league.few import few
from sparring.league.fixtures import Fixture
from sparring.league.ranking import Ranking, rank
from sparring.league.standings import League, Meeting, read
from sparring.league.suite import SCALES, Scale, experiments, given, suite

__all__ = [
    "CONTENDERS",
    "SCALES",
    "Advice",
    "Contender",
    "Fixture",
    "League",
    "Meeting",
    "Ranking",
    "Scale",
    "advise",
    "experiments",
    "few",
    "given",
    "rank",
    "read",
    "suite",
]
