"""ExponentialWeights: the one algorithm behind all five learners of the paper."""

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks, streams
from sparring._kernels import weights as kernels
from sparring._kernels.arithmetic import LANES, SMALL_EXPONENT
from sparring.durations import Moment
from sparring.learners import adopting, blocks, changing, limits, snapshots
from sparring.learners.frame import Frame
from sparring.learners.journal import machine_code
from sparring.problem import Block, Duel, Plays, Tuning

Floats = NDArray[np.float64]

LONGEST_KEPT = 32_768  # rounds whose uniforms a learner keeps room for


class ExponentialWeights(Frame):
    """Exponential weights with mixing gamma, bias beta and share alpha, for two players.

    In each round each player mixes its weights with the uniform distribution and draws an arm,

        p(k) = (1 - gamma) W(k) / sum W + gamma / K,

    and when the outcome o is known, it multiplies and shares,

        W(k) <- W(k) exp(eta g(k)) + e alpha sum W,

    where g is the estimate of arm k's gain: "win", equation (g-hat) of Algorithms 1 and 2; "borda",
    s' of Algorithm 3; "relative", REX3's, with one distribution for both arms; "row borda",
    D-EXP3's, also with one distribution, and s' for the row arm only; "differ", REX3's for pairs
    that are drawn from p given that their arms differ, at the rate eta / sqrt(D)
    (docs/two-arms.md); or "capped", REX3's with max(p, 1 / K) in place of p.

    Use the named learners (`sym_exp3s`, `steady`, `sturdy`, `dex3p`, `dex3s`, `borda_dex3s`,
    `d_exp3`, `rex3`, `rand`) unless you want another mixture. One learner may be used from several
    threads.

    Parameters
    ----------
    K
        Number of arms.
    tuning
        eta, gamma, beta and alpha.
    estimate
        "win", "borda", "relative", "row borda", "differ" or "capped".
    seed
        An int, a SeedSequence, a numpy Generator (used as it is, not copied) or None.

    Examples
    --------
    >>> learner = ExponentialWeights(3, Tuning(eta=0.05, gamma=0.3), seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.p.shape
    (2, 3)
    """

    KIND = "exponential weights"
    COLUMNS = 4  # one more: which of the distributions it was asked with

    def __init__(
        self, K: int, tuning: Tuning, *, estimate: str = "win", seed: streams.Seed = None
    ) -> None:
        super().__init__(K, seed)
        self._estimate = limits.known(estimate)
        self._book.differ = estimate == "differ"
        self._tuning = limits.usable(tuning, estimate, self._K)
        players = 1 if estimate in limits.ONE_PLAYER else 2
        width = _width(self._K)
        self._u = np.empty((0, 2))
        self._p: Floats | None = None  # of the weights as they are; shared by duels
        self._weights = kernels.Weights(
            W=np.zeros((players, width)),
            total=np.zeros(players),
            blocks=np.zeros((players, width // LANES)),
            Z=np.zeros((players, width)),
            depth=np.zeros((players, width), np.int64),
            asleep=np.zeros(players, np.int64),
        )
        self._numbers = self._tuned(tuning)
        self._set_weights(1.0, 0)  # Alg. 1, l. 2

    def _tuned(self, tuning: Tuning, *, votes: bool = False) -> tuple[Any, ...]:
        """The numbers that the kernels use; see `WeightsNumbers`."""
        share = np.zeros(_width(self._K))
        share[: self._K] = math.e * tuning.alpha
        numbers = kernels.WeightsNumbers(
            K=self._K,
            estimate=limits.ESTIMATES[self._estimate],
            eta=tuning.eta,
            beta=tuning.beta,
            gamma=tuning.gamma,
            share=share,
            small=tuning.eta * tuning.beta * self._K / tuning.gamma <= SMALL_EXPONENT,
            votes=votes,
        )
        return tuple(numbers)

    @property
    def tuning(self) -> Tuning:
        """eta, gamma, beta and alpha."""
        return self._tuning

    @property
    def estimate(self) -> str:
        """The estimate of the gains, such as "win" or "relative"."""
        return self._estimate

    def _distributions(self) -> Floats:
        if self._p is None:
            p = np.empty_like(self._weights.W)
            kernels.distributions(tuple(self._weights), p, self._numbers)
            self._p = p
        return self._shown(self._p)

    def _state(self) -> Any:
        return self._weights, self._p, self._rng.bit_generator.state

    def _adopt(self, state: Any) -> None:
        self._weights, self._p, generator = state
        if generator is not None:
            self._rng.bit_generator.state = generator

    def _copied_weights(self) -> kernels.Weights:
        return kernels.Weights._make(array.copy() for array in self._weights)

    def _choose(self, t: int) -> Duel:
        # Until a tell changes the weights, duels share their distributions.
        p = np.empty_like(self._weights.W) if self._p is None else self._p
        duel: Duel = self._do(self._drawn, (t, p), self._rng.random, (2,))
        return duel

    def _drawn(self, kept: tuple[int, Floats], uniforms: Floats) -> Duel:
        # Alg. 1, ll. 4-7: once the uniforms are drawn, it may be repeated.
        t, self._p = kept
        p, (u, v) = self._p, uniforms.tolist()
        row, col = kernels.ask(u, v, tuple(self._weights), p, self._numbers)
        return self._book.enter(t, row, col, self._shown(p), p)

    def _shown(self, note: Floats) -> Floats:
        view = note[:, : self._K]  # without the padding
        view.flags.writeable = False
        return view

    def _learn(self, o: float, asked: Duel, note: Floats, at: Moment | None) -> None:
        code = machine_code(kernels.tell)
        weights = self._copied_weights() if code is None else self._weights
        arguments = (o, asked.row, asked.col, tuple(weights), note, self._numbers)
        self._do(self._learnt, (asked, weights), code or kernels.tell, arguments)

    def _learnt(self, kept: tuple[Duel, kernels.Weights], _: None) -> None:
        asked, self._weights = kept
        self._p = None
        self._book.close(asked)

    def _play(self, block: Block, coins: Floats, out: Plays) -> Any:
        weights = self._copied_weights()
        p, u = np.empty_like(weights.W), self._uniforms(len(coins))
        played = kernels.play(*block, u, coins, *out, tuple(weights), p, self._numbers)
        if played < len(coins):
            raise blocks.refused_chance(block, out, played)
        return weights, None, None

    def _described(self) -> str:
        numbers = "".join(f", {name}={value:.4g}" for name, value in asdict(self.tuning).items())
        return f", {self.estimate!r}{numbers}"

    def _kept(self) -> Any:
        weights = self._weights.W + self._weights.Z  # one is 0
        return weights, self._weights.depth.copy(), streams.to_json(self._rng)

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Floats]) -> dict[str, Any]:
        weights, depths, generator = kept
        # Duels asked without a tell between share their distributions, here as in memory.
        shared = {id(p): p for p in notes}
        position = {key: n for n, key in enumerate(shared)}
        return {
            "estimate": self.estimate,
            "tuning": asdict(self.tuning),
            "weights": weights[:, : self.K].tolist(),
            "depths": depths[:, : self.K].tolist(),
            "generator": generator,
            "distributions": [p[:, : self.K].tolist() for p in shared.values()],
            "open": [[*duel, position[id(p)]] for duel, p in zip(duels, notes, strict=True)],
        }

    @classmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        fields.demand("K", fields.read("weights", lambda rows: len(rows[0])) == K)
        estimate = fields.read("estimate", limits.known)
        tuning = fields.read("tuning", lambda it: limits.usable(Tuning(**it), estimate, K))
        fields.demand_names("tuning", asdict(tuning))
        rng = fields.read("generator", streams.from_json)
        learner = cls._made_again(fields, K, tuning, estimate, rng)
        shape = (len(learner._weights.W), K)
        weights = fields.array("weights", np.float64, shape)
        depths = fields.array("depths", np.int64, shape)
        fields.demand("depths", limits.possible_depths(depths))
        fields.demand("weights", limits.possible_weights(weights, depths))
        learner._set_weights(weights, depths)
        fields.demand("weights", limits.in_range(learner._weights.total))
        return learner

    @classmethod
    def _made_again(
        cls, fields: snapshots.Fields, K: int, tuning: Tuning, estimate: str, rng: Generator
    ) -> Self:
        """The learner as it was made, with the present generator."""
        return cls(K, tuning, estimate=estimate, seed=rng)

    def _notes(self, fields: snapshots.Fields, duels: list[list[int]]) -> Iterable[Floats]:
        shape = (None, len(self._weights.W), self.K)
        distributions = fields.array("distributions", np.float64, shape)
        fields.demand("distributions", bool((distributions >= self._least()).all()))
        padded = [_padded(p) for p in distributions]
        positions = [position for *_, position in duels]
        fields.demand("open", all(0 <= position < len(padded) for position in positions))
        return [padded[position] for position in positions]

    def _note_of(self, row: int, col: int, p: Any) -> Floats:
        if self.differ and row == col:
            raise checks.refuse("col", "another arm than row, as arms differ here", col)
        return _padded(adopting.distributions(p, len(self._weights.W), self.K, self._least()))

    def _least(self) -> float:
        """The least chance with which an arm of an open duel was drawn."""
        return 0.99 * self.tuning.gamma / self.K

    def _alike(self, K: int) -> Self:
        return type(self)(K, self.tuning, estimate=self.estimate, seed=0)

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        mean = boost * self._weights.total / self.K
        weights, depths = np.repeat(mean[:, None], heir.K, axis=1), np.zeros((len(mean), heir.K))
        now = self._weights
        changing.regrouped(now.W + now.Z, weights, (1,), before)
        changing.regrouped(now.depth, depths, (1,), before)
        heir._set_weights(*limits.rescaled(weights, depths.astype(np.int64)))

    def _renoted(self, note: Floats, before: list[int | None]) -> Floats:
        p = np.ones((len(note), len(before)))
        changing.regrouped(note, p, (1,), before)
        # With fewer arms each has more of the mixing: a smaller chance might make too large a step.
        return _padded(np.maximum(p, self.tuning.gamma / len(before)))

    def _set_weights(self, weights: Any, depths: Any) -> None:
        """Set the weights to weights 2^(-256 depths); arms of a depth above 0 sleep."""
        now, arms_only = self._weights, np.s_[:, : self.K]
        now.depth[arms_only] = depths
        now.W[arms_only] = np.where(now.depth[arms_only] == 0, weights, 0.0)
        now.Z[arms_only] = np.where(now.depth[arms_only] == 0, 0.0, weights)
        now.asleep[:] = (now.depth > 0).sum(axis=1)
        kernels.sum_all(tuple(now), self._numbers)
        self._p = None

    def _uniforms(self, rounds: int) -> Floats:
        """Two for each round, in reused memory: fresh memory costs more than filling it."""
        if rounds > LONGEST_KEPT:
            return self._rng.random((rounds, 2))
        if rounds > len(self._u):
            self._u = np.empty((rounds, 2))
        self._rng.random(out=self._u[:rounds])
        return self._u[:rounds]


def _padded(p: Floats) -> Floats:
    """Distributions in the kernels' width."""
    padded = np.ones((len(p), _width(p.shape[1])))
    padded[:, : p.shape[1]] = p
    return padded


def _width(K: int) -> int:
    """Arms and padding."""
    return -(-K // LANES) * LANES
