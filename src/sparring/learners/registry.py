"""PLAIN: every learner by name that is not made of another."""

from collections.abc import Callable

from sparring.learners.adversarial import (
    bandit_over_bandit,
    sparring_exp3,
    sparring_exp3ix,
    sparring_exp3six,
    sym_exp3six,
    versatile_db,
)
from sparring.learners.borda import d_exp3
from sparring.learners.counters import double_thompson, rmed1, rucb
from sparring.learners.elimination import anaconda, metaswift
from sparring.learners.monitoring import monitored_db
from sparring.learners.paper import borda_dex3s, dex3p, dex3s, rand, rex3
from sparring.learners.protocol import Learner
from sparring.learners.symmetric import sym_exp3s
from sparring.learners.winners import btwr

PLAIN: dict[str, Callable[..., Learner]] = {
    # The paper's five.
    "rand": rand,
    "rex3": rex3,
    "dex3p": dex3p,
    "dex3s": dex3s,
    "borda_dex3s": borda_dex3s,
    # Beyond the paper.
    "sym_exp3s": sym_exp3s,
    "sym_exp3six": sym_exp3six,
    "d_exp3": d_exp3,
    # Bandit learners against each other.
    "sparring_exp3": sparring_exp3,
    "sparring_exp3ix": sparring_exp3ix,
    "sparring_exp3six": sparring_exp3six,
    "versatile_db": versatile_db,
    "bandit_over_bandit": bandit_over_bandit,
    # Counts of wins.
    "rucb": rucb,
    "rmed1": rmed1,
    "double_thompson": double_thompson,
    # Detecting a new winner.
    "btwr": btwr,
    "monitored_db": monitored_db,
    # Episodes and replays.
    "anaconda": anaconda,
    "metaswift": metaswift,
}
