"""warm: compile the machine code of a service before anyone waits for it."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from sparring import _jit as jit
from sparring import checks, extras
from sparring.learners import LEARNERS, restore
from sparring.problem import Problem
from sparring.simulation.entrants import Entrant

SERVICE = ("tracker", "steady")  # the second for all exponential weights: they share their kernels
PROBLEM = Problem(K=4, T=1_000_000, S=4)  # machine code is the same for all sizes


class Warmed(NamedTuple):
    """What `warm` did."""

    seconds: dict[str, float]
    """How long each learner took, by name; hundredths of a second if the machine code already
    existed."""
    kernels: tuple[str, ...]
    """The kernels that are machine code now, in this process."""
    folder: str | None
    """Where later processes find it; None if nothing could be written."""


def warm(*learners: str) -> Warmed:
    """Compile what `ask`, `tell`, `snapshot` and `restore` of these learners need, or load it.

    Learners never compile by themselves, because a service could not answer for some seconds. Until
    machine code is on disk they run interpreted. So call this before serving, or run `sparring
    warm` while you build a container image. docs/containers.md has more.

    Parameters
    ----------
    learners
        Names from `sparring.LEARNERS`; `tracker` and all exponential weights (`steady`, `dex3s`,
        `sym_exp3s` and others) if none is given.

    Examples
    --------
    >>> sorted(warm("steady").seconds)
    ['steady']
    """
    for name in learners:
        if name not in LEARNERS:
            raise checks.unknown("learners", name, sorted(LEARNERS))
    if jit.SWITCHED_OFF:
        raise RuntimeError("NUMBA_DISABLE_JIT is set, so nothing is compiled: unset it to warm up")
    extras.demand("numba", "sparring.warm", extra="fast")
    seconds = {}
    with jit.compiling():
        for name in learners or SERVICE:
            began = time.perf_counter()
            _use(name)
            seconds[name] = time.perf_counter() - began
    ready = jit.ready()
    return Warmed(seconds, tuple(ready), next(iter(ready.values()), None))


def _use(name: str) -> None:
    """Call every method of a learner that a service may call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", checks.TheoremWarning)  # nothing is learnt here
        learner: Any = Entrant(name)(PROBLEM, np.random.default_rng(0))
    learner.tell(learner.ask(), 1.0)
    learner = restore(learner.snapshot())
    for look in ("p", "favourite", "confidence"):
        getattr(learner, look, None)
