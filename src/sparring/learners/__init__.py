"""Learners: the protocol, the algorithm behind the paper's five, saving and restoring."""

from sparring.learners.adapter import Sparring
from sparring.learners.adaptive import Adaptive, tracker
from sparring.learners.adversarial import (
    bandit_over_bandit,
    sparring_exp3,
    sparring_exp3ix,
    sparring_exp3six,
    sym_exp3six,
    versatile_db,
)
from sparring.learners.auditing import Audited
from sparring.learners.bases import BanditOverBandit, Exp3, Exp3SIX, TsallisINF
from sparring.learners.bookkeeping import Bookkeeping
from sparring.learners.borda import d_exp3
from sparring.learners.catalogue import LEARNERS
from sparring.learners.counters import double_thompson, rmed1, rucb
from sparring.learners.counting import Counting
from sparring.learners.duels import OpenDuels
from sparring.learners.elimination import Elimination, anaconda, metaswift
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.guarding import Guarded, guarded
from sparring.learners.monitoring import Monitored, monitored_db
from sparring.learners.paper import borda_dex3s, dex3p, dex3s, rand, rex3
from sparring.learners.protocol import Learner
from sparring.learners.restarts import Restarting
from sparring.learners.restoring import KINDS, restore
from sparring.learners.symmetric import steady, sym_exp3s
from sparring.learners.winners import BeatTheWinner, btwr
from sparring.learners.wrappers import doubling, oracle_restarts, periodic_restarts

__all__ = [
    "KINDS",
    "LEARNERS",
    "Adaptive",
    "Audited",
    "BanditOverBandit",
    "BeatTheWinner",
    "Bookkeeping",
    "Counting",
    "Elimination",
    "Exp3",
    "Exp3SIX",
    "ExponentialWeights",
    "Guarded",
    "Learner",
    "Monitored",
    "OpenDuels",
    "Restarting",
    "Sparring",
    "TsallisINF",
    "anaconda",
    "bandit_over_bandit",
    "borda_dex3s",
    "btwr",
    "d_exp3",
    "dex3p",
    "dex3s",
    "double_thompson",
    "doubling",
    "guarded",
    "metaswift",
    "monitored_db",
    "oracle_restarts",
    "periodic_restarts",
    "rand",
    "restore",
    "rex3",
    "rmed1",
    "rucb",
    "sparring_exp3",
    "sparring_exp3ix",
    "sparring_exp3six",
    "steady",
    "sym_exp3s",
    "sym_exp3six",
    "tracker",
    "versatile_db",
]
