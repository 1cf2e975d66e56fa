"""Conformance checks for anyone's learner, the same that sparring's own learners pass."""

from sparring.testing.learner import LEARNER_CHECKS, check_learner

__all__ = ["LEARNER_CHECKS", "check_learner"]
