"""Conformance checks for your own learners and worlds, the same that sparring's pass."""

from sparring.testing.learner import LEARNER_CHECKS, check_learner
from sparring.testing.world import WORLD_CHECKS, check_world

__all__ = ["LEARNER_CHECKS", "WORLD_CHECKS", "check_learner", "check_world"]
