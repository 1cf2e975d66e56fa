"""Clocked: SYM-EXP3.S with a tuning that lasts, and a memory in votes or in time."""

import math
import re
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from sparring import checks, streams, tunings
from sparring._kernels import weights as kernels
from sparring.durations import Moment, duration, moment
from sparring.learners import snapshots
from sparring.learners.exponential import ExponentialWeights, Floats
from sparring.learners.journal import machine_code
from sparring.problem import LONGEST, Block, Duel, Plays, Tuning

MEMORY = 'a number of duels, "5000 votes", or a time in s, min, h, d or w, such as "14d"'
LARGEST_STEP = 100.0  # of a logarithm of a weight, where an answer comes late to a tuning that grew
SMALLEST_REST = 1e-12  # of a memory's time between two votes
SMALLEST_CHANCE = 1e-9  # that an open duel's arm was drawn with


class Clocked(ExponentialWeights):
    """`steady` with a memory in votes or in time; see there what it does.

    Parameters
    ----------
    K, seed
        As for `steady`.
    memory
        Text: a number of votes such as "5000 votes", or a time such as "14d".

    Examples
    --------
    >>> learner = Clocked(4, "14d", seed=1)
    >>> learner.tell(learner.ask(), 1.0, at=1_794_873_600)
    >>> learner.memory
    '14d'
    """

    KIND = "clocked"

    def __init__(self, K: int, memory: str, *, seed: streams.Seed = None) -> None:
        self._memory = memory
        votes = re.fullmatch(r"\s*(\d[\d_,]{0,30})\s*votes\s*", memory)
        self._span = math.inf if votes else duration("memory", memory, MEMORY)
        least = tunings.least_memory(K)
        # How many votes tastes stay: known, or as many as come in that time, which is learnt.
        self._votes = float(re.sub("[_,]", "", votes[1])) if votes else 0.0
        self._latest: float | None = None
        if votes:
            checks.whole("memory", int(self._votes), low=least, high=LONGEST, remedy="In votes")
        tuning = tunings.steady(K, max(least, int(self._votes)))
        super().__init__(K, tuning, estimate="relative", seed=seed)
        self._numbers = self._tuned(tuning, votes=True)

    @property
    def memory(self) -> str:
        """For about how long tastes stay the same."""
        return self._memory

    def _learn(self, o: float, asked: Duel, note: Floats, at: Moment | None) -> None:
        if math.isinf(self._span):
            super()._learn(o, asked, note, at)
            return
        if asked.row == asked.col:  # nobody voted
            self._do(self._learnt, (asked, self._weights), len, ((),))
            return
        if at is None:
            raise checks.refuse("at", "given, as the memory is a time", at, "tell(..., at=seconds)")
        now = moment("at", at)
        rest = max(0.0, now - (now if self._latest is None else self._latest)) / self._span
        votes = self._votes * math.exp(-rest) + 1
        tuning = tunings.steady(self.K, max(tunings.least_memory(self.K), round(votes)))
        # In the time of a memory all arms together get as much as there is; in this time, a part.
        alpha = min(max(rest, SMALLEST_REST), 1.0) / (math.e * self.K)
        numbers = self._tuned(Tuning(tuning.eta, tuning.gamma, alpha=alpha))
        code = machine_code(kernels.tell)
        weights = self._copied_weights() if code is None else self._weights
        p = np.maximum(note, tuning.eta / (2 * LARGEST_STEP))
        arguments = (o, asked.row, asked.col, tuple(weights), p, numbers)
        clock = (votes, max(now, self._latest or now), tuning)
        self._do(self._learnt_at, (asked, weights, clock), code or kernels.tell, arguments)

    def _learnt_at(self, kept: tuple[Duel, kernels.Weights, Any], _: None) -> None:
        asked, weights, (self._votes, self._latest, self._tuning) = kept
        self._numbers = self._tuned(self._tuning, votes=True)
        self._learnt((asked, weights), None)

    def _play(self, block: Block, coins: Floats, out: Plays) -> Any:
        if math.isfinite(self._span):
            raise ValueError(
                f"memory={self.memory!r} is a time, and a simulation has no clock: give votes, "
                "such as memory='5000 votes'"
            )
        return super()._play(block, coins, out)

    def _described(self) -> str:
        return f", memory={self.memory!r}{super()._described()}"

    def _least(self) -> float:
        return SMALLEST_CHANCE if math.isfinite(self._span) else super()._least()

    def _kept(self) -> Any:
        return super()._kept(), self._votes, self._latest, self._tuning

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Floats]) -> dict[str, Any]:
        weights, votes, latest, tuning = kept
        clock = {"memory": self.memory, "votes": votes, "latest": latest}
        return {**super()._saved(weights, duels, notes), **clock, "tuning": asdict(tuning)}

    @classmethod
    def _made_again(
        cls, fields: snapshots.Fields, K: int, tuning: Tuning, estimate: str, rng: Generator
    ) -> Self:
        fields.demand("estimate", estimate == "relative")
        learner = fields.read("memory", lambda memory: cls(K, memory, seed=rng))
        if math.isfinite(learner._span):
            learner._votes = fields.read(
                "votes", lambda it: checks.real("votes", it, low=0, high=LONGEST)
            )
            latest = fields.read("latest", lambda it: None if it is None else moment("latest", it))
            learner._latest = latest
            least = tunings.least_memory(K)
            learner._tuning = tunings.steady(K, max(least, round(learner._votes)))
            learner._numbers = learner._tuned(learner._tuning, votes=True)
        return learner

    def _alike(self, K: int) -> Self:
        return type(self)(K, self.memory, seed=0)

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        super()._inherit(heir, before, boost)
        if math.isfinite(self._span):
            heir._votes, heir._latest = self._votes, self._latest
            least = tunings.least_memory(heir.K)
            heir._tuning = tunings.steady(heir.K, max(least, round(self._votes)))
            heir._numbers = heir._tuned(heir._tuning, votes=True)
