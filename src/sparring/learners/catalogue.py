"""LEARNERS: every learner of the package by name, those included that begin anew."""

from collections.abc import Callable

from sparring.learners.adaptive import tracker
from sparring.learners.protocol import Learner
from sparring.learners.registry import PLAIN
from sparring.learners.symmetric import steady
from sparring.learners.wrappers import doubling, oracle_restarts, periodic_restarts

LEARNERS: dict[str, Callable[..., Learner]] = {
    "tracker": tracker,
    **PLAIN,
    "steady": steady,
    "periodic_restarts": periodic_restarts,
    "oracle_restarts": oracle_restarts,
    "doubling": doubling,
}
