"""ExponentialWeights: the one algorithm behind all five learners of the paper."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring._kernels import weights as kernels
from sparring._kernels.arithmetic import LANES, SMALL_EXPONENT
from sparring.learners import blocks, limits, snapshots
from sparring.learners.bookkeeping import Bookkeeping, refused_chance, told
from sparring.learners.duels import OpenDuels
from sparring.problem import Block, Duel, Plays, Tuning, arms

LONGEST_KEPT = 32_768  # rounds whose uniforms a learner keeps room for


class ExponentialWeights(Bookkeeping):
    """Exponential weights with mixing gamma, bias beta and share alpha, for two players.

    In each round each player mixes its weights with the uniform distribution and draws an arm,

        p(k) = (1 - gamma) W(k) / sum W + gamma / K,

    and when the outcome o is known, multiplies and shares,

        W(k) <- W(k) exp(eta g(k)) + e alpha sum W,

    where g is the estimate of arm k's gain: "win", equation (g-hat) of Algorithms 1 and 2;
    "borda", s' of Algorithm 3; "relative", REX3's, which has one distribution for both arms; or
    "row borda", D-EXP3's, which has one, too, and s' for the row arm alone.

    Use the named learners (`sym_exp3s`, `steady`, `dex3p`, `dex3s`, `borda_dex3s`, `d_exp3`,
    `rex3`, `rand`) unless you want another mixture. One learner may be used from several threads.

    Parameters
    ----------
    K
        Number of arms.
    tuning
        eta, gamma, beta and alpha.
    estimate
        "win", "borda", "relative" or "row borda".
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

    def __init__(
        self, K: int, tuning: Tuning, *, estimate: str = "win", seed: streams.Seed = None
    ) -> None:
        super().__init__(K, seed)
        self._estimate = limits.known(estimate)
        self._tuning = limits.usable(tuning, estimate, self._K)
        players = 1 if estimate in limits.ONE_PLAYER else 2
        width = -(-self._K // LANES) * LANES
        self._u = np.empty((0, 2))
        self._p: NDArray[np.float64] | None = None  # of the weights as they are; shared by duels
        self._weights = kernels.Weights(
            W=np.zeros((players, width)),
            total=np.zeros(players),
            blocks=np.zeros((players, width // LANES)),
            Z=np.zeros((players, width)),
            depth=np.zeros((players, width), np.int64),
            asleep=np.zeros(players, np.int64),
        )
        share = np.zeros(width)
        share[: self._K] = math.e * tuning.alpha
        numbers = kernels.Numbers(
            K=self._K,
            estimate=limits.ESTIMATES[estimate],
            eta=tuning.eta,
            beta=tuning.beta,
            gamma=tuning.gamma,
            share=share,
            small=tuning.eta * tuning.beta * self._K / tuning.gamma <= SMALL_EXPONENT,
        )
        self._numbers = tuple(numbers)
        self._set_weights(1.0, 0)  # Alg. 1, l. 2

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.4g}" for name, value in asdict(self.tuning).items())
        state = f"t={self.t}, {len(self.open)} open"
        return f"<ExponentialWeights K={self.K}, {self.estimate!r}, {numbers}; {state}>"

    @property
    def tuning(self) -> Tuning:
        """eta, gamma, beta and alpha."""
        return self._tuning

    @property
    def estimate(self) -> str:
        """The estimate of the gains: "win", "borda", "relative" or "row borda"."""
        return self._estimate

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K), read-only: what the next `ask` draws from."""
        with self._turn:
            if self._p is None:
                p = np.empty_like(self._weights.W)
                kernels.distributions(tuple(self._weights), p, self._numbers)
                self._p = p
            return self._arms_of(self._p)

    def ask(self) -> Duel:
        """Choose the next pair (Alg. 1, ll. 4-7)."""
        with self._turn:
            # Until a tell changes the weights, duels share their distributions.
            p = np.empty_like(self._weights.W) if self._p is None else self._p
            u, v = self._rng.random(2)
            row, col = kernels.ask(u, v, tuple(self._weights), p, self._numbers)
            self._p = p
            self._t += 1
            return self._book.open(self._t, row, col, self._arms_of(p))

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn the outcome of a duel (Alg. 1, ll. 9-12), with the distributions it was asked with.

        Parameters
        ----------
        duel
            What `ask` returned. Answers may come late and in any order; each duel is told once.
        outcome
            1 if the row arm won, 0 if the column arm did, 0.5 for a tie; anything in [0, 1].
        """
        o = told(outcome)
        with self._turn:
            asked = self._book.find(duel)
            self._p = None
            weights = tuple(self._weights)
            kernels.tell(o, asked.row, asked.col, weights, asked.p.base, self._numbers)
            self._book.close(asked)

    def play(self, block: Block, coins: NDArray[np.float64], *, out: Plays | None = None) -> Plays:
        """Play a whole block (Alg. 1, l. 3); to the last bit what asking and telling would do.

        Parameters
        ----------
        block
            P of shape (m, K, K) and hold of shape (m,), the rounds each matrix lasts.
        coins
            One number in [0, 1] a round: the row arm wins if it is below P[row, col].
        out
            Arrays to fill and return, one entry a round; new ones if None.
        """
        (P, hold), coins = blocks.checked(block, coins, self.K)
        rounds = len(coins)
        rows, cols = out = blocks.room(out, rounds)
        with self._turn:
            generator = self._rng.bit_generator
            state = generator.state
            weights = kernels.Weights._make(array.copy() for array in self._weights)
            p = np.empty_like(weights.W)
            try:
                u = self._uniforms(rounds)
                played = kernels.play(
                    P, hold, u, coins, rows, cols, tuple(weights), p, self._numbers
                )
                if played < rounds:
                    raise refused_chance(P, hold, rows, cols, played)
            except BaseException:  # an interrupt too: what was drawn is drawn again
                generator.state = state
                raise
            self._weights, self._p = weights, None
            self._t += rounds
        return out

    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; `sparring.restore` goes on from it."""
        with self._turn:
            duels = self._book.duels.values()
            # Duels asked without a tell between share their distributions, here as in memory.
            shared = {id(duel.p.base): duel.p for duel in duels}
            position = {key: n for n, key in enumerate(shared)}
            fields = {
                "id": self._book.owner,
                "K": self.K,
                "estimate": self.estimate,
                "tuning": asdict(self.tuning),
                "t": self.t,
                "weights": (self._weights.W + self._weights.Z)[:, : self.K].tolist(),  # one is 0
                "depths": self._weights.depth[:, : self.K].tolist(),
                "seed": streams.seed_to_json(self._seed),
                "generator": streams.to_json(self._rng),
                "distributions": [p.tolist() for p in shared.values()],
                "open": [[duel.t, duel.row, duel.col, position[id(duel.p.base)]] for duel in duels],
            }
        return snapshots.seal(self.KIND, fields)

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> "ExponentialWeights":
        """The learner a snapshot was taken of; `sparring.restore` calls this."""
        fields = snapshots.Fields(snapshot, cls.KIND)
        K = fields.read("K", arms)
        fields.demand("K", fields.read("weights", lambda rows: len(rows[0])) == K)
        estimate = fields.read("estimate", limits.known)
        tuning = fields.read("tuning", lambda it: limits.usable(Tuning(**it), estimate, K))
        rng = fields.read("generator", streams.from_json)
        learner = cls(K, tuning, estimate=estimate, seed=rng)
        shape = (len(learner._weights.W), K)
        weights = fields.array("weights", np.float64, shape)
        depths = fields.array("depths", np.int64, shape)
        fields.demand("depths", limits.possible_depths(depths))
        fields.demand("weights", limits.possible_weights(weights, depths))
        distributions = fields.array("distributions", np.float64, (None, *shape))
        fields.demand("distributions", bool((distributions >= 0.99 * tuning.gamma / K).all()))
        padded = [learner._pad(p) for p in distributions]
        learner._seed = fields.read("seed", streams.seed_from_json)
        learner._t = fields.read("t", lambda t: checks.whole("t", t, low=0))
        learner._book = OpenDuels(fields.read("id", str), latest=learner.t)
        learner._set_weights(weights, depths)
        fields.demand("weights", limits.in_range(learner._weights.total))
        for t, row, col, position in fields.array("open", np.int64, (None, 4)).tolist():
            fields.demand("open", 0 < t <= learner.t and 0 <= row < K and 0 <= col < K)
            fields.demand("open", 0 <= position < len(padded))
            learner._book.open(t, row, col, learner._arms_of(padded[position]))
        fields.verify(learner.snapshot())
        return learner

    def _set_weights(self, weights: Any, depths: Any) -> None:
        """Set the weights to weights 2^(-256 depths); arms of a depth above 0 sleep."""
        now, arms_only = self._weights, np.s_[:, : self.K]
        now.depth[arms_only] = depths
        now.W[arms_only] = np.where(now.depth[arms_only] == 0, weights, 0.0)
        now.Z[arms_only] = np.where(now.depth[arms_only] == 0, 0.0, weights)
        now.asleep[:] = (now.depth > 0).sum(axis=1)
        kernels.sum_all(tuple(now), self._numbers)
        self._p = None

    def _uniforms(self, rounds: int) -> NDArray[np.float64]:
        """Two a round, in memory that is used again: fresh memory costs more than to fill it."""
        if rounds > LONGEST_KEPT:
            return self._rng.random((rounds, 2))
        if rounds > len(self._u):
            self._u = np.empty((rounds, 2))
        self._rng.random(out=self._u[:rounds])
        return self._u[:rounds]

    def _pad(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distributions in the kernels' width."""
        padded = np.ones_like(self._weights.W)
        padded[:, : self.K] = p
        return padded

    def _arms_of(self, padded: NDArray[np.float64]) -> NDArray[np.float64]:
        """The arms of a padded array as a read-only view, whose `base` is the padded array."""
        view = padded[:, : self.K]
        view.flags.writeable = False
        return view
