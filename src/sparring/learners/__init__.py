"""Learners: the frame they share, one file for each family, saving and restoring.

Each learner registers itself where it is defined, so the order of the imports is that of LEARNERS.
"""

# ruff: noqa: I001
from sparring.learners.protocol import Learner as Learner, OnlineLearner as OnlineLearner
from sparring.learners.duels import OpenDuels as OpenDuels
from sparring.learners.registry import LEARNERS as LEARNERS, register as register
from sparring.learners.frame import Frame as Frame, restore as restore
from sparring.learners.answers import AnswerLog as AnswerLog
from sparring.learners.replaying import replay as replay
from sparring.learners.compiled import Built as Built, Compiled as Compiled

from sparring.learners.adaptive import Adaptive as Adaptive, tracker as tracker
from sparring.learners.exponential import ExponentialWeights as ExponentialWeights
from sparring.learners.paper import rand as rand, rex3 as rex3, dex3p as dex3p
from sparring.learners.paper import dex3s as dex3s, borda_dex3s as borda_dex3s
from sparring.learners.symmetric import sym_exp3s as sym_exp3s, sym_exp3six as sym_exp3six
from sparring.learners.borda import d_exp3 as d_exp3
from sparring.learners.adapter import Sparring as Sparring
from sparring.learners.adversarial import sparring_exp3 as sparring_exp3
from sparring.learners.adversarial import sparring_exp3ix as sparring_exp3ix
from sparring.learners.adversarial import sparring_exp3six as sparring_exp3six
from sparring.learners.adversarial import versatile_db as versatile_db
from sparring.learners.counting import Counting as Counting
from sparring.learners.counters import rucb as rucb, rmed1 as rmed1
from sparring.learners.counters import double_thompson as double_thompson
from sparring.learners.rating import Rating as Rating, BradleyTerry as BradleyTerry
from sparring.learners.raters import elo as elo, glicko2 as glicko2, trueskill as trueskill
from sparring.learners.raters import bradley_terry as bradley_terry
from sparring.learners.remembering import Seasoned as Seasoned, seasoned as seasoned
from sparring.learners.winners import BeatTheWinner as BeatTheWinner, btwr as btwr
from sparring.learners.monitoring import Monitored as Monitored, monitored_db as monitored_db
from sparring.learners.elimination import Elimination as Elimination
from sparring.learners.elimination import anaconda as anaconda, metaswift as metaswift
from sparring.learners.clocked import Clocked as Clocked
from sparring.learners.endless import steady as steady
from sparring.learners.capped import sturdy as sturdy
from sparring.learners.restarts import Restarting as Restarting
from sparring.learners.wrappers import periodic_restarts as periodic_restarts
