"""Conformance checks for anyone's learner or world, the same that sparring's own pass."""

from sparring.testing.learner import LEARNER_CHECKS, check_learner
from sparring.testing.world import WORLD_CHECKS, check_world

__all__ = ["LEARNER_CHECKS", "WORLD_CHECKS", "check_learner", "check_world"]
