"""An adversary that looks at the learner, and runs that keep everything a certificate needs."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring._jit import compile_from_now_on
from sparring.learners import ExponentialWeights, Learner
from sparring.preferences import borda_scores
from sparring.problem import Block
from sparring.segments import equal_cuts
from sparring.worlds import PreferenceSequence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Path = Callable[[Floats], Floats]  # the matrix of a round, from what the learner is about to do

FAVOURITE_WINS = 0.1  # with this probability, against each other arm
LOOKS_EVERY = 200  # rounds, where whole blocks are played


class Logged(NamedTuple):
    """A run: what a log would have, and the regret to each arm in each round."""

    rows: Ints
    cols: Ints
    outcomes: Floats
    p: Floats
    """(T, players, K)."""
    regrets: Floats
    """(T, K): r_t(j), which no log has."""


def against_the_favourite(K: int) -> Path:
    """The arm that the learner likes most loses to all others.

    It depends on the past alone, as p does, so the guarantees hold against it.
    """
    matrices = np.full((K, K, K), 0.5)
    for arm in range(K):
        matrices[arm, arm, :] = FAVOURITE_WINS
        matrices[arm, :, arm] = 1 - FAVOURITE_WINS
        matrices[arm, arm, arm] = 0.5

    def matrix(p: Floats) -> Floats:
        return np.asarray(matrices[int(p.sum(axis=0).argmax())])

    return matrix


def along(world: PreferenceSequence, rng: Generator) -> Path:
    """The matrices of a path through a world, round by round."""

    def rounds() -> Iterator[Floats]:
        for block in world.blocks(rng):
            for P, hold in zip(*block, strict=True):
                for _ in range(hold):
                    yield P

    matrices = rounds()
    return lambda p: next(matrices)


def logged(learner: Learner, T: int, path: Path, coins: Floats) -> Logged:
    """Play T rounds by asking and telling, and keep the log."""
    compile_from_now_on()
    log = Logged(
        np.empty(T, np.int64),
        np.empty(T, np.int64),
        np.empty(T),
        np.empty((T, *learner.p.shape)),
        np.empty((T, learner.K)),
    )
    for t in range(T):
        P = path(learner.p)
        duel = learner.ask()
        outcome = float(coins[t] < P[duel.row, duel.col])
        learner.tell(duel, outcome)
        log.rows[t], log.cols[t], log.outcomes[t], log.p[t] = duel.row, duel.col, outcome, duel.p
        log.regrets[t] = (P[:, duel.row] + P[:, duel.col] - 1) / 2
    return log


def watched(learner: ExponentialWeights, T: int, S: int, gain: str, coins: Floats) -> float:
    """The regret to the best arm of each of S segments, with an adversary that looks at times."""
    K = learner.K
    path = against_the_favourite(K)
    edges = [0, *equal_cuts(T, S), T]
    total = 0.0
    for begin, end in pairwise(edges):
        regrets = np.zeros(K)
        for t in range(begin, end, LOOKS_EVERY):
            P = path(learner.p)
            length = min(LOOKS_EVERY, end - t)
            rows, cols = learner.play(Block(P[None], np.array([length])), coins[t : t + length])
            if gain == "borda":
                scores = borda_scores(P)
                regrets += length * scores - (scores[rows] + scores[cols]).sum() / 2
            else:
                regrets += (P[:, rows] + P[:, cols] - 1).sum(axis=1) / 2
        total += float(regrets.max())
    return total
