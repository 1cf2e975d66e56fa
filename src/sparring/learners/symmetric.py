"""Exponential weights with one distribution for both arms: SYM-EXP3.S, steady and sturdy."""

import math
import re
from dataclasses import asdict, replace
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from sparring import checks, streams, tunings
from sparring._jit import Floats
from sparring.durations import Moment, duration, moment
from sparring.learners import snapshots
from sparring.learners.frame import register
from sparring.learners.weights import ExponentialWeights
from sparring.problem import LONGEST, Duel, Tuning
from sparring.streams import Seed
from sparring.tunings import Rule, choose

MEMORY = 'a number of duels, "5000 votes", or a time in s, min, h, d or w, such as "14d"'
LARGEST_STEP = 100.0  # of a logarithm of a weight, where an answer comes late to a tuning that grew
SMALLEST_REST = 1e-12  # of a memory's time between two votes
SMALLEST_CHANCE = 1e-9  # that an open duel's arm was drawn with


@register("T", "S", "V_T")
def sym_exp3s(
    K: int,
    T: int | None = None,
    *,
    S: int | None = None,
    V_T: float | None = None,
    tuning: Tuning | Rule[Tuning] | None = None,
    differ: bool = False,
    seed: Seed = None,
) -> ExponentialWeights:
    """SYM-EXP3.S: low dynamic regret from one distribution, with a bound.

    Both arms are drawn from p(k) = (1 - gamma) W(k) / sum W + gamma / K, and with psi = 2 o - 1

        W(row) <- W(row) exp(+eta psi / (2 p(row))) + e alpha sum W,
        W(col) <- W(col) exp(-eta psi / (2 p(col))) + e alpha sum W,

    and W(k) <- W(k) + e alpha sum W for the others, and for all in a self-duel. That is REX3
    (Gajane, Urvoy and Clerot 2015) with the share of EXP3.S (Auer et al. 2002); the combination,
    its tuning and its bound are ours (`sparring.bounds.sym_exp3s`). A duel teaches both of its arms
    about the same opponent, so the bound is a fraction of that of DEX3.S. It bounds the mean of the
    regret; nothing is promised with high probability.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    S
        Segments of the benchmark, if known (`tunings.sym_exp3s_known`).
    V_T
        Continuous variation, if you know that instead (`tunings.sym_exp3s_continuous`). Without S
        and V_T the tuning is `tunings.sym_exp3s_unknown`.
    tuning
        Use instead of T, S and V_T; beta must be 0. Or a function that makes a tuning from a
        `Problem`.
    differ
        Whether to show two different arms in every round. A pair is then drawn from p given that
        its arms differ, psi is multiplied by sqrt(D), where D = sum of p (1 - p), and the tuning is
        `tunings.apart` of the usual one, unless you give one. The bound does not cover it
        (docs/two-arms.md).
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = sym_exp3s(10, 1_000_000, S=10, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.p.shape
    (1, 10)
    """
    chosen = choose(tuning, tunings.sym_exp3s, K, T, S, V_T)
    if checks.flag("differ", differ):
        chosen = tunings.apart(chosen) if tuning is None else chosen
        return ExponentialWeights(K, chosen, estimate="differ", seed=seed)
    return ExponentialWeights(K, chosen, estimate="relative", seed=seed)


@register(plain=False)
def steady(
    K: int,
    *,
    memory: int | str | None = None,
    differ: bool = False,
    seed: Seed = None,
) -> ExponentialWeights:
    """SYM-EXP3.S with a lasting tuning: no T, S or V_T, a bound for every T, and certificates.

    It is tuned for one change of tastes in every `memory` duels (`tunings.steady`). That does not
    depend on how long it runs, so it follows tastes as well after years as on the first day. If
    tastes stay longer than `memory`, it explores a little too much; if they change faster, it
    follows late. `tracker` has half its regret or less in most worlds, but no theorem.

    Parameters
    ----------
    K
        Number of arms.
    memory
        For about how long tastes stay the same. A number counts all duels that are told, self-duels
        too; 1,000 for each arm if None. "5000 votes" counts only duels of two arms, so it does not
        matter whether one visitor in thirty votes or every one. "14d" is a time (s, min, h, d or
        w): it needs `tell(..., at=)`, and the learner finds out how many votes come in that time.
    differ
        Whether to show two different arms in every round. A pair is then drawn from p given that
        its arms differ, with `tunings.apart` of the tuning. It can be certified, too, but the bound
        does not cover it (docs/two-arms.md).
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = steady(K=4, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    """
    if isinstance(memory, str) and not checks.flag("differ", differ):
        return Clocked(K, memory, seed=seed)
    if isinstance(memory, str):
        remedy = "Every duel is of two arms then, so a number counts votes"
        raise checks.refuse("memory", "a number together with differ=True", memory, remedy)
    tuning = tunings.steady(K, memory)
    if checks.flag("differ", differ):
        return ExponentialWeights(K, tunings.apart(tuning), estimate="differ", seed=seed)
    return ExponentialWeights(K, tuning, estimate="relative", seed=seed)


@register(plain=False)
def sturdy(
    K: int,
    *,
    memory: int | None = None,
    step: float = 0.5,
    seed: Seed = None,
) -> ExponentialWeights:
    """SYM-EXP3.S with capped weights: no vote moves an arm by more than `step`.

    Both arms are drawn from p(k) = (1 - gamma) W(k) / sum W + gamma / K, and with psi = 2 o - 1

        W(row) <- W(row) exp(+step psi min(1, 1 / (K p(row)))) + e alpha sum W,

    and the same for the column with -psi; gamma and alpha are those of `steady`. In SYM-EXP3.S a
    vote counts 1 / p, so a vote on a rare arm counts most, and that is the vote to buy. Here, apart
    from the share alpha, ln W of an arm is step (wins - defeats) over its duels in which p was at
    most 1 / K, however rare it was; duels with a larger p count less. So C turned votes lift it by
    at most 2 C step.

    One answer moves the logarithm of an arm's weight by at most `step`. Turning an answer round
    changes the log odds of two arms by at most 4 `step`, and later rounds do not enlarge that
    (docs/late-and-spoiled.md). No theorem bounds its regret, because the cap is a bias. Use it
    where there is a clear winner; where margins are small or arms beat each other in circles, it
    follows noise.

    Parameters
    ----------
    K
        Number of arms.
    memory
        For about how many duels tastes stay the same, as for `steady`; 1,000 for each arm if None.
    step
        The most that a vote adds to the logarithm of a weight, above 0: smaller is slower and
        safer.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = sturdy(K=4, seed=7)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p.shape
    (1, 4)
    """
    number = checks.real("step", step, low=0, high=LARGEST_STEP)
    if number == 0:
        raise checks.refuse("step", "above 0", step, "With 0 it would learn nothing")
    tuning = replace(tunings.steady(K, memory), eta=2 * number / K)
    return ExponentialWeights(K, tuning, estimate="capped", seed=seed)


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
        self._lasts = memory
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
        self._numbers = tuple(self._tuned(tuning, votes=True))

    @property
    def memory(self) -> str:
        """For about how long tastes stay the same."""
        return self._lasts

    def _learn(self, o: float, asked: Duel, note: Any, at: Moment | None) -> None:
        if math.isinf(self._span) or asked.row == asked.col:  # in votes, or nobody voted
            super()._learn(o, asked, note, at)
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
        state, p = self._state.copy(), np.maximum(note, tuning.eta / (2 * LARGEST_STEP))
        duel = asked.t, o, asked.row, asked.col
        self.KERNELS.tell(state.clock, state.arrays, tuple(numbers), p, *duel)
        pace = (votes, max(now, self._latest or now), tuning)
        vars(self).update(self._at_pace(*pace), _state=state)  # in C, and so all at once

    def _at_pace(self, votes: float, latest: float | None, tuning: Tuning) -> dict[str, Any]:
        """What depends on how many votes came when."""
        numbers = tuple(self._tuned(tuning, votes=True))
        return {"_votes": votes, "_latest": latest, "_tuning": tuning, "_numbers": numbers}

    def _block_of(self, memory: Any, rounds: int) -> Any:
        if math.isfinite(self._span):
            raise ValueError(
                f"memory={self.memory!r} is a time, and a simulation has no clock: give votes, "
                "such as memory='5000 votes'"
            )
        return super()._block_of(memory, rounds)

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
            votes = fields.read("votes", lambda it: checks.real("votes", it, low=0, high=LONGEST))
            latest = fields.read("latest", lambda it: None if it is None else moment("latest", it))
            tuning = tunings.steady(K, max(tunings.least_memory(K), round(votes)))
            vars(learner).update(learner._at_pace(votes, latest, tuning))
        return learner

    def _alike(self, K: int) -> Self:
        return type(self)(K, self.memory, seed=0)

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        super()._inherit(heir, before, boost)
        if math.isfinite(self._span):
            tuning = tunings.steady(heir.K, max(tunings.least_memory(heir.K), round(self._votes)))
            vars(heir).update(heir._at_pace(self._votes, self._latest, tuning))
