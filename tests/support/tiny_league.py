"""A real league, as small as can be, which the tests of standings, figures and pages share."""

from dataclasses import replace

from sparring import Constant, Entrant
from sparring.lab.experiments import run
from sparring.lab.league import given, suite
from sparring.lab.league.contenders import ORACLE
from sparring.lab.league.suite import Size, experiments

RUNS = 3
WORLDS = ("walk", "stationary", "fresh-2", "rotating-2", "cyclic")
LABELS = ("RAND", "REX3", "DEX3.S corrected", "SYM-EXP3.S", "RMED1", ORACLE)
HOSTILE = "</script><img src=x onerror=alert(1)>"
MATRIX = [[0.5, 0.9, 0.8], [0.1, 0.5, 0.7], [0.2, 0.3, 0.5]]
OWN = "own_learners:Stubborn"


def fixtures():
    """Some worlds of the league with few rounds, and one of somebody's own."""
    small = suite(Size(T=600, runs=RUNS))
    mine = given(f"mine {HOSTILE}", Constant(MATRIX, T=600, label="mine"))
    return [*(small[name] for name in WORLDS), mine]


def chosen(experiment):
    """The experiment with some of its entrants; one of one's own stays as it is."""
    pairs = [pair for pair in experiment.entrants if pair[0] in (*LABELS, OWN)]
    return replace(experiment, entrants=tuple(pairs))


def play(folder, *, own=True, runs=RUNS):
    """Play it into a folder, and give the names of its experiments."""
    mine = {OWN: Entrant(OWN)} if own else {}
    wanted = [chosen(experiment) for experiment in experiments(fixtures(), mine, everybody=True)]
    run(wanted, folder, runs=runs, command=["sparring", "league"])
    return [experiment.name for experiment in wanted]


_played = {}


def played(factory):
    """Its folder, played once for all tests."""
    session = factory.getbasetemp()
    if session not in _played:
        _played[session] = factory.mktemp("league")
        play(_played[session])
    return _played[session]
