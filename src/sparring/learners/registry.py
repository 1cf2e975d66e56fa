"""LEARNERS: every learner of the package by name."""

from collections.abc import Callable

from sparring.learners.paper import borda_dex3s, dex3p, dex3s, rand, rex3
from sparring.learners.protocol import Learner

LEARNERS: dict[str, Callable[..., Learner]] = {
    # The paper's five.
    "rand": rand,
    "rex3": rex3,
    "dex3p": dex3p,
    "dex3s": dex3s,
    "borda_dex3s": borda_dex3s,
}
