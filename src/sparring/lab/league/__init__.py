"""The league: which learner to run, from one set of worlds that all of them meet."""

from sparring.lab.league.advice import Advice, advise
from sparring.lab.league.contenders import CONTENDERS, Contender
from sparring.lab.league.few import few
from sparring.lab.league.fixtures import Fixture
from sparring.lab.league.ranking import Ranking, rank
from sparring.lab.league.standings import League, Meeting, read
from sparring.lab.league.suite import SCALES, Size, beside, experiments, given, suite

__all__ = [
    "CONTENDERS",
    "SCALES",
    "Advice",
    "Contender",
    "Fixture",
    "League",
    "Meeting",
    "Ranking",
    "Size",
    "advise",
    "beside",
    "experiments",
    "few",
    "given",
    "rank",
    "read",
    "suite",
]
