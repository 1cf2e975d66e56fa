"""Learners: the frame they share, one file for each family, saving and restoring.

Each learner registers itself where it is defined, so the order of the imports is that of LEARNERS.
As an attribute `learners.tracker` is the function, which hides its module: import from the module
by name, as in `from sparring.learners.tracker import Ages`.
"""

# ruff: noqa: I001
import importlib as _importlib
import typing as _typing

from sparring._jit import inline as inline, kernel as kernel, rounds as rounds
from sparring.learners.protocol import Learner as Learner, OnlineLearner as OnlineLearner
from sparring.learners.frame import Built as Built, Frame as Frame, OpenDuels as OpenDuels
from sparring.learners.frame import LEARNERS as LEARNERS, register as register
from sparring.learners.family import Family as Family, restore as restore

from sparring.learners.tracker import Adaptive as Adaptive, tracker as tracker
from sparring.learners.weights import ExponentialWeights as ExponentialWeights
from sparring.learners.dex3 import rand as rand, rex3 as rex3, dex3p as dex3p, dex3s as dex3s
from sparring.learners.dex3 import borda_dex3s as borda_dex3s
from sparring.learners.symmetric import sym_exp3s as sym_exp3s
from sparring.learners.adversarial import Sparring as Sparring, sym_exp3six as sym_exp3six
from sparring.learners.dex3 import d_exp3 as d_exp3
from sparring.learners.adversarial import sparring_exp3 as sparring_exp3
from sparring.learners.adversarial import sparring_exp3ix as sparring_exp3ix
from sparring.learners.adversarial import sparring_exp3six as sparring_exp3six
from sparring.learners.adversarial import versatile_db as versatile_db
from sparring.learners.counts import Counting as Counting, rucb as rucb, rmed1 as rmed1
from sparring.learners.counts import double_thompson as double_thompson
from sparring.learners.ratings import Rating as Rating, elo as elo, glicko2 as glicko2
from sparring.learners.ratings import trueskill as trueskill
from sparring.learners.bradley_terry import BradleyTerry as BradleyTerry
from sparring.learners.bradley_terry import bradley_terry as bradley_terry
from sparring.learners.seasons import Seasoned as Seasoned, seasoned as seasoned
from sparring.learners.winners import BeatTheWinner as BeatTheWinner, btwr as btwr
from sparring.learners.monitored import Monitored as Monitored, monitored_db as monitored_db
from sparring.learners.elimination import Elimination as Elimination
from sparring.learners.elimination import anaconda as anaconda, metaswift as metaswift
from sparring.learners.symmetric import Clocked as Clocked, steady as steady, sturdy as sturdy
from sparring.learners.restarts import Restarting as Restarting
from sparring.learners.restarts import periodic_restarts as periodic_restarts

_LATER = ("AnswerLog", "replay")  # which a learner needs after a crash only

if _typing.TYPE_CHECKING:
    from sparring.learners.recovery import AnswerLog as AnswerLog, replay as replay
else:

    def __getattr__(name: str) -> _typing.Any:
        if name not in _LATER:
            raise AttributeError(f"module 'sparring.learners' has no attribute {name!r}")
        return getattr(_importlib.import_module("sparring.learners.recovery"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATER})
